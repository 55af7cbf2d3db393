//! Progress and cancellation of a merge loop.

use crate::merge::MergeOptions;
use crate::observe::{Observer, Phase, Stopped, check_stop};

/// Reports the progress of a merge loop and checks whether the user asked to stop.
#[derive(Clone, Copy)]
pub(crate) struct WatchMerges<'a> {
    observer: &'a dyn Observer,
    phase: Phase,
    threads: usize,
    max_places: usize,
}

impl std::fmt::Debug for WatchMerges<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WatchMerges")
            .field("phase", &self.phase)
            .finish()
    }
}

impl<'a> WatchMerges<'a> {
    /// Watches a phase that merges on `threads` threads (0: one per core).
    pub(crate) fn new(observer: &'a dyn Observer, phase: Phase, threads: usize) -> WatchMerges<'a> {
        WatchMerges {
            observer,
            phase,
            threads,
            max_places: usize::MAX,
        }
    }

    /// The same with an index of at most about this many places at the start; see [`MergeOptions::max_places`].
    #[cfg(feature = "files")]
    pub(crate) fn within(self, max_places: usize) -> WatchMerges<'a> {
        WatchMerges { max_places, ..self }
    }

    /// Options for the merger. Pairs below `floor` are not indexed at first.
    pub(super) fn merge_options(&self, floor: u64) -> MergeOptions<'a> {
        MergeOptions {
            floor,
            max_places: self.max_places,
            threads: self.threads,
            observer: self.observer,
        }
    }

    /// Returns an error if the user asked to stop.
    pub(super) fn check_stop(&self) -> Result<(), Stopped> {
        check_stop(self.observer)
    }

    /// The same before each step. Reports progress now and then.
    pub(super) fn step(&self, done: usize, total: usize) -> Result<(), Stopped> {
        self.check_stop()?;
        if done.is_multiple_of(256) {
            self.done(done, total);
        }
        Ok(())
    }

    /// Reports progress.
    pub(super) fn done(&self, done: usize, total: usize) {
        self.observer
            .progress(self.phase, done as u64, Some(total as u64));
    }
}
