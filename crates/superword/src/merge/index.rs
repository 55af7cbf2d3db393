//! For each pair, how often and where it occurs.

use super::cells::{Cells, Place};
use super::queue::PairCount;
use super::tally::{Seen, Tally};
use crate::hash::NumberMap;
use crate::observe::{Observer, Stopped, check_stop};
use crate::token::{Symbol, pack, unpack};

/// A list of places, in order, in the arena of the index. Lists are never changed or freed once
/// written. A place where the pair no longer occurs is detected when it is visited.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct List {
    start: usize,
    len: u32,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    count: u64,
    places: List,
}

/// All pairs that occur at least as often as the floor.
#[derive(Debug, Default)]
pub(super) struct PairIndex {
    pairs: NumberMap<u64, Pair>,
    arena: Vec<Place>,
}

/// What the index is built from.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    pub(super) cells: &'a Cells,
    /// All symbols in the cells are below this.
    pub(super) symbols: usize,
    pub(super) observer: &'a dyn Observer,
}

impl Counting<'_> {
    fn for_each_pair(&self, visit: impl FnMut(u32, u32, Place, u64, bool)) -> Result<(), Stopped> {
        self.cells
            .for_each_pair(|| check_stop(self.observer), visit)
    }

    /// Counts all pairs.
    fn tally(&self) -> Result<Tally, Stopped> {
        let mut tally = Tally::for_symbols(self.symbols);
        let add = |seen: &mut Seen, weight, counted| {
            seen.count += if counted { weight } else { 0 };
            seen.places += 1;
        };
        match &mut tally {
            Tally::Dense { symbols, pairs } => {
                self.for_each_pair(|left, right, _, weight, counted| {
                    add(
                        &mut pairs[(left * *symbols + right) as usize],
                        weight,
                        counted,
                    );
                })?;
            }
            Tally::Sparse(pairs) => {
                self.for_each_pair(|left, right, _, weight, counted| {
                    add(pairs.entry(pack(left, right)).or_default(), weight, counted);
                })?;
            }
        }
        Ok(tally)
    }

    /// Writes the places of all pairs that are left in the tally. Its counts are now the positions at
    /// which the next place of each pair is written.
    fn fill(&self, tally: &mut Tally, lists: &mut [Place]) -> Result<(), Stopped> {
        let mut add = |seen: &mut Seen, place| {
            lists[seen.count as usize] = place;
            seen.count += 1;
        };
        match tally {
            Tally::Dense { symbols, pairs } => self.for_each_pair(|left, right, place, _, _| {
                let seen = &mut pairs[(left * *symbols + right) as usize];
                if seen.places > 0 {
                    add(seen, place);
                }
            }),
            Tally::Sparse(pairs) => self.for_each_pair(|left, right, place, _, _| {
                if let Some(seen) = pairs.get_mut(&pack(left, right)) {
                    add(seen, place);
                }
            }),
        }
    }
}

impl PairIndex {
    /// Counts all pairs of the cells and indexes those that are allowed and occur at least `floor`
    /// times. Lists returned earlier stay valid, because births refer to them.
    pub(super) fn rebuild(
        &mut self,
        counting: Counting<'_>,
        floor: u64,
        mut allows: impl FnMut(Symbol, Symbol) -> bool,
    ) -> Result<(), Stopped> {
        self.pairs.clear();
        let mut tally = counting.tally()?;
        let first = self.arena.len();
        let mut start = first;
        tally.retain(|key, seen| {
            let (left, right) = unpack(key);
            if seen.count < floor || !allows(left, right) {
                return false;
            }
            let places = List {
                start,
                len: seen.places,
            };
            let count = seen.count;
            self.pairs.insert(key, Pair { count, places });
            seen.count = (start - first) as u64;
            start += places.len as usize;
            true
        });
        self.arena.resize(start, 0);
        counting.fill(&mut tally, &mut self.arena[first..])
    }

    /// All pairs with their counts.
    pub(super) fn pair_counts(&self) -> impl Iterator<Item = PairCount> + '_ {
        self.pairs.iter().map(|(&key, pair)| {
            let (left, right) = unpack(key);
            let count = pair.count;
            PairCount { left, right, count }
        })
    }

    /// How often the pair occurs. 0 if it is not in the index.
    pub(super) fn count(&self, left: Symbol, right: Symbol) -> u64 {
        self.pairs
            .get(&pack(left.0, right.0))
            .map_or(0, |pair| pair.count)
    }

    /// Removes the pair and returns its places.
    pub(super) fn take(&mut self, left: Symbol, right: Symbol) -> List {
        self.pairs
            .remove(&pack(left.0, right.0))
            .map_or(List::default(), |pair| pair.places)
    }

    /// The places of a list.
    pub(super) fn places(&self, list: List) -> &[Place] {
        &self.arena[list.start..list.start + list.len as usize]
    }

    /// Lowers the count of the pair. Does nothing if the pair is not in the index.
    pub(super) fn decrease(&mut self, left: u32, right: u32, by: u64) {
        let key = pack(left, right);
        if let Some(pair) = self.pairs.get_mut(&key) {
            pair.count -= by;
            if pair.count == 0 {
                self.pairs.remove(&key);
            }
        }
    }

    /// Reserves a list of this length, to be filled with [`PairIndex::write`].
    pub(super) fn reserve(&mut self, len: u32) -> List {
        let start = self.arena.len();
        self.arena.resize(start + len as usize, 0);
        List { start, len }
    }

    /// Writes one place of a reserved list.
    #[inline(always)]
    pub(super) fn write(&mut self, list: List, at: u32, place: Place) {
        self.arena[list.start + at as usize] = place;
    }

    /// Stores a list of places.
    pub(super) fn insert_list(&mut self, places: &[Place]) -> List {
        let start = self.arena.len();
        self.arena.extend_from_slice(places);
        List {
            start,
            len: places.len() as u32,
        }
    }

    /// Inserts or replaces a pair.
    pub(super) fn set(&mut self, left: u32, right: u32, count: u64, places: List) {
        self.pairs.insert(pack(left, right), Pair { count, places });
    }

    /// The places of a pair, if it is in the index.
    pub(super) fn list(&self, left: u32, right: u32) -> Option<List> {
        self.pairs.get(&pack(left, right)).map(|pair| pair.places)
    }
}
