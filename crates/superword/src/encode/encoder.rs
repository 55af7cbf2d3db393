//! The encoder of a model: text → ids, ids → bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cache::{CACHE_BYTES, KnownTokens, WIDE_BYTES, WideKey};
use super::filter::HashFilter;
use super::ranked::Scratch;
use super::shelf::Shelf;
use super::specials::SpecialFinder;
use super::superwords::{ELIGIBLE, SuperwordRules};
use super::words::WordRules;
use super::work::{self, Room};
use crate::model::{Model, WordEvent, word_events};
use crate::table::BytesTable;
use crate::text::{PatternError, Pretokenizer, SplitError};
use crate::token::{Symbol, TokenId};

/// Encodes with one model. May be used from many threads at once.
#[derive(Debug)]
pub struct Encoder {
    model: Arc<Model>,
    pretokenizer: Pretokenizer,
    words: WordRules,
    superwords: Option<SuperwordRules>,
    /// Pretokens that are exactly one token: the symbol, marked where superwords may hold it.
    whole: BytesTable<u32>,
    /// Says of most other pretokens that they are not in `whole`, which is too large for the
    /// processor's cache.
    tokens: HashFilter,
    /// The short ones of them.
    known: KnownTokens,
    /// By symbol; empty where each id is its symbol. A deleted symbol is never asked for.
    ids: Vec<u32>,
    /// Working room that is not in use. A call takes one and puts it back.
    rooms: Shelf<Room>,
    /// The memory of the cache of each room.
    cache_bytes: AtomicUsize,
}

/// An id that no token has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("id {} at position {position} is not in the vocabulary, whose ids are below {n_vocab}", id.0)]
pub struct UnknownId {
    /// The id.
    pub id: TokenId,
    /// Where it stands in the list.
    pub position: usize,
    /// The size of the vocabulary.
    pub n_vocab: usize,
}

impl Encoder {
    /// Prepares all tables. The patterns of the model are compiled here.
    pub fn new(model: Arc<Model>) -> Result<Encoder, PatternError> {
        let pretokenizer = Pretokenizer::new(model.parts().pretokenizer.clone())?;
        let vocabulary = model.vocabulary();
        let alphabet = model.parts().alphabet.symbols();
        let events = word_events(&model);
        let is_word = word_tokens(vocabulary.len(), &alphabet, &events);
        let words = WordRules::new(alphabet, &events);
        let superwords = SuperwordRules::new(&model, &is_word);
        let mut whole = BytesTable::with_capacity(vocabulary.len());
        let mut tokens = HashFilter::with_capacity(vocabulary.len());
        let mut known = KnownTokens::default();
        let reached = words.reached(&events, vocabulary.len(), |token| {
            vocabulary.bytes_of(token)
        });
        let mut ids = Vec::with_capacity(vocabulary.len());
        for index in 0..vocabulary.len() as u32 {
            let symbol = Symbol(index);
            let id = vocabulary.id_of(symbol);
            ids.push(id.map_or(u32::MAX, |id| id.0));
            let bytes = vocabulary.bytes_of(symbol);
            if id.is_none() || !is_word[symbol.index()] || !reached[symbol.index()] {
                continue;
            }
            let eligible = superwords.is_some()
                && std::str::from_utf8(bytes)
                    .is_ok_and(|pretoken| pretokenizer.is_eligible(pretoken));
            let mark = if eligible { ELIGIBLE } else { 0 };
            *whole.entry(bytes, 0, bytes.len()).0 = index | mark;
            known.add(bytes, index | mark);
            if bytes.len() <= WIDE_BYTES {
                tokens.insert(WideKey::new(bytes, 0, bytes.len()).hash());
            }
        }
        if (0..).zip(&ids).all(|(symbol, &id)| id == symbol) {
            ids = Vec::new();
        }
        Ok(Encoder {
            superwords,
            pretokenizer,
            words,
            whole,
            tokens,
            known,
            ids,
            rooms: Shelf::default(),
            cache_bytes: AtomicUsize::new(CACHE_BYTES),
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The pretokenizer of the model.
    pub fn pretokenizer(&self) -> &Pretokenizer {
        &self.pretokenizer
    }

    /// A finder for those special tokens of the model that `allowed` says yes to.
    pub fn special_finder(&self, mut allowed: impl FnMut(&str) -> bool) -> SpecialFinder {
        let specials = self.model.parts().specials.iter();
        SpecialFinder::new(specials.filter(|special| allowed(&special.text)))
    }

    /// Appends the ids of a text; special tokens in it are plain text.
    pub fn encode_ordinary(&self, text: &str, out: &mut Vec<u32>) -> Result<(), SplitError> {
        self.rooms.with(|room| work::encode(self, room, text, out))
    }

    /// Appends the ids of a text; special tokens that the finder knows become their ids.
    pub fn encode(
        &self,
        text: &str,
        specials: &SpecialFinder,
        out: &mut Vec<u32>,
    ) -> Result<(), SplitError> {
        self.rooms.with(|room| {
            let mut from = 0;
            while let Some((start, end, id)) = specials.find(text, from) {
                work::encode(self, room, &text[from..start], out)?;
                out.push(id);
                from = end;
            }
            work::encode(self, room, &text[from..], out)
        })
    }

    /// The memory, in bytes, that the cache of each worker may take. [`CACHE_BYTES`] at first.
    pub fn cache_bytes(&self) -> usize {
        self.cache_bytes.load(Ordering::Relaxed)
    }

    /// Sets the memory of the cache of each worker; 0 means that nothing is remembered. Ids are
    /// the same for any size. What was cached is forgotten.
    pub fn set_cache_bytes(&self, bytes: usize) {
        self.cache_bytes.store(bytes, Ordering::Relaxed);
        self.clear_cache();
    }

    /// Forgets what was cached.
    pub fn clear_cache(&self) {
        self.rooms.for_each(|room| room.cache.clear());
    }

    /// The short tokens that pretokens may be.
    pub(super) fn known_tokens(&self) -> &KnownTokens {
        &self.known
    }

    /// The superwords of the model, if it has any.
    #[inline(always)]
    pub(super) fn superwords(&self) -> Option<&SuperwordRules> {
        self.superwords.as_ref()
    }

    /// The symbols of the pretoken `text[start..end]`, in place of what `symbols` held. `key` is its
    /// key, where it has one.
    pub(super) fn encode_pretoken(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        key: Option<&WideKey>,
        symbols: &mut Vec<u32>,
        scratch: &mut Scratch,
    ) {
        let may_be_token = key.is_none_or(|key| self.tokens.may_have(key.hash()));
        if may_be_token && let Some(symbol) = self.whole.get(text, start, end).0 {
            symbols.clear();
            symbols.push(symbol);
        } else {
            self.words.encode(&text[start..end], symbols, scratch);
        }
    }

    /// Replaces symbols by their ids.
    pub(super) fn symbols_to_ids(&self, symbols: &mut [u32]) {
        if !self.ids.is_empty() {
            for symbol in symbols {
                *symbol = self.ids[*symbol as usize];
            }
        }
    }

    /// The bytes of a token, special ones included.
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        let vocabulary = self.model.vocabulary();
        if let Some(symbol) = vocabulary.symbol_with(id) {
            return Some(vocabulary.bytes_of(symbol));
        }
        let mut specials = self.model.parts().specials.iter();
        specials
            .find(|special| special.id == id)
            .map(|special| special.text.as_bytes())
    }

    /// Appends the bytes of all tokens.
    pub fn decode(&self, ids: &[u32], out: &mut Vec<u8>) -> Result<(), UnknownId> {
        for (position, &id) in ids.iter().enumerate() {
            let bytes = self.token_bytes(TokenId(id)).ok_or(UnknownId {
                id: TokenId(id),
                position,
                n_vocab: self.model.n_vocab(),
            })?;
            out.extend_from_slice(bytes);
        }
        Ok(())
    }
}

/// By symbol: whether phase 1 has it. No other token is ever what a pretoken becomes.
fn word_tokens(
    symbols: usize,
    alphabet: &[Option<Symbol>; 256],
    events: &[WordEvent],
) -> Vec<bool> {
    let mut is_word = vec![false; symbols];
    let joined = events.iter().filter_map(|event| match event {
        WordEvent::Merge { joined, .. } => Some(joined),
        WordEvent::Delete { .. } => None,
    });
    for symbol in alphabet.iter().flatten().chain(joined) {
        is_word[symbol.index()] = true;
    }
    is_word
}
