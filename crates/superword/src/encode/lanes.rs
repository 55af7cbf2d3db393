//! Merging many short sequences at once.
//!
//! After each merge two rules are looked for, in a table that is too large to be close to the
//! processor, and nothing can be done for this sequence before they are there. So several sequences
//! are merged side by side: each asks for the memory it needs next, and while it waits the others
//! go on.

use super::rules::{Asked, NOBODY, Rank, RuleTable};
use super::short::Short;

/// So many sequences side by side.
const LANES: usize = 8;

/// Room for a sequence and one that ends it.
const ROOM: usize = 32;

/// The most symbols of a sequence.
pub(super) const LANE: usize = ROOM - 1;

/// Sequences that are being merged.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<Lane>,
}

/// One of them.
#[derive(Clone, Debug)]
struct Lane {
    /// Which one.
    number: usize,
    /// Followed by [`NOBODY`].
    symbols: [u32; ROOM],
    len: usize,
    short: Short<ROOM>,
    /// The place that was joined last, and the one before it.
    place: usize,
    previous: usize,
    /// The rules that it has with the one before and the one after it: they were asked for.
    before: Asked,
    after: Asked,
}

impl Lanes {
    /// Merges `count` sequences. `start(number, symbols)` writes a sequence of 2 to [`LANE`] symbols
    /// and gives its length and the rules of its neighbours; `done(number, symbols)` gets what is
    /// left of it. For rules that never turn back.
    #[inline(always)]
    pub(super) fn merge<R: Fn(usize) -> Rank>(
        &mut self,
        table: &RuleTable,
        count: usize,
        start: impl Fn(usize, &mut [u32]) -> (usize, R),
        mut done: impl FnMut(usize, &[u32]),
    ) {
        self.lanes.resize(count.min(LANES), Lane::EMPTY);
        let mut begun = 0;
        for lane in &mut self.lanes {
            lane.begin(table, begun, &start);
            begun += 1;
        }
        let mut at = 0;
        while let Some(lane) = self.lanes.get_mut(at) {
            lane.set_ranks(table);
            if !lane.join_next(table) {
                let left = lane.short.gather(&mut lane.symbols[..lane.len]);
                done(lane.number, &lane.symbols[..left]);
                if begun == count {
                    self.lanes.swap_remove(at);
                    at = 0;
                    continue;
                }
                lane.begin(table, begun, &start);
                begun += 1;
            }
            at = if at + 1 < self.lanes.len() { at + 1 } else { 0 };
        }
    }
}

impl Lane {
    const EMPTY: Lane = Lane {
        number: 0,
        symbols: [0; ROOM],
        len: 0,
        short: Short::NEW,
        place: 0,
        previous: 0,
        before: Asked::NOTHING,
        after: Asked::NOTHING,
    };

    #[inline(always)]
    fn begin<R: Fn(usize) -> Rank>(
        &mut self,
        table: &RuleTable,
        number: usize,
        start: impl Fn(usize, &mut [u32]) -> (usize, R),
    ) {
        let (len, rank_at) = start(number, &mut self.symbols);
        self.number = number;
        self.symbols[len % ROOM] = NOBODY;
        self.len = len;
        self.short.start(len, rank_at);
        if !self.join_next(table) {
            // The last place has no rule.
            (self.previous, self.place) = (len - 1, len - 1);
            (self.before, self.after) = (Asked::NOTHING, Asked::NOTHING);
        }
    }

    /// Sets the rules that were asked for.
    #[inline(always)]
    fn set_ranks(&mut self, table: &RuleTable) {
        let [before, after] = [table.answer(self.before), table.answer(self.after)];
        self.short
            .set_ranks(self.previous, before, self.place, after);
    }

    /// Joins what is next and asks for its rules. False if nothing is left to be joined.
    #[inline(always)]
    fn join_next(&mut self, table: &RuleTable) -> bool {
        let Some((place, rank)) = self.short.first(self.len) else {
            return false;
        };
        let (previous, after) = self.short.join(place);
        let symbol = table.joined(rank);
        self.symbols[place % ROOM] = symbol;
        let left = match place {
            0 => NOBODY,
            _ => self.symbols[previous % ROOM],
        };
        (self.previous, self.place) = (previous, place);
        self.before = table.ask(left, symbol);
        self.after = table.ask(symbol, self.symbols[after % ROOM]);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::ranked::{RankedRules, Scratch};
    use crate::merge::tests::Random;
    use crate::token::Symbol;

    #[test]
    fn many_are_merged_as_one_by_one() {
        let mut random = Random(41);
        for _ in 0..300 {
            let bytes = 2 + random.below(4) as u32;
            let rules: Vec<_> = (0..random.below(30) as u32)
                .map(|at| {
                    let [left, right] = [0, 0].map(|_| random.below(u64::from(bytes + at)) as u32);
                    (Symbol(left), Symbol(right), Symbol(bytes + at))
                })
                .collect();
            let rules = RankedRules::new(&rules, 40);
            assert!(rules.takes_lanes());
            let sequences: Vec<Vec<u32>> = (0..random.below(40))
                .map(|_| 2 + random.below(LANE as u64 - 1))
                .map(|len| {
                    (0..len)
                        .map(|_| random.below(u64::from(bytes)) as u32)
                        .collect()
                })
                .collect();
            let mut merged = vec![Vec::new(); sequences.len()];
            let mut lanes = Lanes::default();
            rules.apply_to_many(
                &mut lanes,
                sequences.len(),
                |number, symbols| {
                    let sequence = &sequences[number];
                    symbols[..sequence.len()].copy_from_slice(sequence);
                    let rank_at = |at: usize| rules.rank(sequence[at], sequence[at + 1]);
                    (sequence.len(), rank_at)
                },
                |number, symbols| merged[number].extend_from_slice(symbols),
            );
            for (mut sequence, merged) in sequences.into_iter().zip(merged) {
                rules.apply(&mut sequence, &mut Scratch::default());
                assert_eq!(merged, sequence);
            }
        }
    }
}
