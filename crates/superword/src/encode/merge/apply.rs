//! Merging one sequence: chooses the method by its length.

use super::small::{SMALLEST, Small};
use super::table::{MergeTable, NO_RULE, Rank};
use super::windows::Scratch;

/// The most symbols that [`MergeTable::apply_to_few`] merges.
pub(in crate::encode) const FEW: usize = 8;

impl MergeTable {
    /// Applies the rules until none applies: always the earliest one, at all positions from left
    /// to right. `[a, b, a, b]` with the rule `(a, b)` becomes `[ab, ab]`.
    pub(in crate::encode) fn apply(&self, symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        self.apply_with(symbols, scratch, |symbols, at| {
            self.rank(symbols[at], symbols[at + 1])
        });
    }

    /// The same as [`MergeTable::apply`], with known ranks: `rank_at(symbols, i)` is the rank of
    /// symbols `i` and `i + 1` before any merge.
    pub(in crate::encode) fn apply_with(
        &self,
        symbols: &mut Vec<u32>,
        scratch: &mut Scratch,
        rank_at: impl Fn(&[u32], usize) -> Rank,
    ) {
        if symbols.len() < 2 {
            return;
        }
        // The code of a page has to be small, so there windows do for all lengths.
        if cfg!(feature = "files") && symbols.len() <= SMALLEST && self.has_small_ranks() {
            let mut small = Small::<SMALLEST>::new(symbols.len(), |at| rank_at(symbols, at));
            small.apply(self, symbols);
            let len = small.gather(symbols);
            symbols.truncate(len);
            return;
        }
        let units = std::mem::take(symbols);
        let mut tokens = std::mem::take(&mut scratch.tokens);
        let rank_at = |at| rank_at(&units, at);
        // A page has one copy of the code for all kinds of ranks.
        #[cfg(not(feature = "files"))]
        let rank_at: &dyn Fn(usize) -> Rank = &rank_at;
        self.merge_in_windows(&units, scratch, &mut tokens, rank_at);
        *symbols = units;
        symbols.clear();
        symbols.extend(tokens.iter().map(|token| token.symbol));
        scratch.tokens = tokens;
        scratch.shrink();
    }

    /// Merges three symbols with the ranks between them. Returns the symbols that are left and how
    /// many there are.
    #[inline(always)]
    pub(in crate::encode) fn apply_to_three(
        &self,
        [a, b, c]: [u32; 3],
        [first, second]: [Rank; 2],
    ) -> ([u32; 3], usize) {
        if first.min(second) == NO_RULE {
            return ([a, b, c], 3);
        }
        // If both pairs have the same rule, the left one is merged.
        let [left, right] = match first <= second {
            true => [self.joined(first), c],
            false => [a, self.joined(second)],
        };
        match self.likely_rank(left, right) {
            NO_RULE => ([left, right, 0], 2),
            rank => ([self.joined(rank), 0, 0], 1),
        }
    }

    /// Merges `ranks.len() + 1` symbols, at most [`FEW`], with the ranks between them. Returns the
    /// symbols that are left and how many there are. The table must be monotonic.
    ///
    /// The only branch is the one that ends the loop, because the processor cannot predict where
    /// the merges are.
    #[inline(always)]
    pub(in crate::encode) fn apply_to_few(
        &self,
        mut symbols: [u32; FEW],
        ranks: &[Rank],
    ) -> ([u32; FEW], usize) {
        debug_assert!(self.is_monotonic());
        // The rank of each position with the next one, and the position. These are numbers of 64 bits,
        // so that they are compared one by one. Reading what was just written as part of a larger
        // register would take longer.
        let key = |rank: Rank, at: usize| (u64::from(rank) * FEW as u64) | at as u64;
        let mut keys = [u64::MAX; FEW];
        for (at, &rank) in ranks.iter().enumerate() {
            keys[at] = key(rank, at);
        }
        // A bit for each position that still holds a symbol.
        let mut held = (2u32 << ranks.len()) - 1;
        loop {
            let best = keys.iter().fold(u64::MAX, |best, &key| best.min(key));
            if best >= key(NO_RULE, 0) {
                break;
            }
            let at = best as usize % FEW;
            let joined = self.joined((best / FEW as u64) as Rank);
            let later = held & (u32::MAX << at << 1);
            let right = later.trailing_zeros() as usize % FEW;
            let later = later & (later - 1);
            let earlier = held & !(u32::MAX << at);
            held &= !(1 << right);
            symbols[at] = joined;
            keys[right] = u64::MAX;
            // Where there is no neighbour, any pair is looked up and its rank is not used.
            let after = later.trailing_zeros() as usize % FEW;
            let before = (earlier | 1).ilog2() as usize % FEW;
            let with_next = self.likely_rank(joined, symbols[after]);
            let with_previous = self.likely_rank(symbols[before], joined);
            keys[before] = match earlier {
                0 => keys[before],
                _ => key(with_previous, before),
            };
            keys[at] = match later {
                0 => u64::MAX,
                _ => key(with_next, at),
            };
        }
        let count = held.count_ones() as usize;
        let merged = [0; FEW].map(|_| {
            let symbol = symbols[held.trailing_zeros() as usize % FEW];
            held &= held.wrapping_sub(1);
            symbol
        });
        (merged, count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::long::LongScratch;
    use super::super::small::SMALL;
    use super::*;
    use crate::testing::Random;
    use crate::token::Symbol;

    /// Applies the earliest rule at all positions from left to right, until no rule applies.
    fn one_by_one(rules: &MergeTable, symbols: &[u32]) -> Vec<u32> {
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
                        merged.push(rules.joined(best));
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

    /// Applies the earliest rule at its leftmost position, one merge at a time.
    fn one_at_a_time(rules: &MergeTable, symbols: &[u32]) -> Vec<u32> {
        let mut symbols = symbols.to_vec();
        loop {
            let pairs = symbols.windows(2).enumerate();
            let ranks = pairs.map(|(at, pair)| (rules.rank(pair[0], pair[1]), at));
            match ranks.min() {
                None | Some((NO_RULE, _)) => return symbols,
                Some((rank, at)) => {
                    symbols.splice(at..at + 2, [rules.joined(rank)]);
                }
            }
        }
    }

    /// Rules in any order: a rule may come before those that make its parts.
    #[test]
    fn merging_one_at_a_time_enables_earlier_rules_at_once() {
        let mut random = Random(101);
        let (mut other, mut long) = (0, 0);
        for round in 0..6000 {
            let mut rules: Vec<(Symbol, Symbol, Symbol)> = Vec::new();
            for joined in 3..3 + random.below(25) as u32 {
                let [left, right] = [0, 0].map(|_| Symbol(random.below(joined.into()) as u32));
                if rules.iter().all(|rule| (rule.0, rule.1) != (left, right)) {
                    rules.push((left, right, Symbol(joined)));
                }
            }
            for at in (1..rules.len()).rev() {
                rules.swap(at, random.below(at as u64 + 1) as usize);
            }
            let table = MergeTable::new(&rules, 30);
            let plain = table.clone();
            let table = table.one_at_a_time();
            let most = [12, 64, 300][round % 3];
            let symbols: Vec<u32> = (0..random.below(most))
                .map(|_| random.below(3) as u32)
                .collect();
            let expected = one_at_a_time(&table, &symbols);
            let mut merged = symbols.clone();
            table.apply(&mut merged, &mut Scratch::default());
            assert_eq!(merged, expected, "{rules:?} {symbols:?}");
            other += usize::from(one_by_one(&plain, &symbols) != expected);
            long += usize::from(symbols.len() > SMALL);
        }
        assert!(other > 50 && long > 1000, "{other} {long}");
    }

    /// A million symbols in one sequence, whose merges keep enabling earlier rules.
    #[test]
    fn merging_one_at_a_time_is_not_quadratic() {
        let symbol = |n: u32| Symbol(n);
        let rules: Vec<_> = (0..12)
            .rev()
            .map(|n| (symbol(n), symbol(n), symbol(n + 1)))
            .collect();
        let table = MergeTable::new(&rules, 13).one_at_a_time();
        assert!(table.is_one_at_a_time());
        let mut symbols = vec![0; 1 << 20];
        let start = std::time::Instant::now();
        table.apply(&mut symbols, &mut Scratch::default());
        assert_eq!(symbols, vec![12; 1 << 8]);
        assert!(start.elapsed().as_secs() < 20);
    }

    /// Rules as training makes them, in packed tables and in maps.
    #[test]
    fn few_symbols_are_merged_like_any_others() {
        let mut random = Random(103);
        // How often each number of symbols became each number of tokens.
        let mut seen = [[0; FEW + 1]; FEW + 1];
        for round in 0..if cfg!(miri) { 50 } else { 20_000 } {
            let kinds = 1 + random.below(4) as u32;
            let step = 1 + random.below(2) as usize;
            let rules: Vec<_> = (kinds..kinds + random.below(25) as u32)
                .step_by(step)
                .map(|joined| {
                    let [left, right] = [0, 0].map(|_| Symbol(random.below(joined.into()) as u32));
                    (left, right, Symbol(joined))
                })
                .collect();
            let table = MergeTable::new(&rules, [30, 1 << 21][round % 2]);
            assert!(table.is_monotonic());
            let len = 2 + random.index(FEW - 1);
            let mut symbols = [0; FEW];
            for symbol in &mut symbols[..len] {
                *symbol = random.below(kinds.into()) as u32;
            }
            let sequence = &symbols[..len];
            let pairs = sequence.windows(2);
            let ranks: Vec<Rank> = pairs.map(|pair| table.rank(pair[0], pair[1])).collect();
            let (merged, count) = table.apply_to_few(symbols, &ranks);
            let expected = one_by_one(&table, sequence);
            assert_eq!(merged[..count], expected, "{rules:?} {sequence:?}");
            seen[len][count] += 1;
        }
        for (len, seen) in seen.iter().enumerate().skip(2) {
            let all = seen[1..=len].iter().all(|&times| times > 5);
            assert!(all || cfg!(miri), "{len} {seen:?}");
        }
    }

    #[test]
    fn equal_symbols_are_joined_from_left_to_right() {
        let rules = [(0, 0, 1), (1, 1, 2), (1, 0, 3), (2, 3, 4)];
        let rules =
            rules.map(|(left, right, joined)| (Symbol(left), Symbol(right), Symbol(joined)));
        let table = MergeTable::new(&rules, 5);
        let expected: [&[u32]; 7] = [&[1], &[3], &[2], &[2, 0], &[2, 1], &[4], &[2, 2]];
        for (len, expected) in (2..).zip(expected) {
            let (merged, count) = table.apply_to_few([0; FEW], &vec![1; len - 1]);
            assert_eq!(merged[..count], *expected, "{len}");
            assert_eq!(one_by_one(&table, &vec![0; len]), *expected);
        }
    }

    #[test]
    fn every_way_to_merge_gives_the_same() {
        let mut random = Random(99);
        for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
            let rules: Vec<_> = (0..random.below(12))
                .map(|_| {
                    let [left, right, joined] = [5, 5, 8].map(|n| Symbol(random.below(n) as u32));
                    (left, right, joined)
                })
                .filter(|(left, right, joined)| joined > left && joined > right)
                .collect();
            let rules = MergeTable::new(&rules, 8);
            let mut applied: Vec<u32> = (0..random.below(64))
                .map(|_| random.below(4) as u32)
                .collect();
            let long = applied.clone();
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
                rules.merge_long(&long, 0, &mut LongScratch::default(), &mut tokens, &rank_at);
            }
            if long.len() > 1 {
                let mut symbols = long.clone();
                let mut merged = Small::<SMALL>::new(long.len(), rank_at);
                merged.apply_plain(&rules, &mut symbols);
                let len = merged.gather(&mut symbols);
                assert_eq!(symbols[..len], plain);
            }
            let long: Vec<u32> = tokens.iter().map(|token| token.symbol).collect();
            rules.apply(&mut applied, &mut scratch);
            assert_eq!(applied, plain);
            assert_eq!(long, plain);
        }
    }
}
