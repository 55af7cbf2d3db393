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

/// A pair with the first bytes of its tokens, which decide most ties without a lookup in the
/// token table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) pair: PairCount,
    left_start: u64,
    right_start: u64,
}

impl Entry {
    fn new(tokens: &TokenTable, pair: PairCount) -> Entry {
        Entry {
            pair,
            left_start: start_of(tokens, pair.left),
            right_start: start_of(tokens, pair.right),
        }
    }
}

/// The number of bits of a count that decide its level, apart from its size.
const LEVEL_BITS: u32 = 10;

/// The level of a count. Larger counts never have a lower level, and each count up to 2^10 has its own.
fn level_of(count: u64) -> usize {
    let bits = u64::BITS - count.leading_zeros();
    let shift = bits.saturating_sub(LEVEL_BITS);
    ((u64::from(shift) << (LEVEL_BITS - 1)) + (count >> shift)) as usize
}

/// The number of pairs between fetching the count of a pair and using it.
const AHEAD: usize = 16;

/// A queue of pairs in [`choosing_order`]. It may contain outdated entries; its owner checks them.
///
/// Pairs wait in levels by their counts, in any order. Only the pairs of the highest level are sorted. A pair that
/// is added to a level above the waiting ones goes to a heap. This touches far less memory than one large
/// heap of all pairs, and it tells which pairs come next.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    waiting: Vec<Vec<PairCount>>,
    /// The pairs of the highest level, the first one last.
    sorted: Vec<Entry>,
    /// Pairs of that level or above that were added later.
    late: Heap,
}

impl Queue {
    /// Replaces the content with these pairs.
    pub(super) fn rebuild(&mut self, pairs: impl Iterator<Item = PairCount>) {
        *self = Queue::default();
        for pair in pairs {
            let level = level_of(pair.count);
            if level >= self.waiting.len() {
                self.waiting.resize_with(level + 1, Vec::new);
            }
            let waiting = &mut self.waiting[level];
            memory::reserve(waiting, 1);
            waiting.push(pair);
        }
    }

    /// Adds a pair.
    pub(super) fn push(&mut self, tokens: &TokenTable, pair: PairCount) {
        match self.waiting.get_mut(level_of(pair.count)) {
            Some(waiting) => {
                memory::reserve(waiting, 1);
                waiting.push(pair);
            }
            None => self.late.push(tokens, Entry::new(tokens, pair)),
        }
    }

    /// True if a pair of this count comes before all that wait.
    #[cfg(feature = "threads")]
    pub(super) fn is_above(&self, count: u64) -> bool {
        level_of(count) >= self.waiting.len()
    }

    /// The first pair. `count` gives the present count of a pair, and `fetch` is called some time before. Pairs whose count is outdated may be moved or dropped
    /// on this occasion, if their count is smaller now. So may those with a count of 0.
    pub(super) fn first(
        &mut self,
        tokens: &TokenTable,
        count: impl Fn(PairCount) -> u64,
        fetch: impl Fn(PairCount),
    ) -> Option<PairCount> {
        while self.sorted.is_empty() && self.late.entries.is_empty() {
            let level = self.waiting.pop()?;
            for (number, &pair) in level.iter().enumerate() {
                level
                    .get(number + AHEAD)
                    .copied()
                    .into_iter()
                    .for_each(&fetch);
                let mut pair = pair;
                let present = count(pair);
                if present < pair.count {
                    pair.count = present;
                    if present > 0 && self.waiting.get(level_of(present)).is_some() {
                        self.push(tokens, pair);
                        continue;
                    }
                }
                if present == 0 {
                    continue;
                }
                let entry = Entry::new(tokens, pair);
                // The code of a sort is too large for a page, where speed matters less.
                if cfg!(not(feature = "files")) {
                    self.late.push(tokens, entry);
                } else {
                    memory::reserve(&mut self.sorted, 1);
                    self.sorted.push(entry);
                }
            }
            if cfg!(feature = "files") {
                self.sorted.sort_unstable_by(|a, b| order(tokens, b, a));
            }
        }
        let first = match self.is_late(tokens) {
            true => self.late.entries.first(),
            false => self.sorted.last(),
        };
        first.map(|entry| entry.pair)
    }

    /// True if the first pair is in the heap.
    fn is_late(&self, tokens: &TokenTable) -> bool {
        match (self.late.entries.first(), self.sorted.last()) {
            (Some(late), Some(sorted)) => order(tokens, late, sorted).is_lt(),
            (late, _) => late.is_some(),
        }
    }

    /// Removes the first pair.
    pub(super) fn pop(&mut self, tokens: &TokenTable) -> Option<Entry> {
        match self.is_late(tokens) {
            true => self.late.pop(tokens),
            false => self.sorted.pop(),
        }
    }

    /// Returns a pair that was removed. It must come before all pairs that were returned since the pairs were removed, and
    /// before all that were not removed. Pairs that were added since may come first.
    #[cfg(feature = "threads")]
    pub(super) fn put_back(&mut self, entry: Entry) {
        self.sorted.push(entry);
    }

    /// True if a pair that was added since this one was removed comes before it.
    #[cfg(feature = "threads")]
    pub(super) fn comes_first(&self, tokens: &TokenTable, removed: &Entry) -> bool {
        let late = self.late.entries.first();
        late.is_some_and(|late| order(tokens, late, removed).is_lt())
    }

    /// A pair that will probably be the first one after this many others.
    pub(super) fn after(&self, others: usize) -> Option<PairCount> {
        let at = self.sorted.len().checked_sub(others + 1)?;
        Some(self.sorted[at].pair)
    }
}

/// A heap of pairs in [`choosing_order`].
///
/// Each node has eight children, so the tree is a third as high as a binary one, and the children of
/// a node lie side by side in memory.
#[derive(Clone, Debug, Default)]
struct Heap {
    entries: Vec<Entry>,
}

const CHILDREN: usize = 8;

impl Heap {
    fn push(&mut self, tokens: &TokenTable, entry: Entry) {
        memory::reserve(&mut self.entries, 1);
        self.entries.push(entry);
        let mut node = self.entries.len() - 1;
        while node > 0 {
            let parent = (node - 1) / CHILDREN;
            if order(tokens, &self.entries[node], &self.entries[parent]).is_ge() {
                break;
            }
            self.entries.swap(node, parent);
            node = parent;
        }
    }

    fn pop(&mut self, tokens: &TokenTable) -> Option<Entry> {
        let last = self.entries.len().checked_sub(1)?;
        self.entries.swap(0, last);
        let entry = self.entries.pop()?;
        let mut node = 0;
        loop {
            let first_child = node * CHILDREN + 1;
            let children = first_child..(first_child + CHILDREN).min(self.entries.len());
            let mut best = node;
            for child in children {
                if order(tokens, &self.entries[child], &self.entries[best]).is_lt() {
                    best = child;
                }
            }
            if best == node {
                return Some(entry);
            }
            self.entries.swap(node, best);
            node = best;
        }
    }
}

/// [`choosing_order`] with shortcuts for common cases.
#[inline]
fn order(tokens: &TokenTable, a: &Entry, b: &Entry) -> Ordering {
    let shortcut = b
        .pair
        .count
        .cmp(&a.pair.count)
        .then(a.left_start.cmp(&b.left_start));
    if shortcut.is_ne() {
        return shortcut;
    }
    if a.pair.left == b.pair.left && a.right_start != b.right_start {
        return a.right_start.cmp(&b.right_start);
    }
    choosing_order(tokens, &a.pair, &b.pair)
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
    use crate::testing::Random;

    #[test]
    fn pairs_are_ordered_by_count_then_bytes() {
        let mut tokens = TokenTable::default();
        let symbols: Vec<Symbol> = [&b"b"[..], b"a", b"a\0", b"abcdefghi", b"abcdefghj"]
            .iter()
            .map(|bytes| tokens.insert(bytes).unwrap())
            .collect();
        let mut expected = Vec::new();
        for &left in &symbols {
            for &right in &symbols {
                for count in [3, 7, 5000, 5001, 1 << 40] {
                    expected.push(PairCount { left, right, count });
                }
            }
        }
        let mut queue = Queue::default();
        queue.rebuild(expected.iter().copied());
        let mut pushed = Queue::default();
        for &pair in &expected {
            pushed.push(&tokens, pair);
        }
        expected.sort_by(|a, b| choosing_order(&tokens, a, b));
        for queue in [&mut queue, &mut pushed] {
            let all = std::iter::from_fn(|| {
                let first = queue.first(&tokens, |pair| pair.count, |_| {});
                assert_eq!(queue.pop(&tokens).map(|entry| entry.pair), first);
                first
            });
            assert_eq!(all.collect::<Vec<_>>(), expected);
        }
        assert_eq!(expected[0].count, 1 << 40);
        assert_eq!(tokens.bytes_of(expected[0].left), b"a");
    }

    #[test]
    fn levels_are_in_the_order_of_counts() {
        let counts = (0..70_000).chain((0..64).flat_map(|bits| {
            let power = 1u64 << bits;
            [power - 1, power, power + 1, power + power / 3]
        }));
        let mut counts: Vec<u64> = counts.chain([u64::MAX]).collect();
        counts.sort_unstable();
        for pair in counts.windows(2) {
            assert!(level_of(pair[0]) <= level_of(pair[1]), "{pair:?}");
        }
        assert!((0..1023).all(|count| level_of(count) < level_of(count + 1)));
        assert!(level_of(u64::MAX) < 1 << 16);
    }

    #[test]
    fn pairs_that_change_while_they_wait_come_in_order() {
        let mut random = Random(5);
        let mut tokens = TokenTable::default();
        let symbols: Vec<Symbol> = (0..40)
            .map(|byte| tokens.insert(&[byte]).unwrap())
            .collect();
        let mut present = std::collections::HashMap::new();
        let mut queue = Queue::default();
        for &left in &symbols {
            let count = 1 + random.below(3000);
            present.insert((left, symbols[0]), count);
        }
        let pairs = |present: &std::collections::HashMap<(Symbol, Symbol), u64>| {
            let pair = |(&(left, right), &count): (&(Symbol, Symbol), &u64)| PairCount {
                left,
                right,
                count,
            };
            present.iter().map(pair).collect::<Vec<_>>()
        };
        queue.rebuild(pairs(&present).into_iter());
        for round in 0.. {
            let mut all = pairs(&present);
            all.sort_by(|a, b| choosing_order(&tokens, a, b));
            // Outdated pairs are left to the owner.
            let found = loop {
                let count = |pair: PairCount| present[&(pair.left, pair.right)];
                let first = queue.first(&tokens, count, |_| {});
                let Some(mut first) = first else { break None };
                let now = count(first);
                if now == first.count {
                    break Some(first);
                }
                queue.pop(&tokens);
                if now < first.count && now > 0 {
                    first.count = now;
                    queue.push(&tokens, first);
                }
            };
            let best = all.into_iter().find(|pair| pair.count > 0);
            assert_eq!(found, best, "round {round}");
            let Some(best) = best else { break };
            queue.pop(&tokens);
            present.insert((best.left, best.right), 0);
            for _ in 0..3 {
                // Some counts fall, and new pairs appear with at most the count of the best one.
                let left = symbols[random.below(40) as usize];
                let right = symbols[random.below(if round < 300 { 40 } else { 1 }) as usize];
                let old = present.get(&(left, right)).copied();
                let count = random.below(old.unwrap_or(best.count) + 1);
                present.insert((left, right), count);
                if old.is_none() && count > 0 {
                    queue.push(&tokens, PairCount { left, right, count });
                }
            }
        }
    }
}
