//! Models from parts that name tokens by their bytes, as importers have them.

use std::collections::HashMap;

use superword::model::{
    Alphabet, Event, Facts, Method, Model, ModelParts, PickySplit, SpecialToken,
};
use superword::text::PretokenizerConfig;
use superword::token::{Symbol, TokenId};

use crate::errors::Raised;

/// `("merge" | "supermerge", left, right, count)`.
pub(crate) type NamedEvent = (String, Vec<u8>, Vec<u8>, u64);

/// The model of these parts. `ids` names each token, bytes of the alphabet included; without it
/// ids follow the order of entering.
pub(crate) fn build(
    method: &str,
    pretokenizer: PretokenizerConfig,
    alphabet: &str,
    events: &[NamedEvent],
    ids: Option<&HashMap<Vec<u8>, u32>>,
    special_tokens: Vec<(String, u32)>,
    facts: &str,
) -> Result<Model, Raised> {
    let method = Method::from_name(method).ok_or_else(|| unknown("method", method))?;
    let alphabet = Alphabet::from_name(alphabet).ok_or_else(|| unknown("alphabet", alphabet))?;
    let facts: Facts = serde_json::from_str(facts)
        .map_err(|error| refuse(format!("the facts are not a JSON object: {error}")))?;
    let mut symbols: HashMap<Vec<u8>, Symbol> = HashMap::new();
    let mut tokens: Vec<Vec<u8>> = alphabet.bytes().map(|byte| vec![byte]).collect();
    for (symbol, token) in (0..).zip(&tokens) {
        symbols.insert(token.clone(), Symbol(symbol));
    }
    let mut made = Vec::with_capacity(events.len());
    for (index, (kind, left, right, count)) in events.iter().enumerate() {
        let symbol = |token: &Vec<u8>| {
            symbols.get(token).copied().ok_or_else(|| {
                refuse(format!(
                    "event {index} uses the token {:?}, which no event before it makes",
                    String::from_utf8_lossy(token)
                ))
            })
        };
        let (left_symbol, right_symbol, count) = (symbol(left)?, symbol(right)?, *count);
        made.push(match kind.as_str() {
            "merge" => Event::Merge {
                left: left_symbol,
                right: right_symbol,
                count,
            },
            "supermerge" => Event::Supermerge {
                left: left_symbol,
                right: right_symbol,
                count,
            },
            other => return Err(unknown("kind of event", other)),
        });
        let joined = [left.as_slice(), right.as_slice()].concat();
        if !symbols.contains_key(&joined) {
            symbols.insert(joined.clone(), Symbol(tokens.len() as u32));
            tokens.push(joined);
        }
    }
    let ids = match ids {
        None => None,
        Some(ids) => Some(ids_of(&tokens, ids)?),
    };
    let specials = special_tokens.into_iter().map(|(text, id)| SpecialToken {
        text,
        id: TokenId(id),
    });
    let parts = ModelParts {
        method,
        pretokenizer,
        alphabet,
        picky_split: PickySplit::Parts,
        events: made,
        ids,
        specials: specials.collect(),
        ngrams: Vec::new(),
        facts,
    };
    Model::build(parts).map_err(|error| Raised::new("ConversionError", &error, error.hint()))
}

/// The id of each token, in order.
fn ids_of(tokens: &[Vec<u8>], ids: &HashMap<Vec<u8>, u32>) -> Result<Vec<TokenId>, Raised> {
    let id = |token: &Vec<u8>| {
        ids.get(token).copied().map(TokenId).ok_or_else(|| {
            refuse(format!(
                "the token {:?} has no id",
                String::from_utf8_lossy(token)
            ))
        })
    };
    tokens.iter().map(id).collect()
}

fn unknown(what: &str, name: &str) -> Raised {
    refuse(format!("there is no {what} named {name:?}"))
}

fn refuse(message: String) -> Raised {
    Raised::new("ConversionError", message, None)
}
