//! What training makes and encoding uses: the alphabet, an ordered list of events, special tokens.
//!
//! A [`Model`] is built from [`ModelParts`] by replaying the events, which checks every promise the
//! rest of the engine relies on; nothing else constructs one. So a model that exists is sound,
//! whether it came from training, from a file or from an import.

mod error;
mod facts;
mod file;
mod named;
mod ngrams;
mod truncate;
mod vocabulary;
mod words;

pub use error::BuildError;
pub use facts::read_facts;
pub use file::{FORMAT_VERSION, LoadError, LooksLike, MAGIC, SaveError, Section};
pub use named::{NamedError, NamedEvent, NamedParts};
pub use ngrams::Ngrams;
pub use vocabulary::{MAX_VOCABULARY_BYTES, Origin, Vocabulary};
pub use words::{WordEvent, word_events};

use crate::text::PretokenizerConfig;
use crate::token::{Symbol, TokenId};

/// How a model was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Ordinary BPE: tokens stay within pretokens.
    Bpe,
    /// BoundlessBPE: supermerges chosen by count against the ordinary merges.
    Boundless,
    /// SuperBPE: a fixed number of supermerges after the ordinary merges.
    SuperBpe,
}

/// The single-byte tokens a model starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// All 256 bytes, ids 0..255 in byte order.
    Bytes,
    /// The 243 bytes that occur in UTF-8, in byte order.
    Utf8,
}

/// What takes the place of a deleted token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PickySplit {
    /// The two tokens it was merged from.
    Parts,
    /// Its bytes.
    Bytes,
}

/// One step of the history of a vocabulary, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Neighbours inside a pretoken become one token.
    Merge {
        /// The left token.
        left: Symbol,
        /// The right token.
        right: Symbol,
        /// How often the pair occurred when it was chosen.
        count: u64,
    },
    /// A token leaves the vocabulary (PickyBPE).
    Delete {
        /// The token that leaves.
        token: Symbol,
    },
    /// Neighbouring single-token pretokens (or superwords) become one token.
    Supermerge {
        /// The left token.
        left: Symbol,
        /// The right token.
        right: Symbol,
        /// How often the pair occurred when it was chosen.
        count: u64,
    },
}

/// A string that is a token of its own, outside of the merges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecialToken {
    /// The string, e.g. `<|endoftext|>`.
    pub text: String,
    /// Its id.
    pub id: TokenId,
}

/// Facts about the training run, for people: a JSON object with sorted keys.
pub type Facts = serde_json::Map<String, serde_json::Value>;

/// Everything that is saved of a model; [`Model::build`] checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelParts {
    /// How it was learned.
    pub method: Method,
    /// How text is cut before merging.
    pub pretokenizer: PretokenizerConfig,
    /// The single-byte tokens.
    pub alphabet: Alphabet,
    /// What replaces deleted tokens.
    pub picky_split: PickySplit,
    /// The history, in the order in which it happened.
    pub events: Vec<Event>,
    /// The id of each symbol where ids do not simply follow the order of entering (imported
    /// models): one entry per symbol. `None`: ids follow the order in which tokens entered.
    pub ids: Option<Vec<TokenId>>,
    /// Special tokens, in order. Their ids do not collide with the tokens' ids.
    pub specials: Vec<SpecialToken>,
    /// N-grams of word tokens at which runs are split before supermerging (greedy splitting
    /// recorded for encoding), or empty.
    pub ngrams: Vec<Vec<Symbol>>,
    /// Facts about the training.
    pub facts: Facts,
}

/// A sound model: its parts and the vocabulary that follows from them.
///
/// Two models are equal if their parts are.
#[derive(Clone, Debug)]
pub struct Model {
    parts: ModelParts,
    vocabulary: Vocabulary,
}

impl Model {
    /// Replays the events and checks each of them, and that a file can hold the rest.
    pub fn build(parts: ModelParts) -> Result<Model, BuildError> {
        file::check_description(&parts)?;
        let vocabulary = Vocabulary::replay(&parts)?;
        Ok(Model { parts, vocabulary })
    }

    /// What was given to [`Model::build`].
    pub fn parts(&self) -> &ModelParts {
        &self.parts
    }

    /// The tokens and their ids.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// One more than the largest id, special tokens included.
    pub fn n_vocab(&self) -> usize {
        self.vocabulary.n_vocab()
    }

    /// True if an event deletes a token.
    pub fn has_deletions(&self) -> bool {
        self.parts
            .events
            .iter()
            .any(|event| matches!(event, Event::Delete { .. }))
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
    /// The name in the API and in files: `parts`, `bytes`.
    pub fn name(self) -> &'static str {
        match self {
            PickySplit::Parts => "parts",
            PickySplit::Bytes => "bytes",
        }
    }

    /// The inverse of [`PickySplit::name`].
    pub fn from_name(name: &str) -> Option<PickySplit> {
        [PickySplit::Parts, PickySplit::Bytes]
            .into_iter()
            .find(|split| split.name() == name)
    }
}
