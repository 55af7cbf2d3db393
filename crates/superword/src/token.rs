//! The two numbers a token has, kept apart by type.

/// A byte string that a model has made, numbered by first appearance: the alphabet first, then
/// each new joined string. A deleted token keeps its symbol, so events can always name it.
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
