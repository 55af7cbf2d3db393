//! Applying merge rules to one sequence, the earliest rule first.
//!
//! Used for the bytes of a pretoken and for the tokens of a run of pretokens alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::rules::{NO_RULE, Rank, RuleTable};
use super::short::{RANKS, SHORT, SHORTEST, Short};
use crate::token::Symbol;

/// Merge rules in order, ready to be applied.
#[derive(Clone, Debug)]
pub struct RankedRules {
    table: RuleTable,
}

/// Room to work in, kept from one sequence to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) ranks: Vec<Rank>,
    window: Vec<Token>,
    pub(super) done: Vec<Token>,
    nodes: Vec<Node>,
    buckets: Buckets,
    pub(super) tokens: Vec<u32>,
    pub(super) seams: Vec<u64>,
}

/// A token of a sequence that is merged in windows, and the unit it starts with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) symbol: u32,
    pub(super) start: usize,
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
pub(super) const KEPT: usize = 1 << 16;

impl Scratch {
    /// Gives back the memory that an unusually long sequence took.
    fn shrink(&mut self) {
        if self.nodes.capacity().max(self.window.capacity()) > KEPT {
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
    /// first place. All symbols that they will be applied to are below `symbols`.
    pub fn new(rules: &[(Symbol, Symbol, Symbol)], symbols: usize) -> RankedRules {
        RankedRules {
            table: RuleTable::new(rules, symbols),
        }
    }

    /// Three symbols and the rules between them: those that are left, and how many.
    #[inline(always)]
    pub(super) fn apply_to_three(
        &self,
        [a, b, c]: [u32; 3],
        [first, second]: [Rank; 2],
    ) -> ([u32; 3], usize) {
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

    /// What a rule makes of its pair.
    #[inline(always)]
    pub(super) fn joined(&self, rank: Rank) -> u32 {
        self.table.joined(rank)
    }

    /// The rule of a pair that mostly has one, or [`NO_RULE`].
    #[inline(always)]
    pub(super) fn likely_rank(&self, left: u32, right: u32) -> Rank {
        self.table.likely_rank(left, right)
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
        if symbols.len() < 2 {
            return;
        }
        if symbols.len() <= SHORTEST && self.short_ranks() {
            let mut short = Short::<SHORTEST>::new(symbols.len(), |at| rank_at(symbols, at));
            short.apply(&self.table, symbols);
            let len = short.gather(symbols);
            symbols.truncate(len);
            return;
        }
        let units = std::mem::take(symbols);
        let mut tokens = std::mem::take(&mut scratch.window);
        self.apply_in_windows(&units, scratch, &mut tokens, |at| rank_at(&units, at));
        *symbols = units;
        symbols.clear();
        symbols.extend(tokens.iter().map(|token| token.symbol));
        scratch.window = tokens;
        scratch.shrink();
    }

    /// Whether tokens are settled by their neighbours alone.
    pub(super) fn is_local(&self) -> bool {
        self.table.never_turns_back()
    }

    /// Whether a rank and a place of a [`Short`] have room in one number.
    fn short_ranks(&self) -> bool {
        self.table.limit() < RANKS
    }

    /// Applies the rules to `units[from..to]`, in place of what `tokens` held.
    pub(super) fn apply_to_window(
        &self,
        units: &[u32],
        from: usize,
        to: usize,
        scratch: &mut Scratch,
        tokens: &mut Vec<Token>,
        rank_at: &impl Fn(usize) -> Rank,
    ) {
        tokens.clear();
        let len = to - from;
        if len <= SHORT && self.short_ranks() {
            let mut symbols = [0; SHORT];
            let symbols = &mut symbols[..len];
            symbols.copy_from_slice(&units[from..to]);
            let mut short = Short::<SHORT>::new(len, |at| rank_at(from + at));
            short.apply(&self.table, symbols);
            let mut at = 0;
            while at < len {
                tokens.push(Token {
                    symbol: symbols[at],
                    start: from + at,
                });
                at = usize::from(short.next[at]);
            }
        } else {
            self.apply_long(&units[from..to], from, scratch, tokens, rank_at);
        }
    }

    /// Places in a bucket for each rule, over a linked list: near-linear for sequences of any
    /// length. Only ranks are kept in a heap, not places. `from` is the place of the first unit.
    fn apply_long(
        &self,
        units: &[u32],
        from: usize,
        scratch: &mut Scratch,
        tokens: &mut Vec<Token>,
        rank_at: &impl Fn(usize) -> Rank,
    ) {
        let Scratch { nodes, buckets, .. } = scratch;
        let len = units.len() as u32;
        nodes.clear();
        nodes.extend((0..len).zip(units).map(|(place, &symbol)| Node {
            symbol,
            rank: match place + 1 < len {
                true => rank_at(from + place as usize),
                false => NO_RULE,
            },
            previous: place.wrapping_sub(1),
            next: place + 1,
        }));
        for (place, node) in (0..).zip(nodes.iter()) {
            buckets.push(node.rank, place);
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
        let mut at = 0;
        while at < len {
            let node = nodes[at as usize];
            tokens.push(Token {
                symbol: node.symbol,
                start: from + at as usize,
            });
            at = node.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

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
            let rules = RankedRules::new(&rules, 8);
            let mut short: Vec<u32> = (0..random.below(64))
                .map(|_| random.below(4) as u32)
                .collect();
            let long = short.clone();
            let mut scratch = Scratch::default();
            let plain = one_by_one(&rules, &long);
            if let &[a, b, c] = &long[..] {
                let ranks = [(a, b), (b, c)].map(|(left, right)| rules.likely_rank(left, right));
                let (left, count) = rules.apply_to_three([a, b, c], ranks);
                assert_eq!(left[..count], plain);
            }
            let mut tokens = Vec::new();
            let rank_at = |at: usize| rules.rank(long[at], long[at + 1]);
            if !long.is_empty() {
                rules.apply_long(&long, 0, &mut scratch, &mut tokens, &rank_at);
            }
            if long.len() > 1 {
                let mut symbols = long.clone();
                let mut merged = Short::<SHORT>::new(long.len(), rank_at);
                merged.apply_plain(&rules.table, &mut symbols);
                let len = merged.gather(&mut symbols);
                assert_eq!(symbols[..len], plain);
            }
            let long: Vec<u32> = tokens.iter().map(|token| token.symbol).collect();
            rules.apply(&mut short, &mut scratch);
            assert_eq!(short, plain);
            assert_eq!(long, plain);
        }
    }
}
