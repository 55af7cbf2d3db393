//! The table of all tokens: byte strings and their symbols.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::token::Symbol;

/// The most bytes that all tokens together may have. Real vocabularies have a few megabytes. The
/// limit stops a hostile file, in which each merge doubles the last, from filling the memory.
pub const MAX_TOKEN_BYTES: usize = 1 << 27;

/// Distinct byte strings, numbered in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct TokenTable {
    arena: Vec<u8>,
    /// Symbol `s` is `arena[ends[s - 1]..ends[s]]`.
    ends: Vec<u32>,
    by_bytes: HashTable<Symbol>,
}

impl TokenTable {
    /// An empty table with room for this many tokens.
    pub fn with_capacity(tokens: usize) -> TokenTable {
        // The requested number may be far larger than the text allows.
        let tokens = tokens.min(1 << 20);
        TokenTable {
            arena: Vec::with_capacity(tokens * 8),
            ends: Vec::with_capacity(tokens),
            by_bytes: HashTable::with_capacity(tokens),
        }
    }

    /// The number of symbols.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no symbols.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of a symbol.
    pub fn bytes_of(&self, symbol: Symbol) -> &[u8] {
        &self.arena[range_in(&self.ends, symbol)]
    }

    /// The symbol with these bytes, if there is one.
    pub fn find(&self, bytes: &[u8]) -> Option<Symbol> {
        self.by_bytes
            .find(xxh3_64(bytes), |&symbol| self.bytes_of(symbol) == bytes)
            .copied()
    }

    /// The symbol with these bytes, existing or new. `None` if the table is full.
    pub fn insert(&mut self, bytes: &[u8]) -> Option<Symbol> {
        if self.arena.len() + bytes.len() > MAX_TOKEN_BYTES {
            return None;
        }
        self.arena.extend_from_slice(bytes);
        Some(self.insert_tail())
    }

    /// The symbol with the joined bytes of two symbols, existing or new. `None` if the table is full.
    pub fn join(&mut self, left: Symbol, right: Symbol) -> Option<Symbol> {
        let (left, right) = (range_in(&self.ends, left), range_in(&self.ends, right));
        if self.arena.len() + left.len() + right.len() > MAX_TOKEN_BYTES {
            return None;
        }
        self.arena.extend_from_within(left);
        self.arena.extend_from_within(right);
        Some(self.insert_tail())
    }

    /// Adds a symbol for the bytes at the end of the arena, unless one with these bytes exists.
    fn insert_tail(&mut self) -> Symbol {
        let start = self.ends.last().map_or(0, |&end| end as usize);
        let hash = xxh3_64(&self.arena[start..]);
        let (arena, ends) = (&self.arena, &self.ends);
        let found = self
            .by_bytes
            .find(hash, |&other| {
                arena[range_in(ends, other)] == arena[start..]
            })
            .copied();
        if let Some(existing) = found {
            self.arena.truncate(start);
            return existing;
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.ends.push(self.arena.len() as u32);
        let (arena, ends) = (&self.arena, &self.ends);
        self.by_bytes.insert_unique(hash, symbol, |&other| {
            xxh3_64(&arena[range_in(ends, other)])
        });
        symbol
    }
}

fn range_in(ends: &[u32], symbol: Symbol) -> std::ops::Range<usize> {
    let index = symbol.index();
    let start = if index == 0 {
        0
    } else {
        ends[index - 1] as usize
    };
    start..ends[index] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_finds_existing_symbols() {
        let mut table = TokenTable::default();
        let [a, b, c] = [b"a", b"b", b"c"].map(|bytes| table.insert(bytes).unwrap());
        let ab = table.join(a, b).unwrap();
        let bc = table.join(b, c).unwrap();
        let abc = table.join(ab, c).unwrap();
        assert_eq!(table.join(a, bc), Some(abc));
        assert_eq!(table.bytes_of(abc), b"abc");
        assert_eq!(table.find(b"bc"), Some(bc));
        assert_eq!(table.len(), 6);
    }
}
