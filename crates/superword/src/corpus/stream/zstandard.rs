//! Zstandard streams.

use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

use super::decompress::{Raw, StreamError};
use super::input::CHUNK;
use crate::observe::Observer;

pub(in crate::corpus) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A Zstandard stream: frames one after another.
pub(in crate::corpus) struct Zstd {
    context: DCtx<'static>,
    /// How many bytes the decoder wants next: just the next block. More would let it make several
    /// blocks in a call, and lose the first when the second is damaged.
    wanted: usize,
    state: ZstdState,
}

#[derive(PartialEq)]
enum ZstdState {
    Start,
    InFrame,
    BetweenFrames,
}

/// The least that tells what kind of frame comes.
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
                // What is still in the decoder comes out without new input.
                if self.state == ZstdState::InFrame && self.flush(out)? {
                    return Ok(true);
                }
                return match self.state {
                    ZstdState::BetweenFrames => Ok(out.len() > old),
                    ZstdState::InFrame | ZstdState::Start => Err(StreamError::Truncated),
                };
            }
            let piece = &ahead[..ahead.len().min(self.wanted)];
            out.reserve(CHUNK);
            let mut input = InBuffer::around(piece);
            let result = step(&mut self.context, out, &mut input);
            let used = input.pos();
            // A decoder that fails says nothing of what it took: the damage is in this piece.
            let hint = result?;
            raw.consume(used);
            (self.state, self.wanted) = match hint {
                0 => (ZstdState::BetweenFrames, FRAME_START),
                hint => (ZstdState::InFrame, hint),
            };
        }
        Ok(true)
    }

    /// Gets out what the decoder holds; `false` if that was nothing.
    fn flush(&mut self, out: &mut Vec<u8>) -> Result<bool, StreamError> {
        let old = out.len();
        out.reserve(CHUNK);
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
        .map_err(|code| StreamError::Damaged(get_error_name(code).to_lowercase()))
}
