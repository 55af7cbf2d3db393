//! Longer pretokens, and those of many tokens: lines of blanks and dashes, words of a language that
//! the vocabulary hardly knows.

use crate::table::BytesTable;

/// The most bytes of a pretoken that is kept.
const LONG_BYTES: usize = 1024;

/// Pretokens → symbols. Emptied when it is full.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTable {
    /// Where the symbols start, and how many they are.
    places: Option<BytesTable<(u32, u32)>>,
    symbols: Vec<u32>,
    /// What it may hold, in bytes.
    bytes: usize,
}

impl LongTable {
    /// An empty table of about `bytes`.
    pub(super) fn new(bytes: usize) -> LongTable {
        LongTable {
            bytes,
            ..LongTable::default()
        }
    }

    /// The symbols of a pretoken.
    pub(super) fn get(&self, pretoken: &[u8]) -> Option<&[u32]> {
        if pretoken.len() > LONG_BYTES {
            return None;
        }
        let (start, count) = self.places.as_ref()?.get(pretoken, 0, pretoken.len()).0?;
        Some(&self.symbols[start as usize..][..count as usize])
    }

    /// Keeps the symbols of a pretoken that is not there.
    pub(super) fn keep(&mut self, pretoken: &[u8], symbols: &[u32]) {
        // No table is smaller than what a few pretokens need.
        if pretoken.len() > LONG_BYTES || self.bytes < 16 * LONG_BYTES {
            return;
        }
        let places = self
            .places
            .get_or_insert_with(|| BytesTable::with_capacity(0));
        // Lists double when they grow.
        if 2 * (places.memory() + size_of_val(&self.symbols[..])) > self.bytes {
            *self = LongTable::new(self.bytes);
            return;
        }
        let place = (self.symbols.len() as u32, symbols.len() as u32);
        *places.entry(pretoken, 0, pretoken.len()).0 = place;
        self.symbols.extend_from_slice(symbols);
    }
}
