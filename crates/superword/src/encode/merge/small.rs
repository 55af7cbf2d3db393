//! Merging a small sequence in place.

use super::table::{MergeTable, NO_RULE, Rank};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Avx2;

/// Sequences up to this length are scanned from end to end for each merge. Longer ones are merged
/// in windows or with buckets.
pub(super) const SMALL: usize = 64;

/// Most sequences have at most this length, and a smaller array is set up faster.
pub(super) const SMALLEST: usize = 16;

/// A small sequence that is merged in place: a linked list of the positions that still hold a
/// symbol, and the rank of each position with the next one.
///
/// Scanning all positions for each merge is quadratic, but it is the fastest way for words: rank
/// and position are one number, and the smallest of a few numbers is found without a branch.
pub(super) struct Small<const N: usize> {
    /// For each position the rank and the position as one number, or [`NO_KEY`].
    keys: [i32; N],
    pub(super) next: [u8; N],
    previous: [u8; N],
}

const POSITION_BITS: u32 = SMALL.ilog2();
/// Ranks must be below this, so that rank and position fit into one number.
pub(super) const MAX_RANKS: usize = 1 << (31 - POSITION_BITS);
const NO_KEY: i32 = i32::MAX;
/// The number of keys that are compared at a time.
const STEP: usize = 8;

impl<const N: usize> Small<N> {
    const NEW: Small<N> = {
        let (mut next, mut previous) = ([0; N], [0; N]);
        let mut position = 0;
        while position < N {
            next[position] = position as u8 + 1;
            previous[position] = (position as u8).saturating_sub(1);
            position += 1;
        }
        Small {
            keys: [NO_KEY; N],
            next,
            previous,
        }
    };

    /// A sequence of `len` symbols. `rank_at(i)` is the rank of symbols `i` and `i + 1`.
    #[inline(always)]
    pub(super) fn new(len: usize, rank_at: impl Fn(usize) -> Rank) -> Self {
        let mut small = Self::NEW;
        for at in 0..len - 1 {
            small.set_rank(at, rank_at(at));
        }
        small
    }

    /// Merges until no rule applies, with the fastest instructions this processor has.
    pub(super) fn apply(&mut self, table: &MergeTable, symbols: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(Avx2 { .. }) = Avx2::detect() {
            // SAFETY: an `Avx2` exists only if the processor has these features.
            return unsafe { self.apply_avx2(table, symbols) };
        }
        self.apply_plain(table, symbols);
    }

    /// The same code, compiled for AVX2, which finds the smallest of many numbers faster.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn apply_avx2(&mut self, table: &MergeTable, symbols: &mut [u32]) {
        self.apply_plain(table, symbols);
    }

    /// Merges until no rule applies, on any processor.
    #[inline(always)]
    pub(super) fn apply_plain(&mut self, table: &MergeTable, symbols: &mut [u32]) {
        while let Some((position, rank)) = self.first(symbols.len()) {
            if self.merge(table, symbols, position, rank) && !table.is_one_at_a_time() {
                // The merge enabled an earlier rule. This rule is still applied at all its other
                // positions first.
                let same = |key: &i32| *key != NO_KEY && *key as u32 >> POSITION_BITS == rank;
                let mut from = position;
                while let Some(found) = self.keys[from..].iter().position(same) {
                    from += found;
                    self.merge(table, symbols, from, rank);
                }
            }
        }
    }

    /// Moves the symbols that are left to the front and returns how many there are.
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

    /// The leftmost position of the smallest rank, and the rank.
    #[inline(always)]
    fn first(&self, len: usize) -> Option<(usize, Rank)> {
        let scanned = len.next_multiple_of(STEP).min(N);
        let mut smallest = [NO_KEY; STEP];
        for keys in self.keys[..scanned].as_chunks::<STEP>().0 {
            for (smallest, &key) in smallest.iter_mut().zip(keys) {
                *smallest = (*smallest).min(key);
            }
        }
        let best = smallest.into_iter().fold(NO_KEY, i32::min);
        (best != NO_KEY).then_some((best as usize % SMALL % N, best as u32 >> POSITION_BITS))
    }

    #[inline(always)]
    fn set_rank(&mut self, position: usize, rank: Rank) {
        self.keys[position % N] = match rank {
            NO_RULE => NO_KEY,
            rank => (rank << POSITION_BITS | position as u32) as i32,
        };
    }

    /// Joins the symbol at `position` with the next one. True if an earlier rule now applies.
    #[inline(always)]
    fn merge(
        &mut self,
        table: &MergeTable,
        symbols: &mut [u32],
        position: usize,
        rank: Rank,
    ) -> bool {
        let len = symbols.len();
        let right = usize::from(self.next[position]);
        let after = usize::from(self.next[right]);
        let symbol = table.joined(rank);
        symbols[position] = symbol;
        self.next[position] = after as u8;
        self.keys[right] = NO_KEY;
        let mut made = NO_RULE;
        if after < len {
            self.previous[after] = position as u8;
            made = table.rank(symbol, symbols[after]);
        }
        self.set_rank(position, made);
        let mut before = NO_RULE;
        if position > 0 {
            let previous = usize::from(self.previous[position]);
            before = table.rank(symbols[previous], symbol);
            self.set_rank(previous, before);
        }
        made.min(before) < rank
    }
}
