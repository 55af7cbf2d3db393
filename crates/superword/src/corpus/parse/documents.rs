//! Takes the documents out of a block of whole records.

use std::ops::Range;

use super::jsonl;
use crate::corpus::stream::blocks::{BlockStart, frames, is_blank};
use crate::corpus::{CorpusError, Format};

/// Receives what is in a block, in order.
pub(in crate::corpus) trait Visitor {
    /// Why the visitor wants no more of the block.
    type Halt;

    /// A document that starts on this line.
    fn document(&mut self, line: u64, text: &str) -> Result<(), Self::Halt>;

    /// A document that cannot be had.
    fn fault(&mut self, line: u64, error: impl FnOnce() -> CorpusError) -> Result<(), Self::Halt>;
}

/// A block and where it comes from.
pub(in crate::corpus) struct Block<'a> {
    pub(in crate::corpus) source_name: &'a str,
    pub(in crate::corpus) format: Format,
    pub(in crate::corpus) start: BlockStart,
    pub(in crate::corpus) bytes: &'a [u8],
}

impl Block<'_> {
    /// Hands all documents to the visitor. `scratch` is room for unescaped text, to be used again.
    pub(in crate::corpus) fn visit<V: Visitor>(
        &self,
        text_field: &str,
        scratch: &mut String,
        visitor: &mut V,
    ) -> Result<(), V::Halt> {
        if self.format == Format::Framed {
            return self.framed(text_field, visitor);
        }
        // Checked as a whole: fast, and nearly always true.
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
                    Err(fault) => {
                        visitor.fault(line, || fault.at(self.source_name, line, text_field))
                    }
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

    /// Documents by their lengths; a "line" is a row.
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

    /// Each line with its ending, and its number.
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

    /// The bytes as text, `None` if they are not UTF-8. `text` is the whole block, if it is UTF-8.
    fn text_at<'t>(&'t self, text: Option<&'t str>, range: Range<usize>) -> Option<&'t str> {
        match text {
            Some(text) => Some(&text[range]),
            None => std::str::from_utf8(&self.bytes[range]).ok(),
        }
    }

    /// Where the bytes of a document that starts on `line` cease to be UTF-8.
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

/// The range without a `\n` or `\r\n` at its end.
fn without_ending(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let line = &bytes[range.clone()];
    let line = match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    };
    range.start..range.start + line.len()
}
