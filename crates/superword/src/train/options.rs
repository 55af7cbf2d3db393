//! What to learn, and how.

use std::sync::Arc;

use super::WorkDir;
use crate::corpus::Sample;
use crate::model::{Alphabet, Method, PickySplit};

/// PickyBPE deletions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picky {
    /// A part is deleted if at least this share of its occurrences went into a merge: in (0, 1].
    pub threshold: f64,
    /// What takes its place.
    pub split: PickySplit,
}

/// What greedy n-gram splitting is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GreedySplit {
    /// Not used.
    #[default]
    Off,
    /// For the candidates of training.
    Training,
    /// The same, and recorded in the model and applied when encoding.
    Encoding,
}

/// N-grams for greedy splitting occur at least this often.
pub const GREEDY_FLOOR: u64 = 15;
/// N-grams for greedy splitting have at most this many pretokens.
pub const GREEDY_LONGEST: usize = 30;

/// Where a superword may be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Boundary {
    /// Between any two pretokens.
    #[default]
    Any,
    /// Only before a pretoken that starts with a space.
    Space,
}

/// Everything that decides which model is learned from a text.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// How superwords are learned.
    pub method: Method,
    /// The wanted size, special tokens included.
    pub vocab_size: usize,
    /// How many of the tokens are superwords (SuperBPE).
    pub supermerges: usize,
    /// The single-byte tokens.
    pub alphabet: Alphabet,
    /// No pair that occurs less often is merged.
    pub min_count: u64,
    /// PickyBPE deletions.
    pub picky: Option<Picky>,
    /// Greedy n-gram splitting.
    pub greedy_split: GreedySplit,
    /// The most pretokens in a superword.
    pub max_words: Option<usize>,
    /// Superwords stay within one script.
    pub same_script: bool,
    /// Where a superword may be joined.
    pub boundary: Boundary,
    /// A pattern that no superword may match.
    pub veto: Option<String>,
    /// Special tokens, in order.
    pub special_tokens: Vec<String>,
    /// Learn from a sample of the documents only.
    pub sample: Option<Sample>,
    /// Keep what is finished in this folder, and go on from what is there.
    pub work_dir: Option<Arc<WorkDir>>,
    /// Count within about this many bytes of memory, with the help of a scratch folder.
    pub max_memory: Option<u64>,
    /// Sources are counted together up to so many stored bytes; `None` for the usual number.
    pub piece_bytes: Option<u64>,
    /// Cut candidates where no superword can form. Changes speed and memory, never the result.
    pub cutting: bool,
    /// Merge on so many threads; 0 for as many as the machine has. Changes speed, never the result.
    /// [`super::train`] takes the number that it reads with instead.
    pub threads: usize,
}

impl TrainOptions {
    /// The defaults, for a method and a size.
    pub fn new(method: Method, vocab_size: usize) -> TrainOptions {
        TrainOptions {
            method,
            vocab_size,
            supermerges: 0,
            alphabet: Alphabet::Bytes,
            min_count: 1,
            picky: None,
            greedy_split: GreedySplit::Off,
            max_words: None,
            same_script: false,
            boundary: Boundary::Any,
            veto: None,
            special_tokens: Vec::new(),
            sample: None,
            work_dir: None,
            max_memory: None,
            piece_bytes: None,
            cutting: true,
            threads: 0,
        }
    }

    /// Tokens to be learned or to be bytes: the wanted size without the special tokens.
    pub(super) fn tokens(&self) -> usize {
        self.vocab_size.saturating_sub(self.special_tokens.len())
    }

    /// The size of the vocabulary that phase 1 goes to.
    pub(super) fn word_tokens(&self) -> usize {
        match self.method {
            Method::Bpe | Method::Boundless => self.tokens(),
            Method::SuperBpe => self.tokens().saturating_sub(self.supermerges),
        }
    }

    /// Checks what can be checked before any text is read.
    pub fn check(&self) -> Result<(), OptionError> {
        let smallest = self.alphabet.size() + self.special_tokens.len() + self.supermerges;
        if self.vocab_size < smallest {
            return Err(OptionError::VocabularyTooSmall {
                asked: self.vocab_size,
                alphabet: self.alphabet.size(),
                specials: self.special_tokens.len(),
                supermerges: self.supermerges,
            });
        }
        if self.vocab_size > MAX_VOCABULARY {
            return Err(OptionError::VocabularyTooLarge {
                asked: self.vocab_size,
            });
        }
        match self.method {
            Method::Bpe if self.supermerges > 0 => return Err(OptionError::SupermergesInBpe),
            Method::Boundless if self.supermerges > 0 => {
                return Err(OptionError::SupermergesInBoundless);
            }
            Method::SuperBpe if self.supermerges == 0 => return Err(OptionError::NoSupermerges),
            _ => {}
        }
        if let Some(picky) = self.picky
            && !(picky.threshold > 0.0 && picky.threshold <= 1.0)
        {
            return Err(OptionError::PickyOutOfRange {
                given: picky.threshold,
            });
        }
        if self.max_words.is_some_and(|words| words < 2) {
            return Err(OptionError::MaxWordsTooSmall);
        }
        for (index, special) in self.special_tokens.iter().enumerate() {
            if special.is_empty() {
                return Err(OptionError::EmptySpecial { index });
            }
            if self.special_tokens[..index].contains(special) {
                return Err(OptionError::SpecialTwice {
                    text: special.clone(),
                });
            }
        }
        Ok(())
    }
}

const MAX_VOCABULARY: usize = 1 << 28;

/// Options that do not go together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // each message says what its fields are
pub enum OptionError {
    #[error(
        "a vocabulary of {asked} is smaller than what it must hold: {alphabet} bytes, {specials} special tokens, {supermerges} supermerges"
    )]
    VocabularyTooSmall {
        asked: usize,
        alphabet: usize,
        specials: usize,
        supermerges: usize,
    },
    #[error(
        "a vocabulary of {asked} is larger than {MAX_VOCABULARY}, the most that can be trained"
    )]
    VocabularyTooLarge { asked: usize },
    #[error("`supermerges` was given, but plain BPE has none")]
    SupermergesInBpe,
    #[error("`supermerges` was given, but BoundlessBPE finds their number itself")]
    SupermergesInBoundless,
    #[error("SuperBPE needs `supermerges`")]
    NoSupermerges,
    #[error("the PickyBPE threshold is {given}; it must be above 0 and at most 1")]
    PickyOutOfRange { given: f64 },
    #[error("a superword has at least two pretokens, so `max_words` must be 2 or more")]
    MaxWordsTooSmall,
    #[error("special token {index} is empty")]
    EmptySpecial { index: usize },
    #[error("special token {text:?} is given twice")]
    SpecialTwice { text: String },
}

impl OptionError {
    /// The option that is at fault, by its name in Python.
    pub fn option(&self) -> &'static str {
        match self {
            OptionError::VocabularyTooSmall { .. } | OptionError::VocabularyTooLarge { .. } => {
                "vocab_size"
            }
            OptionError::SupermergesInBpe
            | OptionError::SupermergesInBoundless
            | OptionError::NoSupermerges => "supermerges",
            OptionError::PickyOutOfRange { .. } => "picky",
            OptionError::MaxWordsTooSmall => "max_words",
            OptionError::EmptySpecial { .. } | OptionError::SpecialTwice { .. } => "special_tokens",
        }
    }

    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            OptionError::VocabularyTooSmall {
                alphabet,
                specials,
                supermerges,
                ..
            } => format!(
                "ask for more than {} tokens",
                alphabet + specials + supermerges
            ),
            OptionError::VocabularyTooLarge { .. } => "ask for fewer tokens".into(),
            OptionError::SupermergesInBpe => {
                "leave `supermerges` out, or use `method=\"superbpe\"`".into()
            }
            OptionError::SupermergesInBoundless => {
                "leave `supermerges` out, or use `method=\"superbpe\"` to set their number".into()
            }
            OptionError::NoSupermerges => {
                "give `supermerges`, or use `method=\"boundless\"`, which finds the number itself"
                    .into()
            }
            OptionError::PickyOutOfRange { .. } => "0.9 is a common choice".into(),
            OptionError::MaxWordsTooSmall => "use `method=\"bpe\"` for no superwords at all".into(),
            OptionError::EmptySpecial { .. } | OptionError::SpecialTwice { .. } => {
                "give each special token once".into()
            }
        })
    }
}
