//! Merging a short sequence in place.

use super::rules::{NO_RULE, Rank, RuleTable};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Avx2;

/// Sequences up to this length are searched from end to end for each rule; longer ones get
/// windows or buckets.
pub(super) const SHORT: usize = 64;

/// Most are of at most this length: less has to be set up for them.
pub(super) const SHORTEST: usize = 16;

/// A short sequence that is merged in place: a list of places that are still there, and of each the
/// rule that it has with the next one.
///
/// Looking through all places for each rule is quadratic, and the fastest way for words: rule and
/// place are one number, and the least of a few numbers is found without a branch.
pub(super) struct Short<const N: usize> {
    /// By place: the rank and the place, or [`NO_PLACE`].
    keys: [i32; N],
    pub(super) next: [u8; N],
    previous: [u8; N],
}

const PLACE_BITS: u32 = SHORT.ilog2();
/// All ranks are below this: rank and place have room in one number.
pub(super) const RANKS: usize = 1 << (31 - PLACE_BITS);
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

    /// A sequence of so many symbols, with the rules of neighbours.
    #[inline(always)]
    pub(super) fn new(len: usize, rank_at: impl Fn(usize) -> Rank) -> Self {
        let mut short = Self::NEW;
        for at in 0..len - 1 {
            short.set_rank(at, rank_at(at));
        }
        short
    }

    /// Merges until no rule applies, as fast as this processor can.
    pub(super) fn apply(&mut self, table: &RuleTable, symbols: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(Avx2 { .. }) = Avx2::detect() {
            // SAFETY: there is a proof that the processor has these features.
            return unsafe { self.apply_avx2(table, symbols) };
        }
        self.apply_plain(table, symbols);
    }

    /// The same code, compiled for processors that find the least of many numbers faster.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn apply_avx2(&mut self, table: &RuleTable, symbols: &mut [u32]) {
        self.apply_plain(table, symbols);
    }

    /// Merges until no rule applies, on any processor.
    #[inline(always)]
    pub(super) fn apply_plain(&mut self, table: &RuleTable, symbols: &mut [u32]) {
        while let Some((place, rank)) = self.first(symbols.len()) {
            if self.merge(table, symbols, place, rank) {
                // A rule that comes before this one has got a place. This one has its other places
                // first.
                let same = |key: &i32| *key != NO_PLACE && *key as u32 >> PLACE_BITS == rank;
                let mut from = place;
                while let Some(found) = self.keys[from..].iter().position(same) {
                    from += found;
                    self.merge(table, symbols, from, rank);
                }
            }
        }
    }

    /// Brings the symbols that are left to the front; how many they are.
    #[inline(always)]
    pub(super) fn gather(&self, symbols: &mut [u32]) -> usize {
        let (mut from, mut kept) = (0, 0);
        while from < symbols.len() {
            symbols[kept] = symbols[from];
            kept += 1;
            from = usize::from(self.next[from]);
        }
        kept
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
