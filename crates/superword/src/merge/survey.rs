//! Where a merge joins its pair, and which pairs are around, before anything is changed.
//!
//! A pair has many places but few distinct neighbours. Summing per neighbour first turns thousands of
//! index updates into one. The places of a large merge are divided, and each part has its own survey.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::cells::{Cells, Place};
#[cfg(feature = "threads")]
use super::queue::PairCount;
use crate::token::{Symbol, pack};
#[cfg(feature = "threads")]
use crate::tokens::Spelling;

/// The pair that is joined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joining {
    pub(super) left: Symbol,
    pub(super) right: Symbol,
}

/// Pairs that are joined before this one, by merges that have been planned but not made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier<'a> {
    pub(super) pairs: &'a [u64],
    /// By symbol: `round` if it is the left or the right token of a planned pair.
    pub(super) lefts: &'a [u32],
    pub(super) rights: &'a [u32],
    pub(super) round: u32,
}

impl Earlier<'_> {
    fn has(&self, left: u32, right: u32) -> bool {
        self.pairs.contains(&pack(left, right))
    }

    fn is_left(&self, symbol: u32) -> bool {
        self.lefts.get(symbol as usize) == Some(&self.round)
    }

    fn is_right(&self, symbol: u32) -> bool {
        self.rights.get(symbol as usize) == Some(&self.round)
    }
}

/// The sums of one neighbour token on one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub(super) symbol: u32,
    pub(super) places: u32,
    pub(super) weight: u64,
    /// The position in the arena where the next place of its pair is written.
    pub(super) write: usize,
    /// An earlier merge may join this neighbour.
    suspect: bool,
}

/// The value of [`Neighbour::write`] for a pair that is not kept.
pub(super) const DROPPED: usize = usize::MAX;

/// The neighbours on one side of the merged places.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub(super) neighbours: Vec<Neighbour>,
    /// The number of each neighbour and the place of the left token of its pair.
    pub(super) places: Vec<(u32, Place)>,
}

impl Side {
    /// Adds a place and returns its neighbour.
    #[inline(always)]
    fn add(
        &mut self,
        numbers: &mut Numbers,
        symbol: u32,
        place: Place,
        weight: u64,
    ) -> &mut Neighbour {
        let number = numbers.of(&mut self.neighbours, symbol);
        self.places.push((number as u32, place));
        let neighbour = &mut self.neighbours[number];
        neighbour.weight += weight;
        neighbour.places += 1;
        neighbour
    }
}

/// The numbers of neighbours, by symbol. One more than the number, or 0.
#[derive(Debug, Default)]
pub(super) struct Numbers(Vec<u32>);

impl Numbers {
    /// The number of a neighbour. It is added if it is new.
    #[inline(always)]
    pub(super) fn of(&mut self, neighbours: &mut Vec<Neighbour>, symbol: u32) -> usize {
        if symbol as usize >= self.0.len() {
            self.0.resize(symbol as usize + 1, 0);
        }
        let number = &mut self.0[symbol as usize];
        if *number == 0 {
            neighbours.push(Neighbour {
                symbol,
                places: 0,
                weight: 0,
                write: DROPPED,
                suspect: false,
            });
            *number = neighbours.len() as u32;
        }
        *number as usize - 1
    }

    pub(super) fn clear(&mut self, neighbours: &[Neighbour]) {
        for neighbour in neighbours {
            self.0[neighbour.symbol as usize] = 0;
        }
    }
}

/// What a thread needs to make surveys.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) left: Numbers,
    right: Numbers,
    /// Pairs that it has created and that wait for the queue.
    #[cfg(feature = "threads")]
    pub(super) created: Vec<PairCount>,
}

/// A merged place, and where its token ends.
#[derive(Clone, Copy, Debug, Default)]
struct Merged {
    place: Place,
    right: Place,
    end: Place,
    weight: u64,
}

/// How many pairs a merge creates, at how many places, and the largest of their counts.
#[cfg(feature = "threads")]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Created {
    pub(super) pairs: usize,
    pub(super) places: usize,
    pub(super) top: u64,
    /// The position in the arena where the first of their places is written.
    pub(super) start: usize,
}

/// The merged places and their neighbours.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The places where the pair is joined.
    pub(super) merged: Vec<Place>,
    /// An earlier merge that has been planned changes what this survey has seen.
    pub(super) is_outdated: bool,
    /// Pairs that occur nowhere anymore.
    pub(super) gone: Vec<u64>,
    pub(super) left: Side,
    pub(super) right: Side,
    /// The weight of merged places that are adjacent: the pair `(b, a)` between them is gone, and
    /// `(ab, ab)` is new.
    pub(super) between: u64,
    /// The counts by which `(a, a)` and `(b, b)` drop because a run of equal tokens got shorter.
    pub(super) left_runs: u64,
    pub(super) right_runs: u64,
    /// The places and the count of `(ab, ab)`.
    pub(super) twins: Vec<Place>,
    pub(super) twin_weight: u64,
    pub(super) twin_write: usize,
    /// The pairs of the joined token that reach the floor; see [`Survey::weigh`].
    #[cfg(feature = "threads")]
    pub(super) created: Created,
    /// The bytes of the joined token. Only the first part of a merge has them.
    #[cfg(feature = "threads")]
    pub(super) spelling: Spelling,
    /// The last place, whose right neighbour is not known yet, and its position in its run of adjacent places.
    last: Option<Merged>,
    run: u32,
}

/// The number of places that are read before the pairs around them are summed up. Few enough for
/// the first-level cache.
const AT_ONCE: usize = 64;

/// How many places ahead of the one that is read are prefetched.
const AHEAD: usize = 16;

impl Survey {
    fn clear(&mut self) {
        for side in [&mut self.left, &mut self.right] {
            side.neighbours.clear();
            side.places.clear();
        }
        self.merged.clear();
        self.gone.clear();
        self.twins.clear();
        (self.between, self.twin_weight) = (0, 0);
        (self.left_runs, self.right_runs) = (0, 0);
        (self.last, self.run, self.is_outdated) = (None, 0, false);
    }

    /// Finds out what joining the pair at these places does. `places` must contain all places of the pair in the sequences
    /// it touches. If a symbol is given, the pair is joined on this occasion.
    pub(super) fn visit(
        &mut self,
        cells: &Cells,
        scratch: &mut Scratch,
        places: &[AtomicU32],
        joining: Joining,
        join: Option<Symbol>,
        earlier: Option<Earlier<'_>>,
    ) {
        let Joining { left, right } = joining;
        self.clear();
        let ahead = |at: usize| {
            if let Some(place) = places.get(at) {
                cells.prefetch_around(place.load(Relaxed));
            }
        };
        (0..AHEAD).for_each(ahead);
        let mut at = 0;
        for some in places.chunks(AT_ONCE) {
            // If the left token is gone, so is the pair. Reading many places first lets their cache misses overlap.
            let (mut live, mut len) = ([0; AT_ONCE], 0);
            for place in some {
                let place = place.load(Relaxed);
                live[len] = place;
                ahead(at + AHEAD);
                at += 1;
                len += usize::from(cells.symbol_at(place) == left.0);
            }
            let first = self.merged.len();
            for &place in &live[..len] {
                let after = cells.after(place);
                // Of overlapping pairs of equal tokens only the first is joined.
                let is_taken = left == right && self.last.is_some_and(|last| last.right == place);
                if cells.symbol_at(after) == right.0 && !is_taken {
                    self.merged.push(place);
                    self.add(cells, scratch, place, after, joining, earlier);
                }
            }
            if let Some(symbol) = join {
                for &place in &self.merged[first..] {
                    cells.join(place, cells.after(place), symbol.0);
                }
            }
            if self.is_outdated {
                break;
            }
        }
        self.finish(cells, scratch, joining, earlier);
    }

    /// Sums up the pairs of a token that occurs at `places`.
    pub(super) fn of_token(
        &mut self,
        cells: &Cells,
        scratch: &mut Scratch,
        places: &[Place],
        token: Symbol,
    ) {
        let (left, right) = (token, token);
        let joining = Joining { left, right };
        self.clear();
        for &place in places {
            self.add(cells, scratch, place, place, joining, None);
        }
        self.finish(cells, scratch, joining, None);
    }

    /// Sums up the pairs to the left of a joined token, and to the right of the one before it. The last of its parts
    /// is at `right`.
    #[inline(always)]
    fn add(
        &mut self,
        cells: &Cells,
        scratch: &mut Scratch,
        place: Place,
        right: Place,
        joining: Joining,
        earlier: Option<Earlier<'_>>,
    ) {
        let end = cells.after(right);
        if let Some(last) = self.last
            && last.end == place
        {
            self.run += 1;
            self.twins.push(last.place);
            self.between += last.weight;
            if self.run.is_multiple_of(2) {
                self.twin_weight += last.weight;
            }
            if let Some(earlier) = earlier {
                self.is_outdated |= earlier.has(joining.right.0, joining.left.0);
            }
            self.last = Some(Merged {
                place,
                right,
                end,
                weight: last.weight,
            });
            return;
        }
        self.add_right(cells, scratch, joining, earlier);
        let weight = cells.weight_at(place);
        self.run = 1;
        self.last = Some(Merged {
            place,
            right,
            end,
            weight,
        });
        let Some(before) = cells.previous(place) else {
            return;
        };
        let (symbol, left) = (cells.symbol_at(before), joining.left.0);
        let neighbour = self.left.add(&mut scratch.left, symbol, before, weight);
        if let Some(earlier) = earlier {
            if neighbour.places == 1 {
                neighbour.suspect =
                    earlier.is_right(symbol) || (earlier.is_left(symbol) && earlier.is_right(left));
            }
            if neighbour.suspect {
                // A run of equal tokens may get shorter at its other end.
                let is_run = symbol == left && earlier.is_right(left);
                let joins_before = || {
                    let second = cells.previous(before);
                    second.is_some_and(|second| earlier.has(cells.symbol_at(second), symbol))
                };
                self.is_outdated |= is_run || earlier.has(symbol, left) || joins_before();
            }
        }
        if symbol == left && joining.left != joining.right && run_to_left(cells, before) % 2 == 1 {
            self.left_runs += weight;
        }
    }

    /// Sums up the pair to the right of the last place.
    #[inline(always)]
    fn add_right(
        &mut self,
        cells: &Cells,
        scratch: &mut Scratch,
        joining: Joining,
        earlier: Option<Earlier<'_>>,
    ) {
        let Some(last) = self.last.take() else {
            return;
        };
        if cells.is_border(last.end) {
            return;
        }
        let (symbol, right) = (cells.symbol_at(last.end), joining.right.0);
        let numbers = &mut scratch.right;
        let neighbour = self.right.add(numbers, symbol, last.place, last.weight);
        if let Some(earlier) = earlier {
            if neighbour.places == 1 {
                neighbour.suspect =
                    earlier.is_left(symbol) || (earlier.is_right(symbol) && earlier.is_left(right));
            }
            if neighbour.suspect {
                let is_run = symbol == right && earlier.is_left(right);
                let joins_after = || {
                    let second = cells.next(last.end);
                    second.is_some_and(|second| earlier.has(symbol, cells.symbol_at(second)))
                };
                self.is_outdated |= is_run || earlier.has(right, symbol) || joins_after();
            }
        }
        if symbol == right
            && joining.left != joining.right
            && run_to_right(cells, last.end) % 2 == 1
        {
            self.right_runs += last.weight;
        }
    }

    fn finish(
        &mut self,
        cells: &Cells,
        scratch: &mut Scratch,
        joining: Joining,
        earlier: Option<Earlier<'_>>,
    ) {
        self.add_right(cells, scratch, joining, earlier);
        scratch.left.clear(&self.left.neighbours);
        scratch.right.clear(&self.right.neighbours);
    }

    /// Joins the pair at the merged places.
    pub(super) fn join(&self, cells: &Cells, symbol: Symbol) {
        for &place in &self.merged {
            cells.join(place, cells.after(place), symbol.0);
        }
    }
}

/// The survey, if nothing else uses it.
pub(super) fn alone(survey: &mut Mutex<Survey>) -> &mut Survey {
    survey.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// The number of equal tokens in a row that ends with the token at `place`.
fn run_to_left(cells: &Cells, mut place: Place) -> u32 {
    let symbol = cells.symbol_at(place);
    let mut length = 1;
    while let Some(before) = cells.previous(place) {
        if cells.symbol_at(before) != symbol {
            break;
        }
        place = before;
        length += 1;
    }
    length
}

/// The number of equal tokens in a row that starts with the token at `place`.
fn run_to_right(cells: &Cells, place: Place) -> u32 {
    let symbol = cells.symbol_at(place);
    cells
        .rest_of_sequence(place)
        .take_while(|&place| cells.symbol_at(place) == symbol)
        .count() as u32
}
