//! Counting all pairs and writing down their places, on several threads.
//!
//! Pairs are divided into shares by their hash. Each share has its own tally, so nothing has to be added up at the end.

mod counter;
mod tally;

pub(super) use counter::{Counted, CountedShare};
pub(super) use tally::Seen;

use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};

use self::counter::Counter;
use self::tally::{DENSE, Tally};
use super::cells::{Cells, Place};
#[cfg(feature = "threads")]
use super::crew::Crew;
use crate::hash::hash_pair;
use crate::memory;
use crate::observe::{Observer, Stopped, check_stop};
use crate::threads::lock;
use crate::token::unpack;

/// What the index is built from.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    pub(super) cells: &'a Cells,
    /// All symbols in the cells are below this.
    pub(super) symbols: usize,
    /// About this many neighbours are in the cells. It only decides how much memory is reserved.
    pub(super) neighbours: u64,
    /// The threads that count.
    #[cfg(feature = "threads")]
    pub(super) crew: &'a Crew,
    pub(super) threads: usize,
    /// Save memory: not all rare pairs may be in memory at the same time.
    pub(super) is_limited: bool,
    pub(super) observer: &'a dyn Observer,
}

impl Counting<'_> {
    /// The number of shares into which pairs are divided, by their hash.
    fn shares(&self) -> usize {
        ((self.cells.end() / MIN_SHARE) as usize).clamp(1, self.threads)
    }

    /// Does `work` for each share, with the number of the share.
    #[cfg(feature = "threads")]
    pub(super) fn share<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let shares = self.shares();
        if shares == 1 {
            return vec![work(0)];
        }
        let results: Vec<Mutex<Option<T>>> = (0..shares).map(|_| Mutex::default()).collect();
        self.crew.run(shares, shares, |share, _| {
            let result = work(share);
            *lock(&results[share]) = Some(result);
        });
        let result =
            |result: Mutex<Option<T>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().filter_map(result).collect()
    }

    /// Does `work` for the only share.
    #[cfg(not(feature = "threads"))]
    pub(super) fn share<T>(&self, work: impl Fn(usize) -> T) -> Vec<T> {
        vec![work(0)]
    }

    /// Visits all pairs for which `wants(left, right)` is true and passes each to the tally of its share, with what
    /// `change(place, weight, counted)` returns. A tally gets its pairs in the order of their places.
    fn visit<T: Send, C: Copy + Send + Sync>(
        &self,
        tallies: &mut [T],
        wants: impl Fn(u32, u32) -> bool + Sync,
        change: impl Fn(Place, u64, bool) -> C + Sync,
        apply: impl Fn(&mut T, (u32, u32), C) + Sync,
    ) -> Result<(), Stopped> {
        let check = || check_stop(self.observer);
        // Without threads there is one share, so the rest is not compiled.
        if let [tally, rest @ ..] = tallies
            && (cfg!(not(feature = "threads")) || rest.is_empty())
        {
            let all = 1..self.cells.end();
            return self
                .cells
                .for_each_pair(all, check, |left, right, place, weight, counted| {
                    if wants(left, right) {
                        apply(tally, (left, right), change(place, weight, counted));
                    }
                });
        }
        if cfg!(not(feature = "threads")) {
            return Ok(());
        }
        // In turns, each thread visits some cells, and each thread takes the pairs of its share from all others.
        let shares = tallies.len();
        let tallies: Vec<_> = tallies.iter_mut().map(Mutex::new).collect();
        let bag = |_| Vec::<(u32, u32, C)>::new();
        let bags = |_| RwLock::new((0..shares).map(bag).collect::<Vec<_>>());
        let bags: Vec<_> = (0..shares).map(bags).collect();
        let mut start = 1;
        while start < self.cells.end() {
            check()?;
            let mut bounds = vec![start];
            for _ in 0..shares {
                start = self.cells.start_after(start.saturating_add(BATCH));
                bounds.push(start);
            }
            self.share(|from| {
                let mut bags = bags[from].write().unwrap_or_else(PoisonError::into_inner);
                bags.iter_mut().for_each(Vec::clear);
                let cells = bounds[from]..bounds[from + 1];
                let visit = |left, right, place, weight, counted| {
                    if !wants(left, right) {
                        return;
                    }
                    let to = ((hash_pair(left, right) >> 32) * shares as u64) >> 32;
                    let bag = &mut bags[to as usize];
                    memory::reserve(bag, 1);
                    bag.push((left, right, change(place, weight, counted)));
                };
                let go_on = || Ok::<(), Infallible>(());
                let Ok(()) = self.cells.for_each_pair(cells, go_on, visit);
            });
            self.share(|to| {
                let mut tally = lock(&tallies[to]);
                for bags in &bags {
                    let bags = bags.read().unwrap_or_else(PoisonError::into_inner);
                    for &(left, right, change) in &bags[to] {
                        apply(&mut tally, (left, right), change);
                    }
                }
            });
        }
        Ok(())
    }

    /// Counts all pairs and returns those that occur at least `floor` times, share by share. If memory is limited, the
    /// pairs are divided into groups that are counted one after the other.
    pub(super) fn count(&self, floor: u64) -> Result<Vec<CountedShare>, Stopped> {
        // The tally of few symbols is small and fast, and their places are many.
        let is_sparse = self.symbols > DENSE;
        // A page has no memory limit, and its code has to be small.
        let is_limited = cfg!(feature = "files") && self.is_limited;
        let groups = match is_limited && is_sparse {
            true => LIMITED_GROUPS,
            false => 1,
        };
        let pairs = self.cells.end() as usize / 8 / self.shares() / groups as usize;
        // A little more than a share, because shares are not equal. Where the system commits memory lazily, the part that is
        // not used costs nothing.
        let places = self.neighbours as usize / self.shares();
        let keeps_places = cfg!(feature = "files") && is_sparse && !is_limited;
        let places = keeps_places.then_some(places + places / 16);
        let counter = |_| Counter::new(self.symbols, pairs, places);
        let shares: Vec<Mutex<CountedShare>> =
            (0..self.shares()).map(|_| Mutex::default()).collect();
        for group in 0..groups {
            let mut counters: Vec<_> = (0..self.shares()).map(counter).collect();
            self.visit(
                &mut counters,
                |left, right| groups == 1 || hash_pair(left, right) % groups == group,
                |place, weight, counted| (if counted { weight } else { 0 }, place),
                Counter::add,
            )?;
            let counter = |counter| Mutex::new(Some(counter));
            let counters: Vec<_> = counters.into_iter().map(counter).collect();
            self.share(|number| {
                if let Some(counter) = lock(&counters[number]).take() {
                    counter.finish(floor, &mut lock(&shares[number]));
                }
            });
        }
        let share = |share: Mutex<CountedShare>| share.into_inner();
        let shares = shares.into_iter().map(share);
        let mut shares: Vec<_> = shares
            .map(|share| share.unwrap_or_else(PoisonError::into_inner))
            .collect();
        // They are used only if all shares have them, and otherwise the memory is needed.
        if shares.iter().any(|share| share.places.is_none()) {
            shares.iter_mut().for_each(|share| share.places = None);
        }
        Ok(shares)
    }

    /// Writes the places of these pairs, share by share. Those of each share follow each other in the arena, from the
    /// given position on.
    pub(super) fn write_places(
        &self,
        shares: &[(CountedShare, usize)],
        arena: &[AtomicU32],
    ) -> Result<(), Stopped> {
        if cfg!(feature = "files") && shares.iter().all(|(share, _)| share.places.is_some()) {
            self.share(|share| {
                let (share, start) = &shares[share];
                share.write_places(*start, arena);
            });
            return Ok(());
        }
        // One more than the position where the next place is written, or 0.
        let symbols = self.symbols;
        let mut positions = self.share(|share| {
            let (share, start) = &shares[share];
            let mut positions = Tally::<usize, Place>::new(symbols, share.pairs.len());
            let mut position = start + 1;
            for counted in &share.pairs {
                let (left, right) = unpack(counted.pair);
                *positions.entry(left.0, right.0) = position;
                position += counted.seen.places as usize;
            }
            positions
        });
        let write = |position: Option<&mut usize>, place| {
            if let Some(position) = position
                && *position > 0
            {
                arena[*position - 1].store(place, Relaxed);
                *position += 1;
            }
        };
        self.visit(
            &mut positions,
            |_, _| true,
            |place, _, _| place,
            |positions, pair, place| positions.change(pair, place, false, write),
        )?;
        for positions in &mut positions {
            positions.finish(false, write);
        }
        Ok(())
    }
}

/// With a memory limit, pairs are counted in this many groups. The cells are read as often.
const LIMITED_GROUPS: u64 = 4;

/// The number of cells that a thread visits in one turn.
const BATCH: Place = if cfg!(test) { 7 } else { 1 << 16 };

/// The fewest cells for each thread that counts pairs. That is about a millisecond of work.
const MIN_SHARE: Place = if cfg!(test) { 4 } else { 1 << 18 };
