//! Phase 1 applied to one pretoken.

use super::ranked::{RankedRules, Scratch};
use super::replay::{EventReplay, WordEvent};
use super::rules::Rank;
use crate::model::{Event, Model, PickySplit};
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
        symbols.extend(pretoken.iter().map(|&byte| self.bytes[usize::from(byte)]));
        match &self.rules {
            Rules::Ranked(rules, pairs) => rules.apply_with(symbols, scratch, |_, at| {
                let [left, right] = [pretoken[at], pretoken[at + 1]].map(usize::from);
                pairs[left << 8 | right]
            }),
            Rules::Replay(replay) => replay.apply(symbols),
        }
    }

    /// True if the bytes of a token are encoded as this token alone. A token that its own merges
    /// do not reach is never what its bytes become.
    pub fn reaches(
        &self,
        bytes: &[u8],
        token: Symbol,
        symbols: &mut Vec<u32>,
        scratch: &mut Scratch,
    ) -> bool {
        self.encode(bytes, symbols, scratch);
        symbols[..] == [token.0]
    }
}

/// The rule of each pair of bytes: half of all rules that a word asks for, without a search.
fn pairs_of_bytes(bytes: &[u32; 256], rules: &RankedRules) -> Vec<Rank> {
    let pairs = bytes.iter().flat_map(|&left| {
        let rights = bytes.iter();
        rights.map(move |&right| rules.rank(left, right))
    });
    pairs.collect()
}

/// The events of phase 1 of a model, deletions with what takes the token's place: its parts, a
/// part that was deleted before as bytes; or all of it as bytes.
pub fn word_events(model: &Model) -> Vec<WordEvent> {
    let vocabulary = model.vocabulary();
    let bytes = model.parts().alphabet.symbols();
    let split = |token: Symbol| -> Vec<Symbol> {
        let token = vocabulary.bytes_of(token).iter();
        token.filter_map(|&byte| bytes[usize::from(byte)]).collect()
    };
    let mut made_of: Vec<Option<(Symbol, Symbol)>> = vec![None; vocabulary.len()];
    let mut events = Vec::with_capacity(model.parts().events.len());
    for (at, event) in model.parts().events.iter().enumerate() {
        match *event {
            Event::Merge { left, right, .. } => {
                let joined = vocabulary.made_by(at);
                // A token that is there already keeps the parts it entered with.
                made_of[joined.index()].get_or_insert((left, right));
                events.push(WordEvent::Merge {
                    left,
                    right,
                    joined,
                });
            }
            Event::Delete { token } => {
                let parts = match (model.parts().picky_split, made_of[token.index()].take()) {
                    (PickySplit::Parts, Some((left, right))) => [left, right]
                        .into_iter()
                        .flat_map(|part| {
                            let is_byte = vocabulary.bytes_of(part).len() == 1;
                            if is_byte || made_of[part.index()].is_some() {
                                vec![part]
                            } else {
                                split(part)
                            }
                        })
                        .collect(),
                    _ => split(token),
                };
                events.push(WordEvent::Delete { token, parts });
            }
            Event::Supermerge { .. } => {}
        }
    }
    events
}
