//! Documents → model: both phases, in order.

mod bounded;
mod error;
mod finish;
mod kept;
mod options;
mod piece;
mod pipeline;
mod rules;
mod scratch;
mod spilling;
mod stages;
mod supermerges;
mod superwords;
mod weighted;
mod within;
mod words;
mod work_dir;

pub use error::{TrainError, WorkKept};
pub use options::{
    Boundary, GREEDY_FLOOR, GREEDY_LONGEST, GreedySplit, OptionError, Picky, TrainOptions,
};
pub use pipeline::{PhaseTime, TrainReport, train};
pub use rules::SupermergeRules;
pub use stages::{Counted, GroupRead, count_candidates, count_pretokens, train_words};
pub use supermerges::{Step, Superwords, learn_boundless, learn_superbpe};
pub use superwords::train_superwords;
pub use within::{check_memory, count_candidates_within, count_pretokens_within};
pub use words::{WordStep, Words, learn_words};
pub use work_dir::WorkDir;

use crate::merge::MergeOptions;
use crate::observe::{Observer, Phase, Stopped, check_stop};

/// Shows the progress of a merge loop and hears the wish to stop, without slowing the loop.
#[derive(Clone, Copy)]
pub struct WatchMerges<'a> {
    observer: &'a dyn Observer,
    phase: Phase,
    threads: usize,
}

impl std::fmt::Debug for WatchMerges<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WatchMerges")
            .field("phase", &self.phase)
            .finish()
    }
}

impl<'a> WatchMerges<'a> {
    /// Watches one phase, which may use so many threads (0: as many as the machine has).
    pub fn new(observer: &'a dyn Observer, phase: Phase, threads: usize) -> WatchMerges<'a> {
        WatchMerges {
            observer,
            phase,
            threads,
        }
    }

    /// How the merger works.
    fn working(&self, floor: u64) -> MergeOptions<'a> {
        MergeOptions {
            floor,
            threads: self.threads,
            observer: self.observer,
        }
    }

    /// Hears the wish to stop.
    fn look(&self) -> Result<(), Stopped> {
        check_stop(self.observer)
    }

    fn step(&self, done: usize, total: usize) -> Result<(), Stopped> {
        check_stop(self.observer)?;
        if done.is_multiple_of(256) {
            self.observer
                .progress(self.phase, done as u64, Some(total as u64));
        }
        Ok(())
    }

    fn done(&self, done: usize, total: usize) {
        self.observer
            .progress(self.phase, done as u64, Some(total as u64));
    }
}
