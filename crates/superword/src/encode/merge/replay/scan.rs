//! The simple replay: it scans the whole sequence for each event, which takes quadratic time.

use super::events::EventTable;

/// Applies all events in order.
pub(super) fn apply(events: &EventTable, symbols: &mut Vec<u32>) {
    let mut moment = 0;
    loop {
        let next_merge = symbols
            .windows(2)
            .filter_map(|pair| events.merge_from(pair[0], pair[1], moment))
            .min();
        let next_deletion = symbols
            .iter()
            .filter_map(|&symbol| events.deletion_from(symbol, moment))
            .min();
        let Some(event) = next_merge.into_iter().chain(next_deletion).min() else {
            return;
        };
        *symbols = if next_merge == Some(event) {
            merge(events, symbols, event)
        } else {
            delete(events, symbols, event)
        };
        moment = event + 1;
    }
}

fn merge(events: &EventTable, symbols: &[u32], event: u32) -> Vec<u32> {
    let mut result = Vec::with_capacity(symbols.len());
    let mut rest = symbols;
    while let [first, tail @ ..] = rest {
        match tail
            .first()
            .and_then(|&second| events.joined(*first, second, event))
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

fn delete(events: &EventTable, symbols: &[u32], event: u32) -> Vec<u32> {
    let mut result = Vec::with_capacity(symbols.len() + 2);
    for &symbol in symbols {
        match events.parts(symbol, event) {
            Some(parts) => result.extend_from_slice(parts),
            None => result.push(symbol),
        }
    }
    result
}
