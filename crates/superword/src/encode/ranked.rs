//! Applying merge rules to one sequence, the earliest rule first.
//!
//! Used for the bytes of a pretoken and for the tokens of a run of pretokens alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::rules::{NO_RULE, Rank, RuleTable};
use crate::token::Symbol;

/// Sequences up to this length are searched from end to end for each rule; longer ones get
/// buckets.
const SHORT: usize = 64;

/// Most are of at most this length: less has to be set up for them.
const SHORTEST: usize = 16;

/// Merge rules in order, ready to be applied.
#[derive(Clone, Debug)]
pub struct RankedRules {
    table: RuleTable,
}

/// Room to work in, kept from one sequence to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    ranks: Vec<Rank>,
    nodes: Vec<Node>,
    buckets: Buckets,
    pub(super) tokens: Vec<u32>,
    pub(super) seams: Vec<u64>,
}

/// A token of a long sequence: all that a merge looks at lies together.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The rule of this token and the next.
    rank: Rank,
    symbol: u32,
    previous: u32,
    next: u32,
}

/// The most places that working room is kept for; what a longer sequence needed is given back.
const KEPT: usize = 1 << 16;

impl Scratch {
    /// Gives back the memory that an unusually long sequence took.
    fn shrink(&mut self) {
        if self.nodes.capacity() > KEPT {
            *self = Scratch::default();
        }
    }
}

/// Places by the rank of their rule.
#[derive(Clone, Debug, Default)]
struct Buckets {
    by_rank: Vec<Vec<u32>>,
    /// The ranks whose bucket is not empty.
    ranks: BinaryHeap<Reverse<u32>>,
}

impl Buckets {
    #[inline(always)]
    fn push(&mut self, rank: Rank, place: u32) {
        if rank == NO_RULE {
            return;
        }
        if rank as usize >= self.by_rank.len() {
            self.by_rank.resize_with(rank as usize + 1, Vec::new);
        }
        let bucket = &mut self.by_rank[rank as usize];
        if bucket.is_empty() {
            self.ranks.push(Reverse(rank));
        }
        bucket.push(place);
    }

    fn pop_first(&mut self) -> Option<(u32, Vec<u32>)> {
        let Reverse(rank) = self.ranks.pop()?;
        Some((rank, std::mem::take(&mut self.by_rank[rank as usize])))
    }

    /// Keeps the memory of a bucket for its next use, if that is empty still.
    fn give_back(&mut self, rank: u32, mut places: Vec<u32>) {
        let bucket = &mut self.by_rank[rank as usize];
        if bucket.is_empty() && places.capacity() <= KEPT {
            places.clear();
            *bucket = places;
        }
    }
}

impl RankedRules {
    /// Rules from `(left, right, joined)`, the earliest first. A pair that comes again keeps its
    /// first place.
    pub fn new(rules: &[(Symbol, Symbol, Symbol)]) -> RankedRules {
        RankedRules {
            table: RuleTable::new(rules),
        }
    }

    /// Three symbols: those that are left, and how many.
    #[inline(always)]
    pub(super) fn apply_to_three(&self, [a, b, c]: [u32; 3]) -> ([u32; 3], usize) {
        let [first, second] = [(a, b), (b, c)].map(|(l, r)| self.table.likely_rank(l, r));
        if first.min(second) == NO_RULE {
            return ([a, b, c], 3);
        }
        // Of one rule, the place on the left.
        let [left, right] = match first <= second {
            true => [self.table.joined(first), c],
            false => [a, self.table.joined(second)],
        };
        match self.table.rank(left, right) {
            NO_RULE => ([left, right, 0], 2),
            rank => ([self.table.joined(rank), 0, 0], 1),
        }
    }

    /// What a pair becomes, if it has a rule. For pairs that mostly have one.
    #[inline(always)]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<u32> {
        let rank = self.table.likely_rank(left, right);
        (rank != NO_RULE).then(|| self.table.joined(rank))
    }

    /// The rule of a pair, or [`NO_RULE`].
    #[inline(always)]
    pub(super) fn rank(&self, left: u32, right: u32) -> Rank {
        self.table.rank(left, right)
    }

    /// Applies the rules until none applies: always the earliest that does, at all places from
    /// left to right. `[a, b, a, b]` with the rule `(a, b)` becomes `[ab, ab]`.
    pub fn apply(&self, symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        self.apply_with(symbols, scratch, |symbols, at| {
            self.table.rank(symbols[at], symbols[at + 1])
        });
    }

    /// The same where `rank_at(symbols, at)` knows the rules of the neighbours at the start.
    pub(super) fn apply_with(
        &self,
        symbols: &mut Vec<u32>,
        scratch: &mut Scratch,
        rank_at: impl Fn(&[u32], usize) -> Rank,
    ) {
        let Some(last) = symbols.len().checked_sub(1) else {
            return;
        };
        if self.table.limit() < 1 << (31 - PLACE_BITS) {
            if symbols.len() <= SHORTEST {
                return Short::<SHORTEST>::apply(&self.table, symbols, rank_at);
            }
            if symbols.len() <= SHORT {
                return Short::<SHORT>::apply(&self.table, symbols, rank_at);
            }
        }
        let mut ranks = std::mem::take(&mut scratch.ranks);
        ranks.clear();
        ranks.extend((0..last).map(|at| rank_at(symbols, at)));
        self.apply_long(symbols, &ranks, scratch);
        scratch.ranks = ranks;
        scratch.shrink();
    }

    /// Places in a bucket for each rule, over a linked list: near-linear for sequences of any
    /// length. Only ranks are kept in a heap, not places.
    fn apply_long(&self, symbols: &mut Vec<u32>, ranks: &[Rank], scratch: &mut Scratch) {
        let Scratch { nodes, buckets, .. } = scratch;
        let len = symbols.len() as u32;
        nodes.clear();
        nodes.extend((0..len).map(|place| Node {
            symbol: symbols[place as usize],
            rank: ranks.get(place as usize).copied().unwrap_or(NO_RULE),
            previous: place.wrapping_sub(1),
            next: place + 1,
        }));
        for (place, &rank) in (0..).zip(ranks.iter()) {
            buckets.push(rank, place);
        }
        while let Some((best, mut places)) = buckets.pop_first() {
            // All places of one rule, from left to right, before the pairs they make.
            places.sort_unstable();
            let symbol = self.table.joined(best);
            for &place in &places {
                let Node {
                    rank,
                    previous,
                    next: right,
                    ..
                } = nodes[place as usize];
                if rank != best {
                    continue;
                }
                let after = nodes[right as usize].next;
                nodes[right as usize].rank = NO_RULE;
                let mut made = NO_RULE;
                if after < len {
                    nodes[after as usize].previous = place;
                    made = self.table.rank(symbol, nodes[after as usize].symbol);
                    buckets.push(made, place);
                }
                nodes[place as usize] = Node {
                    symbol,
                    rank: made,
                    previous,
                    next: after,
                };
                if place > 0 {
                    let before = &mut nodes[previous as usize];
                    before.rank = self.table.rank(before.symbol, symbol);
                    buckets.push(before.rank, previous);
                }
            }
            buckets.give_back(best, places);
        }
        let mut from = 0;
        symbols.clear();
        while from < len {
            symbols.push(nodes[from as usize].symbol);
            from = nodes[from as usize].next;
        }
    }
}

/// A short sequence that is merged in place: a list of places that are still there, and of each the
/// rule that it has with the next one.
///
/// Looking through all places for each rule is quadratic, and the fastest way for words: rule and
/// place are one number, and the least of a few numbers is found without a branch.
struct Short<const N: usize> {
    /// By place: the rank and the place, or [`NO_PLACE`].
    keys: [i32; N],
    next: [u8; N],
    previous: [u8; N],
}

const PLACE_BITS: u32 = SHORT.ilog2();
const NO_PLACE: i32 = i32::MAX;
/// Keys are looked through so many at a time.
const STEP: usize = 8;

impl<const N: usize> Short<N> {
    const NEW: Short<N> = {
        let (mut next, mut previous) = ([0; N], [0; N]);
        let mut place = 0;
        while place < N {
            next[place] = place as u8 + 1;
            previous[place] = (place as u8).saturating_sub(1);
            place += 1;
        }
        Short {
            keys: [NO_PLACE; N],
            next,
            previous,
        }
    };

    /// Merges until no rule applies, given the rules of neighbours at the start.
    #[inline(always)]
    fn apply(table: &RuleTable, symbols: &mut Vec<u32>, rank_at: impl Fn(&[u32], usize) -> Rank) {
        let mut short = Self::NEW;
        let len = symbols.len();
        for at in 0..len - 1 {
            short.set_rank(at, rank_at(symbols, at));
        }
        while let Some((place, rank)) = short.first(len) {
            if short.merge(table, symbols, place, rank) {
                // A rule that comes before this one has got a place. This one has its other places
                // first.
                let same = |key: &i32| *key != NO_PLACE && *key as u32 >> PLACE_BITS == rank;
                let mut from = place;
                while let Some(found) = short.keys[from..].iter().position(same) {
                    from += found;
                    short.merge(table, symbols, from, rank);
                }
            }
        }
        let (mut from, mut kept) = (0, 0);
        while from < len {
            symbols[kept] = symbols[from];
            kept += 1;
            from = usize::from(short.next[from]);
        }
        symbols.truncate(kept);
    }

    /// The first place of the earliest rule, and the rule.
    #[inline(always)]
    fn first(&self, len: usize) -> Option<(usize, Rank)> {
        let looked_at = len.next_multiple_of(STEP).min(N);
        let mut least = [NO_PLACE; STEP];
        for keys in self.keys[..looked_at].as_chunks::<STEP>().0 {
            for (least, &key) in least.iter_mut().zip(keys) {
                *least = (*least).min(key);
            }
        }
        let best = least.into_iter().fold(NO_PLACE, i32::min);
        (best != NO_PLACE).then_some((best as usize % SHORT % N, best as u32 >> PLACE_BITS))
    }

    #[inline(always)]
    fn set_rank(&mut self, place: usize, rank: Rank) {
        self.keys[place % N] = match rank {
            NO_RULE => NO_PLACE,
            rank => (rank << PLACE_BITS | place as u32) as i32,
        };
    }

    /// Joins the symbol at `place` with the next one. True if a rule before `rank` now applies.
    #[inline(always)]
    fn merge(&mut self, table: &RuleTable, symbols: &mut [u32], place: usize, rank: Rank) -> bool {
        let len = symbols.len();
        let right = usize::from(self.next[place]);
        let after = usize::from(self.next[right]);
        let symbol = table.joined(rank);
        symbols[place] = symbol;
        self.next[place] = after as u8;
        self.keys[right] = NO_PLACE;
        let mut made = NO_RULE;
        if after < len {
            self.previous[after] = place as u8;
            made = table.rank(symbol, symbols[after]);
        }
        self.set_rank(place, made);
        let mut before = NO_RULE;
        if place > 0 {
            let previous = usize::from(self.previous[place]);
            before = table.rank(symbols[previous], symbol);
            self.set_rank(previous, before);
        }
        made.min(before) < rank
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::tests::Random;

    /// The earliest rule that applies, at all places from left to right, as long as one does.
    fn one_by_one(rules: &RankedRules, symbols: &[u32]) -> Vec<u32> {
        let mut symbols = symbols.to_vec();
        loop {
            let pairs = symbols.windows(2);
            let ranks = pairs.map(|pair| rules.rank(pair[0], pair[1]));
            let best = match ranks.min() {
                None | Some(NO_RULE) => return symbols,
                Some(best) => best,
            };
            let mut merged = Vec::new();
            let mut rest = &symbols[..];
            while let [first, after @ ..] = rest {
                match after {
                    [second, after @ ..] if rules.rank(*first, *second) == best => {
                        merged.push(rules.table.joined(best));
                        rest = after;
                    }
                    _ => {
                        merged.push(*first);
                        rest = after;
                    }
                }
            }
            symbols = merged;
        }
    }

    #[test]
    fn short_and_long_agree() {
        let mut random = Random(99);
        for _ in 0..2000 {
            let rules: Vec<_> = (0..random.below(12))
                .map(|_| {
                    let [left, right, joined] = [5, 5, 8].map(|n| Symbol(random.below(n) as u32));
                    (left, right, joined)
                })
                .filter(|(left, right, joined)| joined > left && joined > right)
                .collect();
            let rules = RankedRules::new(&rules);
            let mut short: Vec<u32> = (0..random.below(64))
                .map(|_| random.below(4) as u32)
                .collect();
            let mut long = short.clone();
            let mut scratch = Scratch::default();
            let plain = one_by_one(&rules, &long);
            if let &[a, b, c] = &long[..] {
                let (left, count) = rules.apply_to_three([a, b, c]);
                assert_eq!(left[..count], plain);
            }
            rules.apply(&mut short, &mut scratch);
            let pairs = long.windows(2);
            let ranks: Vec<Rank> = pairs.map(|pair| rules.rank(pair[0], pair[1])).collect();
            rules.apply_long(&mut long, &ranks, &mut scratch);
            assert_eq!(short, plain);
            assert_eq!(long, plain);
        }
    }
}
