//! What a merge does to other pairs, according to its surveys: it destroys those of its parts and creates those of the
//! joined token.

use std::sync::Mutex;

use super::Joined;
use super::index::PairIndex;
#[cfg(feature = "threads")]
use super::survey::Created;
use super::survey::{DROPPED, Joining, Neighbour, Scratch, Side, Survey, alone};
use crate::token::Symbol;

impl Survey {
    /// Lowers the counts of the pairs that are gone. Those without any count left are in `gone` afterwards.
    pub(super) fn destroy(&mut self, index: &PairIndex, joining: Joining) {
        let (left, right) = (joining.left.0, joining.right.0);
        let gone = &mut self.gone;
        for neighbour in &self.left.neighbours {
            index.prefetch(neighbour.symbol, left);
        }
        for neighbour in &self.right.neighbours {
            index.prefetch(right, neighbour.symbol);
        }
        // Equal neighbours are counted without overlap, so a shorter run may have the same count. If
        // left and right are equal, the pair itself is already gone from the index.
        for neighbour in &self.left.neighbours {
            let is_run = neighbour.symbol == left;
            let by = if is_run {
                self.left_runs
            } else {
                neighbour.weight
            };
            index.decrease(neighbour.symbol, left, by, gone);
        }
        for neighbour in &self.right.neighbours {
            let is_run = neighbour.symbol == right;
            let by = if is_run {
                self.right_runs
            } else {
                neighbour.weight
            };
            index.decrease(right, neighbour.symbol, by, gone);
        }
        if left != right && self.between > 0 {
            index.decrease(right, left, self.between, gone);
        }
    }

    /// Loads what is needed to create the pairs of the joined token into the cache.
    pub(super) fn prefetch_created(&self, index: &PairIndex, symbol: u32, floor: u64) {
        for (is_left, side) in [(true, &self.left), (false, &self.right)] {
            for neighbour in &side.neighbours {
                if neighbour.weight >= floor {
                    let other = neighbour.symbol;
                    let pair = if is_left {
                        (other, symbol)
                    } else {
                        (symbol, other)
                    };
                    index.prefetch(pair.0, pair.1);
                }
            }
        }
    }

    /// Calls `visit(left, right, count, places)` for each pair that the joined token has, if this survey is that of the whole merge and the
    /// token is new.
    #[cfg(feature = "threads")]
    fn for_each_created(&self, symbol: u32, mut visit: impl FnMut(u32, u32, u64, u32)) {
        for neighbour in &self.left.neighbours {
            visit(neighbour.symbol, symbol, neighbour.weight, neighbour.places);
        }
        for neighbour in &self.right.neighbours {
            visit(symbol, neighbour.symbol, neighbour.weight, neighbour.places);
        }
        if !self.twins.is_empty() {
            visit(symbol, symbol, self.twin_weight, self.twins.len() as u32);
        }
    }

    /// Sums up the pairs that reach the floor.
    #[cfg(feature = "threads")]
    pub(super) fn weigh(&mut self, floor: u64) {
        let mut created = Created::default();
        self.for_each_created(0, |_, _, weight, places| {
            if weight >= floor {
                created.pairs += 1;
                created.places += places as usize;
                created.top = created.top.max(weight);
            }
        });
        self.created = created;
    }

    /// Calls `visit(left, right, count)` for each pair of the joined token that reaches the floor.
    #[cfg(feature = "threads")]
    pub(super) fn created(
        &self,
        symbol: Symbol,
        floor: u64,
        mut visit: impl FnMut(Symbol, Symbol, u64),
    ) {
        self.for_each_created(symbol.0, |left, right, weight, _| {
            if weight >= floor {
                visit(Symbol(left), Symbol(right), weight);
            }
        });
    }

    /// Adds the pairs of a new token to the index, at the places that were reserved for them. Several threads may do this at once, for
    /// different merges. The survey must be that of the whole merge.
    #[cfg(feature = "threads")]
    pub(super) fn create(&mut self, index: &PairIndex, symbol: Symbol, floor: u64) {
        let mut start = self.created.start;
        let mut add = |left, right, weight, places: u32| {
            if weight < floor {
                return DROPPED;
            }
            let first = start;
            index.add(left, right, weight, first, places);
            start += places as usize;
            first
        };
        let symbol = symbol.0;
        for one in &mut self.left.neighbours {
            one.write = add(one.symbol, symbol, one.weight, one.places);
        }
        for one in &mut self.right.neighbours {
            one.write = add(symbol, one.symbol, one.weight, one.places);
        }
        self.twin_write = match self.twins.len() as u32 {
            0 => DROPPED,
            places => add(symbol, symbol, self.twin_weight, places),
        };
    }

    /// Writes the places of the pairs that were created.
    pub(super) fn write(&mut self, index: &PairIndex) {
        for side in [&mut self.left, &mut self.right] {
            for &(number, place) in &side.places {
                let neighbour = &mut side.neighbours[number as usize];
                if neighbour.write != DROPPED {
                    index.write(neighbour.write, place);
                    neighbour.write += 1;
                }
            }
        }
        if self.twin_write != DROPPED {
            for (at, &place) in (self.twin_write..).zip(&self.twins) {
                index.write(at, place);
            }
        }
    }
}

/// Adds the pairs of the joined token to the index if they reach the floor, and calls `enqueue(left, right, count)` for
/// them. Their places are reserved; [`Survey::write`] writes them. `surveys` are those of all parts of the merge.
pub(super) fn create(
    surveys: &mut [Mutex<Survey>],
    scratch: &mut Scratch,
    index: &mut PairIndex,
    joined: Joined,
    floor: u64,
    mut enqueue: impl FnMut(Symbol, Symbol, u64),
) {
    // If the joined token existed before, the index may have outdated entries for its pairs.
    let Joined { symbol, is_new } = joined;
    let mut add = |left: Symbol, right: Symbol, weight: u64, places: usize| {
        if weight >= floor {
            enqueue(left, right, weight);
            return index.insert(left, right, weight, places);
        }
        if !is_new {
            index.take(left, right);
        }
        DROPPED
    };
    let (mut weight, mut places) = (0, 0);
    for survey in &mut *surveys {
        let survey = alone(survey);
        weight += survey.twin_weight;
        places += survey.twins.len();
    }
    if places > 0 || !is_new {
        let mut write = add(symbol, symbol, weight, places);
        for survey in &mut *surveys {
            let survey = alone(survey);
            survey.twin_write = write;
            write = write.saturating_add(survey.twins.len());
        }
    } else {
        surveys
            .iter_mut()
            .for_each(|survey| alone(survey).twin_write = DROPPED);
    }
    type Pair = fn(Symbol, Symbol) -> (Symbol, Symbol);
    let of_left: (fn(&mut Survey) -> &mut Side, Pair) =
        (|survey| &mut survey.left, |joined, other| (other, joined));
    let of_right: (fn(&mut Survey) -> &mut Side, Pair) =
        (|survey| &mut survey.right, |joined, other| (joined, other));
    for (side, pair) in [of_left, of_right] {
        let mut add = |neighbour: &mut Neighbour| {
            let (left, right) = pair(symbol, Symbol(neighbour.symbol));
            neighbour.write = add(left, right, neighbour.weight, neighbour.places as usize);
        };
        if let [survey] = surveys {
            side(alone(survey)).neighbours.iter_mut().for_each(add);
            continue;
        }
        let mut sums = Vec::new();
        for survey in &mut *surveys {
            for neighbour in &side(alone(survey)).neighbours {
                let number = scratch.left.of(&mut sums, neighbour.symbol);
                sums[number].weight += neighbour.weight;
                sums[number].places += neighbour.places;
            }
        }
        sums.iter_mut().for_each(&mut add);
        for survey in &mut *surveys {
            for neighbour in &mut side(alone(survey)).neighbours {
                let number = scratch.left.of(&mut sums, neighbour.symbol);
                neighbour.write = sums[number].write;
                if neighbour.write != DROPPED {
                    sums[number].write += neighbour.places as usize;
                }
            }
        }
        scratch.left.clear(&sums);
    }
}
