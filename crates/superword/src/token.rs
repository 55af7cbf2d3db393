//! The two numbers that a token has, kept apart by type, and pairs of them.

/// A byte string that a model has made, numbered by first appearance: the alphabet first, then
/// each new joined string. A deleted token keeps its symbol, so events can always refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The public id of a token in the final vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenId(pub u32);

impl Symbol {
    /// The symbol as an index into a table of symbols.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TokenId {
    /// The id as an index into a table of tokens.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Two symbols side by side as one number, the left symbol in the high half: `(1, 2)` is
/// `0x1_0000_0002`.
#[inline(always)]
pub(crate) fn pack(left: u32, right: u32) -> u64 {
    (u64::from(left) << 32) | u64::from(right)
}

/// The inverse of [`pack`].
#[inline(always)]
pub(crate) fn unpack(pair: u64) -> (Symbol, Symbol) {
    (Symbol((pair >> 32) as u32), Symbol(pair as u32))
}
