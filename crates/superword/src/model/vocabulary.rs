//! The tokens of a model with their bytes, ids and origins, derived by replaying the events.

use std::collections::HashSet;

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
    n_vocab: usize,
    n_tokens: usize,
}

/// How a symbol was last added to the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is a byte of the alphabet.
    Byte,
    /// An ordinary merge of two tokens.
    Merge(Symbol, Symbol),
    /// A supermerge of two tokens.
    Supermerge(Symbol, Symbol),
}

impl Vocabulary {
    /// Replays and checks the events of `parts`.
    pub(super) fn replay(parts: &ModelParts) -> Result<Vocabulary, BuildError> {
        let mut vocabulary = Vocabulary::of_alphabet(parts);
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
        let mut joined_bytes = 0;

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
                    let joined = vocabulary.tokens.join(left, right).ok_or(full)?;
                    if joined.index() == vocabulary.origins.len() {
                        vocabulary.origins.push(origin);
                    }
                    vocabulary.made.push(joined);
                    if matches!(step, Event::Supermerge { .. }) {
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

    fn of_alphabet(parts: &ModelParts) -> Vocabulary {
        let expected = parts.events.len() + 256;
        let mut vocabulary = Vocabulary {
            tokens: TokenTable::with_capacity(expected),
            origins: Vec::with_capacity(expected),
            made: Vec::with_capacity(parts.events.len()),
            id_of: Vec::new(),
            symbol_of: Vec::new(),
            n_vocab: 0,
            n_tokens: 0,
        };
        for byte in parts.alphabet.bytes() {
            // 256 bytes always fit.
            vocabulary.tokens.insert(&[byte]);
            vocabulary.origins.push(Origin::Byte);
        }
        vocabulary
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
        let specials = parts.specials.iter().map(|special| special.id.0);
        let largest = largest.max(specials.max().unwrap_or(0));
        let limit = SPARE_IDS + 4 * (self.len() + parts.specials.len());
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
        let mut texts = HashSet::new();
        let mut ids = HashSet::new();
        for (index, special) in parts.specials.iter().enumerate() {
            if special.text.is_empty() {
                return Err(BuildError::EmptySpecial { index });
            }
            if !texts.insert(special.text.as_str()) {
                return Err(BuildError::SpecialTwice {
                    text: special.text.clone(),
                });
            }
            if self.symbol_of[special.id.index()] != NO_ID || !ids.insert(special.id) {
                return Err(BuildError::IdTwice { id: special.id });
            }
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

    /// One more than the largest id, special tokens included.
    pub fn n_vocab(&self) -> usize {
        self.n_vocab
    }

    /// The number of tokens, not counting special tokens.
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

    /// The symbol with this id. `None` for special tokens and unused ids.
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
