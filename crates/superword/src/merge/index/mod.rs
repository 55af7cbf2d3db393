//! For each pair, how often and where it occurs.

mod tidy;

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::cells::{Cells, Place};
use super::counting::{Counted, CountedShare, Counting, Seen};
use super::queue::PairCount;
use super::table::PairTable;
use crate::memory;
use crate::observe::Stopped;
use crate::prefetch::prefetch;
use crate::token::{Symbol, pack, unpack};

/// A list of places, in order, in the arena of the index. A place where the pair no longer occurs is detected when it is
/// visited, or removed when the arena is tidied up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct List {
    start: usize,
    len: u32,
}

impl List {
    /// The number of places.
    pub(super) fn len(self) -> usize {
        self.len as usize
    }
}

/// Counts and places are atomic, so that several threads can lower counts and write places at once. Messages between the
/// threads order what one wrote before what another reads.
#[derive(Debug, Default)]
struct Pair {
    count: AtomicU64,
    /// See [`List`].
    start: AtomicUsize,
    len: AtomicU32,
}

impl Pair {
    fn places(&self) -> List {
        List {
            start: self.start.load(Relaxed),
            len: self.len.load(Relaxed),
        }
    }

    fn set_places(&self, places: List) {
        self.start.store(places.start, Relaxed);
        self.len.store(places.len, Relaxed);
    }

    fn set(&self, count: u64, places: List) {
        self.count.store(count, Relaxed);
        self.set_places(places);
    }
}

/// All pairs that occur at least as often as the floor.
#[derive(Debug, Default)]
pub(super) struct PairIndex {
    pairs: PairTable<Pair>,
    arena: Vec<AtomicU32>,
    /// The arena is tidied up when it has more places.
    tidy_from: usize,
    /// See [`MergeOptions::max_places`](super::MergeOptions::max_places).
    max_places: usize,
}

/// How many places ahead of the one that is looked at are prefetched.
const AHEAD: usize = 24;

/// The smallest floor that leaves at most `max_places` places of pairs, or just the most frequent pairs.
fn raised(floor: u64, max_places: usize, shares: &[CountedShare]) -> u64 {
    if cfg!(not(feature = "files")) {
        return floor;
    }
    let places = |counted: &Counted| counted.seen.places as usize;
    let pairs = || shares.iter().flat_map(|share| &share.pairs);
    if pairs().map(places).sum::<usize>() <= max_places {
        return floor;
    }
    let seen = pairs().map(|counted| counted.seen);
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

    /// Counts all pairs of the cells and indexes those that occur at least `floor` times. If they have more than `max_places` places, only the most frequent ones are indexed. Returns the smallest
    /// count that is indexed. There must be no pairs yet.
    pub(super) fn rebuild(
        &mut self,
        counting: Counting<'_>,
        floor: u64,
        max_places: usize,
    ) -> Result<u64, Stopped> {
        self.max_places = max_places;
        let mut shares = counting.count(floor)?;
        let floor = raised(floor, max_places, &shares);
        for share in &mut shares {
            share.pairs.retain(|counted| counted.seen.count >= floor);
        }
        let pairs = shares.iter().map(|share| share.pairs.len()).sum();
        self.pairs = PairTable::with_capacity(pairs);
        let mut start = self.arena.len();
        let mut placed = Vec::with_capacity(shares.len());
        for share in shares {
            let places = share
                .pairs
                .iter()
                .map(|counted| counted.seen.places as usize);
            let places: usize = places.sum();
            placed.push((share, start));
            start += places;
        }
        counting.share(|share| {
            let (pairs, mut start) = (&placed[share].0.pairs, placed[share].1);
            for (number, counted) in pairs.iter().enumerate() {
                if let Some(ahead) = pairs.get(number + AHEAD) {
                    self.pairs.prefetch(ahead.pair);
                }
                let Seen {
                    count, places: len, ..
                } = counted.seen;
                let places = List { start, len };
                self.pairs.add(counted.pair).set(count, places);
                start += places.len();
            }
        });
        self.pairs.added(pairs);
        let more = start - self.arena.len();
        memory::reserve_exact(&mut self.arena, more);
        self.arena.resize_with(start, AtomicU32::default);
        counting.write_places(&placed, &self.arena)?;
        self.tidy_later();
        Ok(floor)
    }

    /// All pairs with their counts.
    pub(super) fn pair_counts(&self) -> impl Iterator<Item = PairCount> + '_ {
        self.pairs.iter().map(|(key, pair)| {
            let (left, right) = unpack(key);
            let count = pair.count.load(Relaxed);
            PairCount { left, right, count }
        })
    }

    /// How often the pair occurs. 0 if it is not in the index.
    pub(super) fn count(&self, left: Symbol, right: Symbol) -> u64 {
        self.pairs
            .get(pack(left.0, right.0))
            .map_or(0, |pair| pair.count.load(Relaxed))
    }

    /// Removes the pair and returns its places.
    pub(super) fn take(&mut self, left: Symbol, right: Symbol) -> List {
        self.pairs
            .remove(pack(left.0, right.0))
            .map_or(List::default(), |pair| pair.places())
    }

    /// The places of a list.
    pub(super) fn places(&self, list: List) -> &[AtomicU32] {
        &self.arena[list.start..list.start + list.len()]
    }

    /// Divides a list into at most `most` parts of at least `grain` places, without dividing a sequence.
    #[cfg(feature = "threads")]
    pub(super) fn divide<'a>(
        &'a self,
        cells: &'a Cells,
        list: List,
        grain: usize,
        most: usize,
    ) -> impl Iterator<Item = List> + 'a {
        let grain = list.len().div_ceil(most).max(grain).max(1);
        let end = list.start + list.len();
        let mut start = list.start;
        let place = |at: usize| self.arena[at].load(Relaxed);
        std::iter::from_fn(move || {
            let first = start;
            start = (first + grain).min(end);
            while first < start && start < end && !cells.are_apart(place(start - 1), place(start)) {
                start += 1;
            }
            let len = (start - first) as u32;
            (len > 0).then_some(List { start: first, len })
        })
    }

    /// Loads the count of a pair into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, left: u32, right: u32) {
        self.pairs.prefetch(pack(left, right));
    }

    /// Loads the places of a pair into the cache.
    #[inline(always)]
    pub(super) fn prefetch_list(&self, left: Symbol, right: Symbol) {
        if let Some(pair) = self.pairs.get(pack(left.0, right.0))
            && let Some(place) = self.arena.get(pair.places().start)
        {
            prefetch(place);
        }
    }

    /// Lowers the count of the pair, and adds it to `gone` if it is 0 now. Does nothing if the pair is not in the index.
    pub(super) fn decrease(&self, left: u32, right: u32, by: u64, gone: &mut Vec<u64>) {
        let key = pack(left, right);
        if let Some(pair) = self.pairs.get(key)
            && by > 0
            && pair.count.fetch_sub(by, Relaxed) == by
        {
            gone.push(key);
        }
    }

    /// Removes pairs.
    pub(super) fn remove(&mut self, keys: &[u64]) {
        for &key in keys {
            self.pairs.remove(key);
        }
    }

    /// Inserts or replaces a pair. Returns the position in the arena where the first of its places has to be written.
    pub(super) fn insert(&mut self, left: Symbol, right: Symbol, count: u64, len: usize) -> usize {
        let start = self.reserve_places(len);
        let len = len as u32;
        self.set(left.0, right.0, count, List { start, len });
        start
    }

    /// Makes room for places, and returns the position of the first.
    pub(super) fn reserve_places(&mut self, len: usize) -> usize {
        let start = self.arena.len();
        memory::reserve(&mut self.arena, len);
        self.arena.resize_with(start + len, AtomicU32::default);
        start
    }

    /// Makes room for pairs that [`PairIndex::add`] adds. It must add all of them.
    #[cfg(feature = "threads")]
    pub(super) fn reserve_pairs(&mut self, pairs: usize) {
        self.pairs.reserve(pairs);
        self.pairs.added(pairs);
    }

    /// Adds a pair that is not in the index. Several threads may do this at once. `start` is the position in the arena where
    /// the first of its `len` places has to be written.
    #[cfg(feature = "threads")]
    #[inline(always)]
    pub(super) fn add(&self, left: u32, right: u32, count: u64, start: usize, len: u32) {
        self.pairs
            .add(pack(left, right))
            .set(count, List { start, len });
    }

    /// Writes one place of a list.
    #[inline(always)]
    pub(super) fn write(&self, at: usize, place: Place) {
        self.arena[at].store(place, Relaxed);
    }

    /// Stores the places of all tokens whose symbols are in `first..symbols`. Returns one list for each symbol, and empty
    /// ones for those before.
    pub(super) fn list_symbols(
        &mut self,
        cells: &Cells,
        first: usize,
        symbols: usize,
    ) -> Vec<List> {
        let of_tokens = || {
            let tokens = (1..cells.end()).map(|place| (cells.symbol_at(place) as usize, place));
            tokens.filter(|(symbol, _)| (first..symbols).contains(symbol))
        };
        let mut lists = vec![List::default(); symbols];
        for (symbol, _) in of_tokens() {
            lists[symbol].len += 1;
        }
        let mut start = self.reserve_places(lists.iter().map(|list| list.len()).sum());
        for list in &mut lists {
            list.start = start;
            start += list.len();
        }
        let mut positions: Vec<usize> = lists.iter().map(|list| list.start).collect();
        for (symbol, place) in of_tokens() {
            self.write(positions[symbol], place);
            positions[symbol] += 1;
        }
        lists
    }

    /// Stores a list of places.
    pub(super) fn insert_list(&mut self, places: &[Place]) -> List {
        let start = self.arena.len();
        memory::reserve(&mut self.arena, places.len());
        self.arena
            .extend(places.iter().map(|&place| AtomicU32::new(place)));
        List {
            start,
            len: places.len() as u32,
        }
    }

    /// Inserts or replaces a pair.
    pub(super) fn set(&mut self, left: u32, right: u32, count: u64, places: List) {
        self.pairs.entry(pack(left, right)).set(count, places);
    }

    /// The places of a pair, if it is in the index.
    pub(super) fn list(&self, left: u32, right: u32) -> Option<List> {
        self.pairs.get(pack(left, right)).map(Pair::places)
    }
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_list_do_not_divide_sequences() {
        let cells = Cells::of(&[3, 1, 9, 2, 2, 30, 1].map(|length| (vec![1; length], 1)));
        let places: Vec<Place> = (1..cells.end()).filter(|&at| cells.is_start(at)).collect();
        let mut index = PairIndex::default();
        index.insert_list(&[7; 5]);
        let list = index.insert_list(&places);
        for (grain, most) in (0..60).flat_map(|grain| [(grain, 100), (grain, 4)]) {
            let parts: Vec<List> = index.divide(&cells, list, grain, most).collect();
            let read = |part: &List| index.places(*part).iter().map(|place| place.load(Relaxed));
            assert!(parts.iter().flat_map(read).eq(places.iter().copied()));
            assert!(parts.len() <= most);
            assert!(parts.iter().rev().skip(1).all(|part| part.len() >= grain));
            for pair in parts.windows(2) {
                let (last, first) = (read(&pair[0]).last(), read(&pair[1]).next());
                let border = |place: Option<Place>| cells.border_after(place.unwrap());
                assert_ne!(border(last), border(first));
            }
        }
    }
}
