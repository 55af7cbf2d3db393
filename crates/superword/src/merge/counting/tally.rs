//! Values by pair while all pairs are counted: how often and at how many places each occurs, or where its places are
//! written.

use crate::memory;
use crate::merge::table::PairTable;
use crate::token::pack;

/// How often a pair occurs, and at how many places.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::merge) struct Seen {
    pub(in crate::merge) count: u64,
    pub(in crate::merge) places: u32,
    /// The number of the pair among those of its share, in the order in which they came.
    pub(super) number: u32,
}

/// A value for each pair.
#[derive(Debug)]
enum Values<V> {
    /// An array by left symbol, then right symbol, for pairs of bytes.
    Dense {
        /// All symbols are below this.
        symbols: u32,
        /// One value for each possible pair.
        values: Vec<V>,
    },
    /// A table, for many symbols of which few pairs occur.
    Sparse(PairTable<V>),
}

/// The most symbols for a dense array. At this size it fits a second-level cache.
pub(super) const DENSE: usize = if cfg!(test) { 8 } else { 256 };

/// How many changes wait while their values are fetched.
const WAITING: usize = 16;

/// Values by pair that are changed one by one. Changes wait for a while, so that the memory they need is there.
#[derive(Debug)]
pub(in crate::merge) struct Tally<V, C> {
    values: Values<V>,
    /// Pairs and their changes.
    waiting: [(u64, C); WAITING],
    /// The number of changes so far.
    changes: usize,
}

impl<V: Clone + Default, C: Copy + Default> Tally<V, C> {
    /// Values for pairs of this many symbols. About `pairs` of them will be used.
    pub(in crate::merge) fn new(symbols: usize, pairs: usize) -> Tally<V, C> {
        let values = if symbols <= DENSE {
            Values::Dense {
                symbols: symbols as u32,
                values: memory::filled(V::default(), symbols * symbols),
            }
        } else {
            Values::Sparse(PairTable::with_capacity(pairs))
        };
        Tally {
            values,
            waiting: [(0, C::default()); WAITING],
            changes: 0,
        }
    }

    /// The value of a pair.
    pub(in crate::merge) fn entry(&mut self, left: u32, right: u32) -> &mut V {
        match &mut self.values {
            Values::Dense { symbols, values } => &mut values[(left * *symbols + right) as usize],
            Values::Sparse(values) => values.entry(pack(left, right)),
        }
    }

    /// Changes the value of a pair, now or later. `apply` must be the same each time. It gets `None` if `add` is false and
    /// the pair is not in a table.
    #[inline(always)]
    pub(in crate::merge) fn change(
        &mut self,
        (left, right): (u32, u32),
        change: C,
        add: bool,
        mut apply: impl FnMut(Option<&mut V>, C),
    ) {
        let table = match &mut self.values {
            Values::Dense { symbols, values } => {
                return apply(values.get_mut((left * *symbols + right) as usize), change);
            }
            Values::Sparse(table) => table,
        };
        let pair = pack(left, right);
        table.prefetch(pair);
        let slot = &mut self.waiting[self.changes % WAITING];
        let (pair, change) = std::mem::replace(slot, (pair, change));
        self.changes += 1;
        if self.changes > WAITING {
            apply(found(table, pair, add), change);
        }
    }

    /// Applies the changes that are still waiting.
    pub(in crate::merge) fn finish(&mut self, add: bool, mut apply: impl FnMut(Option<&mut V>, C)) {
        if let Values::Sparse(table) = &mut self.values {
            let first = self.changes.saturating_sub(WAITING);
            for at in first..self.changes {
                let (pair, change) = self.waiting[at % WAITING];
                apply(found(table, pair, add), change);
            }
            self.changes = 0;
        }
    }

    /// All pairs with their values. Those of an array may not have been changed at all.
    pub(in crate::merge) fn iter(&self) -> impl Iterator<Item = (u64, &V)> {
        let (dense, sparse) = match &self.values {
            Values::Dense { symbols, values } => (Some((*symbols, values)), None),
            Values::Sparse(table) => (None, Some(table)),
        };
        let dense = dense.into_iter().flat_map(|(symbols, values)| {
            let pairs =
                (0..symbols).flat_map(move |left| (0..symbols).map(move |right| (left, right)));
            pairs
                .zip(values)
                .map(|((left, right), value)| (pack(left, right), value))
        });
        dense.chain(sparse.into_iter().flat_map(PairTable::iter))
    }
}

#[inline(always)]
fn found<V: Default>(table: &mut PairTable<V>, pair: u64, add: bool) -> Option<&mut V> {
    if add {
        Some(table.entry(pair))
    } else {
        table.get_mut(pair)
    }
}
