//! Text → ids and back.
//!
//! A text is prepared (`prepare`) and passes through four steps. Calls go one way: [`Encoder`] borrows
//! a workspace,
//! `pretokens` looks up the pretokens of a text in the `cache`, `tables` encodes those that are not
//! cached (`words`, with the merge table of `merge`), and `superwords` joins the result. On top of
//! the encoder are batches, offsets, lines of ids, and shards.

pub(crate) mod batch;
mod cache;
mod encoder;
mod lines;
mod mark;
mod merge;
pub(crate) mod offsets;
mod pretokens;
#[cfg(feature = "files")]
mod session;
#[cfg(feature = "files")]
pub mod shards;
mod shelf;
mod superwords;
mod tables;
mod words;

pub use batch::{BatchError, EncodedBatch};
pub use cache::CACHE_BYTES;
pub use encoder::{Encoder, UnknownId};
pub use offsets::{OffsetUnit, OffsetsBatch, Spans};
pub(crate) use words::WordEncoder;

pub use crate::prepare::Preparation;
