//! Phase 1 applied to one pretoken.

use super::ranked::{RankedRules, Scratch};
use super::replay::EventReplay;
use super::rules::Rank;
use crate::memory;
use crate::model::WordEvent;
use crate::token::Symbol;

/// The ordinary merges of a model, ready to be applied.
#[derive(Clone, Debug)]
pub struct WordRules {
    bytes: [u32; 256],
    rules: Rules,
}

#[derive(Clone, Debug)]
enum Rules {
    /// No deletions: the earliest rule that applies. With it the rules of all pairs of bytes.
    Ranked(RankedRules, Vec<Rank>),
    /// Deletions: every event in order.
    Replay(EventReplay),
}

impl WordRules {
    /// From the symbols of the single bytes and the events of phase 1 in order.
    pub fn new(bytes: [Option<Symbol>; 256], events: &[WordEvent]) -> WordRules {
        // A byte that is not in the alphabet occurs in no text.
        let bytes = bytes.map(|symbol| symbol.map_or(0, |symbol| symbol.0));
        let deletes = |event: &WordEvent| matches!(event, WordEvent::Delete { .. });
        let rules = if events.iter().any(deletes) {
            Rules::Replay(EventReplay::new(events.iter().cloned()))
        } else {
            let merges: Vec<(Symbol, Symbol, Symbol)> = events
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
            let joined = merges.iter().map(|(_, _, joined)| joined.0);
            let largest = joined.chain(bytes).max().unwrap_or(0);
            let rules = RankedRules::new(&merges, largest as usize + 1);
            let pairs = pairs_of_bytes(&bytes, &rules);
            Rules::Ranked(rules, pairs)
        };
        WordRules { bytes, rules }
    }

    /// The symbols of a pretoken, in place of what `symbols` held.
    pub fn encode(&self, pretoken: &[u8], symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        symbols.clear();
        memory::reserve(symbols, pretoken.len());
        symbols.extend(pretoken.iter().map(|&byte| self.bytes[usize::from(byte)]));
        match &self.rules {
            Rules::Ranked(rules, pairs) => rules.apply_with(symbols, scratch, |_, at| {
                let [left, right] = [pretoken[at], pretoken[at + 1]].map(usize::from);
                pairs[left << 8 | right]
            }),
            Rules::Replay(replay) => replay.apply(symbols),
        }
    }

    /// By symbol: whether its bytes are encoded as it alone. A token that its own merges do not
    /// reach is never what its bytes become. `events` are those that the rules were made from,
    /// `bytes_of` the tokens, of which there are `symbols`.
    pub fn reached<'t>(
        &self,
        events: &[WordEvent],
        symbols: usize,
        bytes_of: impl Fn(Symbol) -> &'t [u8],
    ) -> Vec<bool> {
        if let Rules::Ranked(rules, _) = &self.rules
            && rules.is_local()
        {
            return reached_by_parts(rules, symbols, events);
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

/// The same for rules that never turn back, without encoding.
///
/// A token is reached if both its parts are, and if nothing is joined across their boundary before
/// they are. What stands at the boundary on either side is the last byte of the left part, then
/// what that becomes part of, and so on up to the part itself; and likewise on the right. So it is
/// enough to go up on both sides, as their ranks say, and to look for a rule that comes earlier.
fn reached_by_parts(rules: &RankedRules, symbols: usize, events: &[WordEvent]) -> Vec<bool> {
    let mut parts: Vec<Option<(u32, u32)>> = vec![None; symbols];
    let mut reached = vec![true; symbols];
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    for event in events {
        let WordEvent::Merge {
            left,
            right,
            joined,
        } = event
        else {
            continue; // never: no rule turns back, so nothing is deleted
        };
        parts[joined.index()] = Some((left.0, right.0));
        reached[joined.index()] = reached[left.index()] && reached[right.index()] && {
            // From the joined token down to a byte.
            fill_spine(&mut lefts, joined.0, left.0, |token| Some(parts[token]?.1));
            fill_spine(&mut rights, joined.0, right.0, |token| {
                Some(parts[token]?.0)
            });
            nothing_crosses(rules, &mut lefts, &mut rights)
        };
    }
    reached
}

/// `joined`, its part, and what lies at the boundary inside of that.
fn fill_spine(spine: &mut Vec<u32>, joined: u32, part: u32, inside: impl Fn(usize) -> Option<u32>) {
    spine.clear();
    spine.extend([joined, part]);
    let mut last = part;
    while let Some(next) = inside(last as usize) {
        spine.push(next);
        last = next;
    }
}

/// Whether two parts are joined before anything else is across their boundary. A token is also the
/// rank of the rule that makes it.
fn nothing_crosses(rules: &RankedRules, lefts: &mut Vec<u32>, rights: &mut Vec<u32>) -> bool {
    while let (&[.., left_becomes, left], &[.., right_becomes, right]) = (&lefts[..], &rights[..]) {
        if lefts.len() == 2 && rights.len() == 2 {
            return true;
        }
        let rank = rules.rank(left, right);
        // Of the places of one rule the one on the left is first.
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

/// The rule of each pair of bytes: half of all rules that a word asks for, without a search.
fn pairs_of_bytes(bytes: &[u32; 256], rules: &RankedRules) -> Vec<Rank> {
    let pairs = bytes.iter().flat_map(|&left| {
        let rights = bytes.iter();
        rights.map(move |&right| rules.rank(left, right))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::tests::Random;

    /// Rules as training makes them: each joins tokens that are there, to a new one.
    #[test]
    fn parts_say_what_encoding_reaches() {
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
            let words = WordRules::new(bytes, &events);
            let Rules::Ranked(rules, _) = &words.rules else {
                panic!("nothing is deleted");
            };
            assert!(rules.is_local());
            let reached = reached_by_parts(rules, tokens.len(), &events);
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
