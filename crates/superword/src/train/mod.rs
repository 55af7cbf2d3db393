//! Training: documents in, model out.
//!
//! | file | what it does |
//! |---|---|
//! | `run` | the whole run, from top to bottom |
//! | `stages` | the stages by themselves |
//! | `counting/` | passes over the text, in memory or with files |
//! | `work/` | the work directory: files, their keys, the lock |
//! | `words` | phase 1: BPE and PickyBPE |
//! | `superwords`, `boundless`, `superbpe`, `supermerger` | phase 2 |
//! | `allowed` | which pretokens may be joined |
//! | `threshold` | where candidates are cut |
//! | `build` | history to model |

mod allowed;
mod boundless;
mod build;
mod counting;
mod error;
mod inputs;
mod options;
mod report;
mod run;
mod stages;
mod superbpe;
mod supermerger;
mod superwords;
mod threshold;
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
    CountedCandidates, CountedPretokens, Text, check_memory, count_candidates, count_pretokens,
    train_superwords, train_words,
};
pub use watch::WatchMerges;
pub use words::{WordStep, Words, learn_words};
pub use work::WorkDir;

#[cfg(test)]
mod tests;
