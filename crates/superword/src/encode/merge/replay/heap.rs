//! The same replay for long sequences, with a heap of the next events: near-linear in the length.
//!
//! Every starting symbol owns a slot that never moves. A joined token is stored in the slot of its
//! first part and covers the slots up to the next token. So a deletion can put the parts back where
//! they were.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::events::EventTable;

/// There is no next event.
const NEVER: u32 = u32::MAX;

struct LongSequence<'r> {
    events: &'r EventTable,
    symbols: Vec<u32>,
    /// The slot of the next token, or the length of the sequence.
    next: Vec<u32>,
    /// The slot of the previous token. For the first token, the length of the sequence.
    previous: Vec<u32>,
    /// The next event that merges the pair starting in this slot.
    merge_at: Vec<u32>,
    /// The next event that deletes the token in this slot.
    delete_at: Vec<u32>,
    /// Events to come and their slots. An entry is valid only if its slot still has this event.
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

/// Applies all events in order, like [`super::scan::apply`]. No event may make a symbol that
/// the sequence starts with.
pub(super) fn apply(events: &EventTable, symbols: &mut Vec<u32>) {
    let len = symbols.len() as u32;
    let mut sequence = LongSequence {
        events,
        next: (1..=len).collect(),
        previous: std::iter::once(len).chain(0..len - 1).collect(),
        merge_at: vec![NEVER; symbols.len()],
        delete_at: vec![NEVER; symbols.len()],
        heap: BinaryHeap::new(),
        symbols: std::mem::take(symbols),
    };
    for slot in 0..len {
        sequence.schedule_deletion(slot, 0);
        sequence.schedule_merge(slot, 0);
    }
    sequence.run();
    let mut slot = 0;
    while slot < len {
        symbols.push(sequence.symbols[slot as usize]);
        slot = sequence.next[slot as usize];
    }
}

impl LongSequence<'_> {
    fn len(&self) -> u32 {
        self.symbols.len() as u32
    }

    fn run(&mut self) {
        // Equal events leave the heap from left to right. Whatever an event creates is scheduled
        // for a later event, so no event is processed twice.
        while let Some(Reverse((event, slot))) = self.heap.pop() {
            if self.merge_at[slot as usize] == event {
                self.merge(slot, event);
            } else if self.delete_at[slot as usize] == event {
                self.delete(slot, event);
            }
        }
    }

    fn merge(&mut self, slot: u32, event: u32) {
        let right = self.next[slot as usize];
        let (left_symbol, right_symbol) =
            (self.symbols[slot as usize], self.symbols[right as usize]);
        let Some(joined) = self.events.joined(left_symbol, right_symbol, event) else {
            return;
        };
        self.symbols[slot as usize] = joined;
        self.merge_at[right as usize] = NEVER;
        self.delete_at[right as usize] = NEVER;
        self.link(slot, self.next[right as usize]);
        self.schedule_deletion(slot, event + 1);
        self.schedule_merge(slot, event + 1);
        self.schedule_merge(self.previous[slot as usize], event + 1);
    }

    fn delete(&mut self, slot: u32, event: u32) {
        let Some(parts) = self.events.parts(self.symbols[slot as usize], event) else {
            return;
        };
        let after = self.next[slot as usize];
        let mut at = slot;
        for (index, &part) in parts.iter().enumerate() {
            self.symbols[at as usize] = part;
            self.schedule_deletion(at, event + 1);
            let end = at + self.events.length(part);
            if index + 1 < parts.len() {
                self.link(at, end);
                at = end;
            }
        }
        self.link(at, after);
        let mut pair = self.previous[slot as usize];
        if pair == self.len() {
            pair = slot;
        }
        while pair < after {
            self.schedule_merge(pair, event + 1);
            pair = self.next[pair as usize];
        }
    }

    fn link(&mut self, left: u32, right: u32) {
        self.next[left as usize] = right;
        if right < self.len() {
            self.previous[right as usize] = left;
        }
    }

    fn schedule_deletion(&mut self, slot: u32, moment: u32) {
        let event = self
            .events
            .deletion_from(self.symbols[slot as usize], moment);
        self.delete_at[slot as usize] = event.unwrap_or(NEVER);
        self.heap.extend(event.map(|event| Reverse((event, slot))));
    }

    /// `slot` may be the length of the sequence, which stands for "before the first token".
    fn schedule_merge(&mut self, slot: u32, moment: u32) {
        if slot == self.len() {
            return;
        }
        let right = self.next[slot as usize];
        let event = (right < self.len())
            .then(|| (self.symbols[slot as usize], self.symbols[right as usize]))
            .and_then(|(left, right)| self.events.merge_from(left, right, moment));
        self.merge_at[slot as usize] = event.unwrap_or(NEVER);
        self.heap.extend(event.map(|event| Reverse((event, slot))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WordEvent;
    use crate::testing::Random;
    use crate::token::Symbol;
    use crate::tokens::TokenTable;

    /// Random merges and deletions of tokens that exist at that point.
    fn random_events(random: &mut Random) -> Vec<WordEvent> {
        let mut table = TokenTable::default();
        let bytes: Vec<Symbol> = (b'a'..b'd')
            .map(|byte| table.insert(&[byte]).unwrap())
            .collect();
        let mut alive = bytes.clone();
        let mut events = Vec::new();
        for _ in 0..random.index(20) {
            let pick = alive[random.index(alive.len())];
            let token = table.bytes_of(pick).to_vec();
            if token.len() > 1 && random.index(3) == 0 {
                alive.retain(|&other| other != pick);
                let cut = 1 + random.index(token.len() - 1);
                let part = |bytes: &[u8]| match table.find(bytes) {
                    Some(part) if alive.contains(&part) => vec![part],
                    _ => bytes
                        .iter()
                        .map(|&byte| table.find(&[byte]).unwrap())
                        .collect(),
                };
                let parts = [part(&token[..cut]), part(&token[cut..])].concat();
                events.push(WordEvent::Delete { token: pick, parts });
            } else {
                let right = alive[random.index(alive.len())];
                let joined = table.join(pick, right).unwrap();
                if !alive.contains(&joined) {
                    alive.push(joined);
                }
                events.push(WordEvent::Merge {
                    left: pick,
                    right,
                    joined,
                });
            }
        }
        events
    }

    #[test]
    fn heap_replay_equals_simple_replay() {
        let mut random = Random(4);
        let mut deletions = 0;
        for _ in 0..4000 {
            let events = random_events(&mut random);
            deletions += events
                .iter()
                .filter(|event| matches!(event, WordEvent::Delete { .. }))
                .count();
            let table = EventTable::new(events.into_iter());
            assert!(table.is_consistent());
            let letters = 1 + random.index(3);
            let mut simple: Vec<u32> = (0..1 + random.index(60))
                .map(|_| random.index(letters) as u32)
                .collect();
            let mut heap = simple.clone();
            super::super::scan::apply(&table, &mut simple);
            apply(&table, &mut heap);
            assert_eq!(simple, heap);
        }
        assert!(deletions > 1000);
    }
}
