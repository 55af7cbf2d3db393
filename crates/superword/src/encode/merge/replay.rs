//! Applying an ordered list of merges and deletions to one sequence.
//!
//! With deletions the order of events decides: a pair may have several rules, before and after one
//! of its parts was deleted. Each event is applied once, in order.

use super::replay_heap;
use crate::hash::NumberMap;
use crate::model::WordEvent;
use crate::token::pack;

/// Sequences up to this length are scanned for each event. Longer ones use a heap.
const SCANNED: usize = 32;

/// Events by the pair or token they apply to. Each list is in order of the events.
#[derive(Clone, Debug, Default)]
pub(in crate::encode) struct EventReplay {
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

impl EventReplay {
    /// Prepares events, given in order.
    pub(in crate::encode) fn new(events: impl Iterator<Item = WordEvent>) -> EventReplay {
        let mut replay = EventReplay {
            consistent: true,
            ..EventReplay::default()
        };
        for (at, event) in (0..).zip(events) {
            match event {
                WordEvent::Merge {
                    left,
                    right,
                    joined,
                } => {
                    let length = replay.length(left.0).saturating_add(replay.length(right.0));
                    let known = *replay.lengths.entry(joined.0).or_insert(length);
                    replay.consistent &= known == length;
                    replay
                        .merges
                        .entry(pack(left.0, right.0))
                        .or_default()
                        .push((at, joined.0));
                }
                WordEvent::Delete { token, parts } => {
                    let length: u32 = parts.iter().map(|part| replay.length(part.0)).sum();
                    replay.consistent &= length == replay.length(token.0);
                    replay
                        .deletions
                        .entry(token.0)
                        .or_default()
                        .push((at, parts.iter().map(|part| part.0).collect()));
                }
            }
        }
        replay
    }

    /// How many starting symbols a token covers.
    pub(super) fn length(&self, symbol: u32) -> u32 {
        self.lengths.get(&symbol).copied().unwrap_or(1)
    }

    #[cfg(test)]
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

    /// Applies all events in order. The sequence must consist of symbols that no event makes, such
    /// as bytes.
    pub(in crate::encode) fn apply(&self, symbols: &mut Vec<u32>) {
        if symbols.len() <= SCANNED || !self.consistent {
            self.apply_simple(symbols);
        } else {
            replay_heap::apply(self, symbols);
        }
    }

    /// Scans the whole sequence for each event: quadratic and simple.
    pub(super) fn apply_simple(&self, symbols: &mut Vec<u32>) {
        let mut moment = 0;
        loop {
            let merge = symbols
                .windows(2)
                .filter_map(|pair| self.merge_from(pair[0], pair[1], moment))
                .min();
            let deletion = symbols
                .iter()
                .filter_map(|&symbol| self.deletion_from(symbol, moment))
                .min();
            let Some(event) = merge.into_iter().chain(deletion).min() else {
                return;
            };
            *symbols = if merge == Some(event) {
                self.merge(symbols, event)
            } else {
                self.delete(symbols, event)
            };
            moment = event + 1;
        }
    }

    fn merge(&self, symbols: &[u32], event: u32) -> Vec<u32> {
        let mut result = Vec::with_capacity(symbols.len());
        let mut rest = symbols;
        while let [first, tail @ ..] = rest {
            match tail
                .first()
                .and_then(|&second| self.joined(*first, second, event))
            {
                Some(joined) => {
                    result.push(joined);
                    rest = &tail[1..];
                }
                None => {
                    result.push(*first);
                    rest = tail;
                }
            }
        }
        result
    }

    fn delete(&self, symbols: &[u32], event: u32) -> Vec<u32> {
        let mut result = Vec::with_capacity(symbols.len() + 2);
        for &symbol in symbols {
            match self.parts(symbol, event) {
                Some(parts) => result.extend_from_slice(parts),
                None => result.push(symbol),
            }
        }
        result
    }
}
