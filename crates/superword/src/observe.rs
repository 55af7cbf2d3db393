//! Progress reports and requests to stop.

/// The stages of a training run, in order, and other long tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Measuring the documents before a sample is drawn.
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
    /// A short name for users and logs: `count`, `merge`, ...
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

    /// The unit of [`Observer::progress`] in this phase: `bytes` read or `tokens` learned.
    pub fn unit(self) -> &'static str {
        match self {
            Phase::Sample | Phase::Count | Phase::Candidates | Phase::Encode => "bytes",
            Phase::Merge | Phase::Supermerge => "tokens",
        }
    }
}

/// Receives progress and decides whether to stop. It is called often and from any thread, so
/// implementations must be fast.
pub trait Observer: Sync {
    /// Called when `done` of `total` units of the phase are finished. `total` is `None` if unknown.
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>);

    /// True if the user asked to stop. The engine then returns [`Stopped`] soon.
    fn stop_requested(&self) -> bool;
}

/// An observer that ignores progress and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop_requested(&self) -> bool {
        false
    }
}

/// The work was stopped because the observer requested it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request")]
pub struct Stopped;

/// Returns an error if the user asked to stop.
pub(crate) fn check_stop(observer: &dyn Observer) -> Result<(), Stopped> {
    if observer.stop_requested() {
        Err(Stopped)
    } else {
        Ok(())
    }
}
