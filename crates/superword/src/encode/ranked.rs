//! Applying merge rules to one sequence, the earliest rule first.
//!
//! Used for the bytes of a pretoken and for the tokens of a run of pretokens alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::hash::NumberMap;
use crate::token::Symbol;

/// Sequences up to this length are searched from end to end for each rule; longer ones get a heap.
const SHORT: usize = 48;

const NO_RULE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Rule {
    rank: u32,
    joined: u32,
}

/// Merge rules in order.
#[derive(Clone, Debug, Default)]
pub struct RankedRules {
    rules: NumberMap<u64, Rule>,
}

fn key(left: u32, right: u32) -> u64 {
    (u64::from(left) << 32) | u64::from(right)
}

/// Room to work in, kept from one sequence to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    ranks: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    batch: Vec<u32>,
}

impl RankedRules {
    /// Rules from `(left, right, joined)`, the earliest first. A pair that comes again keeps its
    /// first place.
    pub fn new(rules: impl Iterator<Item = (Symbol, Symbol, Symbol)>) -> RankedRules {
        let mut map: NumberMap<u64, Rule> = NumberMap::default();
        map.reserve(rules.size_hint().0);
        for (rank, (left, right, joined)) in (0..).zip(rules) {
            map.entry(key(left.0, right.0)).or_insert(Rule {
                rank,
                joined: joined.0,
            });
        }
        RankedRules { rules: map }
    }

    /// True if there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    #[inline(always)]
    fn rank(&self, left: u32, right: u32) -> u32 {
        self.rules
            .get(&key(left, right))
            .map_or(NO_RULE, |rule| rule.rank)
    }

    #[inline(always)]
    fn joined(&self, left: u32, right: u32) -> u32 {
        self.rules[&key(left, right)].joined
    }

    /// Applies the rules until none applies: always the earliest that does, at all places from
    /// left to right. `[a, b, a, b]` with the rule `(a, b)` becomes `[ab, ab]`.
    pub fn apply(&self, symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        if symbols.len() <= SHORT {
            self.apply_short(symbols, &mut scratch.ranks);
        } else {
            self.apply_long(symbols, scratch);
        }
    }

    /// Looks through the whole sequence for each rule: quadratic, and the fastest for words.
    fn apply_short(&self, symbols: &mut Vec<u32>, ranks: &mut Vec<u32>) {
        ranks.clear();
        ranks.extend(symbols.windows(2).map(|pair| self.rank(pair[0], pair[1])));
        while let Some(&best) = ranks.iter().min() {
            if best == NO_RULE {
                return;
            }
            // Places from left to right; a place that overlaps the one before it has another rank
            // by the time it is reached.
            let mut at = 0;
            while let Some(found) = ranks[at..].iter().position(|&rank| rank == best) {
                at += found;
                symbols[at] = self.joined(symbols[at], symbols[at + 1]);
                symbols.remove(at + 1);
                ranks.remove(at);
                if at > 0 {
                    ranks[at - 1] = self.rank(symbols[at - 1], symbols[at]);
                }
                if at < ranks.len() {
                    ranks[at] = self.rank(symbols[at], symbols[at + 1]);
                }
                at = (at + 1).min(ranks.len());
            }
        }
    }

    /// A heap of places by rank over a linked list: near-linear for sequences of any length.
    fn apply_long(&self, symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        let Scratch {
            ranks,
            next,
            previous,
            heap,
            batch,
        } = scratch;
        let len = symbols.len() as u32;
        const GONE: u32 = NO_RULE - 1;
        ranks.clear();
        ranks.extend(symbols.windows(2).map(|pair| self.rank(pair[0], pair[1])));
        ranks.push(NO_RULE);
        next.clear();
        next.extend(1..=len);
        previous.clear();
        previous.extend((0..len).map(|place| place.wrapping_sub(1)));
        let mut entries = std::mem::take(heap).into_vec();
        entries.clear();
        entries.extend(
            (0..)
                .zip(ranks.iter())
                .filter(|&(_, &rank)| rank != NO_RULE)
                .map(|(place, &rank)| Reverse((rank, place))),
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
                if ranks[place] != best {
                    continue;
                }
                let right = next[place] as usize;
                let after = next[right];
                symbols[place] = self.joined(symbols[place], symbols[right]);
                next[place] = after;
                ranks[right] = GONE;
                ranks[place] = NO_RULE;
                if after < len {
                    previous[after as usize] = place as u32;
                    ranks[place] = self.rank(symbols[place], symbols[after as usize]);
                    if ranks[place] != NO_RULE {
                        heap.push(Reverse((ranks[place], place as u32)));
                    }
                }
                if place > 0 {
                    let before = previous[place] as usize;
                    ranks[before] = self.rank(symbols[before], symbols[place]);
                    if ranks[before] != NO_RULE {
                        heap.push(Reverse((ranks[before], before as u32)));
                    }
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
            let rules = RankedRules::new(rules.into_iter());
            let mut short: Vec<u32> = (0..random.below(40))
                .map(|_| random.below(4) as u32)
                .collect();
            let mut long = short.clone();
            let mut scratch = Scratch::default();
            rules.apply_short(&mut short, &mut scratch.ranks);
            rules.apply_long(&mut long, &mut scratch);
            assert_eq!(short, long);
        }
    }
}
