//! Sources to text: opens a source, decompresses it and cuts it into blocks of whole records.

pub(super) mod blocks;
mod decompress;
mod gzip;
pub(super) mod input;
mod pipe;
mod spool;
mod zstandard;
