//! Removing places where a pair no longer occurs.

#[cfg(feature = "files")]
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::PairIndex;
#[cfg(feature = "files")]
use super::{AHEAD, List, Pair};
use crate::merge::births::Births;
use crate::merge::cells::Cells;
#[cfg(feature = "files")]
use crate::threads;
#[cfg(feature = "files")]
use crate::token::unpack;

/// A smaller arena is never tidied up: it takes 64 MB. Tests tidy up all the time.
const MIN_TIDY: usize = if cfg!(test) { 4 } else { 1 << 24 };

/// A thread takes lists with about this many places at once.
#[cfg(feature = "files")]
const TASK: usize = if cfg!(test) { 64 } else { 1 << 16 };

/// What a list belongs to.
#[cfg(feature = "files")]
enum Owner<'a> {
    Pair(&'a Pair),
    Birth(&'a mut List),
}

/// A list of places, some of which are out of date.
#[cfg(feature = "files")]
struct Outdated<'a> {
    list: List,
    owner: Owner<'a>,
    /// The token at each place, and the one after it if the list is that of a pair.
    left: u32,
    right: Option<u32>,
}

#[cfg(feature = "files")]
impl Outdated<'_> {
    /// Moves the places that are not out of date to the start of the list, and returns their number.
    fn tidy(&self, cells: &Cells, arena: &[AtomicU32]) -> u32 {
        let List { start, len } = self.list;
        let mut end = start;
        for at in start..start + len as usize {
            if let Some(ahead) = arena.get(at + AHEAD) {
                cells.prefetch(ahead.load(Relaxed));
            }
            let place = arena[at].load(Relaxed);
            let is_current = cells.symbol_at(place) == self.left
                && self
                    .right
                    .is_none_or(|right| cells.symbol_at(cells.after(place)) == right);
            arena[end].store(place, Relaxed);
            end += usize::from(is_current);
        }
        (end - start) as u32
    }
}

impl PairIndex {
    pub(super) fn tidy_later(&mut self) {
        let (slack, least) = match self.max_places {
            usize::MAX => (self.arena.len() / 2, MIN_TIDY),
            most => (self.arena.len() / 4, most.min(MIN_TIDY)),
        };
        self.tidy_from = (self.arena.len() + slack).max(least);
    }

    /// True if the arena has grown so much that it should be tidied up.
    pub(in crate::merge) fn is_untidy(&self) -> bool {
        self.arena.len() > self.tidy_from
    }

    /// Frees the memory of places that are out of date, on several threads. `births` are the lists of places where each
    /// token was made.
    #[cfg(feature = "files")]
    pub(in crate::merge) fn tidy(&mut self, cells: &Cells, births: &mut Births, threads: usize) {
        let of_pairs = self.pairs.iter().map(|(key, pair)| {
            let (left, right) = unpack(key);
            Outdated {
                list: pair.places(),
                owner: Owner::Pair(pair),
                left: left.0,
                right: Some(right.0),
            }
        });
        let of_births = births.iter_mut().map(|(symbol, list)| Outdated {
            list: *list,
            owner: Owner::Birth(list),
            left: symbol,
            right: None,
        });
        let mut lists: Vec<_> = of_pairs.chain(of_births).collect();
        lists.sort_unstable_by_key(|one| one.list.start);
        let arena = &self.arena;
        let kept = threads::map(threads, divide(&lists), |lists| {
            let kept = lists.iter().map(|one| one.tidy(cells, arena));
            kept.collect::<Vec<u32>>()
        });
        let mut end = 0;
        for (one, len) in lists.into_iter().zip(kept.into_iter().flatten()) {
            let start = end;
            for at in one.list.start..one.list.start + len as usize {
                // Lists only move towards the start, so nothing is overwritten that is still to be read.
                *self.arena[end].get_mut() = *self.arena[at].get_mut();
                end += 1;
            }
            match one.owner {
                Owner::Pair(pair) => pair.set_places(List { start, len }),
                Owner::Birth(list) => *list = List { start, len },
            }
        }
        self.arena.truncate(end);
        self.tidy_later();
        self.arena.shrink_to(self.tidy_from);
    }

    /// Texts in memory are small, and so must be the page that trains on them.
    #[cfg(not(feature = "files"))]
    pub(in crate::merge) fn tidy(&mut self, _cells: &Cells, _births: &mut Births, _threads: usize) {
    }
}

/// Divides lists into tasks of about equal size.
#[cfg(feature = "files")]
fn divide<'l, 'a>(lists: &'l [Outdated<'a>]) -> Vec<&'l [Outdated<'a>]> {
    let (mut tasks, mut start, mut places) = (Vec::new(), 0, 0);
    for (number, one) in lists.iter().enumerate() {
        places += one.list.len();
        if places >= TASK || number + 1 == lists.len() {
            tasks.push(&lists[start..=number]);
            (start, places) = (number + 1, 0);
        }
    }
    tasks
}
