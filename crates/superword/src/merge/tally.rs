//! Counting all pairs: how often and at how many places each occurs.

use crate::hash::NumberMap;
use crate::memory;
use crate::token::pack;

/// How often a pair occurs, and at how many places. While the lists of places are written, `count`
/// is the position of the next place instead.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) count: u64,
    pub(super) places: u32,
}

/// Counts by pair.
#[derive(Debug)]
pub(super) enum Tally {
    /// An array by left symbol, then right symbol, for pairs of bytes. `places` is 0 for a pair that
    /// does not occur.
    Dense {
        /// All symbols are below this.
        symbols: u32,
        /// One entry for each possible pair.
        pairs: Vec<Seen>,
    },
    /// A map, for many symbols of which few pairs occur.
    Sparse(NumberMap<u64, Seen>),
}

/// The most symbols for a dense tally. At this size it fits a second-level cache.
const DENSE: usize = 256;

impl Tally {
    /// An empty tally for pairs of this many symbols.
    pub(super) fn for_symbols(symbols: usize) -> Tally {
        if symbols <= DENSE {
            Tally::Dense {
                symbols: symbols as u32,
                pairs: vec![Seen::default(); symbols * symbols],
            }
        } else {
            Tally::Sparse(NumberMap::default())
        }
    }

    /// Counts a pair at one more place, `weight` times.
    #[inline(always)]
    pub(super) fn add(&mut self, left: u32, right: u32, weight: u64) {
        let seen = match self {
            Tally::Dense { symbols, pairs } => &mut pairs[(left * *symbols + right) as usize],
            Tally::Sparse(pairs) => {
                memory::reserve_key(pairs);
                pairs.entry(pack(left, right)).or_default()
            }
        };
        seen.count += weight;
        seen.places += 1;
    }

    /// The entry of a pair, if it was counted and not removed.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, left: u32, right: u32) -> Option<&mut Seen> {
        match self {
            Tally::Dense { symbols, pairs } => {
                let seen = &mut pairs[(left * *symbols + right) as usize];
                (seen.places > 0).then_some(seen)
            }
            Tally::Sparse(pairs) => pairs.get_mut(&pack(left, right)),
        }
    }

    /// The entries of all pairs.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Seen> {
        let (dense, sparse) = match self {
            Tally::Dense { pairs, .. } => (Some(pairs), None),
            Tally::Sparse(pairs) => (None, Some(pairs)),
        };
        let dense = dense.into_iter().flatten().filter(|seen| seen.places > 0);
        dense.chain(sparse.into_iter().flat_map(|pairs| pairs.values()))
    }

    /// Removes the pairs for which `keep(key, seen)` returns false. It may change `seen`.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(u64, &mut Seen) -> bool) {
        match self {
            Tally::Dense { symbols, pairs } => {
                let numbers =
                    (0..*symbols).flat_map(|left| (0..*symbols).map(move |right| (left, right)));
                for ((left, right), seen) in numbers.zip(pairs) {
                    if seen.places > 0 && !keep(pack(left, right), seen) {
                        *seen = Seen::default();
                    }
                }
            }
            Tally::Sparse(pairs) => {
                pairs.retain(|&key, seen| keep(key, seen));
                pairs.shrink_to_fit();
            }
        }
    }
}
