//! What replaces a deleted token (PickyBPE).

use super::{Alphabet, PickySplit};
use crate::token::Symbol;

/// Follows the merges and deletions of phase 1 and finds the tokens that replace a deleted token.
///
/// Training and encoding both use it, so they can never disagree about a deletion.
#[derive(Clone, Debug)]
pub(crate) struct Deletions {
    split: PickySplit,
    bytes: [Option<Symbol>; 256],
    /// The parts of each token, as of the merge that last added it. `None` for single bytes.
    made_of: Vec<Option<(Symbol, Symbol)>>,
    /// For each symbol, whether it is in the vocabulary now.
    alive: Vec<bool>,
}

impl Deletions {
    /// Starts with the alphabet and no merges.
    pub(crate) fn new(alphabet: Alphabet, split: PickySplit) -> Deletions {
        Deletions {
            split,
            bytes: alphabet.symbols(),
            made_of: vec![None; alphabet.size()],
            alive: vec![true; alphabet.size()],
        }
    }

    /// Records a merge. A token that is already in the vocabulary keeps the parts it has.
    pub(crate) fn merge(&mut self, left: Symbol, right: Symbol, joined: Symbol) {
        if joined.index() >= self.alive.len() {
            self.alive.resize(joined.index() + 1, false);
            self.made_of.resize(joined.index() + 1, None);
        }
        if !self.alive[joined.index()] {
            self.alive[joined.index()] = true;
            self.made_of[joined.index()] = Some((left, right));
        }
    }

    /// Whether the token is in the vocabulary and longer than a byte.
    pub(crate) fn can_delete(&self, token: Symbol) -> bool {
        self.alive[token.index()] && self.made_of[token.index()].is_some()
    }

    /// Records the deletion of a token and returns the tokens that replace it, all of which are in
    /// the vocabulary. `bytes_of` gives the bytes of a token.
    pub(crate) fn delete<'t>(
        &mut self,
        token: Symbol,
        bytes_of: impl Fn(Symbol) -> &'t [u8],
    ) -> Vec<Symbol> {
        self.alive[token.index()] = false;
        let single_bytes = |token: Symbol| {
            let bytes = bytes_of(token).iter();
            bytes.filter_map(|&byte| self.bytes[usize::from(byte)])
        };
        let mut parts = Vec::new();
        match (self.split, self.made_of[token.index()]) {
            (PickySplit::Parts, Some(_)) => {
                // An explicit stack: in a hostile file the parts may be nested very deeply.
                let mut stack = vec![token];
                while let Some(part) = stack.pop() {
                    match self.made_of[part.index()] {
                        Some((left, right)) if !self.alive[part.index()] => {
                            stack.extend([right, left]);
                        }
                        _ => parts.push(part),
                    }
                }
            }
            (PickySplit::PartsThenBytes, Some((left, right))) => {
                for part in [left, right] {
                    match self.alive[part.index()] {
                        true => parts.push(part),
                        false => parts.extend(single_bytes(part)),
                    }
                }
            }
            _ => parts.extend(single_bytes(token)),
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::TokenTable;

    /// Merges `ab`, `cd`, `abcd` and `abcde`, deletes `abcd` and `ab`, and returns the parts of
    /// `abcde` when that is deleted as well.
    fn parts_of_abcde(split: PickySplit) -> Vec<Vec<u8>> {
        let mut tokens = TokenTable::default();
        for byte in Alphabet::Bytes.bytes() {
            tokens.insert(&[byte]);
        }
        let mut deletions = Deletions::new(Alphabet::Bytes, split);
        let [a, b, c, d, e] = [b'a', b'b', b'c', b'd', b'e'].map(|byte| Symbol(byte.into()));
        let mut join = |left, right| {
            let joined = tokens.join(left, right).unwrap();
            deletions.merge(left, right, joined);
            joined
        };
        let (ab, cd) = (join(a, b), join(c, d));
        let abcd = join(ab, cd);
        let abcde = join(abcd, e);
        let bytes_of = |token: Symbol| tokens.bytes_of(token);
        assert!(deletions.can_delete(abcd) && !deletions.can_delete(a));
        deletions.delete(abcd, bytes_of);
        deletions.delete(ab, bytes_of);
        assert!(!deletions.can_delete(abcd));
        let parts = deletions.delete(abcde, bytes_of);
        parts.iter().map(|&part| bytes_of(part).to_vec()).collect()
    }

    #[test]
    fn a_deleted_token_becomes_its_nearest_existing_parts() {
        let parts = parts_of_abcde(PickySplit::Parts);
        assert_eq!(parts, [&b"a"[..], b"b", b"cd", b"e"]);
    }

    #[test]
    fn models_of_early_versions_split_a_deleted_part_into_bytes() {
        let parts = parts_of_abcde(PickySplit::PartsThenBytes);
        assert_eq!(parts, [b"a", b"b", b"c", b"d", b"e"]);
    }

    #[test]
    fn a_token_can_be_split_into_bytes() {
        let parts = parts_of_abcde(PickySplit::Bytes);
        assert_eq!(parts, [b"a", b"b", b"c", b"d", b"e"]);
    }

    #[test]
    fn a_token_made_again_has_its_new_parts() {
        let mut deletions = Deletions::new(Alphabet::Bytes, PickySplit::Parts);
        let bytes_of = |_| &b""[..];
        let [ab, bc, abc] = [256, 257, 258].map(Symbol);
        let [a, b, c] = [97, 98, 99].map(Symbol);
        deletions.merge(a, b, ab);
        deletions.merge(b, c, bc);
        deletions.merge(ab, c, abc);
        deletions.merge(a, bc, abc); // it already exists and keeps its parts
        assert_eq!(deletions.delete(abc, bytes_of), [ab, c]);
        deletions.merge(a, bc, abc);
        assert_eq!(deletions.delete(abc, bytes_of), [a, bc]);
    }

    /// A file may contain a chain of deleted tokens, each a part of the next.
    #[test]
    fn deeply_nested_parts_do_not_overflow_the_stack() {
        let mut deletions = Deletions::new(Alphabet::Bytes, PickySplit::Parts);
        let a = Symbol(97);
        let (depth, mut token) = (300_000, a);
        for symbol in 256..256 + depth {
            deletions.merge(token, a, Symbol(symbol));
            token = Symbol(symbol);
        }
        // From the outside in, so that each of these deletions is cheap.
        for symbol in (257..256 + depth).rev() {
            assert_eq!(deletions.delete(Symbol(symbol), |_| b"").len(), 2);
        }
        // A model would refuse this merge of a deleted token. Here it builds the deepest nesting.
        deletions.merge(token, a, Symbol(256 + depth));
        assert_eq!(
            deletions.delete(Symbol(256 + depth), |_| b"").len(),
            depth as usize + 1
        );
    }
}
