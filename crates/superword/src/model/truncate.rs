//! Truncating a model to a smaller vocabulary.

use std::collections::HashSet;

use serde_json::Value;

use super::{BuildError, Event, Facts, Method, Model};
use crate::token::TokenId;

impl Model {
    /// The model as if its training had stopped at `n_vocab` tokens, including added tokens. It has
    /// the events up to the first point at which the vocabulary has that size. Deletions that
    /// directly follow a merge belong to it. Added tokens stay last. A model that already has the
    /// size is not changed.
    ///
    /// With 256 bytes and the merges `a b` and `ab c`, truncating to 257 removes `ab c`, and
    /// truncating to 256 removes both.
    ///
    /// The options recorded in the facts are set to the new size. A recorded shortfall is removed,
    /// because the model now has the requested size. N-grams for greedy splitting are removed if they
    /// use a token that is gone.
    pub fn truncate(&self, n_vocab: usize) -> Result<Model, BuildError> {
        let parts = self.parts();
        let added = parts.added.len();
        let ids_follow = (self.vocabulary().n_tokens()..)
            .zip(&parts.added)
            .all(|(id, token)| token.id.index() == id);
        if parts.ids.is_some() || !ids_follow {
            return Err(BuildError::TruncateIds);
        }
        let smallest = parts.alphabet.size() + parts.unmade.len() + added;
        let largest = self.n_vocab();
        if n_vocab < smallest || n_vocab > largest {
            return Err(BuildError::TruncateSize {
                asked: n_vocab,
                smallest,
                largest,
            });
        }
        if n_vocab == largest {
            return Ok(self.clone());
        }

        let (kept, alive) = self.cut_at(n_vocab - added);
        let mut parts = parts.clone();
        parts.events.truncate(kept);
        for (id, token) in (0u32..).skip(n_vocab - added).zip(&mut parts.added) {
            token.id = TokenId(id);
        }
        let merges = parts.merges();
        if let Some(order) = &mut parts.order {
            order.truncate(merges);
        }
        parts
            .ngrams
            .retain(|ngram| ngram.iter().all(|token| alive[token.index()]));
        let supermerges = parts
            .events
            .iter()
            .filter(|event| matches!(event, Event::Supermerge { .. }))
            .count();
        let supermerges = (parts.method == Method::SuperBpe).then_some(supermerges);
        correct_facts(&mut parts.facts, n_vocab, supermerges);
        Model::build(parts)
    }

    /// The number of events after which there are `size` tokens for the first time, and the symbols
    /// that are in the vocabulary then. `size` is at least the number of tokens
    /// before the first event.
    fn cut_at(&self, size: usize) -> (usize, Vec<bool>) {
        let events = &self.parts().events;
        let mut now = self.parts().alphabet.size() + self.parts().unmade.len();
        let mut alive = vec![false; self.vocabulary().len()];
        alive[..now].fill(true);
        let mut superwords = HashSet::new();
        for (number, event) in events.iter().enumerate() {
            let deletes = matches!(event, Event::Delete { .. });
            if now == size && !deletes {
                return (number, alive);
            }
            let symbol = self.vocabulary().made_by(number);
            if matches!(event, Event::Supermerge { .. }) {
                superwords.insert(symbol);
            }
            let made = &mut alive[symbol.index()];
            if deletes && superwords.contains(&symbol) {
                continue;
            }
            if deletes {
                now -= 1;
            } else if !*made {
                now += 1;
            }
            *made = !deletes;
        }
        (events.len(), alive)
    }
}

fn correct_facts(facts: &mut Facts, n_vocab: usize, supermerges: Option<usize>) {
    facts.remove("shortfall");
    let Some(Value::Object(options)) = facts.get_mut("options") else {
        return;
    };
    if let Some(size) = options.get_mut("vocab_size") {
        *size = n_vocab.into();
    }
    if let (Some(supermerges), Some(option)) = (supermerges, options.get_mut("supermerges")) {
        *option = supermerges.into();
    }
}
