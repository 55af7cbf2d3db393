//! Sources to text: opens a source, decompresses it and cuts it into blocks of whole records.
//!
//! [`input`] reads raw bytes, [`decompress`] turns them into text, and [`blocks`] cuts the text.
//! [`sections`] divides large files, and [`large`] limits the memory of large documents.

pub(super) mod blocks;
mod decompress;
mod encoding;
mod gzip;
pub(super) mod input;
pub(super) mod large;
mod pipe;
pub(super) mod sections;
mod spool;
mod zstandard;
