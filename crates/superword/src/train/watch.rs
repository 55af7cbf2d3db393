//! Progress and cancellation of a merge loop.

use super::effort::Effort;
use crate::merge::MergeOptions;
use crate::observe::{Observer, Phase, Step, Stopped, check_stop};

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
    /// Watches a phase that merges on `threads` threads (0: one per core). It begins now.
    pub(crate) fn new(observer: &'a dyn Observer, phase: Phase, threads: usize) -> WatchMerges<'a> {
        observer.step(phase, Step::Prepare, 0.0);
        // The counts of the threads were just added up.
        observer.freed();
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

    /// The number of threads.
    pub(super) fn threads(&self) -> usize {
        crate::threads::resolve(self.threads)
    }

    /// Tells how many tokens the sequences have, and how many merges will be made, if that is known.
    pub(super) fn expect(&self, tokens: u64, merges: Option<usize>) {
        let merges = merges.map(|merges| merges as u64);
        self.observer.expect(self.phase, Some(tokens), merges);
    }

    /// Tells that memory was freed.
    pub(super) fn freed(&self) {
        self.observer.freed();
    }

    /// Returns an error if the user asked to stop.
    pub(super) fn check_stop(&self) -> Result<(), Stopped> {
        check_stop(self.observer)
    }

    /// Watches the loop that makes tokens until there are `total`. `made` exist when it starts, and
    /// it can join pairs at `most_joins` places at most.
    pub(super) fn merging(&self, made: usize, total: usize, most_joins: u64) -> Merging<'a> {
        let merging = Merging {
            watch: *self,
            first: made,
            total,
            effort: Effort::new(total.saturating_sub(made), most_joins),
            joins_told: 0,
        };
        self.observer.step(self.phase, Step::Merge, 0.0);
        merging
    }
}

/// Watches a loop of merges.
pub(super) struct Merging<'a> {
    watch: WatchMerges<'a>,
    /// The number of tokens at the start.
    first: usize,
    total: usize,
    effort: Effort,
    joins_told: u64,
}

/// Progress is reported every so many tokens or joins, whichever comes first.
const TOKENS_PER_REPORT: usize = 256;
const JOINS_PER_REPORT: u64 = 1 << 16;

impl Merging<'_> {
    /// Called before each step, with the number of tokens, and at how many places pairs were joined.
    /// Returns an error if the user asked to stop.
    pub(super) fn step(&mut self, tokens: usize, joins: u64) -> Result<(), Stopped> {
        self.watch.check_stop()?;
        if tokens.is_multiple_of(TOKENS_PER_REPORT) || joins - self.joins_told >= JOINS_PER_REPORT {
            self.joins_told = joins;
            self.tell(tokens);
            let share = self.effort.share(tokens.saturating_sub(self.first), joins);
            let (observer, phase) = (self.watch.observer, self.watch.phase);
            observer.step(phase, Step::Merge, share);
        }
        Ok(())
    }

    /// Called at the end of the loop, with the number of tokens.
    pub(super) fn done(&self, tokens: usize) {
        self.tell(tokens);
        self.watch.observer.step(self.watch.phase, Step::Merge, 1.0);
    }

    fn tell(&self, tokens: usize) {
        let (observer, phase) = (self.watch.observer, self.watch.phase);
        observer.progress(phase, tokens as u64, Some(self.total as u64));
    }
}
