//! What a merge does to the pairs around it, summed up before the index is changed.
//!
//! A pair has many places but few distinct neighbours. Summing per neighbour first turns thousands of
//! index updates into one.

use super::Joined;
use super::cells::{Cells, Place};
use super::index::{List, PairIndex};
use crate::token::Symbol;

/// The sums of one neighbour token on one side.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbour {
    weight: u64,
    places: u32,
    filled: u32,
    list: List,
}

/// The neighbours on one side of the merged places: an array of sums by symbol, and the list of the
/// symbols that are in use, so that clearing is fast.
#[derive(Debug, Default)]
struct Side {
    by_symbol: Vec<Neighbour>,
    touched: Vec<u32>,
    /// Each neighbour and the place of the left token of its pair.
    places: Vec<(u32, Place)>,
}

impl Side {
    #[inline(always)]
    fn add(&mut self, symbol: u32, place: Place, weight: u64) {
        if symbol as usize >= self.by_symbol.len() {
            self.by_symbol
                .resize(symbol as usize + 1, Neighbour::default());
        }
        let neighbour = &mut self.by_symbol[symbol as usize];
        if neighbour.places == 0 {
            self.touched.push(symbol);
        }
        neighbour.weight += weight;
        neighbour.places += 1;
        self.places.push((symbol, place));
    }

    /// Adds the sums of later places and clears them there.
    #[cfg(feature = "threads")]
    fn absorb(&mut self, later: &mut Side) {
        let most = later.by_symbol.len();
        if most > self.by_symbol.len() {
            self.by_symbol.resize(most, Neighbour::default());
        }
        for symbol in later.touched.drain(..) {
            let more = std::mem::take(&mut later.by_symbol[symbol as usize]);
            let neighbour = &mut self.by_symbol[symbol as usize];
            if neighbour.places == 0 {
                self.touched.push(symbol);
            }
            neighbour.weight += more.weight;
            neighbour.places += more.places;
        }
        self.places.append(&mut later.places);
    }

    fn clear(&mut self) {
        for symbol in self.touched.drain(..) {
            self.by_symbol[symbol as usize] = Neighbour::default();
        }
        self.places.clear();
    }
}

/// The neighbours of the merged places.
#[derive(Debug, Default)]
pub(super) struct Survey {
    left: Side,
    right: Side,
    /// The weight of merged places that are adjacent: the pair `(b, a)` between them is gone, and
    /// `(ab, ab)` is new.
    between: u64,
    /// The counts by which `(a, a)` and `(b, b)` drop because a run of equal tokens got shorter.
    left_runs: u64,
    right_runs: u64,
    /// The places and the count of `(ab, ab)`.
    twins: Vec<Place>,
    twin_weight: u64,
    /// The number of places summed up so far, and the position of the last one in its run of adjacent
    /// places.
    seen: usize,
    run: u32,
}

impl Survey {
    /// Resets all sums.
    pub(super) fn clear(&mut self) {
        (self.seen, self.run) = (0, 0);
        self.left.clear();
        self.right.clear();
        self.twins.clear();
        (
            self.between,
            self.left_runs,
            self.right_runs,
            self.twin_weight,
        ) = (0, 0, 0, 0);
    }

    /// Adds the sums of later sequences and clears them there.
    #[cfg(feature = "threads")]
    pub(super) fn absorb(&mut self, later: &mut Survey) {
        self.left.absorb(&mut later.left);
        self.right.absorb(&mut later.right);
        self.twins.append(&mut later.twins);
        self.between += later.between;
        self.left_runs += later.left_runs;
        self.right_runs += later.right_runs;
        self.twin_weight += later.twin_weight;
        later.clear();
    }

    /// Sums up the pairs around the places where `left` and `right` were just joined: those that are
    /// gone and those of the joined token. Continues after the places that [`Survey::up_to_last`]
    /// has seen.
    pub(super) fn around(&mut self, cells: &Cells, merged: &[Place], left: Symbol, right: Symbol) {
        self.continue_to(cells, merged, merged.len());
        if left == right {
            // Then no run of other equal tokens got shorter.
            return;
        }
        for &(symbol, place) in &self.left.places {
            if symbol == left.0 && run_to_left(cells, place) % 2 == 1 {
                self.left_runs += cells.weight_at(place);
            }
        }
        for &(symbol, place) in &self.right.places {
            if symbol == right.0 && run_to_right(cells, cells.after(place)) % 2 == 1 {
                self.right_runs += cells.weight_at(place);
            }
        }
    }

    /// Removes the pairs that are gone from the index.
    pub(super) fn apply_destroyed(&mut self, index: &mut PairIndex, left: Symbol, right: Symbol) {
        let (left, right) = (left.0, right.0);
        // Equal neighbours are counted without overlap, so a shorter run may have the same count. If
        // left and right are equal, the pair itself is already gone from the index.
        for &symbol in &self.left.touched {
            let gone = if symbol == left {
                self.left_runs
            } else {
                self.left.by_symbol[symbol as usize].weight
            };
            index.decrease(symbol, left, gone);
        }
        for &symbol in &self.right.touched {
            let gone = if symbol == right {
                self.right_runs
            } else {
                self.right.by_symbol[symbol as usize].weight
            };
            index.decrease(right, symbol, gone);
        }
        if left != right {
            index.decrease(right, left, self.between);
        }
    }

    /// Sums up the pairs of a token that occurs at `places`.
    pub(super) fn of_token(&mut self, cells: &Cells, places: &[Place]) {
        self.clear();
        self.continue_to(cells, places, places.len());
    }

    /// Sums up the pairs at all places but the last, because more places may follow.
    #[inline]
    pub(super) fn up_to_last(&mut self, cells: &Cells, places: &[Place]) {
        self.continue_to(cells, places, places.len().saturating_sub(1));
    }

    /// Sums up the pairs at the places from the first unseen one up to index `end`.
    #[inline]
    fn continue_to(&mut self, cells: &Cells, places: &[Place], end: usize) {
        for i in self.seen..end {
            let place = places[i];
            let weight = cells.weight_at(place);
            self.run += 1;
            if let Some(before) = cells.previous(place) {
                if i > 0 && places[i - 1] == before {
                    self.twins.push(before);
                    self.between += weight;
                    if self.run.is_multiple_of(2) {
                        self.twin_weight += weight;
                    }
                } else {
                    self.run = 1;
                    self.left.add(cells.symbol_at(before), before, weight);
                }
            } else {
                self.run = 1;
            }
            if let Some(after) = cells.next(place)
                && places.get(i + 1) != Some(&after)
            {
                self.right.add(cells.symbol_at(after), place, weight);
            }
        }
        self.seen = end.max(self.seen);
    }

    /// Adds the pairs of the joined token to the index if they reach the floor and
    /// `keep(left, right, count)` returns true.
    pub(super) fn apply_created(
        &mut self,
        index: &mut PairIndex,
        joined: Joined,
        floor: u64,
        mut keep: impl FnMut(Symbol, Symbol, u64) -> bool,
    ) {
        // If the joined token existed before, the index may have outdated entries for its pairs.
        let Joined {
            symbol: joined,
            is_new,
        } = joined;
        if !is_new {
            index.take(joined, joined);
        }
        if self.twin_weight >= floor && keep(joined, joined, self.twin_weight) {
            let list = index.reserve(self.twins.len() as u32);
            for (at, &place) in (0..).zip(&self.twins) {
                index.write(list, at, place);
            }
            index.set(joined.0, joined.0, self.twin_weight, list);
        }
        for side_is_left in [true, false] {
            let side = if side_is_left {
                &mut self.left
            } else {
                &mut self.right
            };
            let pair = |symbol: u32| {
                if side_is_left {
                    (symbol, joined.0)
                } else {
                    (joined.0, symbol)
                }
            };
            let mut any = false;
            for &symbol in &side.touched {
                let neighbour = &mut side.by_symbol[symbol as usize];
                let (left, right) = pair(symbol);
                if neighbour.weight >= floor && keep(Symbol(left), Symbol(right), neighbour.weight)
                {
                    neighbour.list = index.reserve(neighbour.places);
                    index.set(left, right, neighbour.weight, neighbour.list);
                    any = true;
                } else {
                    if !is_new {
                        index.take(Symbol(left), Symbol(right));
                    }
                    neighbour.weight = 0;
                }
            }
            if !any {
                continue;
            }
            for &(symbol, place) in &side.places {
                let neighbour = &mut side.by_symbol[symbol as usize];
                if neighbour.weight > 0 {
                    index.write(neighbour.list, neighbour.filled, place);
                    neighbour.filled += 1;
                }
            }
        }
    }
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
