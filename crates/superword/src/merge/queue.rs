//! The order in which pairs are chosen, and a queue in that order. Ties are decided here and nowhere
//! else.

use std::cmp::Ordering;

use crate::memory;
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// A pair of neighbours and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairCount {
    /// The left token.
    pub left: Symbol,
    /// The right token.
    pub right: Symbol,
    /// The number of non-overlapping occurrences.
    pub count: u64,
}

/// The order in which pairs are chosen: the larger count first, then the smaller left token in byte
/// order, then the smaller right token. `Less` means chosen earlier.
fn choosing_order(tokens: &TokenTable, a: &PairCount, b: &PairCount) -> Ordering {
    b.count
        .cmp(&a.count)
        .then_with(|| tokens.bytes_of(a.left).cmp(tokens.bytes_of(b.left)))
        .then_with(|| tokens.bytes_of(a.right).cmp(tokens.bytes_of(b.right)))
}

/// A pair with the first bytes of its left token, which decide most ties without a lookup in the
/// token table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    pair: PairCount,
    left_start: u64,
}

/// A heap of pairs in [`choosing_order`]. It may contain outdated entries; its owner checks them.
///
/// Each node has eight children, so the tree is a third as high as a binary one, and the children of
/// a node lie side by side in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    heap: Vec<Entry>,
}

const CHILDREN: usize = 8;

impl Queue {
    /// Replaces the content with these pairs, in linear time.
    pub(super) fn rebuild(&mut self, tokens: &TokenTable, pairs: impl Iterator<Item = PairCount>) {
        self.heap.clear();
        memory::reserve(&mut self.heap, pairs.size_hint().0);
        self.heap.extend(pairs.map(|pair| Entry {
            pair,
            left_start: start_of(tokens, pair.left),
        }));
        for node in (0..self.heap.len() / CHILDREN + 1).rev() {
            self.sink(tokens, node);
        }
    }

    /// Adds a pair.
    pub(super) fn push(&mut self, tokens: &TokenTable, pair: PairCount) {
        memory::reserve(&mut self.heap, 1);
        self.heap.push(Entry {
            pair,
            left_start: start_of(tokens, pair.left),
        });
        let mut node = self.heap.len() - 1;
        while node > 0 {
            let parent = (node - 1) / CHILDREN;
            if !before(tokens, &self.heap[node], &self.heap[parent]) {
                break;
            }
            self.heap.swap(node, parent);
            node = parent;
        }
    }

    /// The first pair.
    pub(super) fn first(&self) -> Option<PairCount> {
        self.heap.first().map(|entry| entry.pair)
    }

    /// Removes and returns the first pair.
    pub(super) fn pop(&mut self, tokens: &TokenTable) -> Option<PairCount> {
        let last = self.heap.len().checked_sub(1)?;
        self.heap.swap(0, last);
        let entry = self.heap.pop()?;
        self.sink(tokens, 0);
        Some(entry.pair)
    }

    /// Lowers the count of the first pair.
    pub(super) fn lower_first(&mut self, tokens: &TokenTable, count: u64) {
        if let Some(first) = self.heap.first_mut() {
            first.pair.count = count;
            self.sink(tokens, 0);
        }
    }

    fn sink(&mut self, tokens: &TokenTable, mut node: usize) {
        loop {
            let first_child = node * CHILDREN + 1;
            let children = first_child..(first_child + CHILDREN).min(self.heap.len());
            let mut best = node;
            for child in children {
                if before(tokens, &self.heap[child], &self.heap[best]) {
                    best = child;
                }
            }
            if best == node {
                return;
            }
            self.heap.swap(node, best);
            node = best;
        }
    }
}

/// True if `a` is chosen before `b`. This is [`choosing_order`] with shortcuts for common cases.
#[inline]
fn before(tokens: &TokenTable, a: &Entry, b: &Entry) -> bool {
    match b.pair.count.cmp(&a.pair.count) {
        Ordering::Less => true,
        Ordering::Greater => false,
        Ordering::Equal if a.left_start != b.left_start => a.left_start < b.left_start,
        Ordering::Equal => choosing_order(tokens, &a.pair, &b.pair).is_lt(),
    }
}

/// The first eight bytes of a token as a number that sorts like them. Shorter tokens are padded with
/// zeros, so equal numbers do not imply equal bytes, but smaller numbers do imply smaller bytes.
fn start_of(tokens: &TokenTable, symbol: Symbol) -> u64 {
    let bytes = tokens.bytes_of(symbol);
    let mut start = [0; 8];
    let len = bytes.len().min(8);
    start[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_ordered_by_count_then_bytes() {
        let mut tokens = TokenTable::default();
        let symbols: Vec<Symbol> = [&b"b"[..], b"a", b"a\0", b"abcdefghi", b"abcdefghj"]
            .iter()
            .map(|bytes| tokens.insert(bytes).unwrap())
            .collect();
        let mut queue = Queue::default();
        let mut expected = Vec::new();
        for &left in &symbols {
            for &right in &symbols {
                for count in [3, 7] {
                    let pair = PairCount { left, right, count };
                    expected.push(pair);
                    queue.push(&tokens, pair);
                }
            }
        }
        expected.sort_by(|a, b| choosing_order(&tokens, a, b));
        let mut rebuilt = Queue::default();
        rebuilt.rebuild(&tokens, expected.iter().rev().copied());
        for queue in [&mut queue, &mut rebuilt] {
            let left: Vec<PairCount> = std::iter::from_fn(|| queue.pop(&tokens)).collect();
            assert_eq!(left, expected);
        }
        assert_eq!(expected[0].count, 7);
        assert_eq!(tokens.bytes_of(expected[0].left), b"a");
    }
}
