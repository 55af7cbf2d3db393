//! Files to documents: JSONL and plain text, also compressed, streamed through all cores.
//!
//! [`read_parallel`] gives every document of some [`Source`]s to a [`DocumentSink`] per worker.
//! Workers share the open sources: a worker takes a source only to cut off the next block of whole
//! records, then parses the block by itself, so that one big compressed file still feeds all
//! cores. Memory is bounded by the number of workers times the block size (or the longest
//! document, where that is longer). Sources are taken in order as far as this keeps all busy.
//!
//! [`read_ordered`] does the same where the order matters.
//!
//! Which worker of [`read_parallel`] gets a document, and in which order, is left open. The report, and the error where
//! there is one, do not depend on the number of threads.

mod error;
mod options;
mod parse;
mod sample;
mod source;
mod stream;
mod weights;
mod workers;

pub use error::{CorpusError, ReadError};
pub use options::{DocumentSink, MAX_SKIPS_SHOWN, OnError, ReadOptions, ReadReport, SourceReport};
pub use sample::{Sample, SamplePlan, plan_sample};
pub use source::{BatchStream, Batches, Compression, Format, Location, Source, frame};
pub use weights::{Groups, Weight};
pub(crate) use workers::empty;
pub use workers::{BlockNumber, BlockWorker, OrderedBlock, read_ordered, read_parallel};

#[cfg(test)]
mod tests;
