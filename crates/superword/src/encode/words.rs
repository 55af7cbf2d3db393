//! Phase 1 applied to one pretoken.

use super::ranked::{RankedRules, Scratch};
use super::replay::{EventReplay, WordEvent};
use crate::token::Symbol;

/// The ordinary merges of a model, ready to be applied.
#[derive(Clone, Debug)]
pub struct WordRules {
    bytes: [u32; 256],
    rules: Rules,
}

#[derive(Clone, Debug)]
enum Rules {
    /// No deletions: the earliest rule that applies.
    Ranked(RankedRules),
    /// Deletions: every event in order.
    Replay(EventReplay),
}

impl WordRules {
    /// From the symbols of the single bytes and the events of phase 1 in order.
    pub fn new(bytes: [Option<Symbol>; 256], events: &[WordEvent]) -> WordRules {
        let deletes = |event: &WordEvent| matches!(event, WordEvent::Delete { .. });
        let rules = if events.iter().any(deletes) {
            Rules::Replay(EventReplay::new(events.iter().cloned()))
        } else {
            Rules::Ranked(RankedRules::new(events.iter().filter_map(
                |event| match *event {
                    WordEvent::Merge {
                        left,
                        right,
                        joined,
                    } => Some((left, right, joined)),
                    WordEvent::Delete { .. } => None,
                },
            )))
        };
        WordRules {
            // A byte that is not in the alphabet occurs in no text.
            bytes: bytes.map(|symbol| symbol.map_or(0, |symbol| symbol.0)),
            rules,
        }
    }

    /// The symbols of a pretoken, in place of what `symbols` held.
    pub fn encode(&self, pretoken: &[u8], symbols: &mut Vec<u32>, scratch: &mut Scratch) {
        symbols.clear();
        symbols.extend(pretoken.iter().map(|&byte| self.bytes[usize::from(byte)]));
        match &self.rules {
            Rules::Ranked(rules) => rules.apply(symbols, scratch),
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
