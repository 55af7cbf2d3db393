//! How often and at how many places each pair stands, while all pairs are counted.

use crate::hash::NumberMap;
use crate::token::pack;

/// What is known of a pair: how often it occurs and at how many places. Once its list has a start,
/// that takes the place of the count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) count: u64,
    pub(super) places: u32,
}

/// Pairs → what is known of them.
#[derive(Debug)]
pub(super) enum Tally {
    /// By left symbol, then right: a pair of bytes is found without a search. `places` is 0 for a
    /// pair that is not there.
    Dense {
        /// Symbols are below this.
        symbols: u32,
        /// One for each pair there can be.
        pairs: Vec<Seen>,
    },
    /// For many symbols, few of whose pairs are there.
    Sparse(NumberMap<u64, Seen>),
}

/// The most symbols for a dense tally: at that size it stays in a second-level cache.
const DENSE: usize = 256;

impl Tally {
    /// For pairs of so many symbols.
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

    /// Keeps the pairs that `keep(key, seen)` wants; it may change what is known of them.
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
