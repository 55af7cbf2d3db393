//! The lookup tables of a model, prepared once and shared by all threads.

use super::cache::{KnownTokens, WIDE_BYTES, WideKey};
use super::mark::ELIGIBLE;
use super::merge::Scratch;
use super::superwords::SuperwordEncoder;
use super::words::WordEncoder;
use crate::hash::HashFilter;
use crate::model::{Model, WordEvent, word_events};
use crate::table::BytesTable;
use crate::text::{PatternError, Pretokenizer};
use crate::token::Symbol;

/// Everything that encoding looks up.
#[derive(Debug)]
pub(super) struct Tables {
    pretokenizer: Pretokenizer,
    words: WordEncoder,
    superwords: Option<SuperwordEncoder>,
    /// The pretokens that are exactly one token: their symbols, marked where eligible.
    whole: BytesTable<u32>,
    /// Rejects most other pretokens without a lookup in `whole`, which is too large for the
    /// processor's cache.
    whole_filter: HashFilter,
    known: KnownTokens,
    /// The id of each symbol. Empty if each id equals its symbol. A deleted symbol is never looked
    /// up.
    ids: Vec<u32>,
}

impl Tables {
    /// Prepares all tables. The patterns of the model are compiled here. Supermerges are left out
    /// unless `with_superwords` is set.
    pub(super) fn new(model: &Model, with_superwords: bool) -> Result<Tables, PatternError> {
        let pretokenizer = Pretokenizer::new(model.parts().pretokenizer.clone())?;
        let vocabulary = model.vocabulary();
        let alphabet = model.parts().alphabet.symbols();
        let events = word_events(model);
        let mut is_word = word_tokens(vocabulary.len(), &alphabet, &events);
        let words = WordEncoder::new(alphabet, &events, model.parts().order.as_deref());
        let mut reached = words.reached(&events, vocabulary.len(), |token| {
            vocabulary.bytes_of(token)
        });
        if model.parts().whole_pieces {
            // Every word is what a pretoken with its bytes becomes, also those that no merge makes.
            for unmade in &model.parts().unmade {
                if let Some(symbol) = vocabulary.symbol_of_bytes(unmade) {
                    is_word[symbol.index()] = !unmade.is_empty();
                }
            }
            reached.clone_from(&is_word);
        }
        let superwords = match with_superwords {
            true => SuperwordEncoder::new(model, &is_word),
            false => None,
        };
        let mut whole = BytesTable::with_capacity(vocabulary.len());
        let mut whole_filter = HashFilter::with_capacity(vocabulary.len());
        let mut known = KnownTokens::default();
        let mut ids = Vec::with_capacity(vocabulary.len());
        for index in 0..vocabulary.len() as u32 {
            let symbol = Symbol(index);
            let id = vocabulary.id_of(symbol);
            ids.push(id.map_or(u32::MAX, |id| id.0));
            let bytes = vocabulary.bytes_of(symbol);
            if id.is_none() || !is_word[symbol.index()] || !reached[symbol.index()] {
                continue;
            }
            let may_join = |superwords: &SuperwordEncoder| superwords.may_join(symbol);
            let eligible = superwords.as_ref().is_some_and(may_join)
                && std::str::from_utf8(bytes)
                    .is_ok_and(|pretoken| pretokenizer.is_eligible(pretoken));
            let mark = if eligible { ELIGIBLE } else { 0 };
            *whole.entry(bytes, 0, bytes.len()).0 = index | mark;
            known.add(bytes, index | mark);
            if bytes.len() <= WIDE_BYTES {
                whole_filter.insert(WideKey::new(bytes, 0, bytes.len()).hash());
            }
        }
        if (0..).zip(&ids).all(|(symbol, &id)| id == symbol) {
            ids = Vec::new();
        }
        Ok(Tables {
            pretokenizer,
            words,
            superwords,
            whole,
            whole_filter,
            known,
            ids,
        })
    }

    pub(super) fn pretokenizer(&self) -> &Pretokenizer {
        &self.pretokenizer
    }

    /// The short tokens that a pretoken can be.
    pub(super) fn known_tokens(&self) -> &KnownTokens {
        &self.known
    }

    /// The supermerges of the model, if it has any.
    #[inline(always)]
    pub(super) fn superwords(&self) -> Option<&SuperwordEncoder> {
        self.superwords.as_ref()
    }

    /// Replaces the content of `symbols` with the symbols of the pretoken `text[start..end]`. `key`
    /// is its key, if it is short enough to have one.
    pub(super) fn encode_pretoken(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        key: Option<&WideKey>,
        symbols: &mut Vec<u32>,
        scratch: &mut Scratch,
    ) {
        let may_be_token = key.is_none_or(|key| self.whole_filter.may_have(key.hash()));
        if may_be_token && let Some(symbol) = self.whole.get(text, start, end).0 {
            symbols.clear();
            symbols.push(symbol);
        } else {
            self.words.encode(&text[start..end], symbols, scratch);
        }
    }

    /// Replaces symbols with their ids.
    pub(super) fn symbols_to_ids(&self, symbols: &mut [u32]) {
        if !self.ids.is_empty() {
            for symbol in symbols {
                *symbol = self.ids[*symbol as usize];
            }
        }
    }
}

/// For each symbol, whether it is a byte or made by phase 1. Pretokens are encoded only as such
/// symbols.
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
