//! Text → ids and back.

mod batch;
mod cache;
mod encoder;
mod lines;
mod offsets;
mod ranked;
mod replay;
mod replay_heap;
mod shelf;
mod specials;
mod superwords;
mod words;

pub use batch::EncodedBatch;
pub use encoder::{Encoder, UnknownId};
pub use offsets::{OffsetUnit, Spans};
pub use ranked::{RankedRules, Scratch};
pub use replay::{EventReplay, WordEvent};
pub use specials::SpecialFinder;
pub use words::{WordRules, word_events};
