//! The events of phase 1, with what replaces each deleted token.

use super::{Event, Model, PickySplit};
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
