//! Applying an ordered list of merges and deletions to one sequence.
//!
//! With deletions the order of events decides: a pair may have several rules, before and after one
//! of its parts was deleted. Each event is applied once, in order. `scan` does that in the simplest
//! way, `heap` in near-linear time.

mod events;
mod heap;
mod scan;

use crate::model::WordEvent;

use events::EventTable;

/// Sequences up to this length are scanned for each event. Longer ones use a heap.
const SCANNED: usize = 32;

/// The events of a model with deletions, ready to be applied.
#[derive(Clone, Debug)]
pub(in crate::encode) struct EventReplay(EventTable);

impl EventReplay {
    /// Prepares events, given in order.
    pub(in crate::encode) fn new(events: impl Iterator<Item = WordEvent>) -> EventReplay {
        EventReplay(EventTable::new(events))
    }

    /// Applies all events in order. The sequence must consist of symbols that no event makes, such
    /// as bytes.
    pub(in crate::encode) fn apply(&self, symbols: &mut Vec<u32>) {
        if symbols.len() <= SCANNED || !self.0.is_consistent() {
            scan::apply(&self.0, symbols);
        } else {
            heap::apply(&self.0, symbols);
        }
    }
}
