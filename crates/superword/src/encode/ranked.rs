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
type Rule = u64;

/// Later than any rule.
const NO_RULE: Rule = u64::MAX;

fn joined(rule: Rule) -> u32 {
    rule as u32
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    rule: Rule,
}

const FREE: u64 = u64::MAX;

/// Merge rules in order: pair → rank and joined token, in one flat table, so that a look-up is
/// one line of the cache.
#[derive(Clone, Debug)]
pub struct RankedRules {
    slots: Vec<Slot>,
    shift: u32,
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
        let size = (rules.len() * 2).next_power_of_two().max(2);
        let mut table = RankedRules {
            slots: vec![
                Slot {
                    key: FREE,
                    rule: NO_RULE,
                };
                size
            ],
            shift: 64 - size.trailing_zeros(),
        };
        for (rank, (left, right, joined)) in (0u64..).zip(rules) {
            let key = key(left.0, right.0);
            let at = table.find(key);
            if table.slots[at].key == FREE {
                let rule = (rank << 32) | u64::from(joined.0);
                table.slots[at] = Slot { key, rule };
            }
        }
        table
    }

    /// The slot of a key, or the free one where it would go. There always is one.
    #[inline(always)]
    fn find(&self, key: u64) -> usize {
        let mut at = (hash_u64(key) >> self.shift) as usize;
        while self.slots[at].key != key && self.slots[at].key != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    #[inline(always)]
    fn rule(&self, left: u32, right: u32) -> Rule {
        self.slots[self.find(key(left, right))].rule
    }

    /// Applies the rules until none applies: always the earliest that does, at all places from
    /// left to right. `[a, b, a, b]` with the rule `(a, b)` becomes `[ab, ab]`.
    pub fn apply(&self, symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        match symbols[..] {
            [] | [_] => {}
            [left, right] => {
                let rule = self.rule(left, right);
                if rule != NO_RULE {
                    symbols[0] = joined(rule);
                    symbols.truncate(1);
                }
            }
            _ if symbols.len() <= SHORT => self.apply_short(symbols, &mut scratch.rules),
            _ => self.apply_long(symbols, scratch),
        }
    }

    /// Looks through the whole sequence for each rule: quadratic, and the fastest for words.
    fn apply_short(&self, symbols: &mut Vec<u32>, rules: &mut Vec<Rule>) {
        rules.clear();
        rules.extend(symbols.windows(2).map(|pair| self.rule(pair[0], pair[1])));
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
    fn apply_long(&self, symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        let Scratch {
            rules,
            next,
            previous,
            heap,
            batch,
        } = scratch;
        let len = symbols.len() as u32;
        rules.clear();
        rules.extend(symbols.windows(2).map(|pair| self.rule(pair[0], pair[1])));
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
            rules.apply_short(&mut short, &mut scratch.rules);
            rules.apply_long(&mut long, &mut scratch);
            assert_eq!(short, long);
        }
    }
}
