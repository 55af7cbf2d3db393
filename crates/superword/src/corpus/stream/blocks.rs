//! Cuts a stream of text bytes into blocks of whole records.

use std::sync::Arc;

use super::decompress::{Decompressor, StreamError};
use super::encoding;
use super::input::Input;
use super::large::{Room, memory_of};
use super::sections::{Before, Section};
use crate::corpus::{Compression, CorpusError, Format, Source};
use crate::memory;
use crate::observe::{Observer, Stopped, check_stop};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Where a block starts in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::corpus) struct BlockStart {
    /// Number of its first line, from 1.
    pub(in crate::corpus) line: u64,
    /// Text bytes before it, including a byte order mark.
    pub(in crate::corpus) offset: u64,
    /// True if there are only blank lines before it.
    pub(in crate::corpus) is_first: bool,
}

/// Why there is no next block.
#[derive(Debug)]
pub(in crate::corpus) enum BlockError {
    Stopped(Stopped),
    Corpus(CorpusError),
}

/// An open source that returns its text in blocks of whole records.
pub(in crate::corpus) struct BlockReader {
    source_name: Arc<str>,
    format: Format,
    stream: Decompressor,
    /// Text that was read past the end of the last block.
    carry: Vec<u8>,
    next: BlockStart,
    /// The start of the text has been checked and a byte order mark removed.
    started: bool,
    finished: bool,
    /// An error that comes after the block that was returned last.
    failure: Option<CorpusError>,
    /// Raw bytes that have been reported as progress.
    reported: u64,
}

impl BlockReader {
    pub(in crate::corpus) fn open(source: &Source) -> Result<BlockReader, CorpusError> {
        let stream = Decompressor::new(Input::open(source)?, source.compression);
        let whole = Section {
            bytes: 0..u64::MAX,
            before: Before::NOTHING,
        };
        Ok(BlockReader::new(source, stream, &whole))
    }

    /// Opens only a part of the source.
    pub(in crate::corpus) fn open_section(
        source: &Source,
        section: &Section,
    ) -> Result<BlockReader, CorpusError> {
        let input = Input::open_section(source, section)?;
        let stream = Decompressor::after(section.bytes.start, input, Compression::None);
        Ok(BlockReader::new(source, stream, section))
    }

    fn new(source: &Source, stream: Decompressor, section: &Section) -> BlockReader {
        let start = section.bytes.start;
        BlockReader {
            source_name: source.name().into(),
            format: source.format,
            stream,
            carry: Vec::new(),
            next: section.start(),
            started: start > 0,
            finished: false,
            failure: None,
            reported: start,
        }
    }

    /// The name of the source.
    pub(in crate::corpus) fn source_name(&self) -> &Arc<str> {
        &self.source_name
    }

    /// Where the next block will start.
    pub(in crate::corpus) fn position(&self) -> BlockStart {
        self.next
    }

    /// Fills `block` with whole records, about `block_size` bytes, or with one record if that is
    /// longer. Returns `None` at the end of the source. An error comes after the last whole record
    /// before it, and ends the source. `advanced` is called with the raw bytes that were consumed. A record must fit into
    /// the room.
    pub(in crate::corpus) fn next_block(
        &mut self,
        block: &mut Vec<u8>,
        block_size: usize,
        room: &mut Room<'_>,
        observer: &dyn Observer,
        advanced: &mut dyn FnMut(u64),
    ) -> Result<Option<BlockStart>, BlockError> {
        block.clear();
        if let Some(error) = self.failure.take() {
            return Err(BlockError::Corpus(error));
        }
        std::mem::swap(block, &mut self.carry);
        let mut searched = 0;
        while !self.finished {
            if self.started && block.len() >= block_size {
                let from = searched.max(block_size.saturating_sub(1));
                if let Some(cut) = first_cut(self.format, block, from) {
                    memory::extend(&mut self.carry, &block[cut..]);
                    block.truncate(cut);
                    return Ok(Some(self.pass(block)));
                }
                searched = block.len();
                if room.is_exceeded(self.format, block.len()) {
                    self.check_size(block, room, observer)?;
                }
                room.wait(block.len(), observer)
                    .map_err(BlockError::Stopped)?;
            }
            check_stop(observer).map_err(BlockError::Stopped)?;
            let result = self.stream.read(block, observer);
            let consumed = self.stream.consumed();
            advanced(consumed - self.reported);
            self.reported = consumed;
            let more = match result {
                Ok(more) => more,
                Err(StreamError::Stopped(stopped)) => return Err(BlockError::Stopped(stopped)),
                Err(error) => {
                    self.finished = true;
                    let offset = self.next.offset + block.len() as u64;
                    let error = self.describe(error, offset, block);
                    self.start(block)?;
                    block.truncate(last_cut(self.format, block).unwrap_or(0));
                    if block.is_empty() {
                        return Err(BlockError::Corpus(error));
                    }
                    self.failure = Some(error);
                    return Ok(Some(self.pass(block)));
                }
            };
            self.finished = !more;
            if block.len() >= encoding::HEAD || self.finished {
                self.start(block)?;
            }
        }
        if block.is_empty() {
            Ok(None)
        } else {
            Ok(Some(self.pass(block)))
        }
    }

    /// Returns an error if the last record, of which at least a part is in the block, is too large for the room.
    #[cold]
    fn check_size(
        &mut self,
        block: &mut Vec<u8>,
        room: &Room<'_>,
        observer: &dyn Observer,
    ) -> Result<(), BlockError> {
        let start = last_cut(self.format, block).unwrap_or(0);
        let mut bytes = (block.len() - start) as u64;
        if !room.is_exceeded(self.format, block.len() - start) {
            return Ok(());
        }
        let before = self.lines_in(&block[..start]);
        if let (Format::Framed, Some(&length)) = (self.format, block[start..].first_chunk::<8>()) {
            bytes = u64::from_le_bytes(length);
        } else {
            // The blank part of a line at the end: it may end a paragraph.
            let mut blank = is_blank(last_line(block));
            while bytes < room.most() {
                block.clear();
                match self.stream.read(block, observer) {
                    Ok(true) => {}
                    Err(StreamError::Stopped(stopped)) => return Err(BlockError::Stopped(stopped)),
                    // Damage that follows does not matter any more.
                    Ok(false) | Err(_) => break,
                }
                if let Some(end) = end_of_record(self.format, block, &mut blank) {
                    bytes += end as u64;
                    break;
                }
                bytes += block.len() as u64;
            }
        }
        self.finished = true;
        block.clear();
        Err(BlockError::Corpus(CorpusError::DocumentTooLarge {
            source_name: self.source_name.to_string(),
            line: match self.format {
                Format::Text => None,
                _ => Some(self.next.line + before),
            },
            bytes,
            memory: memory_of(self.format, bytes),
        }))
    }

    /// The number of lines or rows in whole records.
    fn lines_in(&self, records: &[u8]) -> u64 {
        match self.format {
            Format::Framed => frames(records).count() as u64,
            _ => memchr::memchr_iter(b'\n', records).count() as u64,
        }
    }

    /// Checks the start of the text, once: refuses other encodings, drops a byte order mark.
    fn start(&mut self, block: &mut Vec<u8>) -> Result<(), BlockError> {
        if self.started || self.format == Format::Framed {
            self.started = true;
            return Ok(());
        }
        self.started = true;
        if let Some(encoding) = encoding::foreign(block) {
            self.finished = true;
            block.clear();
            return Err(BlockError::Corpus(CorpusError::ForeignEncoding {
                source_name: self.source_name.to_string(),
                encoding,
            }));
        }
        if block.starts_with(BYTE_ORDER_MARK) {
            block.drain(..BYTE_ORDER_MARK.len());
            self.next.offset += BYTE_ORDER_MARK.len() as u64;
        }
        Ok(())
    }

    /// Moves the position past `block` and returns the old one.
    fn pass(&mut self, block: &[u8]) -> BlockStart {
        let start = self.next;
        self.next.offset += block.len() as u64;
        self.next.is_first = start.is_first && block.iter().all(u8::is_ascii_whitespace);
        self.next.line += self.lines_in(block);
        start
    }

    fn describe(&self, error: StreamError, offset: u64, block: &[u8]) -> CorpusError {
        let source_name = self.source_name.to_string();
        let compression = self.stream.compression();
        let compressed_offset = self.stream.consumed();
        match error {
            StreamError::Truncated => CorpusError::Truncated {
                source_name,
                compression,
                offset,
                compressed_offset,
            },
            StreamError::Damaged(reason) => CorpusError::Damaged {
                source_name,
                compression,
                offset,
                compressed_offset,
                reason,
            },
            StreamError::Io(error) if self.format == Format::Framed => CorpusError::Rows {
                source_name,
                row: self.next.line - 1 + frames(block).count() as u64,
                reason: error.to_string(),
            },
            StreamError::Io(error) => CorpusError::Read {
                source_name,
                offset: compressed_offset,
                reason: error.to_string(),
            },
            StreamError::Stopped(stopped) => CorpusError::Read {
                source_name,
                offset: compressed_offset,
                reason: stopped.to_string(),
            },
        }
    }
}

/// A complete document in [`Format::Framed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::corpus) struct Frame {
    /// Where its text starts; `None` if the text is missing.
    pub(in crate::corpus) start: Option<usize>,
    pub(in crate::corpus) end: usize,
}

/// The complete documents at the start of `bytes`.
pub(in crate::corpus) fn frames(bytes: &[u8]) -> impl Iterator<Item = Frame> + '_ {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let mut length = [0; 8];
        length.copy_from_slice(bytes.get(at..at + 8)?);
        at += 8;
        let length = u64::from_le_bytes(length);
        if length == u64::MAX {
            return Some(Frame {
                start: None,
                end: at,
            });
        }
        let start = at;
        let end = usize::try_from(length).ok()?.checked_add(start)?;
        bytes.get(start..end)?;
        at = end;
        Some(Frame {
            start: Some(start),
            end,
        })
    })
}

/// True for a line that separates paragraphs: only spaces, tabs and the `\r` of its ending.
pub(in crate::corpus) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// What follows the last `\n`.
fn last_line(text: &[u8]) -> &[u8] {
    &text[memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1)..]
}

/// Where the record that `text` continues ends. `blank` tells whether the line that it continues is blank so far.
fn end_of_record(format: Format, text: &[u8], blank: &mut bool) -> Option<usize> {
    match format {
        Format::Jsonl | Format::Lines => memchr::memchr(b'\n', text),
        Format::Text | Format::Framed => None,
        Format::Paragraphs => {
            let mut start = 0;
            for newline in memchr::memchr_iter(b'\n', text) {
                if *blank && is_blank(&text[start..newline]) {
                    return Some(start);
                }
                (start, *blank) = (newline + 1, true);
            }
            *blank &= is_blank(&text[start..]);
            None
        }
    }
}

/// True if the line that ends with the `\n` at `newline` ends a record.
fn ends_record(format: Format, text: &[u8], newline: usize) -> bool {
    match format {
        Format::Jsonl | Format::Lines => true,
        Format::Text | Format::Framed => false,
        Format::Paragraphs => {
            let start = memchr::memrchr(b'\n', &text[..newline]).map_or(0, |before| before + 1);
            is_blank(&text[start..newline])
        }
    }
}

/// The first place where a block may end, after a `\n` at or after `from`.
fn first_cut(format: Format, text: &[u8], from: usize) -> Option<usize> {
    if format == Format::Framed {
        return frames(text).map(|frame| frame.end).find(|&end| end > from);
    }
    if format == Format::Text {
        return None;
    }
    memchr::memchr_iter(b'\n', text.get(from..)?)
        .map(|found| from + found)
        .find(|&newline| ends_record(format, text, newline))
        .map(|newline| newline + 1)
}

/// The last place where a block may end.
fn last_cut(format: Format, text: &[u8]) -> Option<usize> {
    if format == Format::Framed {
        return frames(text).map(|frame| frame.end).last();
    }
    if format == Format::Text {
        return None;
    }
    memchr::memrchr_iter(b'\n', text)
        .find(|&newline| ends_record(format, text, newline))
        .map(|newline| newline + 1)
}
