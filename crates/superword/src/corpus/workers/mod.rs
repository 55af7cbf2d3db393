//! Threads that read sources and pass on their documents, in any order or in input order.

mod ordered;
mod parallel;
mod pool;
mod spares;
mod task;

pub(crate) use ordered::{BlockNumber, BlockWorker, OrderedBlock, read_ordered};
pub use parallel::read_parallel;
pub(crate) use parallel::{empty, read_section};
pub(crate) use spares::Spares;

/// Text bytes between two checks whether to stop.
pub(super) const BYTES_PER_CHECK: usize = 64 << 10;
