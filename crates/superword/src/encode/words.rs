//! Phase 1 applied to one pretoken.

use super::merge::{EventReplay, MergeTable, Rank, Scratch};
use crate::memory;
use crate::model::WordEvent;
use crate::token::Symbol;

/// Encodes single pretokens with the events of phase 1.
#[derive(Clone, Debug)]
pub(crate) struct WordEncoder {
    bytes: [u32; 256],
    merging: Merging,
}

#[derive(Clone, Debug)]
enum Merging {
    /// Without deletions the earliest rule applies first. The ranks of all pairs of bytes are kept
    /// in an array beside the table.
    Table(MergeTable, Vec<Rank>),
    /// With deletions every event is applied in order.
    Replay(EventReplay),
}

impl WordEncoder {
    /// `bytes` are the symbols of the alphabet, `events` those of phase 1 in order. `order` has the
    /// ranks of the merges if they are not the order of the events; there are no deletions then.
    pub(crate) fn new(
        bytes: [Option<Symbol>; 256],
        events: &[WordEvent],
        order: Option<&[u32]>,
    ) -> WordEncoder {
        // A byte outside the alphabet occurs in no text, so its symbol does not matter.
        let bytes = bytes.map(|symbol| symbol.map_or(0, |symbol| symbol.0));
        let deletes = |event: &WordEvent| matches!(event, WordEvent::Delete { .. });
        let merging = if events.iter().any(deletes) {
            Merging::Replay(EventReplay::new(events.iter().cloned()))
        } else {
            let mut merges: Vec<(Symbol, Symbol, Symbol)> = events
                .iter()
                .filter_map(|event| match *event {
                    WordEvent::Merge {
                        left,
                        right,
                        joined,
                    } => Some((left, right, joined)),
                    WordEvent::Delete { .. } => None,
                })
                .collect();
            if let Some(order) = order {
                let mut ranked: Vec<_> = order.iter().zip(merges).collect();
                ranked.sort_unstable_by_key(|(rank, _)| **rank);
                merges = ranked.into_iter().map(|(_, merge)| merge).collect();
            }
            let joined = merges.iter().map(|(_, _, joined)| joined.0);
            let largest = joined.chain(bytes).max().unwrap_or(0);
            let mut table = MergeTable::new(&merges, largest as usize + 1);
            if order.is_some() {
                table = table.one_at_a_time();
            }
            let byte_ranks = ranks_of_bytes(&bytes, &table);
            Merging::Table(table, byte_ranks)
        };
        WordEncoder { bytes, merging }
    }

    /// Replaces the content of `symbols` with the symbols of a pretoken.
    pub(super) fn encode(&self, pretoken: &[u8], symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        symbols.clear();
        memory::reserve(symbols, pretoken.len());
        symbols.extend(pretoken.iter().map(|&byte| self.bytes[usize::from(byte)]));
        match &self.merging {
            Merging::Table(table, byte_ranks) => table.apply_with(symbols, scratch, |_, at| {
                let [left, right] = [pretoken[at], pretoken[at + 1]].map(usize::from);
                byte_ranks[left << 8 | right]
            }),
            Merging::Replay(replay) => replay.apply(symbols),
        }
    }

    /// The symbols that the merges make of some bytes.
    pub(crate) fn merged(&self, bytes: &[u8]) -> Vec<u32> {
        let (mut symbols, mut scratch) = (Vec::new(), Scratch::default());
        self.encode(bytes, &mut symbols, &mut scratch);
        symbols
    }

    /// For each symbol, whether its bytes are encoded as this one symbol. (A token can be
    /// unreachable, because other merges prevent its own.) `events` are those given to
    /// [`WordEncoder::new`]; `bytes_of` gives the bytes of each of the `symbols`.
    pub(crate) fn reached<'t>(
        &self,
        events: &[WordEvent],
        symbols: usize,
        bytes_of: impl Fn(Symbol) -> &'t [u8],
    ) -> Vec<bool> {
        if let Merging::Table(table, _) = &self.merging
            && table.is_monotonic()
        {
            return reached_by_parts(table, &self.bytes, symbols, events);
        }
        let (mut encoded, mut scratch) = (Vec::new(), Scratch::default());
        (0..symbols as u32)
            .map(|token| {
                self.encode(bytes_of(Symbol(token)), &mut encoded, &mut scratch);
                encoded[..] == [token]
            })
            .collect()
    }
}

/// The same as [`WordEncoder::reached`] for a monotonic table, without encoding anything.
///
/// A token is reached if both its parts are, and if no merge crosses their boundary earlier. The
/// neighbour to the left of the boundary is first the last byte of the left part, then the token
/// that this byte becomes part of, and so on up to the left part itself. The same holds on the
/// right. So it is enough to climb both sides in the order of the ranks and look for an earlier
/// rule across the boundary.
fn reached_by_parts(
    table: &MergeTable,
    bytes: &[u32; 256],
    symbols: usize,
    events: &[WordEvent],
) -> Vec<bool> {
    let mut parts: Vec<Option<(u32, u32)>> = vec![None; symbols];
    // Apart from the bytes, only what merges make is reached. A superword is not, even if a merge
    // names it as a part.
    let mut reached = vec![false; symbols];
    for &byte in bytes {
        if let Some(reached) = reached.get_mut(byte as usize) {
            *reached = true;
        }
    }
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    for event in events {
        let WordEvent::Merge {
            left,
            right,
            joined,
        } = event
        else {
            continue; // there are no deletions where there is a merge table
        };
        parts[joined.index()] = Some((left.0, right.0));
        reached[joined.index()] = reached[left.index()] && reached[right.index()] && {
            // From the joined token down to a byte, along the boundary.
            fill_spine(&mut lefts, joined.0, left.0, |token| Some(parts[token]?.1));
            fill_spine(&mut rights, joined.0, right.0, |token| {
                Some(parts[token]?.0)
            });
            nothing_crosses(table, &mut lefts, &mut rights)
        };
    }
    reached
}

/// Lists `joined`, its part, and the tokens inside that part which touch the boundary.
fn fill_spine(spine: &mut Vec<u32>, joined: u32, part: u32, inside: impl Fn(usize) -> Option<u32>) {
    spine.clear();
    spine.extend([joined, part]);
    let mut last = part;
    while let Some(next) = inside(last as usize) {
        spine.push(next);
        last = next;
    }
}

/// Whether two parts are joined before any other merge crosses their boundary. In a monotonic table
/// a symbol is also the rank of the rule that makes it.
fn nothing_crosses(table: &MergeTable, lefts: &mut Vec<u32>, rights: &mut Vec<u32>) -> bool {
    while let (&[.., left_becomes, left], &[.., right_becomes, right]) = (&lefts[..], &rights[..]) {
        if lefts.len() == 2 && rights.len() == 2 {
            return true;
        }
        let rank = table.rank(left, right);
        // Among the positions of one rule, the leftmost is merged first.
        if rank < left_becomes && rank <= right_becomes {
            return false;
        }
        match left_becomes <= right_becomes {
            true => lefts.pop(),
            false => rights.pop(),
        };
    }
    true
}

/// The rank of each pair of bytes. Half of all lookups for a word are pairs of bytes.
fn ranks_of_bytes(bytes: &[u32; 256], table: &MergeTable) -> Vec<Rank> {
    let ranks = bytes.iter().flat_map(|&left| {
        let rights = bytes.iter();
        rights.map(move |&right| table.rank(left, right))
    });
    ranks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Rules as training makes them: each joins existing tokens to a new one.
    #[test]
    fn reached_by_parts_agrees_with_encoding() {
        let mut random = Random(43);
        let mut not_reached = 0;
        for round in 0..400 {
            let letters: u8 = 1 + round as u8 % 4;
            let mut bytes = [None; 256];
            for (letter, byte) in (0..u32::from(letters)).zip(&mut bytes) {
                *byte = Some(Symbol(letter));
            }
            let mut tokens: Vec<Vec<u8>> = (0..letters).map(|letter| vec![letter]).collect();
            let mut events = Vec::new();
            for _ in 0..random.below(40) {
                let [left, right] = [0, 0].map(|_| random.below(tokens.len() as u64) as usize);
                let joined = [&tokens[left][..], &tokens[right][..]].concat();
                if joined.len() > 60 || tokens.contains(&joined) {
                    continue;
                }
                events.push(WordEvent::Merge {
                    left: Symbol(left as u32),
                    right: Symbol(right as u32),
                    joined: Symbol(tokens.len() as u32),
                });
                tokens.push(joined);
            }
            let words = WordEncoder::new(bytes, &events, None);
            let Merging::Table(table, _) = &words.merging else {
                panic!("nothing is deleted");
            };
            assert!(table.is_monotonic());
            let reached = reached_by_parts(table, &words.bytes, tokens.len(), &events);
            let (mut symbols, mut scratch) = (Vec::new(), Scratch::default());
            for (token, bytes) in (0..).zip(&tokens) {
                words.encode(bytes, &mut symbols, &mut scratch);
                assert_eq!(
                    reached[token as usize],
                    symbols[..] == [token],
                    "{tokens:?} {token}"
                );
                not_reached += usize::from(!reached[token as usize]);
            }
        }
        assert!(not_reached > 1000, "{not_reached}");
    }
}
