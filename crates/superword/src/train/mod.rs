//! Training: documents in, model out.
//!
//! | file | what it does |
//! |---|---|
//! | `run` | the whole run, from top to bottom |
//! | `stages` | the stages as separate functions |
//! | `counting/` | passes over the text, in memory or with files |
//! | `work/` | the work directory: files, their keys, the lock |
//! | `words` | phase 1: BPE and PickyBPE |
//! | `superwords/` | phase 2: BoundlessBPE and SuperBPE, what may be joined, where to cut |
//! | `build` | the learned history becomes a model |
//! | `inputs` | whether the inputs are still the same |
//! | `options`, `report`, `error`, `watch` | what goes in and what comes out |

mod build;
mod counting;
mod error;
mod inputs;
mod options;
mod report;
mod run;
mod stages;
mod superwords;
mod watch;
mod words;
mod work;

pub use error::{TrainError, WorkKept};
pub use options::{
    Boundary, GREEDY_FLOOR, GREEDY_LONGEST, GreedySplit, OptionError, Picky, Resources,
    TrainOptions,
};
pub use report::{GroupRead, PhaseTime, TextReport, TrainReport};
pub use run::train;
pub use stages::{
    CountedCandidates, CountedPretokens, Cut, Text, check_memory, count_candidates,
    count_pretokens, guess_cut, train_superwords, train_words,
};
pub use watch::WatchMerges;
pub use words::{WordStep, Words, learn_words};
pub use work::WorkDir;

#[cfg(test)]
mod tests;
