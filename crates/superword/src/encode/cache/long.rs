//! Long pretokens, such as lines of blanks or dashes.

use crate::table::BytesTable;

/// The most bytes of a pretoken in this table.
const LONG_BYTES: usize = 1024;

/// Pretokens → symbols. Emptied when it is full.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTable {
    /// For each pretoken the start of its symbols and their number.
    ranges: Option<BytesTable<(u32, u32)>>,
    symbols: Vec<u32>,
    /// The memory limit in bytes.
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
        let (start, count) = self.ranges.as_ref()?.get(pretoken, 0, pretoken.len()).0?;
        Some(&self.symbols[start as usize..][..count as usize])
    }

    /// Adds a pretoken that is not in the table.
    pub(super) fn insert(&mut self, pretoken: &[u8], symbols: &[u32]) {
        // A table that cannot hold a few pretokens is of no use.
        if pretoken.len() > LONG_BYTES || self.bytes < 16 * LONG_BYTES {
            return;
        }
        let ranges = self
            .ranges
            .get_or_insert_with(|| BytesTable::with_capacity(0));
        // Vectors double when they grow.
        if 2 * (ranges.memory() + size_of_val(&self.symbols[..])) > self.bytes {
            *self = LongTable::new(self.bytes);
            return;
        }
        let range = (self.symbols.len() as u32, symbols.len() as u32);
        *ranges.entry(pretoken, 0, pretoken.len()).0 = range;
        self.symbols.extend_from_slice(symbols);
    }
}
