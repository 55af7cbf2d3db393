//! Text → ids and back.

mod batch;
mod cache;
mod encoder;
mod filter;
mod lines;
mod offsets;
mod prefetch;
mod ranked;
mod replay;
mod replay_heap;
mod rules;
pub mod shards;
mod shelf;
mod short;
mod specials;
mod superwords;
mod windows;
mod words;
mod work;

pub use batch::{BatchError, EncodedBatch};
pub use cache::CACHE_BYTES;
pub use encoder::{Encoder, UnknownId};
pub use offsets::{OffsetUnit, Spans};
pub use ranked::{RankedRules, Scratch};
pub use replay::EventReplay;
pub use specials::SpecialFinder;
pub use words::WordRules;
