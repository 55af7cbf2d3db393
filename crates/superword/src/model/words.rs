//! The events of phase 1, with what replaces each deleted token.

use super::{Deletions, Event, Model};
use crate::token::Symbol;

/// One event of phase 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WordEvent {
    /// Two tokens become one.
    Merge {
        /// The left token.
        left: Symbol,
        /// The right token.
        right: Symbol,
        /// The joined token.
        joined: Symbol,
    },
    /// A token is replaced by others.
    Delete {
        /// The deleted token.
        token: Symbol,
        /// The tokens that replace it.
        parts: Vec<Symbol>,
    },
}

/// The events of phase 1 of a model, in order.
pub(crate) fn word_events(model: &Model) -> Vec<WordEvent> {
    let (parts, vocabulary) = (model.parts(), model.vocabulary());
    let mut deletions = Deletions::new(parts.alphabet, parts.picky_split);
    let mut events = Vec::with_capacity(parts.events.len());
    for (at, event) in parts.events.iter().enumerate() {
        match *event {
            Event::Merge { left, right, .. } => {
                let joined = vocabulary.made_by(at);
                deletions.merge(left, right, joined);
                events.push(WordEvent::Merge {
                    left,
                    right,
                    joined,
                });
            }
            Event::Delete { token } => {
                let parts = deletions.delete(token, |part| vocabulary.bytes_of(part));
                events.push(WordEvent::Delete { token, parts });
            }
            Event::Supermerge { .. } => {}
        }
    }
    events
}
