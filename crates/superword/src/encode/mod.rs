//! Text → ids and back.

mod batch;
mod cache;
mod encoder;
mod files;
mod filter;
mod lines;
mod npy;
mod offsets;
mod ranked;
mod replay;
mod replay_heap;
mod rules;
mod shelf;
mod specials;
mod superwords;
mod words;

pub use batch::EncodedBatch;
pub use cache::CACHE_BYTES;
pub use encoder::{Encoder, UnknownId};
pub use files::{PROGRESS_FILE, Shard, ShardError, ShardOptions, ShardReport};
pub use npy::Dtype;
pub use offsets::{OffsetUnit, Spans};
pub use ranked::{RankedRules, Scratch};
pub use replay::{EventReplay, WordEvent};
pub use specials::SpecialFinder;
pub use words::{WordRules, word_events};
