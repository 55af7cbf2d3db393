//! Why training gave no model.

use std::convert::Infallible;

use super::options::OptionError;
use super::spilling::CountError;
use crate::corpus::{CorpusError, ReadError};
use crate::count::{CountOverflow, CutError};
use crate::merge::MergeError;
use crate::model::BuildError;
use crate::observe::Stopped;
use crate::text::{PatternError, SplitError};

/// Whether what was finished is there after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKept {
    /// It is in the folder for work.
    Yes,
    /// It was in temporary files, which are gone.
    No,
}

/// Why training gave no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// Options that do not go together.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A pattern is at fault.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The input is at fault.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A document could not be cut into pretokens.
    #[error("a document cannot be cut into pretokens: {0}")]
    Split(#[from] SplitError),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Merging cannot go on.
    #[error(transparent)]
    Merge(MergeError),
    /// A count does not fit.
    #[error(transparent)]
    Overflow(#[from] CountOverflow),
    /// The text changed between the two passes over it, or counts came from elsewhere.
    #[error("a pretoken holds a byte that is not in the alphabet")]
    ForeignByte,
    /// Only words can be learned from counts of pretokens.
    #[error("counts of pretokens give words only: the method must be \"bpe\"")]
    WordsOnly,
    /// Candidates are there for superwords.
    #[error("candidates give superwords: the method must be \"boundless\" or \"superbpe\"")]
    SuperwordsOnly,
    /// Superwords are added to words, not to superwords.
    #[error("the model has superwords already; superwords can only be added to a model of words")]
    HasSuperwords,
    /// BoundlessBPE leaves out some words, so ids cannot be kept.
    #[error("a model with special tokens or ids of its own can only be extended by \"superbpe\"")]
    BaseNeedsSuperBpe,
    /// A base keeps its special tokens and gets no others.
    #[error("special tokens are given, but the base keeps its own")]
    BaseHasSpecials,
    /// Candidates name tokens that the words do not have.
    #[error("a candidate holds the token {token:?}, which is not a token of the words")]
    ForeignToken {
        /// The token, readable.
        token: String,
    },
    /// Candidates were cut where it may have changed the result.
    #[error(
        "the candidates were cut at bigrams that occur fewer than {cut_below} times, and \
         rarer ones are needed"
    )]
    CutTooHigh {
        /// Where they were cut.
        cut_below: u64,
    },
    /// A file of the scratch folder cannot be written or read.
    #[error("{path}: {reason}")]
    Scratch {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
        /// Where the disk is full: whether what was finished is kept.
        full: Option<WorkKept>,
    },
    /// Two runs in one folder would step on each other.
    #[error("{path} is in use by another run{}", process_named(*process))]
    InUse {
        /// The folder.
        path: String,
        /// The process of the other run, where it is known.
        process: Option<u32>,
    },
    /// Nothing can be counted in so little memory.
    #[error("{given} bytes of memory are too few for {workers} threads; {needed} are needed")]
    MemoryTooSmall {
        /// What was given.
        given: u64,
        /// The least that works.
        needed: u64,
        /// The number of threads.
        workers: u64,
    },
    /// The counts of the whole text do not fit.
    #[error("the {what} of the text do not fit in {given} bytes of memory")]
    MemoryExceeded {
        /// What was counted.
        what: &'static str,
        /// What was given.
        given: u64,
        /// More than this is needed.
        needed: u64,
    },
    /// Work can only be gone on with on files.
    #[error("{source_name} is not a file, so a later run could not tell whether it is the same")]
    NotAFile {
        /// The input.
        source_name: String,
    },
    /// The result is no sound model.
    #[error("the trained model is not sound: {0}")]
    Build(#[from] BuildError),
}

fn process_named(process: Option<u32>) -> String {
    process.map_or_else(String::new, |number| format!(" (process {number})"))
}

impl From<MergeError> for TrainError {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Stopped(stopped) => TrainError::Stopped(stopped),
            error => TrainError::Merge(error),
        }
    }
}

impl From<CutError> for TrainError {
    fn from(error: CutError) -> TrainError {
        match error {
            CutError::Overflow(overflow) => overflow.into(),
            CutError::Stopped(stopped) => stopped.into(),
        }
    }
}

impl From<ReadError<SplitError>> for TrainError {
    fn from(error: ReadError<SplitError>) -> TrainError {
        match error {
            ReadError::Corpus(error) => error.into(),
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::Sink(error) => error.into(),
        }
    }
}

impl From<ReadError<CountError>> for TrainError {
    fn from(error: ReadError<CountError>) -> TrainError {
        match error {
            ReadError::Corpus(error) => error.into(),
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::Sink(CountError::Split(error)) => error.into(),
            ReadError::Sink(CountError::Scratch(error)) => *error,
        }
    }
}

impl From<ReadError<Infallible>> for TrainError {
    fn from(error: ReadError<Infallible>) -> TrainError {
        match error {
            ReadError::Corpus(error) => error.into(),
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::Sink(never) => match never {},
        }
    }
}

impl TrainError {
    /// The option that the error is about, by its name in Python, if there is one.
    pub fn option(&self) -> Option<&'static str> {
        Some(match self {
            TrainError::Option(error) => error.option(),
            TrainError::MemoryTooSmall { .. } | TrainError::MemoryExceeded { .. } => "max_memory",
            TrainError::NotAFile { .. } | TrainError::InUse { .. } => "work_dir",
            TrainError::WordsOnly | TrainError::SuperwordsOnly | TrainError::BaseNeedsSuperBpe => {
                "method"
            }
            TrainError::BaseHasSpecials => "special_tokens",
            TrainError::CutTooHigh { .. } => "cut_below",
            TrainError::ForeignByte => "alphabet",
            _ => return None,
        })
    }

    /// What to do next, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            TrainError::Option(error) => error.hint(),
            TrainError::Pattern(error) => error.hint(),
            TrainError::Corpus(error) => error.hint(),
            TrainError::Split(error) => error.hint(),
            TrainError::Build(error) => error.hint(),
            TrainError::Stopped(_) => None,
            TrainError::Merge(MergeError::CountOverflow) | TrainError::Overflow(_) => {
                Some("the counts are beyond any text; are they from a damaged file?".into())
            }
            TrainError::Merge(_) => Some("train on a sample of the text: set `sample`".into()),
            TrainError::Scratch {
                full: Some(WorkKept::Yes),
                ..
            } => Some(
                "free some space; what was finished is kept, and the same command goes on from it"
                    .into(),
            ),
            TrainError::Scratch {
                full: Some(WorkKept::No),
                ..
            } => Some(
                "free some space, or let temporary files go to a larger disk with the environment \
                 variable TMPDIR"
                    .into(),
            ),
            TrainError::Scratch { .. } => {
                Some("check the folder; remove it to start from the beginning".into())
            }
            TrainError::InUse { .. } => {
                Some("wait for it to end or stop it, or choose another `work_dir`".into())
            }
            TrainError::MemoryTooSmall { needed, .. } => Some(format!(
                "give `max_memory` of {needed} or more, or use fewer `threads`"
            )),
            TrainError::MemoryExceeded { needed, .. } => Some(format!(
                "give `max_memory` of more than {needed}, or train on a `sample` of the text"
            )),
            TrainError::NotAFile { .. } => {
                Some("write it to a file first, or leave `work_dir` out".into())
            }
            TrainError::WordsOnly => {
                Some("learn the words first, then add superwords from candidates".into())
            }
            TrainError::SuperwordsOnly => {
                Some("use `method=\"bpe\"` without candidates, or another method".into())
            }
            TrainError::HasSuperwords => {
                Some("give the model of words that it was made from, or train one".into())
            }
            TrainError::BaseNeedsSuperBpe => {
                Some("use `method=\"superbpe\"`, or learn the words without special tokens".into())
            }
            TrainError::BaseHasSpecials => Some("leave `special_tokens` out".into()),
            TrainError::ForeignToken { .. } => {
                Some("count the candidates with the same model of words".into())
            }
            TrainError::CutTooHigh { cut_below } => Some(format!(
                "count the candidates again with `cut_below` less than {cut_below}, or without it"
            )),
            TrainError::ForeignByte => Some("use `alphabet=\"bytes\"`".into()),
        }
    }
}
