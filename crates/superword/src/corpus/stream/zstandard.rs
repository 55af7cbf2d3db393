//! Decompresses Zstandard streams.

use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

use super::decompress::{Raw, StreamError};
use super::input::CHUNK;
use crate::memory;
use crate::observe::Observer;

pub(in crate::corpus) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A Zstandard stream: one or more frames.
pub(in crate::corpus) struct Zstd {
    context: DCtx<'static>,
    /// How many bytes the decoder asked for: exactly the next block. With more, it could decode
    /// several blocks in one call and drop the first if the second is damaged.
    wanted: usize,
    state: ZstdState,
}

#[derive(PartialEq)]
enum ZstdState {
    Start,
    InFrame,
    BetweenFrames,
}

/// The fewest bytes that identify the kind of a frame.
const FRAME_START: usize = 5;

impl Zstd {
    pub(in crate::corpus) fn new() -> Result<Zstd, StreamError> {
        let fail = || StreamError::Io(std::io::ErrorKind::OutOfMemory.into());
        let mut context = DCtx::try_create().ok_or_else(fail)?;
        context
            .set_parameter(DParameter::WindowLogMax(31))
            .map_err(|_| fail())?;
        Ok(Zstd {
            context,
            wanted: FRAME_START,
            state: ZstdState::Start,
        })
    }

    pub(in crate::corpus) fn read(
        &mut self,
        raw: &mut Raw,
        out: &mut Vec<u8>,
        observer: &dyn Observer,
    ) -> Result<bool, StreamError> {
        let old = out.len();
        while out.len() < old + CHUNK {
            let ahead = raw.ahead(self.wanted.min(2 * CHUNK), observer)?;
            if ahead.is_empty() {
                // The decoder may still hold output that needs no more input.
                if self.state == ZstdState::InFrame && self.flush(out)? {
                    return Ok(true);
                }
                return match self.state {
                    ZstdState::BetweenFrames => Ok(out.len() > old),
                    ZstdState::InFrame | ZstdState::Start => Err(StreamError::Truncated),
                };
            }
            let piece = &ahead[..ahead.len().min(self.wanted)];
            memory::reserve(out, CHUNK);
            let mut input = InBuffer::around(piece);
            let result = step(&mut self.context, out, &mut input);
            let used = input.pos();
            // On failure the decoder does not report how much it used: the damage is somewhere in
            // this piece.
            let hint = result?;
            raw.consume(used);
            (self.state, self.wanted) = match hint {
                0 => (ZstdState::BetweenFrames, FRAME_START),
                hint => (ZstdState::InFrame, hint),
            };
        }
        Ok(true)
    }

    /// Appends what the decoder still holds. Returns `false` if it holds nothing.
    fn flush(&mut self, out: &mut Vec<u8>) -> Result<bool, StreamError> {
        let old = out.len();
        memory::reserve(out, CHUNK);
        if step(&mut self.context, out, &mut InBuffer::around(&[]))? == 0 {
            self.state = ZstdState::BetweenFrames;
            return Ok(true);
        }
        Ok(out.len() > old)
    }
}

fn step(
    context: &mut DCtx<'static>,
    out: &mut Vec<u8>,
    input: &mut InBuffer<'_>,
) -> Result<usize, StreamError> {
    let old = out.len();
    let mut output = OutBuffer::around_pos(out, old);
    context
        .decompress_stream(&mut output, input)
        .map_err(|code| match get_error_name(code).to_lowercase() {
            // The window of a frame can take 2 GB.
            reason if reason.starts_with("allocation error") => memory::fail(),
            reason => StreamError::Damaged(reason),
        })
}
