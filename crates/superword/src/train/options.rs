//! What to learn.

use super::TrainError;
#[cfg(feature = "files")]
use crate::corpus::Sample;
use crate::model::{Alphabet, Method, PickySplit};
use crate::text::{DEFAULT_PRESET, Matcher, PatternError, PretokenizerConfig, Shape};

/// PickyBPE deletions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picky {
    /// A token is deleted once a merge uses at least this share of its occurrences: in (0, 1].
    pub threshold: f64,
    /// What replaces a deleted token.
    pub split: PickySplit,
}

/// Where greedy n-gram splitting is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GreedySplit {
    /// Nowhere.
    #[default]
    Off,
    /// For the candidates of training.
    Training,
    /// For training and for encoding. The n-grams are saved in the model.
    Encoding,
}

/// N-grams for greedy splitting occur at least this often.
pub const GREEDY_FLOOR: u64 = 15;
/// N-grams for greedy splitting have at most this many pretokens.
pub const GREEDY_LONGEST: usize = 30;

/// Where two pretokens may be joined to a superword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Boundary {
    /// [`Boundary::Exportable`] with the default preset, and [`Boundary::Any`] with all others.
    #[default]
    Auto,
    /// Between any two pretokens.
    Any,
    /// Only before a pretoken that starts with a space.
    Space,
    /// Only where an exported model can join them in the same places. This depends on the words.
    Exportable,
}

impl Boundary {
    /// The name in the API and in files: `auto`, `any`, `space`, `exportable`.
    pub fn name(self) -> &'static str {
        match self {
            Boundary::Auto => "auto",
            Boundary::Any => "any",
            Boundary::Space => "space",
            Boundary::Exportable => "exportable",
        }
    }

    /// The inverse of [`Boundary::name`].
    pub fn from_name(name: &str) -> Option<Boundary> {
        [
            Boundary::Auto,
            Boundary::Any,
            Boundary::Space,
            Boundary::Exportable,
        ]
        .into_iter()
        .find(|boundary| boundary.name() == name)
    }

    /// What [`Boundary::Auto`] means with a pretokenizer. Others are returned unchanged.
    pub(super) fn resolved(self, pretokenizer: &PretokenizerConfig) -> Boundary {
        match self {
            Boundary::Auto if pretokenizer.meaning() == Some(DEFAULT_PRESET) => {
                Boundary::Exportable
            }
            Boundary::Auto => Boundary::Any,
            chosen => chosen,
        }
    }
}

/// Everything that decides which model is learned from a text.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// How superwords are learned.
    pub method: Method,
    /// The requested vocabulary size, special tokens included.
    pub vocab_size: usize,
    /// How many of the tokens are superwords (SuperBPE only).
    pub supermerges: usize,
    /// The single-byte tokens.
    pub alphabet: Alphabet,
    /// Pairs that occur less often are not merged.
    pub min_count: u64,
    /// PickyBPE deletions.
    pub picky: Option<Picky>,
    /// Greedy n-gram splitting.
    pub greedy_split: GreedySplit,
    /// The maximum number of pretokens in a superword.
    pub max_words: Option<usize>,
    /// Superwords may not mix scripts.
    pub same_script: bool,
    /// Where two pretokens may be joined.
    pub boundary: Boundary,
    /// A pattern that no superword may match.
    pub veto: Option<String>,
    /// Special tokens, in order.
    pub special_tokens: Vec<String>,
    /// Learn from a sample of the documents only.
    #[cfg(feature = "files")]
    pub sample: Option<Sample>,
}

/// The compiled patterns that limit superwords.
#[derive(Clone, Debug, Default)]
pub(super) struct SuperwordPatterns {
    /// No superword may match it.
    pub(super) veto: Option<Matcher>,
    /// If superwords have to be exportable: the shapes of the pretokens they may consist of.
    pub(super) exportable: Vec<ExportableShape>,
}

/// A shape of pretokens that superwords may consist of; see [`Shape`].
#[derive(Clone, Debug)]
pub(super) struct ExportableShape {
    /// Matches pretokens of this shape.
    pub(super) word: Matcher,
    /// Matches pretokens that may not be joined to one of this shape.
    pub(super) not_joined_to: Option<Matcher>,
}

impl ExportableShape {
    fn new(shape: &Shape) -> Result<ExportableShape, PatternError> {
        let not_joined_to = match &shape.not_joined_to[..] {
            "" => None,
            beginning => Some(Matcher::new(&format!("^(?:{beginning})"))?),
        };
        Ok(ExportableShape {
            word: Matcher::new(&shape.word)?,
            not_joined_to,
        })
    }
}

impl TrainOptions {
    /// The defaults for a method and a vocabulary size.
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
            boundary: Boundary::Auto,
            veto: None,
            special_tokens: Vec::new(),
            #[cfg(feature = "files")]
            sample: None,
        }
    }

    /// The largest number of bytes of the sample, and its seed, if there is a sample.
    pub(super) fn sample(&self) -> Option<(u64, u64)> {
        #[cfg(feature = "files")]
        return self.sample.map(|sample| (sample.max_bytes, sample.seed));
        #[cfg(not(feature = "files"))]
        None
    }

    /// The options of phase 1 alone: plain BPE up to the size at which superwords begin.
    #[cfg(feature = "files")]
    pub(super) fn words_only(&self) -> TrainOptions {
        TrainOptions {
            alphabet: self.alphabet,
            min_count: self.min_count,
            picky: self.picky,
            ..TrainOptions::new(Method::Bpe, self.word_tokens())
        }
    }

    /// The requested size without the special tokens.
    pub(super) fn tokens(&self) -> usize {
        self.vocab_size.saturating_sub(self.special_tokens.len())
    }

    /// The vocabulary size at which phase 1 ends.
    pub(super) fn word_tokens(&self) -> usize {
        match self.method {
            Method::Bpe | Method::Boundless => self.tokens(),
            Method::SuperBpe => self.tokens().saturating_sub(self.supermerges),
        }
    }

    /// Compiles the patterns that limit superwords. `pretokenizer` has to be one whose words are
    /// known if superwords have to be exportable.
    pub(super) fn patterns(
        &self,
        pretokenizer: &PretokenizerConfig,
    ) -> Result<SuperwordPatterns, TrainError> {
        let exportable = match self.boundary.resolved(pretokenizer) {
            Boundary::Auto | Boundary::Any | Boundary::Space => Vec::new(),
            Boundary::Exportable => {
                let shapes = pretokenizer.word_shapes();
                let shapes = shapes.ok_or(OptionError::NotExportable)?;
                match self.method {
                    Method::Bpe => Vec::new(), // Nothing is joined.
                    Method::Boundless | Method::SuperBpe => {
                        let shapes = shapes.iter().map(ExportableShape::new);
                        shapes.collect::<Result<Vec<_>, PatternError>>()?
                    }
                }
            }
        };
        let veto = self.veto.as_deref().map(Matcher::new).transpose()?;
        Ok(SuperwordPatterns { veto, exportable })
    }

    /// Checks everything that can be checked before any text is read.
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

/// Options that are out of range or contradict each other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // The messages describe the fields.
#[non_exhaustive]
pub enum OptionError {
    #[error(
        "a vocabulary of {asked} is too small: it must hold {alphabet} bytes, {specials} special tokens and {supermerges} supermerges"
    )]
    VocabularyTooSmall {
        asked: usize,
        alphabet: usize,
        specials: usize,
        supermerges: usize,
    },
    #[error("a vocabulary of {asked} is larger than the maximum of {MAX_VOCABULARY}")]
    VocabularyTooLarge { asked: usize },
    #[error("`supermerges` was given, but plain BPE has none")]
    SupermergesInBpe,
    #[error("`supermerges` was given, but BoundlessBPE chooses their number itself")]
    SupermergesInBoundless,
    #[error("SuperBPE needs `supermerges`")]
    NoSupermerges,
    #[error("the PickyBPE threshold is {given}; it must be above 0 and at most 1")]
    PickyOutOfRange { given: f64 },
    #[error("`max_words` must be 2 or more: a superword has at least two pretokens")]
    MaxWordsTooSmall,
    #[error(
        "`boundary=\"exportable\"` needs to know where words end, which is unknown for this pattern"
    )]
    NotExportable,
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
            OptionError::NotExportable => "boundary",
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
                "use a vocabulary of at least {} tokens",
                alphabet + specials + supermerges
            ),
            OptionError::VocabularyTooLarge { .. } => "use a smaller vocabulary".into(),
            OptionError::SupermergesInBpe => {
                "leave `supermerges` out, or use `method=\"superbpe\"`".into()
            }
            OptionError::SupermergesInBoundless => {
                "leave `supermerges` out, or use `method=\"superbpe\"` to set their number".into()
            }
            OptionError::NoSupermerges => {
                "give `supermerges`, or use `method=\"boundless\"`, which chooses the number itself"
                    .into()
            }
            OptionError::PickyOutOfRange { .. } => "0.9 is a common choice".into(),
            OptionError::MaxWordsTooSmall => "use `method=\"bpe\"` to learn no superwords".into(),
            OptionError::NotExportable => {
                "use a preset that is one pattern, such as `pretokenizer=\"gpt4o-portable\"`".into()
            }
            OptionError::EmptySpecial { .. } => "leave it out".into(),
            OptionError::SpecialTwice { .. } => "give each special token once".into(),
        })
    }
}
