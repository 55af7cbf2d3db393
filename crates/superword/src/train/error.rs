//! Why training gave no model.

use super::options::OptionError;
#[cfg(feature = "files")]
use crate::corpus::{CorpusError, place};
use crate::count::{CountError, CountOverflow};
#[cfg(feature = "files")]
use crate::disk::in_process;
use crate::merge::MergeError;
use crate::model::BuildError;
use crate::observe::Stopped;
use crate::text::{PatternError, SplitError};

/// Whether finished work is kept after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKept {
    /// It is in the work directory.
    Yes,
    /// It was in temporary files, which have been removed.
    No,
}

/// Why training gave no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// Options are out of range or contradict each other.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A pattern is not valid.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The input cannot be read.
    #[cfg(feature = "files")]
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A document cannot be split into pretokens.
    #[error("a document cannot be split into pretokens: {0}")]
    Split(#[from] SplitError),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Merging failed.
    #[error(transparent)]
    Merge(MergeError),
    /// A count does not fit.
    #[error(transparent)]
    Overflow(#[from] CountOverflow),
    /// An input was written to between two passes over it.
    #[error("{source_name} changed while the run was reading it")]
    InputChanged {
        /// The input.
        source_name: String,
    },
    /// Counts contain a byte that the alphabet does not have.
    #[error("a pretoken contains a byte that is not in the alphabet")]
    ForeignByte,
    /// Only words can be learned from counts of pretokens.
    #[error("only words can be learned from pretoken counts: `method` must be \"bpe\"")]
    WordsOnly,
    /// Only superwords can be learned from candidates.
    #[error(
        "superwords are learned from candidates: `method` must be \"boundless\" or \"superbpe\""
    )]
    SuperwordsOnly,
    /// Superwords can only be added to a model without superwords.
    #[error("the model has superwords already; superwords can only be added to a model of words")]
    HasSuperwords,
    /// BoundlessBPE drops some words, so ids cannot stay the same.
    #[error("a model with special tokens or custom ids can only be extended by \"superbpe\"")]
    BaseNeedsSuperBpe,
    /// An extended model keeps its special tokens and gets no new ones.
    #[error("special tokens are given, but an extended model keeps its own")]
    BaseHasSpecials,
    /// Candidates were cut so much that the result may have changed.
    #[error(
        "the candidates were cut at bigrams that occur fewer than {cut_below} times, but rarer \
         bigrams are needed"
    )]
    CutTooHigh {
        /// The threshold of the cut.
        cut_below: u64,
        /// The threshold to try next.
        next: u64,
    },
    /// A file of the work directory, or a temporary file, cannot be written or read.
    #[error("{path}: {reason}")]
    WorkFile {
        /// The file.
        path: String,
        /// Why.
        reason: String,
        /// If the disk is full: whether finished work is kept.
        full: Option<WorkKept>,
    },
    /// Another run uses the work directory.
    #[cfg(feature = "files")]
    #[error("{path} is in use by another run{}", in_process(*process))]
    InUse {
        /// The directory.
        path: String,
        /// The process of the other run, if known.
        process: Option<u32>,
    },
    /// The memory limit is too small to count anything.
    #[error("{given} bytes of memory are too few for {workers} threads; {needed} are needed")]
    MemoryTooSmall {
        /// The limit.
        given: u64,
        /// The smallest possible limit.
        needed: u64,
        /// The number of threads.
        workers: u64,
    },
    /// The counts of the whole text do not fit in the memory limit.
    #[error("the {what} of the text do not fit in {given} bytes of memory")]
    MemoryExceeded {
        /// What was counted.
        what: &'static str,
        /// The limit.
        given: u64,
        /// More than this is needed.
        needed: u64,
    },
    /// A document does not fit in the memory limit.
    #[cfg(feature = "files")]
    #[error("{}: the document of {bytes} bytes does not fit in {given} bytes of memory", place(.source_name, *.line))]
    DocumentTooLarge {
        /// The input.
        source_name: String,
        /// The line or row where the document starts; `None` if the file is one document.
        line: Option<u64>,
        /// The size of the document in the input, decompressed.
        bytes: u64,
        /// The limit.
        given: u64,
        /// The smallest limit for such a document.
        needed: u64,
    },
    /// A run can only resume if its inputs are files.
    #[error("{source_name} is not a file, so a later run could not tell whether it has changed")]
    NotAFile {
        /// The input.
        source_name: String,
    },
    /// The result is not a valid model.
    #[error("the trained model is not valid: {0}")]
    Build(#[from] BuildError),
}

impl From<MergeError> for TrainError {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Stopped(stopped) => TrainError::Stopped(stopped),
            error => TrainError::Merge(error),
        }
    }
}

impl From<CountError> for TrainError {
    fn from(error: CountError) -> TrainError {
        match error {
            CountError::Overflow(overflow) => overflow.into(),
            CountError::Stopped(stopped) => stopped.into(),
        }
    }
}

impl TrainError {
    /// The option that the error is about, by its name in Python, if there is one.
    pub fn option(&self) -> Option<&'static str> {
        Some(match self {
            TrainError::Option(error) => error.option(),
            TrainError::MemoryTooSmall { .. } | TrainError::MemoryExceeded { .. } => "max_memory",
            #[cfg(feature = "files")]
            TrainError::DocumentTooLarge { .. } => "max_memory",
            #[cfg(feature = "files")]
            TrainError::InUse { .. } => "work_dir",
            TrainError::NotAFile { .. } => "work_dir",
            TrainError::WordsOnly | TrainError::SuperwordsOnly | TrainError::BaseNeedsSuperBpe => {
                "method"
            }
            TrainError::BaseHasSpecials => "special_tokens",
            TrainError::CutTooHigh { .. } => "cut_below",
            TrainError::ForeignByte => "alphabet",
            _ => return None,
        })
    }

    /// What to do next, if there is something to suggest.
    pub fn hint(&self) -> Option<String> {
        match self {
            TrainError::Option(error) => error.hint(),
            TrainError::Pattern(error) => error.hint(),
            #[cfg(feature = "files")]
            TrainError::Corpus(error) => error.hint(),
            TrainError::Split(error) => error.hint(),
            TrainError::Build(error) => error.hint(),
            TrainError::Stopped(_) => None,
            TrainError::Merge(MergeError::CountOverflow) | TrainError::Overflow(_) => {
                Some("no text has such counts; is the file with the counts damaged?".into())
            }
            TrainError::Merge(_) => Some("train on a sample of the text: set `sample`".into()),
            TrainError::InputChanged { .. } => {
                Some("run again once nothing writes to the file, or train on a copy of it".into())
            }
            TrainError::WorkFile {
                full: Some(WorkKept::Yes),
                ..
            } => Some(
                "free some space and run the same command again; it resumes from the finished work"
                    .into(),
            ),
            TrainError::WorkFile {
                full: Some(WorkKept::No),
                ..
            } => Some(
                "free some space, or set the environment variable TMPDIR to a directory on a \
                 larger disk"
                    .into(),
            ),
            TrainError::WorkFile { .. } => {
                Some("check the directory; remove it to start from the beginning".into())
            }
            #[cfg(feature = "files")]
            TrainError::InUse { .. } => {
                Some("wait for the other run to end, stop it, or choose another `work_dir`".into())
            }
            TrainError::MemoryTooSmall { needed, .. } => Some(format!(
                "give `max_memory` of {needed} or more, or use fewer `threads`"
            )),
            TrainError::MemoryExceeded { needed, .. } => Some(format!(
                "give `max_memory` of {needed} or more, or train on a `sample` of the text"
            )),
            #[cfg(feature = "files")]
            TrainError::DocumentTooLarge { needed, .. } => Some(format!(
                "give `max_memory` of {needed} or more, or divide the document"
            )),
            TrainError::NotAFile { .. } => {
                Some("write it to a file first, or leave `work_dir` out".into())
            }
            TrainError::WordsOnly => {
                Some("learn the words first, then add superwords from candidates".into())
            }
            TrainError::SuperwordsOnly => {
                Some("leave the candidates out, or use another `method`".into())
            }
            TrainError::HasSuperwords => {
                Some("give the model of words that it was extended from, or train one".into())
            }
            TrainError::BaseNeedsSuperBpe => {
                Some("use `method=\"superbpe\"`, or learn the words without special tokens".into())
            }
            TrainError::BaseHasSpecials => Some("leave `special_tokens` out".into()),
            TrainError::CutTooHigh { next, .. } => Some(format!(
                "count the candidates again with `cut_below={next}`"
            )),
            TrainError::ForeignByte => Some("use `alphabet=\"bytes\"`".into()),
        }
    }
}
