//! The table of all tokens: byte strings and their symbols.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::token::Symbol;

/// The most bytes that all tokens together may have. Real vocabularies have a few megabytes. The
/// limit stops a hostile file, in which each merge doubles the last, from filling the memory.
pub(crate) const MAX_TOKEN_BYTES: usize = 1 << 27;

/// Byte strings, numbered in the order in which they were added. They are distinct, except for those
/// of [`TokenTable::insert_apart`] and [`TokenTable::renew`].
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenTable {
    arena: Vec<u8>,
    /// Symbol `s` is `arena[ends[s - 1]..ends[s]]`.
    ends: Vec<u32>,
    by_bytes: HashTable<Symbol>,
}

impl TokenTable {
    /// An empty table with room for this many tokens.
    pub(crate) fn with_capacity(tokens: usize) -> TokenTable {
        // The requested number may be far larger than the text allows.
        let tokens = tokens.min(1 << 20);
        TokenTable {
            arena: Vec::with_capacity(tokens * 8),
            ends: Vec::with_capacity(tokens),
            by_bytes: HashTable::with_capacity(tokens),
        }
    }

    /// The number of symbols.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no symbols.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of a symbol.
    pub(crate) fn bytes_of(&self, symbol: Symbol) -> &[u8] {
        &self.arena[range_in(&self.ends, symbol)]
    }

    /// The symbol with these bytes, if there is one.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<Symbol> {
        self.by_bytes
            .find(xxh3_64(bytes), |&symbol| self.bytes_of(symbol) == bytes)
            .copied()
    }

    /// The symbol with these bytes, existing or new. `None` if the table is full.
    pub(crate) fn insert(&mut self, bytes: &[u8]) -> Option<Symbol> {
        if self.arena.len() + bytes.len() > MAX_TOKEN_BYTES {
            return None;
        }
        self.arena.extend_from_slice(bytes);
        Some(self.insert_tail())
    }

    /// A new symbol with these bytes. If another symbol has them, [`TokenTable::find`] keeps finding
    /// that one. `None` if the table is full.
    pub(crate) fn insert_apart(&mut self, bytes: &[u8]) -> Option<Symbol> {
        if self.find(bytes).is_none() {
            return self.insert(bytes);
        }
        if self.arena.len() + bytes.len() > MAX_TOKEN_BYTES {
            return None;
        }
        self.arena.extend_from_slice(bytes);
        self.ends.push(self.arena.len() as u32);
        Some(Symbol(self.ends.len() as u32 - 1))
    }

    /// A new symbol with the bytes of a symbol. From now on, [`TokenTable::find`] finds the new one.
    /// `None` if the table is full.
    pub(crate) fn renew(&mut self, symbol: Symbol) -> Option<Symbol> {
        let bytes = self.bytes_of(symbol).to_vec();
        let hash = xxh3_64(&bytes);
        let (arena, ends) = (&self.arena, &self.ends);
        let known = |&other: &Symbol| arena[range_in(ends, other)] == bytes[..];
        if let Ok(entry) = self.by_bytes.find_entry(hash, known) {
            entry.remove();
        }
        self.insert(&bytes)
    }

    /// The symbol with the joined bytes of two symbols, existing or new. `None` if the table is full.
    pub(crate) fn join(&mut self, left: Symbol, right: Symbol) -> Option<Symbol> {
        let (left, right) = (range_in(&self.ends, left), range_in(&self.ends, right));
        if self.arena.len() + left.len() + right.len() > MAX_TOKEN_BYTES {
            return None;
        }
        self.arena.extend_from_within(left);
        self.arena.extend_from_within(right);
        Some(self.insert_tail())
    }

    /// Looks up the joined bytes of two symbols, for [`TokenTable::insert_new`].
    #[cfg(feature = "threads")]
    pub(crate) fn spell(&self, left: Symbol, right: Symbol, spelling: &mut Spelling) {
        spelling.bytes.clear();
        spelling.bytes.extend_from_slice(self.bytes_of(left));
        spelling.bytes.extend_from_slice(self.bytes_of(right));
        spelling.hash = xxh3_64(&spelling.bytes);
        let known = |&symbol: &Symbol| self.bytes_of(symbol) == spelling.bytes;
        spelling.is_known = self.by_bytes.find(spelling.hash, known).is_some();
    }

    /// A new symbol with bytes that no symbol has. `None` if the table is full.
    #[cfg(feature = "threads")]
    pub(crate) fn insert_new(&mut self, spelling: &Spelling) -> Option<Symbol> {
        if self.arena.len() + spelling.bytes.len() > MAX_TOKEN_BYTES {
            return None;
        }
        self.arena.extend_from_slice(&spelling.bytes);
        Some(self.add_tail(spelling.hash))
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
        self.add_tail(hash)
    }

    /// Adds a symbol for the bytes at the end of the arena, which have this hash.
    fn add_tail(&mut self, hash: u64) -> Symbol {
        let symbol = Symbol(self.ends.len() as u32);
        self.ends.push(self.arena.len() as u32);
        let (arena, ends) = (&self.arena, &self.ends);
        self.by_bytes.insert_unique(hash, symbol, |&other| {
            xxh3_64(&arena[range_in(ends, other)])
        });
        symbol
    }
}

/// The bytes that a joined symbol would have.
#[cfg(feature = "threads")]
#[derive(Debug, Default)]
pub(crate) struct Spelling {
    bytes: Vec<u8>,
    hash: u64,
    is_known: bool,
}

#[cfg(feature = "threads")]
impl Spelling {
    /// True if a symbol has these bytes already.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    /// The hash of the bytes.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
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
    fn equal_bytes_can_have_several_symbols() {
        let mut table = TokenTable::default();
        let [a, b] = [b"a", b"b"].map(|bytes| table.insert(bytes).unwrap());
        let apart = table.insert_apart(b"ab").unwrap();
        assert_eq!(table.join(a, b), Some(apart));
        let again = table.insert_apart(b"ab").unwrap();
        assert_ne!(again, apart);
        assert_eq!(table.find(b"ab"), Some(apart));
        let new = table.renew(apart).unwrap();
        assert_eq!(table.join(a, b), Some(new));
        for symbol in [apart, again, new] {
            assert_eq!(table.bytes_of(symbol), b"ab");
        }
        assert_eq!(table.len(), 5);
    }

    #[cfg(feature = "threads")]
    #[test]
    fn spelled_symbols_are_those_of_joining() {
        let mut table = TokenTable::default();
        let [a, b] = [b"a", b"b"].map(|bytes| table.insert(bytes).unwrap());
        let mut spelling = Spelling::default();
        table.spell(a, b, &mut spelling);
        assert!(!spelling.is_known());
        let ab = table.insert_new(&spelling).unwrap();
        assert_eq!(table.bytes_of(ab), b"ab");
        assert_eq!(table.join(a, b), Some(ab));
        table.spell(a, b, &mut spelling);
        assert!(spelling.is_known());
    }

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
