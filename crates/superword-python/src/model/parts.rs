//! The parts of a model as Python gives them.

use pyo3::prelude::*;
use superword::model::{AddedToken, Alphabet, Facts, Method, NamedEvent, Normalizer, PickySplit};
use superword::token::TokenId;

use crate::errors;

/// An added token: text, id, special, lstrip, rstrip, single_word, normalized.
pub(super) type Added = (String, u32, bool, bool, bool, bool, bool);

/// An event: its kind, the left and the right token, and the count. A deletion has its token on the left.
pub(super) type GivenEvent = (String, Vec<u8>, Vec<u8>, u64);

pub(super) fn method(name: &str) -> PyResult<Method> {
    Method::from_name(name).ok_or_else(|| errors::no_part("method", name))
}

pub(super) fn alphabet(name: &str) -> PyResult<Alphabet> {
    Alphabet::from_name(name).ok_or_else(|| errors::no_part("alphabet", name))
}

pub(super) fn normalizer(name: &str) -> PyResult<Normalizer> {
    Normalizer::from_name(name).ok_or_else(|| errors::no_part("normalizer", name))
}

pub(super) fn object(what: &str, text: &str) -> PyResult<Facts> {
    serde_json::from_str(text).map_err(|error| errors::part_json(what, &error))
}

pub(super) fn picky_split(name: &str) -> PyResult<PickySplit> {
    PickySplit::from_name(name).ok_or_else(|| errors::no_part("picky_split", name))
}

pub(super) fn events(given: Vec<GivenEvent>) -> PyResult<Vec<NamedEvent>> {
    let event = |(kind, left, right, count): GivenEvent| {
        let is_supermerge = match kind.as_str() {
            "merge" => false,
            "supermerge" => true,
            "delete" => return Ok(NamedEvent::Delete { token: left }),
            _ => return Err(errors::no_part("kind of event", &kind)),
        };
        Ok(NamedEvent::Join {
            is_supermerge,
            left,
            right,
            count,
        })
    };
    given.into_iter().map(event).collect()
}

pub(super) fn added(given: Added) -> AddedToken {
    let (text, id, special, lstrip, rstrip, single_word, normalized) = given;
    AddedToken {
        text,
        id: TokenId(id),
        special,
        lstrip,
        rstrip,
        single_word,
        normalized,
    }
}

/// The inverse of [`added`].
pub(super) fn given(token: &AddedToken) -> Added {
    (
        token.text.clone(),
        token.id.0,
        token.special,
        token.lstrip,
        token.rstrip,
        token.single_word,
        token.normalized,
    )
}
