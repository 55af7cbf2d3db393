//! The encoder of a model: text → ids, ids → bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cache::{CACHE_BYTES, PretokenCache, SHORT_BYTES, ShortKey, WIDE_BYTES, WideKey};
use super::filter::HashFilter;
use super::ranked::{KEPT, Scratch};
use super::replay::WordEvent;
use super::shelf::Shelf;
use super::specials::SpecialFinder;
use super::superwords::{ELIGIBLE, SuperwordRules};
use super::words::{WordRules, word_events};
use crate::model::Model;
use crate::table::BytesTable;
use crate::text::{PatternError, Pretokenizer, Sink, SplitError};
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
    /// By symbol; empty where each id is its symbol. A deleted symbol is never asked for.
    ids: Vec<u32>,
    /// Working room that is not in use. A call takes one and puts it back.
    rooms: Shelf<Room>,
    /// The memory of the cache of each room.
    cache_bytes: AtomicUsize,
}

/// Working room of one thread.
#[derive(Debug, Default)]
struct Room {
    scratch: Scratch,
    cache: PretokenCache,
    /// Symbols of pretokens that are not ids yet; small enough to stay close to the processor.
    symbols: Vec<u32>,
    /// The symbols of one pretoken.
    pieces: Vec<u32>,
}

/// So many symbols are gathered before they become ids.
const SYMBOLS: usize = 2048;

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
        let (mut symbols, mut scratch) = (Vec::new(), Scratch::default());
        let mut ids = Vec::with_capacity(vocabulary.len());
        for index in 0..vocabulary.len() as u32 {
            let symbol = Symbol(index);
            let id = vocabulary.id_of(symbol);
            ids.push(id.map_or(u32::MAX, |id| id.0));
            let bytes = vocabulary.bytes_of(symbol);
            if id.is_none()
                || !is_word[symbol.index()]
                || !words.reaches(bytes, symbol, &mut symbols, &mut scratch)
            {
                continue;
            }
            let eligible = superwords.is_some()
                && std::str::from_utf8(bytes)
                    .is_ok_and(|pretoken| pretokenizer.is_eligible(pretoken));
            let mark = if eligible { ELIGIBLE } else { 0 };
            *whole.entry(bytes, 0, bytes.len()).0 = index | mark;
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

    fn encode_in(&self, room: &mut Room, text: &str, out: &mut Vec<u32>) -> Result<(), SplitError> {
        room.cache.fit(self.cache_bytes());
        room.symbols.resize(room.symbols.len().max(SYMBOLS), 0);
        let mut work = Work {
            encoder: self,
            text: text.as_bytes(),
            room,
            filled: 0,
            out,
        };
        let result = self.pretokenizer.feed(text, &mut work);
        work.flush(true);
        result
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

/// One text on its way to ids: pretokens become symbols in the room, and when that is full they
/// become ids.
struct Work<'w> {
    encoder: &'w Encoder,
    text: &'w [u8],
    room: &'w mut Room,
    /// How many symbols there are in the room.
    filled: usize,
    out: &'w mut Vec<u32>,
}

impl Sink for Work<'_> {
    #[inline(always)]
    fn pretoken(&mut self, start: usize, end: usize) {
        self.pretokens(
            start,
            start,
            1u64.checked_shl((end - start) as u32).unwrap_or(0),
        );
        // A pretoken that no block can hold.
        if end - start >= 64 {
            self.look_up(start, end);
        }
    }

    #[inline(always)]
    fn pretokens(&mut self, mut start: usize, base: usize, mut ends: u64) {
        loop {
            if self.room.symbols.len() - self.filled < 64 {
                self.flush(false);
            }
            let cache = self.room.cache.short();
            let Some(symbols) = self.room.symbols[self.filled..].first_chunk_mut::<64>() else {
                return; // never: room was made above
            };
            let mut count = 0;
            // The end of a pretoken that is not there, 0 for none.
            let mut missed = 0;
            while ends != 0 {
                let end = base + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                let len = end - start;
                let Some(bytes) = self.text[start..].first_chunk() else {
                    missed = end;
                    break;
                };
                let (found, symbol) = cache.get(ShortKey::new(bytes, len));
                if !(found & (len <= SHORT_BYTES)) {
                    missed = end;
                    break;
                }
                symbols[count % 64] = symbol;
                count += 1;
                start = end;
            }
            self.filled += count;
            if missed == 0 {
                return;
            }
            self.look_up(start, missed);
            start = missed;
        }
    }
}

impl Work<'_> {
    #[inline(always)]
    fn push(&mut self, symbol: u32) {
        if self.filled == self.room.symbols.len() {
            self.flush(false);
        }
        self.room.symbols[self.filled] = symbol;
        self.filled += 1;
    }

    /// A pretoken that is long, or several tokens, or not in the cache.
    #[inline(never)]
    fn look_up(&mut self, start: usize, end: usize) {
        let (encoder, text) = (self.encoder, self.text);
        let key = (end - start <= WIDE_BYTES).then(|| WideKey::new(text, start, end));
        let mut pieces = std::mem::take(&mut self.room.pieces);
        pieces.clear();
        let token = || match &key {
            Some(key) if !encoder.tokens.may_have(key.hash()) => None,
            _ => encoder.whole.get(text, start, end).0,
        };
        let is_short = end - start <= SHORT_BYTES;
        if is_short && let Some(symbol) = token() {
            pieces.push(symbol);
            self.room.cache.keep_short(&text[start..end], symbol);
        } else if let Some(key) = &key
            && let Some(symbols) = self.room.cache.wide(key)
        {
            pieces.extend_from_slice(symbols);
        } else {
            match token() {
                Some(symbol) if !is_short => pieces.push(symbol),
                _ => encoder
                    .words
                    .encode(&text[start..end], &mut pieces, &mut self.room.scratch),
            }
            if let Some(key) = &key {
                self.room.cache.keep_wide(key, &pieces);
            }
        }
        for &symbol in &pieces {
            self.push(symbol);
        }
        if pieces.capacity() <= KEPT {
            self.room.pieces = pieces;
        }
    }

    /// Turns the symbols in the room into ids, at the end all of them. Else a run that may go on
    /// stays there.
    #[inline(never)]
    fn flush(&mut self, at_end: bool) {
        let symbols = &mut self.room.symbols;
        let from = self.out.len();
        match &self.encoder.superwords {
            None => {
                self.out.extend_from_slice(&symbols[..self.filled]);
                self.filled = 0;
            }
            Some(superwords) => {
                let scratch = &mut self.room.scratch;
                let found = &symbols[..self.filled];
                let done = superwords.join(found, at_end, scratch, self.out);
                symbols.copy_within(done..self.filled, 0);
                self.filled -= done;
                if self.filled * 2 > symbols.len() {
                    symbols.resize(symbols.len() * 2, 0);
                } else if at_end && symbols.len() > KEPT {
                    symbols.truncate(SYMBOLS);
                    symbols.shrink_to_fit();
                }
            }
        }
        if !self.encoder.ids.is_empty() {
            for symbol in &mut self.out[from..] {
                *symbol = self.encoder.ids[*symbol as usize];
            }
        }
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
