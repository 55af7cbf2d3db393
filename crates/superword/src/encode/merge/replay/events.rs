//! Merges and deletions by the pair or token they apply to.

use crate::hash::NumberMap;
use crate::model::WordEvent;
use crate::token::pack;

/// Events by the pair or token they apply to. Each list is in order of the events.
#[derive(Clone, Debug, Default)]
pub(super) struct EventTable {
    merges: NumberMap<u64, Vec<(u32, u32)>>,
    deletions: NumberMap<u32, Vec<(u32, Vec<u32>)>>,
    /// How many starting symbols each joined token covers.
    lengths: NumberMap<u32, u32>,
    /// Whether each token always covers the same number of symbols, however it is made or split.
    /// True for the events of every model, because its tokens are byte strings.
    consistent: bool,
}

/// The first event in a list of `(event, ..)` at or after `moment`.
fn first_from<T>(list: Option<&Vec<(u32, T)>>, moment: u32) -> Option<u32> {
    let list = list?;
    let at = list.partition_point(|(event, _)| *event < moment);
    list.get(at).map(|(event, _)| *event)
}

/// The entry of an event in a list of `(event, ..)`.
fn at_event<T>(list: Option<&Vec<(u32, T)>>, event: u32) -> Option<&T> {
    let list = list?;
    let at = list
        .binary_search_by_key(&event, |(event, _)| *event)
        .ok()?;
    Some(&list[at].1)
}

impl EventTable {
    /// Prepares events, given in order.
    pub(super) fn new(events: impl Iterator<Item = WordEvent>) -> EventTable {
        let mut table = EventTable {
            consistent: true,
            ..EventTable::default()
        };
        for (at, event) in (0..).zip(events) {
            match event {
                WordEvent::Merge {
                    left,
                    right,
                    joined,
                } => {
                    let length = table.length(left.0).saturating_add(table.length(right.0));
                    let known = *table.lengths.entry(joined.0).or_insert(length);
                    table.consistent &= known == length;
                    table
                        .merges
                        .entry(pack(left.0, right.0))
                        .or_default()
                        .push((at, joined.0));
                }
                WordEvent::Delete { token, parts } => {
                    let length: u32 = parts.iter().map(|part| table.length(part.0)).sum();
                    table.consistent &= length == table.length(token.0);
                    table
                        .deletions
                        .entry(token.0)
                        .or_default()
                        .push((at, parts.iter().map(|part| part.0).collect()));
                }
            }
        }
        table
    }

    /// How many starting symbols a token covers.
    pub(super) fn length(&self, symbol: u32) -> u32 {
        self.lengths.get(&symbol).copied().unwrap_or(1)
    }

    pub(super) fn is_consistent(&self) -> bool {
        self.consistent
    }

    /// The first event at or after `moment` that merges a pair.
    pub(super) fn merge_from(&self, left: u32, right: u32, moment: u32) -> Option<u32> {
        first_from(self.merges.get(&pack(left, right)), moment)
    }

    /// The first event at or after `moment` that deletes a token.
    pub(super) fn deletion_from(&self, symbol: u32, moment: u32) -> Option<u32> {
        first_from(self.deletions.get(&symbol), moment)
    }

    /// The token that an event makes of a pair.
    pub(super) fn joined(&self, left: u32, right: u32, event: u32) -> Option<u32> {
        at_event(self.merges.get(&pack(left, right)), event).copied()
    }

    /// The tokens that replace a token in an event.
    pub(super) fn parts(&self, symbol: u32, event: u32) -> Option<&[u32]> {
        at_event(self.deletions.get(&symbol), event).map(|parts| &parts[..])
    }
}
