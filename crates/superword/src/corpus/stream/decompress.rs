//! Raw bytes to text bytes: plain, gzip or zstd.
//!
//! The streaming readers of the gzip and zstd libraries drop their output when they reach damaged
//! data, and do not report where it is. The loops here return everything before the damage, and its
//! offset in both the compressed and the decompressed bytes.

use super::gzip::{GZIP_MAGIC, Gzip};
use super::input::{CHUNK, Input, InputError};
use super::zstandard::{ZSTD_MAGIC, Zstd};
use crate::corpus::Compression;
use crate::memory;
use crate::observe::{Observer, Stopped};

/// Why no more text bytes can be read.
#[derive(Debug)]
pub(in crate::corpus) enum StreamError {
    Stopped(Stopped),
    Io(std::io::Error),
    Damaged(String),
    Truncated,
}

impl From<InputError> for StreamError {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Stopped(stopped) => StreamError::Stopped(stopped),
            InputError::Io(error) => StreamError::Io(error),
        }
    }
}

/// Raw bytes with lookahead.
pub(in crate::corpus) struct Raw {
    input: Input,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes of the whole stream before `start`.
    consumed: u64,
}

impl Raw {
    pub(in crate::corpus) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    pub(in crate::corpus) fn consume(&mut self, count: usize) {
        self.start += count;
        self.consumed += count as u64;
    }

    /// Reads until at least `want` bytes (at most `2 * CHUNK`) are available, and returns all that
    /// are. Returns fewer only at the end of the stream.
    pub(in crate::corpus) fn ahead(
        &mut self,
        want: usize,
        observer: &dyn Observer,
    ) -> Result<&[u8], InputError> {
        while self.end - self.start < want {
            if self.buffer.is_empty() {
                // The system maps fresh zeros lazily, so a tiny file uses only one page.
                self.buffer = vec![0; 2 * CHUNK];
            }
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            let count = self.input.read(&mut self.buffer[self.end..], observer)?;
            if count == 0 {
                break;
            }
            self.end += count;
        }
        Ok(self.rest())
    }
}

enum Coding {
    Plain,
    Gzip(Gzip),
    Zstd(Zstd),
}

/// Reads the text bytes of a source in chunks.
pub(in crate::corpus) struct Decompressor {
    raw: Raw,
    coding: Option<Coding>,
    compression: Compression,
}

impl Decompressor {
    pub(in crate::corpus) fn new(input: Input, compression: Compression) -> Decompressor {
        Decompressor::after(0, input, compression)
    }

    /// The same for an input that starts after `consumed` bytes of the source.
    pub(in crate::corpus) fn after(
        consumed: u64,
        input: Input,
        compression: Compression,
    ) -> Decompressor {
        let raw = Raw {
            input,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            consumed,
        };
        Decompressor {
            raw,
            coding: None,
            compression,
        }
    }

    /// Raw bytes consumed so far.
    pub(in crate::corpus) fn consumed(&self) -> u64 {
        self.raw.consumed
    }

    /// How the bytes are compressed; detected when the first bytes are read.
    pub(in crate::corpus) fn compression(&self) -> Compression {
        self.compression
    }

    /// Appends about [`CHUNK`] more bytes to `out`. Returns `false` at the end. After an error, `out`
    /// holds everything before the damage.
    pub(in crate::corpus) fn read(
        &mut self,
        out: &mut Vec<u8>,
        observer: &dyn Observer,
    ) -> Result<bool, StreamError> {
        if self.coding.is_none() {
            self.start(observer)?;
        }
        match self.coding.as_mut() {
            None | Some(Coding::Plain) => read_plain(&mut self.raw, out, observer),
            Some(Coding::Gzip(gzip)) => gzip.read(&mut self.raw, out, observer),
            Some(Coding::Zstd(zstd)) => zstd.read(&mut self.raw, out, observer),
        }
    }

    fn start(&mut self, observer: &dyn Observer) -> Result<(), StreamError> {
        if self.compression == Compression::Detect {
            let head = self.raw.ahead(4, observer)?;
            self.compression = if head.starts_with(&GZIP_MAGIC) {
                Compression::Gzip
            } else if head.starts_with(&ZSTD_MAGIC) {
                Compression::Zstd
            } else {
                Compression::None
            };
        }
        self.coding = Some(match self.compression {
            Compression::Detect | Compression::None => Coding::Plain,
            Compression::Gzip => Coding::Gzip(Gzip::new()),
            Compression::Zstd => Coding::Zstd(Zstd::new()?),
        });
        Ok(())
    }
}

fn read_plain(
    raw: &mut Raw,
    out: &mut Vec<u8>,
    observer: &dyn Observer,
) -> Result<bool, StreamError> {
    let ahead = raw.rest().len();
    if ahead > 0 {
        memory::extend(out, raw.rest());
        raw.consume(ahead);
        raw.buffer = Vec::new();
        (raw.start, raw.end) = (0, 0);
        return Ok(true);
    }
    let old = out.len();
    memory::reserve(out, CHUNK);
    out.resize(old + CHUNK, 0);
    let result = raw.input.read(&mut out[old..], observer);
    let count = *result.as_ref().unwrap_or(&0);
    out.truncate(old + count);
    raw.consumed += count as u64;
    Ok(result? > 0)
}

#[cfg(test)]
#[path = "decompress_tests.rs"]
mod tests;
