//! For each pair, how often and where it occurs.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::cells::{Cells, Place};
use super::queue::PairCount;
use super::tally::Tally;
use crate::hash::NumberMap;
use crate::memory;
use crate::observe::{Observer, Stopped, check_stop};
use crate::prefetch::prefetch;
use crate::threads;
use crate::token::{Symbol, pack, unpack};

/// A list of places, in order, in the arena of the index. A place where the pair no longer occurs is detected when it is
/// visited, or removed when the arena is tidied up.
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
    /// The arena is tidied up when it has more places.
    tidy_from: usize,
    /// See [`MergeOptions::max_places`](super::MergeOptions::max_places).
    max_places: usize,
}

/// How many places ahead of the one that is looked at are prefetched.
const AHEAD: usize = 24;

/// A smaller arena is never tidied up: it takes 64 MB. Tests tidy up all the time.
const MIN_TIDY: usize = if cfg!(test) { 4 } else { 1 << 24 };

/// What the index is built from.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    pub(super) cells: &'a Cells,
    /// All symbols in the cells are below this.
    pub(super) symbols: usize,
    /// The number of threads that count.
    pub(super) threads: usize,
    pub(super) observer: &'a dyn Observer,
}

impl Counting<'_> {
    /// The number of shares into which pairs are divided. Every thread reads all cells but counts only the pairs of its
    /// share, so that no table has to be added to another.
    fn shares(&self) -> u32 {
        if cfg!(not(feature = "threads")) {
            return 1;
        }
        (self.cells.end() / MIN_SHARE).clamp(1, self.threads as u32)
    }

    /// Does `work` for each share, with the number of the share, on as many threads.
    fn share<T: Send>(
        &self,
        work: impl Fn(u32) -> Result<T, Stopped> + Sync,
    ) -> Result<Vec<T>, Stopped> {
        let shares = self.shares();
        if shares == 1 || cfg!(not(feature = "threads")) {
            return Ok(vec![work(0)?]);
        }
        let next = AtomicU32::new(0);
        let results = Mutex::new(Vec::new());
        threads::share(shares as usize, || {
            loop {
                let number = next.fetch_add(1, Relaxed);
                if number >= shares {
                    return;
                }
                let result = work(number);
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results.push((number, result));
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_unstable_by_key(|&(number, _)| number);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// Visits all pairs of a share.
    #[inline(always)]
    fn for_each_pair(
        &self,
        share: u32,
        mut visit: impl FnMut(u32, u32, Place, u64, bool),
    ) -> Result<(), Stopped> {
        let check = || check_stop(self.observer);
        let shares = self.shares();
        if shares == 1 {
            return self.cells.for_each_pair(check, visit);
        }
        self.cells
            .for_each_pair(check, |left, right, place, weight, counted| {
                // The pairs of a symbol are in the share that the symbol's hash chooses.
                let hash = left.wrapping_mul(0x9E37_79B9);
                if (u64::from(hash) * u64::from(shares)) >> 32 == u64::from(share) {
                    visit(left, right, place, weight, counted);
                }
            })
    }

    /// Counts all pairs, share by share.
    fn tally(&self) -> Result<Vec<Tally>, Stopped> {
        self.share(|share| {
            let mut tally = Tally::for_symbols(self.symbols);
            self.for_each_pair(share, |left, right, _, weight, counted| {
                tally.add(left, right, if counted { weight } else { 0 });
            })?;
            Ok(tally)
        })
    }

    /// The places of all pairs that are left in the tallies, share by share. The counts in the tallies are now the
    /// positions at which the next place of each pair is written.
    fn places(&self, tallies: Vec<(Tally, usize)>) -> Result<Vec<Vec<Place>>, Stopped> {
        let tallies: Vec<_> = tallies
            .into_iter()
            .map(|tally| Mutex::new(Some(tally)))
            .collect();
        self.share(|share| {
            let tally = tallies.get(share as usize).and_then(|tally| {
                let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                tally.take()
            });
            let Some((mut tally, places)) = tally else {
                return Ok(Vec::new());
            };
            let mut lists = memory::filled(0, places);
            self.for_each_pair(share, |left, right, place, _, _| {
                if let Some(seen) = tally.get_mut(left, right) {
                    lists[seen.count as usize] = place;
                    seen.count += 1;
                }
            })?;
            Ok(lists)
        })
    }
}

/// The fewest cells for each thread that counts pairs. That is about a millisecond of work.
const MIN_SHARE: Place = if cfg!(test) { 4 } else { 1 << 18 };

/// The smallest floor that leaves at most `max_places` places of pairs, or just the most frequent pairs.
fn raised(floor: u64, max_places: usize, tallies: &[Tally]) -> u64 {
    if cfg!(not(feature = "files")) {
        return floor;
    }
    let places = |tally: &Tally| tally.iter().map(|seen| seen.places as usize).sum::<usize>();
    if tallies.iter().map(places).sum::<usize>() <= max_places {
        return floor;
    }
    let seen = tallies.iter().flat_map(Tally::iter);
    let mut seen: Vec<(u64, u32)> = seen.map(|seen| (seen.count, seen.places)).collect();
    seen.sort_unstable_by(|a, b| b.cmp(a));
    let mut total = 0;
    let mut floor = seen.first().map_or(floor, |&(count, _)| count);
    for same in seen.chunk_by(|a, b| a.0 == b.0) {
        total += same.iter().map(|seen| seen.1 as usize).sum::<usize>();
        if total > max_places {
            break;
        }
        floor = same[0].0;
    }
    floor
}

impl PairIndex {
    /// Removes all pairs. Lists returned earlier stay valid, because births refer to them.
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Counts all pairs of the cells and indexes those that are allowed and occur at least `floor`
    /// times. If they have more than `max_places` places, only the most frequent ones are indexed. Returns the smallest
    /// count that is indexed. There must be no pairs yet.
    pub(super) fn rebuild(
        &mut self,
        counting: Counting<'_>,
        floor: u64,
        max_places: usize,
        mut allows: impl FnMut(Symbol, Symbol) -> bool,
    ) -> Result<u64, Stopped> {
        self.max_places = max_places;
        let mut tallies = counting.tally()?;
        for tally in &mut tallies {
            tally.retain(|key, seen| {
                let (left, right) = unpack(key);
                seen.count >= floor && allows(left, right)
            });
        }
        let floor = raised(floor, max_places, &tallies);
        let mut parts = Vec::new();
        let mut start = self.arena.len();
        for mut tally in tallies {
            let first = start;
            tally.retain(|key, seen| {
                if seen.count < floor {
                    return false;
                }
                let places = List {
                    start,
                    len: seen.places,
                };
                let count = seen.count;
                memory::reserve_key(&mut self.pairs);
                self.pairs.insert(key, Pair { count, places });
                seen.count = (start - first) as u64;
                start += places.len as usize;
                true
            });
            parts.push((tally, start - first));
        }
        let mut lists = counting.places(parts)?.into_iter();
        if self.arena.is_empty() {
            self.arena = lists.next().unwrap_or_default();
        }
        let more = start - self.arena.len();
        memory::reserve_exact(&mut self.arena, more);
        lists.for_each(|list| self.arena.extend_from_slice(&list));
        self.tidy_later();
        Ok(floor)
    }

    fn tidy_later(&mut self) {
        let (slack, least) = match self.max_places {
            usize::MAX => (self.arena.len() / 2, MIN_TIDY),
            most => (self.arena.len() / 4, most.min(MIN_TIDY)),
        };
        self.tidy_from = (self.arena.len() + slack).max(least);
    }

    /// True if the arena has grown so much that it should be tidied up.
    pub(super) fn is_untidy(&self) -> bool {
        self.arena.len() > self.tidy_from
    }

    /// Frees the memory of places that are out of date. `births` are the lists of places where each token was made.
    pub(super) fn tidy(&mut self, cells: &Cells, births: &mut [Vec<List>]) {
        // Texts in memory are small, and so must be the page that trains on them.
        if cfg!(not(feature = "files")) {
            return;
        }
        let of_pairs = self.pairs.iter_mut().map(|(&key, pair)| {
            let (left, right) = unpack(key);
            (&mut pair.places, left.0, Some(right.0))
        });
        let of_births = (0..)
            .zip(births)
            .flat_map(|(symbol, lists)| lists.iter_mut().map(move |list| (list, symbol, None)));
        let mut lists: Vec<_> = of_pairs.chain(of_births).collect();
        lists.sort_unstable_by_key(|(list, ..)| list.start);
        let mut end = 0;
        for (list, left, right) in lists {
            let start = end;
            for at in list.start..list.start + list.len as usize {
                if let Some(&ahead) = self.arena.get(at + AHEAD) {
                    cells.prefetch(ahead);
                }
                let place = self.arena[at];
                let is_current = cells.symbol_at(place) == left
                    && right.is_none_or(|right| cells.symbol_at(cells.after(place)) == right);
                // Lists only move towards the start, so nothing is overwritten that is still to be read.
                self.arena[end] = place;
                end += usize::from(is_current);
            }
            *list = List {
                start,
                len: (end - start) as u32,
            };
        }
        self.arena.truncate(end);
        self.tidy_later();
        self.arena.shrink_to(self.tidy_from);
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

    /// Loads the places of a pair into the cache.
    #[inline(always)]
    pub(super) fn prefetch_list(&self, left: Symbol, right: Symbol) {
        if let Some(pair) = self.pairs.get(&pack(left.0, right.0))
            && let Some(place) = self.arena.get(pair.places.start)
        {
            prefetch(place);
        }
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
        memory::reserve(&mut self.arena, len as usize);
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
        memory::extend(&mut self.arena, places);
        List {
            start,
            len: places.len() as u32,
        }
    }

    /// Inserts or replaces a pair.
    pub(super) fn set(&mut self, left: u32, right: u32, count: u64, places: List) {
        memory::reserve_key(&mut self.pairs);
        self.pairs.insert(pack(left, right), Pair { count, places });
    }

    /// The places of a pair, if it is in the index.
    pub(super) fn list(&self, left: u32, right: u32) -> Option<List> {
        self.pairs.get(&pack(left, right)).map(|pair| pair.places)
    }
}
