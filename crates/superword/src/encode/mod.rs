//! Text → ids and back.

mod ranked;
mod replay;
mod words;

pub use ranked::{RankedRules, Scratch};
pub use replay::{EventReplay, WordEvent};
pub use words::WordRules;
