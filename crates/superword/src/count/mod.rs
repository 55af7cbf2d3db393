//! Counts of a text: pretokens for phase 1, candidates for phase 2.
//!
//! A *candidate* is a run of two or more neighbouring pretokens that may become a superword.

#[cfg(feature = "files")]
mod bounds;
mod candidates;
pub(crate) mod columns;
mod cutting;
pub(crate) mod file;
mod greedy;
pub(crate) mod named;
pub(crate) mod partition;
mod pretokens;
mod sketch;
mod table;
#[cfg(feature = "files")]
mod within;

#[cfg(feature = "files")]
pub use bounds::{BigramBounds, DamagedBounds};
pub(crate) use candidates::CandidateCounter;
pub use candidates::CandidateCounts;
pub(crate) use candidates::Eligible;
pub(crate) use columns::ColumnError;
pub(crate) use cutting::cut;
pub(crate) use file::{CountFileError, Counts, ONE_IN};
pub(crate) use greedy::{count_ngrams, split_greedily};
pub(crate) use pretokens::PretokenCounter;
pub use pretokens::PretokenCounts;
pub(crate) use sketch::{BigramSketch, FrequentBigrams, Ranked};
#[cfg(feature = "files")]
pub(crate) use within::Left;

use crate::observe::{Observer, Stopped, check_stop};

/// A count did not fit in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a count does not fit in 64 bits")]
pub struct CountOverflow;

/// Why counts could not be added up or cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// A count does not fit.
    #[error(transparent)]
    Overflow(#[from] CountOverflow),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Entries between two checks of a loop over counts.
const CHECK_EVERY: usize = 1 << 12;

/// Returns an error if the user asked to stop. Only every 4096th call asks the observer.
fn check_stop_at(number: usize, observer: &dyn Observer) -> Result<(), Stopped> {
    if number.is_multiple_of(CHECK_EVERY) {
        check_stop(observer)?;
    }
    Ok(())
}
