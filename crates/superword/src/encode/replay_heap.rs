//! The same replay for long sequences: a heap of what happens next, near-linear in the length.
//!
//! Every symbol that the sequence starts with owns a cell for good. A joined token stands in the
//! cell of its first part and reaches up to the next token, so a deletion can put the parts back
//! where they were.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::replay::EventReplay;

/// No event will come.
const NEVER: u32 = u32::MAX;

struct Cells<'r> {
    replay: &'r EventReplay,
    symbols: Vec<u32>,
    /// The cell of the token behind, or the length.
    next: Vec<u32>,
    /// The cell of the token before; of the first token, the length.
    previous: Vec<u32>,
    /// The next event of the pair that starts in this cell.
    merge_at: Vec<u32>,
    /// The next event that deletes the token in this cell.
    delete_at: Vec<u32>,
    /// Events to come and their cells. An entry counts only if the cell still says the same.
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

/// Applies all events in order, as [`EventReplay::apply_simple`] does. Each starting symbol must be
/// one that no event makes.
pub(super) fn apply(replay: &EventReplay, symbols: &mut Vec<u32>) {
    let len = symbols.len() as u32;
    let mut cells = Cells {
        replay,
        next: (1..=len).collect(),
        previous: std::iter::once(len).chain(0..len - 1).collect(),
        merge_at: vec![NEVER; symbols.len()],
        delete_at: vec![NEVER; symbols.len()],
        heap: BinaryHeap::new(),
        symbols: std::mem::take(symbols),
    };
    for cell in 0..len {
        cells.look_at_token(cell, 0);
        cells.look_at_pair(cell, 0);
    }
    cells.run();
    let mut cell = 0;
    while cell < len {
        symbols.push(cells.symbols[cell as usize]);
        cell = cells.next[cell as usize];
    }
}

impl Cells<'_> {
    fn len(&self) -> u32 {
        self.symbols.len() as u32
    }

    fn run(&mut self) {
        // Equal events come from left to right. What an event makes waits for a later one, so
        // no event is met twice.
        while let Some(Reverse((event, cell))) = self.heap.pop() {
            if self.merge_at[cell as usize] == event {
                self.merge(cell, event);
            } else if self.delete_at[cell as usize] == event {
                self.delete(cell, event);
            }
        }
    }

    fn merge(&mut self, cell: u32, event: u32) {
        let right = self.next[cell as usize];
        let (left_symbol, right_symbol) =
            (self.symbols[cell as usize], self.symbols[right as usize]);
        let Some(joined) = self.replay.joined(left_symbol, right_symbol, event) else {
            return;
        };
        self.symbols[cell as usize] = joined;
        self.merge_at[right as usize] = NEVER;
        self.delete_at[right as usize] = NEVER;
        self.link(cell, self.next[right as usize]);
        self.look_at_token(cell, event + 1);
        self.look_at_pair(cell, event + 1);
        self.look_at_pair(self.previous[cell as usize], event + 1);
    }

    fn delete(&mut self, cell: u32, event: u32) {
        let Some(parts) = self.replay.parts(self.symbols[cell as usize], event) else {
            return;
        };
        let after = self.next[cell as usize];
        let mut at = cell;
        for (index, &part) in parts.iter().enumerate() {
            self.symbols[at as usize] = part;
            self.look_at_token(at, event + 1);
            let end = at + self.replay.length(part);
            if index + 1 < parts.len() {
                self.link(at, end);
                at = end;
            }
        }
        self.link(at, after);
        let mut pair = self.previous[cell as usize];
        if pair == self.len() {
            pair = cell;
        }
        while pair < after {
            self.look_at_pair(pair, event + 1);
            pair = self.next[pair as usize];
        }
    }

    fn link(&mut self, left: u32, right: u32) {
        self.next[left as usize] = right;
        if right < self.len() {
            self.previous[right as usize] = left;
        }
    }

    fn look_at_token(&mut self, cell: u32, moment: u32) {
        let event = self
            .replay
            .deletion_from(self.symbols[cell as usize], moment);
        self.delete_at[cell as usize] = event.unwrap_or(NEVER);
        self.heap.extend(event.map(|event| Reverse((event, cell))));
    }

    /// `cell` may be the length, for the pair before the first token.
    fn look_at_pair(&mut self, cell: u32, moment: u32) {
        if cell == self.len() {
            return;
        }
        let right = self.next[cell as usize];
        let event = (right < self.len())
            .then(|| (self.symbols[cell as usize], self.symbols[right as usize]))
            .and_then(|(left, right)| self.replay.merge_from(left, right, moment));
        self.merge_at[cell as usize] = event.unwrap_or(NEVER);
        self.heap.extend(event.map(|event| Reverse((event, cell))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::tests::Random;
    use crate::model::WordEvent;
    use crate::token::Symbol;
    use crate::tokens::TokenTable;

    fn below(random: &mut Random, limit: usize) -> usize {
        random.below(limit as u64) as usize
    }

    /// Random merges and deletions of tokens that exist at that time.
    fn random_events(random: &mut Random) -> Vec<WordEvent> {
        let mut table = TokenTable::default();
        let bytes: Vec<Symbol> = (b'a'..b'd')
            .map(|byte| table.insert(&[byte]).unwrap())
            .collect();
        let mut alive = bytes.clone();
        let mut events = Vec::new();
        for _ in 0..below(random, 20) {
            let pick = alive[below(random, alive.len())];
            let token = table.bytes_of(pick).to_vec();
            if token.len() > 1 && below(random, 3) == 0 {
                alive.retain(|&other| other != pick);
                let cut = 1 + below(random, token.len() - 1);
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
                let right = alive[below(random, alive.len())];
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
    fn heap_equals_simple_replay() {
        let mut random = Random(4);
        let mut deletions = 0;
        for _ in 0..4000 {
            let events = random_events(&mut random);
            deletions += events
                .iter()
                .filter(|event| matches!(event, WordEvent::Delete { .. }))
                .count();
            let replay = EventReplay::new(events.into_iter());
            assert!(replay.is_consistent());
            let letters = 1 + below(&mut random, 3);
            let mut simple: Vec<u32> = (0..1 + below(&mut random, 60))
                .map(|_| below(&mut random, letters) as u32)
                .collect();
            let mut heap = simple.clone();
            replay.apply_simple(&mut simple);
            apply(&replay, &mut heap);
            assert_eq!(simple, heap);
        }
        assert!(deletions > 1000);
    }
}
