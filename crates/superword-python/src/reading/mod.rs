//! Documents from Python: texts, columns of tables, and the iterator over documents.

pub(crate) mod arrow;
pub(crate) mod batches;
pub(crate) mod columns;
pub(crate) mod documents;
pub(crate) mod spool;
