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

/// A part of a [`Phase`]. The steps of a phase follow each other in this order; not every phase has
/// all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Step {
    /// Reading documents. [`Observer::progress`] says how many bytes were read.
    Read,
    /// Adding up what the threads have counted, or what is in files.
    AddUp,
    /// Cutting or splitting candidates.
    Cut,
    /// Laying out the sequences and counting their pairs.
    Prepare,
    /// Merging.
    Merge,
}

impl Step {
    /// A short name for logs: `read`, `add up`, ...
    pub fn name(self) -> &'static str {
        match self {
            Step::Read => "read",
            Step::AddUp => "add up",
            Step::Cut => "cut",
            Step::Prepare => "prepare",
            Step::Merge => "merge",
        }
    }
}

/// Receives progress and decides whether to stop. It is called often and from any thread, so
/// implementations must be fast.
pub trait Observer: Sync {
    /// Called when `done` of `total` units of the phase are finished. `total` is `None` if unknown.
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>);

    /// Called when about this share of a step, from 0 to 1, is finished. It is a share of the time
    /// that the step takes, as far as that can be known. Tokens are no measure of it: the first
    /// merges take much longer than the last ones. While documents are read, nothing but
    /// [`Observer::progress`] is called.
    fn step(&self, phase: Phase, step: Step, share: f64) {
        let _ = (phase, step, share);
    }

    /// Called as soon as something is known about the work of a phase that learns: the tokens that
    /// can be joined in all of its sequences, and about how many merges it will make.
    fn expect(&self, phase: Phase, tokens: Option<u64>, merges: Option<u64>) {
        let _ = (phase, tokens, merges);
    }

    /// Called when much memory was freed that is not needed again soon. An allocator may keep it, so this is the time to
    /// return it to the system.
    fn freed(&self) {}

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
