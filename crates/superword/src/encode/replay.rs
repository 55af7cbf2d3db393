//! Applying an ordered list of merges and deletions to one sequence.
//!
//! With deletions the order of events is all that counts: a pair may have several rules, before
//! and after one of its parts was deleted. Each event that applies is applied once, in order.

use crate::hash::NumberMap;
use crate::token::Symbol;

/// One event of phase 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordEvent {
    /// Two tokens become one.
    Merge {
        /// The left token.
        left: Symbol,
        /// The right token.
        right: Symbol,
        /// What they become.
        joined: Symbol,
    },
    /// A token is replaced by others.
    Delete {
        /// The token.
        token: Symbol,
        /// What takes its place.
        parts: Vec<Symbol>,
    },
}

/// Events by what they apply to, each list in order.
#[derive(Clone, Debug, Default)]
pub struct EventReplay {
    merges: NumberMap<u64, Vec<(u32, u32)>>,
    deletions: NumberMap<u32, Vec<(u32, Vec<u32>)>>,
}

fn key(left: u32, right: u32) -> u64 {
    (u64::from(left) << 32) | u64::from(right)
}

/// The first of a list of `(event, ..)` at or after a moment.
fn first_from<T>(list: Option<&Vec<(u32, T)>>, moment: u32) -> Option<u32> {
    let list = list?;
    let at = list.partition_point(|(event, _)| *event < moment);
    list.get(at).map(|(event, _)| *event)
}

impl EventReplay {
    /// Events in order.
    pub fn new(events: impl Iterator<Item = WordEvent>) -> EventReplay {
        let mut replay = EventReplay::default();
        for (at, event) in (0..).zip(events) {
            match event {
                WordEvent::Merge {
                    left,
                    right,
                    joined,
                } => replay
                    .merges
                    .entry(key(left.0, right.0))
                    .or_default()
                    .push((at, joined.0)),
                WordEvent::Delete { token, parts } => replay
                    .deletions
                    .entry(token.0)
                    .or_default()
                    .push((at, parts.iter().map(|part| part.0).collect())),
            }
        }
        replay
    }

    /// Applies all events in order.
    pub fn apply(&self, symbols: &mut Vec<u32>) {
        let mut moment = 0;
        loop {
            let merge = symbols
                .windows(2)
                .filter_map(|pair| first_from(self.merges.get(&key(pair[0], pair[1])), moment))
                .min();
            let deletion = symbols
                .iter()
                .filter_map(|symbol| first_from(self.deletions.get(symbol), moment))
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
        let joined = |left, right| {
            self.merges.get(&key(left, right)).and_then(|list| {
                list.binary_search_by_key(&event, |(event, _)| *event)
                    .ok()
                    .map(|at| list[at].1)
            })
        };
        let mut result = Vec::with_capacity(symbols.len());
        let mut rest = symbols;
        while let [first, tail @ ..] = rest {
            match tail.first().and_then(|&second| joined(*first, second)) {
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
            let parts = self.deletions.get(&symbol).and_then(|list| {
                list.iter()
                    .find(|(other, _)| *other == event)
                    .map(|(_, parts)| parts)
            });
            match parts {
                Some(parts) => result.extend_from_slice(parts),
                None => result.push(symbol),
            }
        }
        result
    }
}
