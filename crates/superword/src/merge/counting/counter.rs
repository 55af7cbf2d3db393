//! Counts the pairs of one share.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::tally::{Seen, Tally};
use crate::memory;
use crate::merge::cells::Place;

/// A pair that was counted.
#[derive(Clone, Copy, Debug)]
pub(in crate::merge) struct Counted {
    pub(in crate::merge) pair: u64,
    pub(in crate::merge) seen: Seen,
}

/// The pairs of one share, and where they are.
#[derive(Debug, Default)]
pub(in crate::merge) struct CountedShare {
    pub(in crate::merge) pairs: Vec<Counted>,
    /// All places in order, each with the number of its pair, so that pairs need not be looked up again to write their
    /// places. `None` if that would take too much memory, or if the system has too little.
    pub(super) places: Option<Vec<(u32, Place)>>,
    /// Numbers of pairs are below this.
    pub(super) numbers: u32,
}

/// Counts pairs one by one.
#[derive(Debug)]
pub(super) struct Counter {
    tally: Tally<Seen, (u64, Place)>,
    share: CountedShare,
}

impl Counter {
    /// A counter for pairs of this many symbols. About `pairs` different ones will come, at about this many places if they
    /// are kept.
    pub(super) fn new(symbols: usize, pairs: usize, places: Option<usize>) -> Counter {
        // Keeping places only saves time, so it must not fail for want of memory.
        let list = |likely| {
            let mut list = Vec::new();
            list.try_reserve_exact(likely).is_ok().then_some(list)
        };
        let share = CountedShare {
            places: places.and_then(list),
            ..CountedShare::default()
        };
        Counter {
            tally: Tally::new(symbols, pairs),
            share,
        }
    }

    /// Counts a pair at a place with this weight.
    #[inline(always)]
    pub(super) fn add(&mut self, pair: (u32, u32), change: (u64, Place)) {
        let share = &mut self.share;
        self.tally
            .change(pair, change, true, |seen, change| share.add(seen, change));
    }

    /// Adds the pairs that occur at least `floor` times to those of the share.
    pub(super) fn finish(mut self, floor: u64, share: &mut CountedShare) {
        let own = &mut self.share;
        self.tally
            .finish(true, |seen, change| own.add(seen, change));
        for (pair, &seen) in self.tally.iter() {
            if seen.places > 0 && seen.count >= floor {
                memory::reserve(&mut share.pairs, 1);
                share.pairs.push(Counted { pair, seen });
            }
        }
        (share.places, share.numbers) = (own.places.take(), own.numbers);
    }
}

impl CountedShare {
    /// Writes the places of the pairs, one pair after the other, from this position of the arena on.
    pub(super) fn write_places(&self, mut start: usize, arena: &[AtomicU32]) {
        // By number: one more than the position where the next place of the pair is written, or 0.
        let mut positions = memory::filled(0, self.numbers as usize);
        for counted in &self.pairs {
            positions[counted.seen.number as usize] = start + 1;
            start += counted.seen.places as usize;
        }
        for &(number, place) in self.places.iter().flatten() {
            let position = &mut positions[number as usize];
            if *position > 0 {
                arena[*position - 1].store(place, Relaxed);
                *position += 1;
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, seen: Option<&mut Seen>, (weight, place): (u64, Place)) {
        let Some(seen) = seen else { return };
        if seen.places == 0 {
            seen.number = self.numbers;
            self.numbers += 1;
        }
        seen.count += weight;
        seen.places += 1;
        if cfg!(feature = "files")
            && let Some(places) = &mut self.places
        {
            if places.len() == places.capacity() && places.try_reserve(1).is_err() {
                self.places = None;
            } else {
                places.push((seen.number, place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_do_not_fit_in_memory_are_not_kept() {
        for (likely, is_kept) in [(0, true), (2, true), (usize::MAX, false)] {
            let mut counter = Counter::new(1000, 4, Some(likely));
            for place in 1..20 {
                counter.add((place % 3, 7), (5, place));
            }
            let mut share = CountedShare::default();
            counter.finish(1, &mut share);
            let places: u32 = share.pairs.iter().map(|one| one.seen.places).sum();
            assert_eq!((share.pairs.len(), places), (3, 19));
            let kept = share.places.map(|places| places.len());
            assert_eq!(kept, is_kept.then_some(19));
        }
    }
}
