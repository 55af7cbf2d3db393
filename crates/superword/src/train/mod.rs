//! Training: documents in, model out.
//!
//! | file | what it does |
//! |---|---|
//! | `run` | the whole run, from top to bottom |
//! | `documents` | the whole run for texts in memory |
//! | `stages` | the stages as separate functions |
//! | `counting/` | passes over the text, in memory or with files |
//! | `work/` | the work directory: files, their keys, the lock |
//! | `words` | phase 1: BPE and PickyBPE |
//! | `superwords/` | phase 2: BoundlessBPE and SuperBPE, what may be joined, where to cut |
//! | `build` | the learned history becomes a model |
//! | `inputs` | whether the inputs are still the same |
//! | `extent` | the part of a text that is one piece |
//! | `sampling` | draws the sample and keeps its documents |
//! | `effort` | how much of the work of merging is done |
//! | `options`, `report`, `error`, `watch` | what goes in and what comes out |

mod build;
#[cfg(feature = "files")]
mod counting;
mod documents;
mod effort;
mod error;
#[cfg(feature = "files")]
mod extent;
#[cfg(feature = "files")]
mod inputs;
mod options;
#[cfg(feature = "files")]
mod report;
#[cfg(feature = "files")]
mod run;
#[cfg(feature = "files")]
mod sampling;
mod stages;
mod superwords;
mod watch;
mod words;
#[cfg(feature = "files")]
mod work;

pub use documents::train_documents;
pub use error::{TrainError, WorkKept};
pub use options::{
    Boundary, GREEDY_FLOOR, GREEDY_LONGEST, GreedySplit, OptionError, Picky, TrainOptions,
};
pub use stages::{train_superwords, train_words};
pub(crate) use watch::WatchMerges;

pub use crate::merge::MergeError;

#[cfg(feature = "files")]
pub use self::{
    report::{GroupRead, PhaseTime, TextReport, TrainReport},
    run::train,
    stages::{
        CountedCandidates, CountedPretokens, Cut, Text, check_memory, count_candidates,
        count_pretokens, guess_cut,
    },
    work::{Resources, WorkDir},
};

#[cfg(all(test, feature = "files"))]
mod tests;
