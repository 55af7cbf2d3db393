//! Raw bytes to text bytes: plain, gzip or zstd.
//!
//! The streaming readers of the two libraries lose what they made in the call that met the damage,
//! and do not say where it is. Here the loops are our own, so that everything before the damage
//! comes out, with both offsets.

use super::gzip::{GZIP_MAGIC, Gzip};
use super::input::{CHUNK, Input, InputError};
use super::zstandard::{ZSTD_MAGIC, Zstd};
use crate::corpus::Compression;
use crate::observe::{Observer, Stopped};

/// Why no more text bytes come.
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

/// Raw bytes with a look-ahead.
pub(in crate::corpus) struct Raw {
    input: Input,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes before `start`, of the whole stream.
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

    /// Waits until at least `want` bytes (at most `2 * CHUNK`) are ahead; fewer only at the end.
    pub(in crate::corpus) fn ahead(
        &mut self,
        want: usize,
        observer: &dyn Observer,
    ) -> Result<&[u8], InputError> {
        while self.end - self.start < want {
            if self.buffer.is_empty() {
                // Fresh zeros come from the system untouched: a tiny file costs a page of it.
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

/// Text bytes of a source, piece by piece.
pub(in crate::corpus) struct Decompressor {
    raw: Raw,
    coding: Option<Coding>,
    compression: Compression,
}

impl Decompressor {
    pub(in crate::corpus) fn new(input: Input, compression: Compression) -> Decompressor {
        let raw = Raw {
            input,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            consumed: 0,
        };
        Decompressor {
            raw,
            coding: None,
            compression,
        }
    }

    /// Raw bytes that were used up.
    pub(in crate::corpus) fn consumed(&self) -> u64 {
        self.raw.consumed
    }

    /// What the bytes are compressed with, once the first were seen.
    pub(in crate::corpus) fn compression(&self) -> Compression {
        self.compression
    }

    /// Appends the next bytes, about [`CHUNK`] of them; `false` at the end. After an error, what
    /// could be had before the damage is in `out`.
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
        out.extend_from_slice(raw.rest());
        raw.consume(ahead);
        raw.buffer = Vec::new();
        (raw.start, raw.end) = (0, 0);
        return Ok(true);
    }
    let old = out.len();
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
