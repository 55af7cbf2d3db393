//! Extracts the documents from a block of whole records.

use std::ops::Range;

use super::jsonl;
use crate::corpus::stream::blocks::{BlockStart, frames, is_blank};
use crate::corpus::{CorpusError, Format};

/// Receives the documents of a block, in order.
pub(in crate::corpus) trait Visitor {
    /// Why the visitor stops in the middle of a block.
    type Halt;

    /// Receives a document that starts on this line.
    fn document(&mut self, line: u64, text: &str) -> Result<(), Self::Halt>;

    /// Receives the error of a document that cannot be read.
    fn fault(&mut self, line: u64, error: impl FnOnce() -> CorpusError) -> Result<(), Self::Halt>;
}

/// A block and its place in its source.
pub(in crate::corpus) struct Block<'a> {
    pub(in crate::corpus) source_name: &'a str,
    pub(in crate::corpus) format: Format,
    pub(in crate::corpus) start: BlockStart,
    pub(in crate::corpus) bytes: &'a [u8],
}

impl Block<'_> {
    /// Passes all documents to the visitor. `scratch` is a reusable buffer for unescaped text.
    pub(in crate::corpus) fn visit<V: Visitor>(
        &self,
        text_field: &str,
        scratch: &mut String,
        visitor: &mut V,
    ) -> Result<(), V::Halt> {
        if self.format == Format::Framed {
            return self.framed(text_field, visitor);
        }
        // Checking the whole block at once is fast, and nearly always succeeds.
        let text = std::str::from_utf8(self.bytes).ok();
        match self.format {
            Format::Framed => Ok(()),
            Format::Text => self.give(text, 0..self.bytes.len(), self.start.line, visitor),
            Format::Lines => self.lines(|range, line| {
                let range = without_ending(self.bytes, range);
                if range.is_empty() {
                    Ok(())
                } else {
                    self.give(text, range, line, visitor)
                }
            }),
            Format::Jsonl => self.lines(|range, line| {
                if self.is_blank_line(&range) {
                    return Ok(());
                }
                let range = without_ending(self.bytes, range);
                let Some(text) = self.text_at(text, range.clone()) else {
                    return visitor.fault(line, || self.utf8_error(range, line));
                };
                match jsonl::extract(text, text_field, scratch) {
                    Ok(text) => visitor.document(line, text),
                    Err(fault) => visitor.fault(line, || {
                        if text.trim_start().starts_with('[') && self.is_first_record(range.start) {
                            return CorpusError::JsonArray {
                                source_name: self.source_name.to_string(),
                                line,
                            };
                        }
                        fault.at(self.source_name, line, text_field)
                    }),
                }
            }),
            Format::Paragraphs => {
                let mut paragraph: Option<(Range<usize>, u64)> = None;
                self.lines(|range, line| {
                    if self.is_blank_line(&range) {
                        match paragraph.take() {
                            Some((range, line)) => {
                                self.give(text, without_ending(self.bytes, range), line, visitor)
                            }
                            None => Ok(()),
                        }
                    } else {
                        let (whole, _) = paragraph.get_or_insert((range.clone(), line));
                        whole.end = range.end;
                        Ok(())
                    }
                })?;
                match paragraph {
                    Some((range, line)) => {
                        self.give(text, without_ending(self.bytes, range), line, visitor)
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// Documents with their lengths in front. A row takes the place of a line.
    fn framed<V: Visitor>(&self, text_field: &str, visitor: &mut V) -> Result<(), V::Halt> {
        for (row, frame) in (self.start.line..).zip(frames(self.bytes)) {
            match frame.start {
                Some(start) => self.give(None, start..frame.end, row, visitor)?,
                None => visitor.fault(row, || CorpusError::FieldNotString {
                    source_name: self.source_name.to_string(),
                    line: row,
                    field: text_field.to_string(),
                    found: "null",
                })?,
            }
        }
        Ok(())
    }

    /// Calls `each` with every line, including its ending, and its number.
    fn lines<H>(&self, mut each: impl FnMut(Range<usize>, u64) -> Result<(), H>) -> Result<(), H> {
        let mut start = 0;
        let mut line = self.start.line;
        for newline in memchr::memchr_iter(b'\n', self.bytes) {
            each(start..newline + 1, line)?;
            start = newline + 1;
            line += 1;
        }
        if start < self.bytes.len() {
            each(start..self.bytes.len(), line)
        } else {
            Ok(())
        }
    }

    /// True if the record that starts at `at` is the first one of the source.
    fn is_first_record(&self, at: usize) -> bool {
        self.start.is_first && self.bytes[..at].iter().all(u8::is_ascii_whitespace)
    }

    fn is_blank_line(&self, range: &Range<usize>) -> bool {
        let line = &self.bytes[range.clone()];
        is_blank(line.strip_suffix(b"\n").unwrap_or(line))
    }

    fn give<V: Visitor>(
        &self,
        text: Option<&str>,
        range: Range<usize>,
        line: u64,
        visitor: &mut V,
    ) -> Result<(), V::Halt> {
        match self.text_at(text, range.clone()) {
            Some(text) => visitor.document(line, text),
            None => visitor.fault(line, || self.utf8_error(range, line)),
        }
    }

    /// The bytes as text, or `None` if they are not UTF-8. `text` is the whole block if all of it is
    /// UTF-8.
    fn text_at<'t>(&'t self, text: Option<&'t str>, range: Range<usize>) -> Option<&'t str> {
        match text {
            Some(text) => Some(&text[range]),
            None => std::str::from_utf8(&self.bytes[range]).ok(),
        }
    }

    /// The error for the first byte that is not UTF-8 in a document that starts on `line`.
    fn utf8_error(&self, range: Range<usize>, line: u64) -> CorpusError {
        let bytes = &self.bytes[range.clone()];
        let valid = std::str::from_utf8(bytes)
            .err()
            .map_or(bytes.len(), |error| error.valid_up_to());
        let lines_before = memchr::memchr_iter(b'\n', &bytes[..valid]).count();
        let line_start = memchr::memrchr(b'\n', &bytes[..valid]).map_or(0, |newline| newline + 1);
        CorpusError::InvalidUtf8 {
            source_name: self.source_name.to_string(),
            line: line + lines_before as u64,
            offset_in_line: (valid - line_start) as u64,
            offset: self.start.offset + (range.start + valid) as u64,
        }
    }
}

/// The range without its `\n` or `\r\n`.
fn without_ending(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let line = &bytes[range.clone()];
    let line = match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    };
    range.start..range.start + line.len()
}
