//! The tokens of a model with their bytes, ids and origins, derived by replaying the events.

use std::collections::{HashMap, HashSet};

use super::{BuildError, Event, Method, ModelParts};
use crate::token::{Symbol, TokenId};
use crate::tokens::{MAX_TOKEN_BYTES, TokenTable};

/// The most bytes that the results of all merges together may have. Real vocabularies have a few
/// megabytes. The limit stops a hostile file from filling the memory (each merge doubles the last) and
/// from running forever (many merges make the same long token).
pub const MAX_VOCABULARY_BYTES: usize = MAX_TOKEN_BYTES;

/// Ids may have gaps, as in imported models, but tables by id must stay in proportion to the model.
/// So the largest allowed id is this plus four for each token.
const SPARE_IDS: usize = 1 << 20;

/// Few enough that symbols and the order of entering fit into 32 bits.
const MAX_EVENTS: usize = 1 << 30;

const NO_ID: u32 = u32::MAX;

/// The tokens of a model.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    tokens: TokenTable,
    origins: Vec<Origin>,
    /// The token that each event added or deleted.
    made: Vec<Symbol>,
    id_of: Vec<u32>,
    symbol_of: Vec<u32>,
    /// The first added token with each id.
    added_of: HashMap<u32, usize>,
    /// Whether an added token has the id of another one or of an ordinary token.
    shares_ids: bool,
    n_vocab: usize,
    n_tokens: usize,
}

/// How a symbol was last added to the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is a byte of the alphabet.
    Byte,
    /// No merge makes it; see [`ModelParts::unmade`].
    Unmade,
    /// An ordinary merge of two tokens.
    Merge(Symbol, Symbol),
    /// A supermerge of two tokens.
    Supermerge(Symbol, Symbol),
}

impl Vocabulary {
    /// Replays and checks the events of `parts`.
    pub(super) fn replay(parts: &ModelParts) -> Result<Vocabulary, BuildError> {
        let (mut vocabulary, mut joined_bytes) = Vocabulary::before_events(parts)?;
        let mut alive: Vec<bool> = vec![true; vocabulary.len()];
        let mut superwords = HashSet::new();
        // The order in which tokens were added. A token that is deleted and made again counts from
        // the later time.
        let mut entered: Vec<u32> = (0..).take(vocabulary.len()).collect();
        let mut clock = vocabulary.len() as u32;
        if parts.events.len() > MAX_EVENTS {
            return Err(BuildError::TooManyEvents {
                events: parts.events.len(),
                limit: MAX_EVENTS,
            });
        }
        check_order(parts)?;

        for (event, step) in parts.events.iter().enumerate() {
            let check = |token: Symbol, alive: &[bool]| match alive.get(token.index()) {
                None => Err(BuildError::PartDefinedLater { event, token }),
                Some(false) => Err(BuildError::PartDeleted { event, token }),
                Some(true) => Ok(()),
            };
            match *step {
                Event::Merge { left, right, count } | Event::Supermerge { left, right, count } => {
                    check(left, &alive)?;
                    check(right, &alive)?;
                    if count == 0 {
                        return Err(BuildError::ZeroCount { event });
                    }
                    let is_merge = matches!(step, Event::Merge { .. });
                    if let Some(token) = vocabulary.unmade_part([left, right], is_merge) {
                        return Err(BuildError::PartUnmade { event, token });
                    }
                    let origin = match step {
                        Event::Supermerge { .. } if parts.method == Method::Bpe => {
                            return Err(BuildError::SupermergeInBpe { event });
                        }
                        Event::Supermerge { .. } => Origin::Supermerge(left, right),
                        _ => Origin::Merge(left, right),
                    };
                    joined_bytes +=
                        vocabulary.bytes_of(left).len() + vocabulary.bytes_of(right).len();
                    if joined_bytes > MAX_VOCABULARY_BYTES {
                        return Err(BuildError::TooManyBytes {
                            event,
                            limit: MAX_VOCABULARY_BYTES,
                        });
                    }
                    let full = BuildError::TooManyBytes {
                        event,
                        limit: MAX_VOCABULARY_BYTES,
                    };
                    let mut joined = vocabulary.tokens.join(left, right);
                    if let Some(token) = joined.filter(|_| is_merge)
                        && vocabulary.unmade_part([token], true).is_some()
                    {
                        // Its bytes may be those of an unmade token, which stays apart.
                        joined = vocabulary.tokens.renew(token);
                    }
                    let joined = joined.ok_or(full)?;
                    if joined.index() == vocabulary.origins.len() {
                        vocabulary.origins.push(origin);
                    }
                    vocabulary.made.push(joined);
                    if !is_merge {
                        superwords.insert(joined);
                    }
                    if joined.index() == alive.len() {
                        alive.push(true);
                        entered.push(clock);
                        clock += 1;
                    } else if !alive[joined.index()] {
                        alive[joined.index()] = true;
                        vocabulary.origins[joined.index()] = origin;
                        entered[joined.index()] = clock;
                        clock += 1;
                    }
                }
                Event::Delete { token } => {
                    check(token, &alive)?;
                    if vocabulary.bytes_of(token).len() == 1 {
                        return Err(BuildError::DeletesByte { event, token });
                    }
                    if vocabulary.unmade_part([token], true).is_some() {
                        return Err(BuildError::PartUnmade { event, token });
                    }
                    // A superword with the same bytes is still made by its supermerge, so it stays.
                    alive[token.index()] = superwords.contains(&token);
                    vocabulary.made.push(token);
                }
            }
        }
        vocabulary.assign_ids(parts, &alive, &entered)?;
        vocabulary.check_ngrams(parts)?;
        Ok(vocabulary)
    }

    /// The tokens that exist before the first event, and the number of bytes of the unmade ones.
    fn before_events(parts: &ModelParts) -> Result<(Vocabulary, usize), BuildError> {
        let expected = parts.events.len() + parts.unmade.len() + 256;
        let mut vocabulary = Vocabulary {
            tokens: TokenTable::with_capacity(expected),
            origins: Vec::with_capacity(expected),
            made: Vec::with_capacity(parts.events.len()),
            id_of: Vec::new(),
            symbol_of: Vec::new(),
            added_of: HashMap::new(),
            shares_ids: false,
            n_vocab: 0,
            n_tokens: 0,
        };
        for byte in parts.alphabet.bytes() {
            // 256 bytes always fit.
            vocabulary.tokens.insert(&[byte]);
            vocabulary.origins.push(Origin::Byte);
        }
        let mut unmade_bytes = 0;
        for token in &parts.unmade {
            let full = BuildError::TooManyBytes {
                event: 0,
                limit: MAX_VOCABULARY_BYTES,
            };
            vocabulary.tokens.insert_apart(token).ok_or(full)?;
            vocabulary.origins.push(Origin::Unmade);
            unmade_bytes += token.len();
        }
        Ok((vocabulary, unmade_bytes))
    }

    /// The first of these tokens that an event cannot use: a merge cannot use unmade tokens, and no
    /// event can use the empty token.
    fn unmade_part<const N: usize>(&self, tokens: [Symbol; N], is_merge: bool) -> Option<Symbol> {
        tokens.into_iter().find(|&token| {
            let unmade = self.origins.get(token.index()) == Some(&Origin::Unmade);
            unmade && (is_merge || self.bytes_of(token).is_empty())
        })
    }

    fn assign_ids(
        &mut self,
        parts: &ModelParts,
        alive: &[bool],
        entered: &[u32],
    ) -> Result<(), BuildError> {
        let mut survivors: Vec<Symbol> = (0..self.len() as u32)
            .map(Symbol)
            .filter(|symbol| alive[symbol.index()])
            .collect();
        survivors.sort_unstable_by_key(|symbol| entered[symbol.index()]);
        self.n_tokens = survivors.len();
        self.id_of = vec![NO_ID; self.len()];
        let mut largest = 0;
        match &parts.ids {
            None => {
                for (id, symbol) in (0u32..).zip(&survivors) {
                    self.id_of[symbol.index()] = id;
                    largest = id;
                }
            }
            Some(ids) if ids.len() == self.len() => {
                for symbol in survivors {
                    let id = ids[symbol.index()].0;
                    self.id_of[symbol.index()] = id;
                    largest = largest.max(id);
                }
            }
            Some(ids) => {
                return Err(BuildError::IdsOfOtherLength {
                    given: ids.len(),
                    needed: self.len(),
                });
            }
        }
        let added = parts.added.iter().map(|added| added.id.0);
        let largest = largest.max(added.max().unwrap_or(0));
        let limit = SPARE_IDS + 4 * (self.len() + parts.added.len());
        if largest as usize > limit {
            return Err(BuildError::IdTooLarge {
                id: TokenId(largest),
                limit,
            });
        }
        self.n_vocab = largest as usize + 1;
        self.symbol_of = vec![NO_ID; self.n_vocab];
        for (symbol, &id) in (0u32..).zip(&self.id_of) {
            if id == NO_ID {
                continue;
            }
            let slot = &mut self.symbol_of[id as usize];
            if *slot != NO_ID {
                return Err(BuildError::IdTwice { id: TokenId(id) });
            }
            *slot = symbol;
        }
        self.add_added(parts)
    }

    fn add_added(&mut self, parts: &ModelParts) -> Result<(), BuildError> {
        let mut texts = HashSet::new();
        for (index, added) in parts.added.iter().enumerate() {
            if added.text.is_empty() {
                return Err(BuildError::EmptyAdded { index });
            }
            if !texts.insert(added.text.as_str()) {
                return Err(BuildError::AddedTwice {
                    text: added.text.clone(),
                });
            }
            if let Some(symbol) = self.symbol_with(added.id) {
                if self.bytes_of(symbol) != added.text.as_bytes() {
                    return Err(BuildError::IdTwice { id: added.id });
                }
                self.shares_ids = true;
            }
            let first = *self.added_of.entry(added.id.0).or_insert(index);
            self.shares_ids |= first != index;
        }
        Ok(())
    }

    fn check_ngrams(&self, parts: &ModelParts) -> Result<(), BuildError> {
        for (index, ngram) in parts.ngrams.iter().enumerate() {
            if ngram.len() < 2 {
                return Err(BuildError::NgramTooShort { index });
            }
            for &token in ngram {
                if self.id_of.get(token.index()).is_none_or(|&id| id == NO_ID) {
                    return Err(BuildError::NgramPart { index, token });
                }
            }
        }
        Ok(())
    }

    /// The number of symbols, including deleted ones.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Always false, because there is always an alphabet.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The bytes of all symbols.
    pub(crate) fn tokens(&self) -> &TokenTable {
        &self.tokens
    }

    /// One more than the largest id, added tokens included.
    pub fn n_vocab(&self) -> usize {
        self.n_vocab
    }

    /// The number of tokens, not counting added tokens.
    pub fn n_tokens(&self) -> usize {
        self.n_tokens
    }

    /// The bytes of a symbol.
    pub fn bytes_of(&self, symbol: Symbol) -> &[u8] {
        self.tokens.bytes_of(symbol)
    }

    /// How the symbol was last added to the vocabulary.
    pub fn origin_of(&self, symbol: Symbol) -> Origin {
        self.origins[symbol.index()]
    }

    /// The token that an event made or deleted: `ab` for the merge of `a` and `b`, even if `ab`
    /// existed before. Events are numbered from 0.
    pub fn made_by(&self, event: usize) -> Symbol {
        self.made[event]
    }

    /// The id of a symbol. `None` if it was deleted.
    pub fn id_of(&self, symbol: Symbol) -> Option<TokenId> {
        let id = self.id_of[symbol.index()];
        (id != NO_ID).then_some(TokenId(id))
    }

    /// The index of the first added token with this id.
    pub(super) fn added_with(&self, id: TokenId) -> Option<usize> {
        self.added_of.get(&id.0).copied()
    }

    /// Whether an added token has the id of another one or of an ordinary token.
    pub(super) fn shares_ids(&self) -> bool {
        self.shares_ids
    }

    /// The symbol with this id. `None` for added tokens and unused ids.
    pub fn symbol_with(&self, id: TokenId) -> Option<Symbol> {
        let symbol = *self.symbol_of.get(id.index())?;
        (symbol != NO_ID).then_some(Symbol(symbol))
    }

    /// The symbol with these bytes, deleted or not.
    pub fn symbol_of_bytes(&self, bytes: &[u8]) -> Option<Symbol> {
        self.tokens.find(bytes)
    }

    /// The id of the token with these bytes.
    pub fn id_of_bytes(&self, bytes: &[u8]) -> Option<TokenId> {
        self.symbol_of_bytes(bytes)
            .and_then(|symbol| self.id_of(symbol))
    }
}

/// Checks that each merge has a rank of its own, if ranks are given.
fn check_order(parts: &ModelParts) -> Result<(), BuildError> {
    let Some(order) = &parts.order else {
        return Ok(());
    };
    if parts.has_deletions() {
        return Err(BuildError::OrderWithDeletions);
    }
    let needed = parts.merges();
    if order.len() != needed {
        return Err(BuildError::OrderOfOtherLength {
            given: order.len(),
            needed,
        });
    }
    let mut ranks = order.clone();
    ranks.sort_unstable();
    match ranks.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(BuildError::RankTwice { rank: pair[0] }),
        None => Ok(()),
    }
}
