//! Files to documents: JSON Lines and plain text, compressed or not, read with all cores.
//!
//! ```text
//! Source -> stream (raw bytes -> text -> blocks of whole records) -> parse (documents) -> sink
//! ```
//!
//! [`read_parallel`] passes every document of some [`Source`]s to a [`DocumentSink`] per worker. The
//! workers share the open sources. A worker holds a source only while it cuts off the next block of
//! whole records, and parses the block afterwards, so a single large compressed file still keeps
//! all cores busy. Memory is bounded by the number of workers times the block size, or times the
//! longest document if that is longer, unless [`ReadOptions::document_memory`] limits it. Sources are read in order as far as this keeps all workers
//! busy. Which worker receives a document, and in which order, is not defined. The report and any
//! error do not depend on the number of threads.

mod error;
pub(crate) mod format;
mod hints;
mod options;
mod parse;
mod sample;
mod source;
mod stream;
mod weights;
mod workers;

pub use error::{CorpusError, ReadError};
pub use format::{Compression, Format};
pub(crate) use hints::place;
pub use options::{DocumentSink, MAX_SKIPS_SHOWN, OnError, ReadOptions, ReadReport, SourceReport};
pub(crate) use parse::jsonl::{jsonl_text, jsonl_text_slowly};
pub(crate) use sample::{
    Chunk, DrawnSample, KeepError, Texts, TextsError, draw_sample, ranges, read_texts,
};
pub use sample::{Sample, SamplePlan, plan_sample};
pub use source::{BatchStream, Batches, Location, Source};
pub(crate) use stream::sections::{Before, Section};
pub use weights::{Groups, Weight};
pub use workers::read_parallel;
pub(crate) use workers::{
    BlockNumber, BlockWorker, OrderedBlock, Spares, empty, read_ordered, read_section,
};

#[cfg(test)]
mod tests;
