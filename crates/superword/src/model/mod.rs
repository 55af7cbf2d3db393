//! A model: the alphabet, an ordered list of events, added tokens.
//!
//! The only way to make a [`Model`] is to build it from [`ModelParts`]. Building replays the events
//! and checks everything that the rest of the engine relies on. So every model is valid, whether it
//! comes from training, from a file or from an import.

mod added;
mod deletions;
mod error;
pub(crate) mod facts;
mod file;
mod named;
mod ngrams;
mod truncate;
mod vocabulary;
mod words;

pub use added::{AddedToken, Normalizer};
pub(crate) use deletions::Deletions;
pub use error::BuildError;
#[cfg(feature = "files")]
pub use file::SaveError;
pub use file::{FORMAT_VERSION, LoadError, LooksLike, MAGIC, Section};
pub use named::{NamedError, NamedEvent, NamedParts};
pub(crate) use ngrams::Ngrams;
pub use vocabulary::{MAX_VOCABULARY_BYTES, Origin, Vocabulary};
pub(crate) use words::{WordEvent, word_events};

use crate::text::PretokenizerConfig;
use crate::token::{Symbol, TokenId};

/// How a model was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Ordinary BPE: tokens stay within pretokens.
    Bpe,
    /// BoundlessBPE: supermerges chosen by count against the ordinary merges.
    Boundless,
    /// SuperBPE: a fixed number of supermerges after the ordinary merges.
    SuperBpe,
}

/// The single-byte tokens that a model starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// All 256 bytes, ids 0..255 in byte order.
    Bytes,
    /// The 243 bytes that occur in UTF-8, in byte order.
    Utf8,
}

/// What replaces a deleted token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PickySplit {
    /// The two tokens it was made of. A part that was deleted before is replaced in the same way,
    /// so these are the nearest parts that still exist.
    Parts,
    /// The two tokens it was made of, or the bytes of a part that was deleted before. Only models
    /// saved by early versions use this. Training does not.
    PartsThenBytes,
    /// Its bytes.
    Bytes,
}

/// One step in the history of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Joins neighbours inside a pretoken to one token.
    Merge {
        /// The left token.
        left: Symbol,
        /// The right token.
        right: Symbol,
        /// How often the pair occurred when it was chosen.
        count: u64,
    },
    /// Deletes a token from the vocabulary (PickyBPE).
    Delete {
        /// The deleted token.
        token: Symbol,
    },
    /// Joins neighbouring single-token pretokens or superwords to one token.
    Supermerge {
        /// The left token.
        left: Symbol,
        /// The right token.
        right: Symbol,
        /// How often the pair occurred when it was chosen.
        count: u64,
    },
}

/// A JSON object with sorted keys, such as the facts about the training run.
pub type Facts = serde_json::Map<String, serde_json::Value>;

/// The content of a model file. [`Model::build`] checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelParts {
    /// How it was learned.
    pub method: Method,
    /// How text is split before merging.
    pub pretokenizer: PretokenizerConfig,
    /// The single-byte tokens.
    pub alphabet: Alphabet,
    /// What replaces deleted tokens.
    pub picky_split: PickySplit,
    /// The events, in order.
    pub events: Vec<Event>,
    /// The id of each symbol, for imported models whose ids do not follow from the events. `None` if
    /// ids follow the order in which tokens were added.
    pub ids: Option<Vec<TokenId>>,
    /// Added tokens, in order. Their ids differ from those of tokens with other bytes.
    pub added: Vec<AddedToken>,
    /// How a text is normalized before it is split.
    pub normalizer: Option<Normalizer>,
    /// Whether a pretoken that is a token is encoded as that token, whatever the merges make of it.
    pub whole_pieces: bool,
    /// The rank of each [`Event::Merge`], in the order of the events, for models in which a merge may
    /// come before the merges of its parts. Merging is then one merge at a time: the lowest rank,
    /// leftmost first, until none applies. `None` if the events are in the order of their ranks.
    pub order: Option<Vec<u32>>,
    /// Tokens that no merge makes. Their symbols follow those of the alphabet. Merging never makes
    /// them, and only `whole_pieces` finds them. One of them may be empty.
    pub unmade: Vec<Vec<u8>>,
    /// For the programs around the tokenizer, e.g. the chat template. Encoding does not use them.
    pub settings: Facts,
    /// The n-grams into which runs are split before supermerging, if greedy splitting was recorded
    /// for encoding. Empty otherwise.
    pub ngrams: Vec<Vec<Symbol>>,
    /// Facts about the training.
    pub facts: Facts,
}

/// A valid model: its parts and the vocabulary that results from them.
///
/// Two models are equal if their parts are equal.
#[derive(Clone, Debug)]
pub struct Model {
    parts: ModelParts,
    vocabulary: Vocabulary,
}

impl Model {
    /// Replays and checks the events, and checks that a file can store the rest.
    pub fn build(mut parts: ModelParts) -> Result<Model, BuildError> {
        // One model has one description, and without deletions the two ways are the same.
        if parts.picky_split == PickySplit::PartsThenBytes && !parts.has_deletions() {
            parts.picky_split = PickySplit::Parts;
        }
        // Ranks of no merges mean the same as no ranks.
        parts.order = parts.order.filter(|order| !order.is_empty());
        let vocabulary = Vocabulary::replay(&parts)?;
        let model = Model { parts, vocabulary };
        file::check_description(&model)?;
        Ok(model)
    }

    /// The parts from which the model was built.
    pub fn parts(&self) -> &ModelParts {
        &self.parts
    }

    /// The tokens and their ids.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// One more than the largest id, added tokens included.
    pub fn n_vocab(&self) -> usize {
        self.vocabulary.n_vocab()
    }

    /// The bytes of the token with this id, added tokens included.
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        match self.vocabulary.symbol_with(id) {
            Some(symbol) => Some(self.vocabulary.bytes_of(symbol)),
            None => self.added_with(id).map(|added| added.text.as_bytes()),
        }
    }

    /// The added token with this id, the first one if there are two.
    pub fn added_with(&self, id: TokenId) -> Option<&AddedToken> {
        let index = self.vocabulary.added_with(id)?;
        Some(&self.parts.added[index])
    }

    /// True if an event deletes a token.
    pub fn has_deletions(&self) -> bool {
        self.parts.has_deletions()
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.parts == other.parts
    }
}

impl Method {
    /// The name in the API and in files: `bpe`, `boundless`, `superbpe`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Bpe => "bpe",
            Method::Boundless => "boundless",
            Method::SuperBpe => "superbpe",
        }
    }

    /// The inverse of [`Method::name`].
    pub fn from_name(name: &str) -> Option<Method> {
        [Method::Bpe, Method::Boundless, Method::SuperBpe]
            .into_iter()
            .find(|method| method.name() == name)
    }
}

impl Alphabet {
    /// The name in the API and in files: `bytes`, `utf8`.
    pub fn name(self) -> &'static str {
        match self {
            Alphabet::Bytes => "bytes",
            Alphabet::Utf8 => "utf8",
        }
    }

    /// The inverse of [`Alphabet::name`].
    pub fn from_name(name: &str) -> Option<Alphabet> {
        [Alphabet::Bytes, Alphabet::Utf8]
            .into_iter()
            .find(|alphabet| alphabet.name() == name)
    }

    /// The bytes of the alphabet, in order: 0xC0, 0xC1 and 0xF5..=0xFF never occur in UTF-8.
    pub fn bytes(self) -> impl Iterator<Item = u8> {
        (0..=255u8).filter(move |&byte| match self {
            Alphabet::Bytes => true,
            Alphabet::Utf8 => !matches!(byte, 0xC0 | 0xC1 | 0xF5..=0xFF),
        })
    }

    /// The number of bytes in the alphabet.
    pub fn size(self) -> usize {
        self.bytes().count()
    }

    /// The symbol of each byte; `None` for a byte that is not in the alphabet.
    pub fn symbols(self) -> [Option<Symbol>; 256] {
        let mut table = [None; 256];
        for (index, byte) in (0u32..).zip(self.bytes()) {
            table[usize::from(byte)] = Some(Symbol(index));
        }
        table
    }
}

impl PickySplit {
    /// The name of the option in the API: `parts`, `bytes`.
    pub fn name(self) -> &'static str {
        match self {
            PickySplit::Parts | PickySplit::PartsThenBytes => "parts",
            PickySplit::Bytes => "bytes",
        }
    }

    /// The split for a value of the option.
    pub fn from_name(name: &str) -> Option<PickySplit> {
        [PickySplit::Parts, PickySplit::Bytes]
            .into_iter()
            .find(|split| split.name() == name)
    }

    /// The split that a model file with this name describes. See [`ModelParts::recorded_split`].
    fn from_recorded(name: &str) -> Option<PickySplit> {
        match name {
            "nearest_parts" => Some(PickySplit::Parts),
            "parts" => Some(PickySplit::PartsThenBytes),
            "bytes" => Some(PickySplit::Bytes),
            _ => None,
        }
    }
}

impl ModelParts {
    /// The number of merges, not counting supermerges.
    pub fn merges(&self) -> usize {
        let events = self.events.iter();
        events
            .filter(|event| matches!(event, Event::Merge { .. }))
            .count()
    }

    /// True if an event deletes a token.
    pub fn has_deletions(&self) -> bool {
        let mut events = self.events.iter();
        events.any(|event| matches!(event, Event::Delete { .. }))
    }

    /// The name of the split in a model file: `nearest_parts`, `parts` or `bytes`.
    ///
    /// Without deletions both ways to split into parts are the same, and the name is `parts`, as it
    /// was before there were two.
    pub fn recorded_split(&self) -> &'static str {
        match self.picky_split {
            PickySplit::Parts if self.has_deletions() => "nearest_parts",
            PickySplit::Parts | PickySplit::PartsThenBytes => "parts",
            PickySplit::Bytes => "bytes",
        }
    }
}
