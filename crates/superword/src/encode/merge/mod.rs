//! Merge rules applied to one sequence of symbols: the bytes of a pretoken, or the tokens of a run
//! of pretokens.
//!
//! Calls go one way. `apply` merges small sequences with `small` and hands longer ones to
//! `windows`, which merges each window with `small` or `long`. All of them look up pairs in
//! `table`, which keeps them in `slots`. Models with deletions are different: `replay` applies
//! their events in order.

mod apply;
mod long;
mod replay;
mod slots;
mod small;
mod table;
mod windows;

pub(super) use apply::FEW;
pub(super) use long::MAX_RETAINED;
pub(super) use replay::EventReplay;
pub(super) use table::{MergeTable, NO_RULE, Rank};
pub(super) use windows::Scratch;
