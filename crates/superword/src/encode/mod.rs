//! Text → ids and back.

mod batch;
mod cache;
mod encoder;
mod ranked;
mod replay;
mod specials;
mod superwords;
mod words;

pub use encoder::{Encoder, UnknownId};
pub use ranked::{RankedRules, Scratch};
pub use replay::{EventReplay, WordEvent};
pub use specials::SpecialFinder;
pub use words::{WordRules, word_events};
