//! The encoder of a model: text → ids, ids → bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cache::{self, PieceCache};
use super::ranked::{Rule, Scratch};
use super::shelf::Shelf;
use super::specials::SpecialFinder;
use super::superwords::SuperwordRules;
use super::words::{WordRules, word_events};
use crate::model::Model;
use crate::table::BytesTable;
use crate::text::{PatternError, Pretokenizer, SplitError};
use crate::token::{Symbol, TokenId};

/// Set in the entry of a token that is eligible for superwords.
const ELIGIBLE: u32 = 1 << 31;

/// Encodes with one model. May be used from many threads at once.
#[derive(Debug)]
pub struct Encoder {
    model: Arc<Model>,
    pretokenizer: Pretokenizer,
    words: WordRules,
    superwords: Option<SuperwordRules>,
    /// Pretokens that are exactly one token: the symbol plus one, and whether it is eligible.
    whole: BytesTable<u32>,
    /// By symbol; empty where each id is its symbol. A deleted symbol is never asked for.
    ids: Vec<u32>,
    /// Working room that is not in use. A call takes one and puts it back.
    rooms: Shelf<Room>,
    /// The bytes that the cache of each room may take.
    cache_bytes: AtomicUsize,
}

/// Working room of one thread.
#[derive(Debug, Default)]
struct Room {
    scratch: Scratch,
    cache: PieceCache,
    symbols: Vec<u32>,
    run: Vec<u32>,
    /// The rules between the tokens of the run.
    rules: Vec<Rule>,
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
        let words = WordRules::new(model.parts().alphabet.symbols(), &word_events(&model));
        let mut whole = BytesTable::with_capacity(vocabulary.len());
        let (mut symbols, mut scratch) = (Vec::new(), Scratch::default());
        let mut ids = Vec::with_capacity(vocabulary.len());
        for index in 0..vocabulary.len() as u32 {
            let symbol = Symbol(index);
            let id = vocabulary.id_of(symbol);
            ids.push(id.map_or(u32::MAX, |id| id.0));
            let bytes = vocabulary.bytes_of(symbol);
            if id.is_none() || !words.reaches(bytes, symbol, &mut symbols, &mut scratch) {
                continue;
            }
            let eligible =
                std::str::from_utf8(bytes).is_ok_and(|pretoken| pretokenizer.is_eligible(pretoken));
            let mark = if eligible { ELIGIBLE } else { 0 };
            *whole.entry(bytes, 0, bytes.len()).0 = (index + 1) | mark;
        }
        if (0..).zip(&ids).all(|(symbol, &id)| id == symbol) {
            ids = Vec::new();
        }
        Ok(Encoder {
            superwords: SuperwordRules::new(&model),
            pretokenizer,
            words,
            whole,
            ids,
            rooms: Shelf::default(),
            cache_bytes: AtomicUsize::new(cache::DEFAULT_BYTES),
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
        self.rooms.with(|room| self.encode_in(room, text, out))
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
                self.encode_in(room, &text[from..start], out)?;
                out.push(id);
                from = end;
            }
            self.encode_in(room, &text[from..], out)
        })
    }

    /// Forgets what was cached.
    pub fn clear_cache(&self) {
        self.rooms.for_each(|room| room.cache.clear());
    }

    fn encode_in(&self, room: &mut Room, text: &str, out: &mut Vec<u32>) -> Result<(), SplitError> {
        room.cache.set_bytes(self.cache_bytes());
        match &self.superwords {
            None => self.encode_words(room, text, out),
            Some(superwords) => self.encode_superwords(superwords, room, text, out),
        }
    }

    fn encode_words(
        &self,
        room: &mut Room,
        text: &str,
        out: &mut Vec<u32>,
    ) -> Result<(), SplitError> {
        let bytes = text.as_bytes();
        self.pretokenizer
            .for_each(text, |start, end| match self.whole.get(bytes, start, end) {
                (Some(entry), _) => out.push(self.id(whole_symbol(entry))),
                (None, hash) => self.encode_pieces(room, bytes, start, end, hash, out),
            })
    }

    fn encode_superwords(
        &self,
        superwords: &SuperwordRules,
        room: &mut Room,
        text: &str,
        out: &mut Vec<u32>,
    ) -> Result<(), SplitError> {
        let bytes = text.as_bytes();
        room.run.clear();
        room.rules.clear();
        let result = self.pretokenizer.for_each(text, |start, end| {
            let (entry, hash) = self.whole.get(bytes, start, end);
            if let Some(entry) = entry
                && entry & ELIGIBLE != 0
            {
                let symbol = whole_symbol(entry);
                if let Some(&last) = room.run.last() {
                    match superwords.between(last, symbol) {
                        Some(rule) => room.rules.push(rule),
                        None => self.flush(superwords, room, out),
                    }
                }
                room.run.push(symbol);
                return;
            }
            self.flush(superwords, room, out);
            match entry {
                Some(entry) => out.push(self.id(whole_symbol(entry))),
                None => self.encode_pieces(room, bytes, start, end, hash, out),
            }
        });
        self.flush(superwords, room, out);
        result
    }

    /// Ends a run: applies the supermerges to it and appends its ids.
    #[inline(always)]
    fn flush(&self, superwords: &SuperwordRules, room: &mut Room, out: &mut Vec<u32>) {
        match room.run[..] {
            [] => return,
            [alone] => out.push(self.id(alone)),
            _ => {
                let start = out.len();
                superwords.apply(&mut room.run, &mut room.rules, &mut room.scratch, out);
                for symbol in &mut out[start..] {
                    *symbol = self.id(*symbol);
                }
                room.rules.clear();
            }
        }
        room.run.clear();
    }

    /// Appends the ids of a pretoken that is not one token.
    #[inline(never)]
    fn encode_pieces(
        &self,
        room: &mut Room,
        text: &[u8],
        start: usize,
        end: usize,
        hash: u64,
        out: &mut Vec<u32>,
    ) {
        if let Some(symbols) = room.cache.get(text, start, end, hash) {
            out.extend(symbols.iter().map(|&symbol| self.id(symbol)));
            return;
        }
        self.words
            .encode(&text[start..end], &mut room.symbols, &mut room.scratch);
        room.cache.insert(text, start, end, hash, &room.symbols);
        out.extend(room.symbols.iter().map(|&symbol| self.id(symbol)));
    }

    #[inline(always)]
    fn id(&self, symbol: u32) -> u32 {
        if self.ids.is_empty() {
            symbol
        } else {
            self.ids[symbol as usize]
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

#[inline(always)]
fn whole_symbol(entry: u32) -> u32 {
    (entry & !ELIGIBLE) - 1
}

impl Encoder {
    /// The bytes that what is remembered may take, for each thread that encodes.
    pub fn cache_bytes(&self) -> usize {
        self.cache_bytes.load(Ordering::Relaxed)
    }

    /// Sets [`Encoder::cache_bytes`]; 0: nothing is remembered. Ids never depend on it. Memory that
    /// is too much now is given back, and the next call of each thread keeps to the new size.
    pub fn set_cache_bytes(&self, bytes: usize) {
        self.cache_bytes.store(bytes, Ordering::Relaxed);
        self.rooms.for_each(|room| room.cache.set_bytes(bytes));
    }
}
