//! Models from parts that name tokens by their bytes, as other programs store them.

use std::collections::HashMap;

use super::{
    AddedToken, Alphabet, BuildError, Event, Facts, Method, Model, ModelParts, Normalizer,
    PickySplit,
};
use crate::text::PretokenizerConfig;
use crate::token::{Symbol, TokenId};

/// One step in the history of a vocabulary. See [`Event`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedEvent {
    /// A merge or supermerge of two tokens.
    Join {
        /// Whether the result is a superword.
        is_supermerge: bool,
        /// The left token.
        left: Vec<u8>,
        /// The right token.
        right: Vec<u8>,
        /// How often the two were adjacent when they were merged.
        count: u64,
    },
    /// The deletion of a token.
    Delete {
        /// The token.
        token: Vec<u8>,
    },
}

/// The parts of a model. See [`ModelParts`].
#[derive(Clone, Debug)]
pub struct NamedParts {
    /// The method.
    pub method: Method,
    /// The pretokenizer.
    pub pretokenizer: PretokenizerConfig,
    /// The initial vocabulary.
    pub alphabet: Alphabet,
    /// What replaces deleted tokens.
    pub picky_split: PickySplit,
    /// The events, in order.
    pub events: Vec<NamedEvent>,
    /// The id of each token, including the alphabet. Without it, ids are assigned in the order in
    /// which tokens are created.
    pub ids: Option<HashMap<Vec<u8>, u32>>,
    /// The added tokens.
    pub added: Vec<AddedToken>,
    /// How a text is normalized.
    pub normalizer: Option<Normalizer>,
    /// Whether a pretoken that is a token is encoded as that token.
    pub whole_pieces: bool,
    /// The rank of each merge, in the order of the events.
    pub order: Option<Vec<u32>>,
    /// The tokens that no merge makes, with their ids. They need `ids`.
    pub unmade: Vec<(Vec<u8>, u32)>,
    /// For the programs around the tokenizer.
    pub settings: Facts,
    /// What is recorded about the training.
    pub facts: Facts,
}

/// Why parts do not make a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NamedError {
    /// An event uses a token that does not exist yet.
    #[error("event {event} uses the token {token:?}, which no earlier event creates")]
    UnknownToken {
        /// The number of the event, from 0.
        event: usize,
        /// The token, readable.
        token: String,
    },
    /// A token is not in the table of ids.
    #[error("the token {token:?} has no id")]
    NoId {
        /// The token, readable.
        token: String,
    },
    /// There are tokens that no merge makes, and the other tokens have no ids.
    #[error("the tokens that no merge makes have ids, but the others have none")]
    UnmadeWithoutIds,
    /// The parts break another rule of models.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl NamedError {
    /// What to do next, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            NamedError::UnknownToken { .. } | NamedError::NoId { .. } => None,
            NamedError::UnmadeWithoutIds => Some("give the ids of all tokens".to_owned()),
            NamedError::Build(error) => error.hint(),
        }
    }
}

fn readable(token: &[u8]) -> String {
    String::from_utf8_lossy(token).into_owned()
}

impl NamedParts {
    /// The model of these parts.
    pub fn build(self) -> Result<Model, NamedError> {
        let (unmade, unmade_ids): (Vec<Vec<u8>>, Vec<u32>) = self.unmade.into_iter().unzip();
        if self.ids.is_none() && !unmade.is_empty() {
            return Err(NamedError::UnmadeWithoutIds);
        }
        let bytes = self.alphabet.bytes().map(|byte| vec![byte]);
        let mut tokens: Vec<Vec<u8>> = bytes.chain(unmade.iter().cloned()).collect();
        let made_from = tokens.len();
        let mut symbols: HashMap<Vec<u8>, Symbol> = HashMap::with_capacity(tokens.len());
        for (token, symbol) in tokens.iter().zip((0..).map(Symbol)) {
            // An unmade token may have the bytes of another one, which is the one that is found.
            symbols.entry(token.clone()).or_insert(symbol);
        }
        let mut events = Vec::with_capacity(self.events.len());
        for (number, event) in self.events.into_iter().enumerate() {
            let symbol = |token: &Vec<u8>| {
                symbols
                    .get(token)
                    .copied()
                    .ok_or_else(|| NamedError::UnknownToken {
                        event: number,
                        token: readable(token),
                    })
            };
            let (is_supermerge, left, right, count) = match event {
                NamedEvent::Delete { token } => {
                    let token = symbol(&token)?;
                    events.push(Event::Delete { token });
                    continue;
                }
                NamedEvent::Join {
                    is_supermerge,
                    left,
                    right,
                    count,
                } => (is_supermerge, left, right, count),
            };
            let joined = [&left[..], &right[..]].concat();
            let (left, right) = (symbol(&left)?, symbol(&right)?);
            events.push(match is_supermerge {
                false => Event::Merge { left, right, count },
                true => Event::Supermerge { left, right, count },
            });
            // Two events may make the same token; the first one creates it. A merge does not make
            // an unmade token, but it may make another one with the same bytes.
            let alphabet = made_from - unmade.len();
            let known = symbols.get(&joined).is_some_and(|symbol| {
                is_supermerge || !(alphabet..made_from).contains(&symbol.index())
            });
            if !known {
                symbols.insert(joined.clone(), Symbol(tokens.len() as u32));
                tokens.push(joined);
            }
        }
        let ids = self
            .ids
            .map(|ids| ids_of(&tokens, &ids, made_from, unmade_ids));
        let ids = ids.transpose()?;
        let parts = ModelParts {
            method: self.method,
            pretokenizer: self.pretokenizer,
            alphabet: self.alphabet,
            picky_split: self.picky_split,
            events,
            ids,
            added: self.added,
            normalizer: self.normalizer,
            whole_pieces: self.whole_pieces,
            order: self.order,
            unmade,
            settings: self.settings,
            ngrams: Vec::new(),
            facts: self.facts,
        };
        Ok(Model::build(parts)?)
    }
}

/// The id of each token, in order. The unmade tokens come before `made_from`.
fn ids_of(
    tokens: &[Vec<u8>],
    ids: &HashMap<Vec<u8>, u32>,
    made_from: usize,
    unmade_ids: Vec<u32>,
) -> Result<Vec<TokenId>, NamedError> {
    let id = |token: &Vec<u8>| {
        ids.get(token)
            .copied()
            .map(TokenId)
            .ok_or_else(|| NamedError::NoId {
                token: readable(token),
            })
    };
    let (before, made) = tokens.split_at(made_from);
    let alphabet = &before[..made_from - unmade_ids.len()];
    let mut found: Vec<TokenId> = alphabet.iter().map(id).collect::<Result<_, _>>()?;
    found.extend(unmade_ids.into_iter().map(TokenId));
    for token in made {
        found.push(id(token)?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(events: &[(&str, &str)]) -> NamedParts {
        let event = |&(left, right): &(&str, &str)| NamedEvent::Join {
            is_supermerge: false,
            left: left.into(),
            right: right.into(),
            count: 1,
        };
        NamedParts {
            method: Method::Bpe,
            pretokenizer: PretokenizerConfig::preset("gpt2").unwrap(),
            alphabet: Alphabet::Bytes,
            picky_split: PickySplit::Parts,
            events: events.iter().map(event).collect(),
            ids: None,
            added: Vec::new(),
            normalizer: None,
            whole_pieces: false,
            order: None,
            unmade: Vec::new(),
            settings: Facts::new(),
            facts: Facts::new(),
        }
    }

    #[test]
    fn ids_follow_the_order_of_creation() {
        let model = parts(&[("a", "b"), ("ab", "c")]).build().unwrap();
        let id = |token: &str| model.vocabulary().id_of_bytes(token.as_bytes());
        assert_eq!(id("a"), Some(TokenId(97)));
        assert_eq!(id("ab"), Some(TokenId(256)));
        assert_eq!(id("abc"), Some(TokenId(257)));
    }

    #[test]
    fn given_ids_are_kept() {
        let mut given = parts(&[("a", "b")]);
        let mut ids: HashMap<Vec<u8>, u32> = (0..=255)
            .map(|byte| (vec![byte], u32::from(byte) + 1))
            .collect();
        ids.insert(b"ab".to_vec(), 0);
        given.ids = Some(ids.clone());
        let model = given.clone().build().unwrap();
        assert_eq!(model.vocabulary().id_of_bytes(b"ab"), Some(TokenId(0)));
        ids.remove(b"ab".as_slice());
        given.ids = Some(ids);
        let token = "ab".to_owned();
        assert_eq!(given.build().unwrap_err(), NamedError::NoId { token });
    }

    #[test]
    fn an_unmade_token_may_have_the_bytes_of_a_made_one() {
        let mut given = parts(&[("a", "b"), ("ab", "c")]);
        let mut ids: HashMap<Vec<u8>, u32> = (0..=255)
            .map(|byte| (vec![byte], u32::from(byte)))
            .collect();
        ids.extend([(b"ab".to_vec(), 400), (b"abc".to_vec(), 401)]);
        given.ids = Some(ids);
        given.unmade = [("ab", 300), ("ab", 301), ("a", 302), ("xy", 303)]
            .map(|(token, id)| (token.into(), id))
            .into();
        let model = given.build().unwrap();
        let id = |token: &str| model.vocabulary().id_of_bytes(token.as_bytes());
        assert_eq!(id("a"), Some(TokenId(97)));
        assert_eq!(id("ab"), Some(TokenId(400)));
        assert_eq!(id("abc"), Some(TokenId(401)));
        assert_eq!(id("xy"), Some(TokenId(303)));
        for unmade in [300, 301, 400] {
            let symbol = model.vocabulary().symbol_with(TokenId(unmade)).unwrap();
            assert_eq!(model.vocabulary().bytes_of(symbol), b"ab");
        }
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
    }

    #[test]
    fn a_deleted_token_is_not_in_the_vocabulary() {
        let mut given = parts(&[("a", "b"), ("ab", "c")]);
        given.events.push(NamedEvent::Delete { token: "ab".into() });
        let model = given.build().unwrap();
        let id = |token: &str| model.vocabulary().id_of_bytes(token.as_bytes());
        assert_eq!((id("ab"), id("abc")), (None, Some(TokenId(256))));
    }

    #[test]
    fn tokens_must_exist_before_they_are_used() {
        let error = parts(&[("a", "b"), ("abc", "d")]).build().unwrap_err();
        let token = "abc".to_owned();
        assert_eq!(error, NamedError::UnknownToken { event: 1, token });
    }
}
