//! Applying merge rules to one sequence, the earliest rule first.
//!
//! Used for the bytes of a pretoken and for the tokens of a run of pretokens alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::hash::hash_u64;
use crate::token::Symbol;

/// Sequences up to this length are searched from end to end for each rule; longer ones get a heap.
const SHORT: usize = 48;

/// A rule as one number that sorts by rank: the rank, then the joined token.
pub(super) type Rule = u64;

/// Later than any rule.
pub(super) const NO_RULE: Rule = u64::MAX;

fn joined(rule: Rule) -> u32 {
    rule as u32
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
    next: Vec<u32>,
    previous: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    batch: Vec<u32>,
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
        scratch.rules = rules;
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
            _ => self.apply_long(symbols, rules, scratch),
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

    /// A heap of places by rank over a linked list: near-linear for sequences of any length.
    fn apply_long(&self, symbols: &mut Vec<u32>, rules: &mut Vec<Rule>, scratch: &mut Scratch) {
        let Scratch {
            next,
            previous,
            heap,
            batch,
            ..
        } = scratch;
        let len = symbols.len() as u32;
        rules.push(NO_RULE);
        next.clear();
        next.extend(1..=len);
        previous.clear();
        previous.extend((0..len).map(|place| place.wrapping_sub(1)));
        let mut entries = std::mem::take(heap).into_vec();
        entries.clear();
        entries.extend(
            (0..)
                .zip(rules.iter())
                .filter(|&(_, &rule)| rule != NO_RULE)
                .map(|(place, &rule)| Reverse(((rule >> 32) as u32, place))),
        );
        *heap = BinaryHeap::from(entries);

        while let Some(&Reverse((best, _))) = heap.peek() {
            // All places of one rule first, then the pairs they made.
            batch.clear();
            while let Some(&Reverse((rank, place))) = heap.peek()
                && rank == best
            {
                heap.pop();
                batch.push(place);
            }
            for &place in batch.iter() {
                let place = place as usize;
                let rule = rules[place];
                if rule == NO_RULE || (rule >> 32) as u32 != best {
                    continue;
                }
                let right = next[place] as usize;
                let after = next[right];
                symbols[place] = joined(rule);
                next[place] = after;
                rules[right] = NO_RULE;
                rules[place] = NO_RULE;
                let mut made = |rules: &mut Vec<Rule>, left: usize, right: usize| {
                    rules[left] = self.rule(symbols[left], symbols[right]);
                    if rules[left] != NO_RULE {
                        heap.push(Reverse(((rules[left] >> 32) as u32, left as u32)));
                    }
                };
                if after < len {
                    previous[after as usize] = place as u32;
                    made(rules, place, after as usize);
                }
                if place > 0 {
                    made(rules, previous[place] as usize, place);
                }
            }
        }
        let (mut from, mut to) = (0, 0);
        while from < len as usize {
            symbols[to] = symbols[from];
            to += 1;
            from = next[from] as usize;
        }
        symbols.truncate(to);
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
            let mut rules_of_long = found(&long);
            rules.apply_long(&mut long, &mut rules_of_long, &mut scratch);
            assert_eq!(short, long);
        }
    }
}
