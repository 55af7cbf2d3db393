//! How the engine tells the outside what it is doing, and learns that it should stop.

/// The stages of a training run, in order, and other long work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Measuring the documents, where only a sample of them is wanted.
    Sample,
    /// Reading documents and counting their pretokens.
    Count,
    /// Learning the ordinary merges (phase 1).
    Merge,
    /// Reading documents again and counting supermerge candidates.
    Candidates,
    /// Learning the supermerges (phase 2).
    Supermerge,
    /// Reading documents and encoding them.
    Encode,
}

impl Phase {
    /// A short name for people and logs: `count`, `merge`, ...
    pub fn name(self) -> &'static str {
        match self {
            Phase::Sample => "sample",
            Phase::Count => "count",
            Phase::Merge => "merge",
            Phase::Candidates => "candidates",
            Phase::Supermerge => "supermerge",
            Phase::Encode => "encode",
        }
    }

    /// What [`Observer::progress`] counts in this phase: `bytes` read or `tokens` learned.
    pub fn unit(self) -> &'static str {
        match self {
            Phase::Sample | Phase::Count | Phase::Candidates | Phase::Encode => "bytes",
            Phase::Merge | Phase::Supermerge => "tokens",
        }
    }
}

/// Receives progress and answers whether to stop. Called from any worker thread, often:
/// implementations must be cheap.
pub trait Observer: Sync {
    /// `done` of `total` units of the phase are finished (`total` is `None` where it is unknown).
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>);

    /// True once the caller wants the work to stop; the engine returns [`Stopped`] soon after.
    fn stop_requested(&self) -> bool;
}

/// An observer that watches nothing and never stops the work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop_requested(&self) -> bool {
        false
    }
}

/// The observer asked the work to stop, and it did; nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request")]
pub struct Stopped;

/// Returns `Err(Stopped)` once the observer asks for it.
pub fn check_stop(observer: &dyn Observer) -> Result<(), Stopped> {
    if observer.stop_requested() {
        Err(Stopped)
    } else {
        Ok(())
    }
}
