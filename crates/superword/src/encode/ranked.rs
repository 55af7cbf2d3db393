//! Applying merge rules to one sequence, the earliest rule first.
//!
//! Used for the bytes of a pretoken and for the tokens of a run of pretokens alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::hash::hash_u64;
use crate::token::Symbol;

/// Sequences up to this length are searched from end to end for each rule; longer ones get
/// buckets.
const SHORT: usize = 48;

/// A rule as one number that sorts by rank: the rank, then the joined token.
pub(super) type Rule = u64;

/// Later than any rule.
pub(super) const NO_RULE: Rule = u64::MAX;

fn joined(rule: Rule) -> u32 {
    rule as u32
}

fn rank(rule: Rule) -> u32 {
    (rule >> 32) as u32
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    rule: Rule,
}

const FREE: u64 = u64::MAX;

/// Bits of the filter for each pair.
const FILTER_BITS: usize = 8;

/// Merge rules in order: pair → rank and joined token.
///
/// Most pairs that are asked for have no rule. A filter of a few bits a rule, small enough for
/// the cache of a core, says so for most of them without a look at the large table.
#[derive(Clone, Debug)]
pub struct RankedRules {
    slots: Vec<Slot>,
    shift: u32,
    filter: Vec<u64>,
}

fn key(left: u32, right: u32) -> u64 {
    (u64::from(left) << 32) | u64::from(right)
}

/// Room to work in, kept from one sequence to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    rules: Vec<Rule>,
    nodes: Vec<Node>,
    buckets: Buckets,
}

/// A token of a long sequence: all that a merge looks at lies together.
#[derive(Clone, Copy, Debug)]
struct Node {
    rule: Rule,
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
    fn push(&mut self, rule: Rule, place: u32) {
        if rule == NO_RULE {
            return;
        }
        let rank = rank(rule);
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
        RankedRules::with_seams(rules, &[])
    }

    /// The same, and `seams`: pairs that have no rule of their own but stand side by side in some
    /// joined token. [`RankedRules::look_up`] knows them.
    pub fn with_seams(rules: &[(Symbol, Symbol, Symbol)], seams: &[(u32, u32)]) -> RankedRules {
        let pairs = rules.len() + seams.len();
        // At least one slot stays free, or a search would never end.
        let size = (pairs * 10 / 7 + 2).next_power_of_two();
        let free = Slot {
            key: FREE,
            rule: NO_RULE,
        };
        let mut table = RankedRules {
            slots: vec![free; size],
            shift: 64 - size.trailing_zeros(),
            filter: vec![0; (pairs * FILTER_BITS).next_power_of_two().max(64) / 64],
        };
        for (rank, (left, right, joined)) in (0u64..).zip(rules) {
            table.insert(left.0, right.0, (rank << 32) | u64::from(joined.0));
        }
        for &(left, right) in seams {
            table.insert(left, right, NO_RULE);
        }
        table
    }

    /// Keeps a pair, unless it is there already.
    fn insert(&mut self, left: u32, right: u32, rule: Rule) {
        let key = key(left, right);
        let hash = hash_u64(key);
        let at = self.find(key, hash);
        if self.slots[at].key == FREE {
            self.slots[at] = Slot { key, rule };
            let bit = hash as usize & (self.filter.len() * 64 - 1);
            self.filter[bit / 64] |= 1 << (bit % 64);
        }
    }

    /// The slot of a key, or the free one where it would go. There always is one.
    #[inline(always)]
    fn find(&self, key: u64, hash: u64) -> usize {
        let mut at = (hash >> self.shift) as usize;
        while self.slots[at].key != key && self.slots[at].key != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    /// The rule of a pair, [`NO_RULE`] for a seam without one, `None` for any other pair.
    #[inline(always)]
    pub fn look_up(&self, left: u32, right: u32) -> Option<Rule> {
        let key = key(left, right);
        let hash = hash_u64(key);
        let bit = hash as usize & (self.filter.len() * 64 - 1);
        if self.filter[bit / 64] >> (bit % 64) & 1 == 0 {
            return None;
        }
        let slot = self.slots[self.find(key, hash)];
        (slot.key != FREE).then_some(slot.rule)
    }

    #[inline(always)]
    fn rule(&self, left: u32, right: u32) -> Rule {
        self.look_up(left, right).unwrap_or(NO_RULE)
    }

    /// Applies the rules until none applies: always the earliest that does, at all places from
    /// left to right. `[a, b, a, b]` with the rule `(a, b)` becomes `[ab, ab]`.
    pub fn apply(&self, symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        let mut rules = std::mem::take(&mut scratch.rules);
        rules.clear();
        rules.extend(symbols.windows(2).map(|pair| self.rule(pair[0], pair[1])));
        self.apply_found(symbols, &mut rules, scratch);
        if rules.capacity() <= KEPT {
            scratch.rules = rules;
        }
    }

    /// The same where the rules of all neighbours have been looked up already.
    pub fn apply_found(
        &self,
        symbols: &mut Vec<u32>,
        rules: &mut Vec<Rule>,
        scratch: &mut Scratch,
    ) {
        match rules[..] {
            [] => {}
            [only] => {
                if only != NO_RULE {
                    symbols[0] = joined(only);
                    symbols.truncate(1);
                }
            }
            _ if symbols.len() <= SHORT => self.apply_short(symbols, rules),
            _ => {
                self.apply_long(symbols, rules, scratch);
                scratch.shrink();
            }
        }
    }

    /// Looks through the whole sequence for each rule: quadratic, and the fastest for words.
    fn apply_short(&self, symbols: &mut Vec<u32>, rules: &mut Vec<Rule>) {
        while let Some(&best) = rules.iter().min() {
            if best == NO_RULE {
                return;
            }
            // Places from left to right; a place that overlaps the one before it has another rule
            // by the time it is reached.
            let mut at = 0;
            while let Some(found) = rules[at..].iter().position(|&rule| rule == best) {
                at += found;
                symbols[at] = joined(best);
                symbols.remove(at + 1);
                rules.remove(at);
                if at > 0 {
                    rules[at - 1] = self.rule(symbols[at - 1], symbols[at]);
                }
                if at < rules.len() {
                    rules[at] = self.rule(symbols[at], symbols[at + 1]);
                }
                at = (at + 1).min(rules.len());
            }
        }
    }

    /// Places in a bucket for each rule, over a linked list: near-linear for sequences of any
    /// length. Only ranks are kept in a heap, not places.
    fn apply_long(&self, symbols: &mut Vec<u32>, rules: &[Rule], scratch: &mut Scratch) {
        let Scratch { nodes, buckets, .. } = scratch;
        let len = symbols.len() as u32;
        nodes.clear();
        nodes.extend((0..len).map(|place| Node {
            symbol: symbols[place as usize],
            rule: rules.get(place as usize).copied().unwrap_or(NO_RULE),
            previous: place.wrapping_sub(1),
            next: place + 1,
        }));
        for (place, &rule) in (0..).zip(rules.iter()) {
            buckets.push(rule, place);
        }
        while let Some((best, mut places)) = buckets.pop_first() {
            // All places of one rule, from left to right, before the pairs they make.
            places.sort_unstable();
            for &place in &places {
                let Node {
                    rule,
                    previous,
                    next: right,
                    ..
                } = nodes[place as usize];
                if rule == NO_RULE || rank(rule) != best {
                    continue;
                }
                let after = nodes[right as usize].next;
                nodes[right as usize].rule = NO_RULE;
                let symbol = joined(rule);
                let mut made = NO_RULE;
                if after < len {
                    nodes[after as usize].previous = place;
                    made = self.rule(symbol, nodes[after as usize].symbol);
                    buckets.push(made, place);
                }
                nodes[place as usize] = Node {
                    symbol,
                    rule: made,
                    previous,
                    next: after,
                };
                if place > 0 {
                    let before = &mut nodes[previous as usize];
                    before.rule = self.rule(before.symbol, symbol);
                    buckets.push(before.rule, previous);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::tests::Random;

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
            let mut short: Vec<u32> = (0..random.below(40))
                .map(|_| random.below(4) as u32)
                .collect();
            let mut long = short.clone();
            let mut scratch = Scratch::default();
            let found = |symbols: &[u32]| -> Vec<Rule> {
                let pairs = symbols.windows(2);
                pairs.map(|pair| rules.rule(pair[0], pair[1])).collect()
            };
            rules.apply_short(&mut short, &mut found(&long));
            let rules_of_long = found(&long);
            rules.apply_long(&mut long, &rules_of_long, &mut scratch);
            assert_eq!(short, long);
        }
    }
}
