//! Documents → counts: pretokens for phase 1, candidates for phase 2.

mod candidates;
mod columns;
mod cutting;
mod file;
mod greedy;
mod named;
mod pretokens;
mod sketch;

pub use candidates::{CandidateCounter, CandidateCounts, EarlyCut, Eligible};
pub use columns::{ColumnError, Columns, TokenColumn, numbers};
pub use cutting::{CutError, cut};
pub use file::CountFileError;
pub use greedy::{count_ngrams, split_greedily};
pub use named::{NamedCandidates, NamedError};
pub use pretokens::{PretokenCounter, PretokenCounts};
pub use sketch::BigramSketch;

/// A count did not fit in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a count does not fit in 64 bits")]
pub struct CountOverflow;
