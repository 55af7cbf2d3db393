//! Blocks of text to documents.

pub(super) mod documents;
pub(super) mod jsonl;
mod plain;
mod scan;
