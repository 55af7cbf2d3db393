//! What the targets share.

pub mod engine;
pub mod input;
pub mod models;
pub mod reference;
pub mod usable;
