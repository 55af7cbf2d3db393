//! Blocks of text to documents.

pub(super) mod documents;
mod jsonl;
mod scan;
