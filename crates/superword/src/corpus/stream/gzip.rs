//! gzip streams.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::decompress::{Raw, StreamError};
use super::input::{CHUNK, InputError};
use crate::observe::Observer;

/// Compressed bytes given to the decoder at a time.
const PIECE: usize = 16 << 10;

pub(in crate::corpus) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A gzip stream (RFC 1952): members one after another, then perhaps zeros.
pub(in crate::corpus) struct Gzip {
    inflate: Decompress,
    crc: Crc,
    state: GzipState,
}

#[derive(PartialEq)]
enum GzipState {
    FirstHeader,
    NextHeader,
    Body,
}

impl Gzip {
    pub(in crate::corpus) fn new() -> Gzip {
        Gzip {
            inflate: Decompress::new(false),
            crc: Crc::new(),
            state: GzipState::FirstHeader,
        }
    }

    pub(in crate::corpus) fn read(
        &mut self,
        raw: &mut Raw,
        out: &mut Vec<u8>,
        observer: &dyn Observer,
    ) -> Result<bool, StreamError> {
        let old = out.len();
        // A member may be empty, so several may be needed to make one byte.
        while out.len() == old {
            if self.state != GzipState::Body {
                if self.state == GzipState::NextHeader && at_padded_end(raw, observer)? {
                    return Ok(false);
                }
                gzip_header(raw, observer)?;
                self.inflate.reset(false);
                self.crc.reset();
                self.state = GzipState::Body;
            }
            if raw.ahead(1, observer)?.is_empty() {
                return Err(StreamError::Truncated);
            }
            out.reserve(CHUNK);
            // In small pieces, so that one call cannot make more than a thousand times as much.
            let piece = &raw.rest()[..raw.rest().len().min(PIECE)];
            let (in_before, out_before) = (self.inflate.total_in(), out.len());
            let result = self
                .inflate
                .decompress_vec(piece, out, FlushDecompress::None);
            let used = (self.inflate.total_in() - in_before) as usize;
            raw.consume(used);
            self.crc.update(&out[out_before..]);
            match result {
                Ok(Status::StreamEnd) => {
                    self.trailer(raw, observer)?;
                    self.state = GzipState::NextHeader;
                }
                // Input and room were there and yet nothing moved.
                Ok(_) if used == 0 && out.len() == out_before => {
                    return Err(StreamError::Damaged("no progress".into()));
                }
                Ok(_) => {}
                Err(error) => {
                    let reason = error.message().unwrap_or("invalid deflate data");
                    return Err(StreamError::Damaged(reason.into()));
                }
            }
        }
        Ok(true)
    }

    fn trailer(&mut self, raw: &mut Raw, observer: &dyn Observer) -> Result<(), StreamError> {
        let Some(trailer) = raw.ahead(8, observer)?.first_chunk::<8>() else {
            return Err(StreamError::Truncated);
        };
        let [a, b, c, d, e, f, g, h] = *trailer;
        if u32::from_le_bytes([a, b, c, d]) != self.crc.sum() {
            return Err(StreamError::Damaged("the checksum does not match".into()));
        }
        if u32::from_le_bytes([e, f, g, h]) != self.crc.amount() {
            return Err(StreamError::Damaged("the length does not match".into()));
        }
        raw.consume(8);
        Ok(())
    }
}

/// True at the end of the stream; some tools fill the last sector with zeros, which are passed over.
fn at_padded_end(raw: &mut Raw, observer: &dyn Observer) -> Result<bool, InputError> {
    while raw.ahead(1, observer)?.first() == Some(&0) {
        let zeros = raw.rest().iter().take_while(|&&byte| byte == 0).count();
        raw.consume(zeros);
    }
    Ok(raw.rest().is_empty())
}

/// Passes over the header of a member.
fn gzip_header(raw: &mut Raw, observer: &dyn Observer) -> Result<(), StreamError> {
    let head = raw.ahead(10, observer)?;
    let known = head.len().min(2);
    if head[..known] != GZIP_MAGIC[..known] {
        return Err(StreamError::Damaged(
            "not the start of a gzip member".into(),
        ));
    }
    if head.len() < 10 {
        return Err(StreamError::Truncated);
    }
    let (method, flags) = (head[2], head[3]);
    if method != 8 {
        return Err(StreamError::Damaged(format!(
            "unknown compression method {method}"
        )));
    }
    if flags & 0xe0 != 0 {
        return Err(StreamError::Damaged(format!("unknown flags {flags:#04x}")));
    }
    raw.consume(10);
    if flags & 4 != 0 {
        let Some(&[low, high]) = raw.ahead(2, observer)?.first_chunk::<2>() else {
            return Err(StreamError::Truncated);
        };
        let length = 2 + usize::from(u16::from_le_bytes([low, high]));
        if raw.ahead(length, observer)?.len() < length {
            return Err(StreamError::Truncated);
        }
        raw.consume(length);
    }
    for flag in [8, 16] {
        if flags & flag == 0 {
            continue;
        }
        // File name, comment: up to a zero.
        loop {
            let rest = raw.ahead(1, observer)?;
            if rest.is_empty() {
                return Err(StreamError::Truncated);
            }
            let end = memchr::memchr(0, rest);
            let count = end.map_or(rest.len(), |end| end + 1);
            raw.consume(count);
            if end.is_some() {
                break;
            }
        }
    }
    if flags & 2 != 0 {
        // The checksum of the header: the one of the text is enough.
        if raw.ahead(2, observer)?.len() < 2 {
            return Err(StreamError::Truncated);
        }
        raw.consume(2);
    }
    Ok(())
}
