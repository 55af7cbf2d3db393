//! Joining a pair at some of its places.

use super::cells::{Cells, Place};
use super::survey::Survey;
use crate::token::Symbol;

/// The pair that is joined, and the joined symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joining {
    pub(super) left: Symbol,
    pub(super) right: Symbol,
    pub(super) symbol: Symbol,
}

/// The result of joining a pair at some of its places.
#[derive(Debug, Default)]
pub(super) struct Share {
    /// The places where the pair was joined.
    pub(super) merged: Vec<Place>,
    /// The pairs around them.
    pub(super) survey: Survey,
}

impl Share {
    /// Joins the pair at those places where it still occurs. `places` must contain all places of the
    /// pair in the sequences it touches.
    pub(super) fn join(&mut self, cells: &Cells, places: &[Place], joining: Joining) {
        let Joining {
            left,
            right,
            symbol,
        } = joining;
        self.merged.clear();
        self.survey.clear();
        for some in places.chunks(AT_ONCE) {
            // If the left token is gone, so is the pair. Reading many places before the first join
            // lets their cache misses overlap.
            let (mut live, mut len) = ([0; AT_ONCE], 0);
            for &place in some {
                live[len] = place;
                len += usize::from(cells.symbol_at(place) == left.0);
            }
            for &place in &live[..len] {
                // Check again: of overlapping pairs of equal tokens only the first is joined.
                let after = cells.after(place);
                if cells.symbol_at(place) == left.0 && cells.symbol_at(after) == right.0 {
                    cells.join(place, after, symbol.0);
                    self.merged.push(place);
                }
            }
            // The right neighbour of the last place may still be joined at the next place.
            self.survey.up_to_last(cells, &self.merged);
        }
        self.survey.around(cells, &self.merged, left, right);
    }
}

/// The number of places that are joined before the pairs around them are summed up. Few enough for
/// the first-level cache.
const AT_ONCE: usize = 64;
