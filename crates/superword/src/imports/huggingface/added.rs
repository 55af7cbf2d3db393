//! Added tokens of Hugging Face, with the ids that they get there.
//!
//! A `tokenizer.json` states an id for each added token, but Hugging Face does not use it. A token
//! that the vocabulary lists has the id from there. All others are numbered in the order of the list,
//! beginning with the size of the vocabulary.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::super::error::Reason;
use super::super::json::Node;
use crate::model::AddedToken;
use crate::token::TokenId;

/// The added tokens of a tokenizer.
pub(super) struct Added {
    pub(super) tokens: Vec<AddedToken>,
    pub(super) ids: HashMap<String, u32>,
    /// How many have another id than the one that is stated.
    pub(super) renumbered: usize,
}

/// The added tokens of a file. `more` are those that `tokenizer_config.json` names. transformers adds
/// them if they are missing.
pub(super) fn added_tokens(
    vocabulary: &HashMap<&str, u32>,
    listed: Option<Node<'_, '_>>,
    more: Vec<AddedToken>,
) -> Result<Added, Reason> {
    let mut added = Added {
        tokens: Vec::new(),
        ids: HashMap::new(),
        renumbered: 0,
    };
    let mut stated = Vec::new();
    if let Some(listed) = listed {
        for token in listed.items()? {
            stated.push(added_token(&token, token.need("id")?.number()?)?);
        }
    }
    let mut next = vocabulary.len() as u32;
    for mut token in stated.into_iter().chain(more) {
        if token.text.is_empty() {
            continue;
        }
        let Entry::Vacant(place) = added.ids.entry(token.text.clone()) else {
            continue;
        };
        let id = match vocabulary.get(token.text.as_str()) {
            Some(id) => *id,
            None => {
                next += 1;
                next - 1
            }
        };
        added.renumbered += usize::from(token.id != TokenId(id));
        token.id = TokenId(*place.insert(id));
        added.tokens.push(token);
    }
    Ok(added)
}

/// An added token from a JSON object. Flags that are missing have their defaults.
pub(super) fn added_token(token: &Node<'_, '_>, id: u32) -> Result<AddedToken, Reason> {
    let special = token.is_set("special")?;
    Ok(AddedToken {
        text: token.need_text("content")?.to_owned(),
        id: TokenId(id),
        special,
        lstrip: token.is_set("lstrip")?,
        rstrip: token.is_set("rstrip")?,
        single_word: token.is_set("single_word")?,
        normalized: match token.value.field("normalized") {
            Some(given) => given.is_true(),
            None => !special,
        },
    })
}
