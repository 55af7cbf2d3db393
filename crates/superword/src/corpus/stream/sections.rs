//! Divides a large file into sections of whole records, each of which can be read on its own.
//!
//! A section ends where a block could end: after a line, or after a blank line if documents are
//! paragraphs. So a document belongs to exactly one section.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::blocks::{BlockStart, is_blank};
use super::encoding;
use super::gzip::GZIP_MAGIC;
use super::input::{CHUNK, Kind, read_at};
use super::zstandard::ZSTD_MAGIC;
use crate::corpus::{Compression, Format, Location, Source};
use crate::observe::{Observer, Stopped, check_stop};

/// A file is not divided if a record has this many times the bytes of a wanted section.
const LONGEST_RECORD: u64 = 16;

/// What comes before a section. Messages name lines, so a reader must know how many there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Before {
    /// The number of lines.
    pub lines: u64,
    /// True if all of them are blank.
    pub is_blank: bool,
}

impl Before {
    /// Nothing: the section is the first one.
    pub(crate) const NOTHING: Before = Before {
        lines: 0,
        is_blank: true,
    };

    pub(in crate::corpus) fn of(start: BlockStart) -> Before {
        Before {
            lines: start.line - 1,
            is_blank: start.is_first,
        }
    }
}

/// A part of a file that holds whole records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its place in the file.
    pub bytes: Range<u64>,
    /// What comes before it.
    pub before: Before,
}

impl Section {
    /// Where its first block starts.
    pub(in crate::corpus) fn start(&self) -> BlockStart {
        BlockStart {
            line: self.before.lines + 1,
            offset: self.bytes.start,
            is_first: self.before.is_blank,
        }
    }
}

impl Source {
    /// Divides the source into sections of about `max_bytes`, or of one record if that is longer.
    /// Returns nothing if the source cannot be divided: only plain files can whose documents are
    /// lines, JSON objects or paragraphs. A source that cannot be read is not divided either; the
    /// error comes when it is read.
    pub(crate) fn sections(
        &self,
        max_bytes: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<Range<u64>>, Stopped> {
        let Some((file, size)) = self.divisible().filter(|&(_, size)| size > max_bytes) else {
            return Ok(Vec::new());
        };
        let count = size.div_ceil(max_bytes.max(1));
        let step = size.div_ceil(count);
        let mut sections = Vec::new();
        let mut start = 0u64;
        while start < size {
            // Equal steps. The first section holds what decides about the encoding.
            let from = (start / step + 1)
                .saturating_mul(step)
                .max(encoding::HEAD as u64);
            let end = match from < size {
                false => size,
                true => match record_end(&file, self.format, from, size, observer) {
                    Ok(end) => end,
                    Err(SearchError::Stopped(stopped)) => return Err(stopped),
                    Err(SearchError::Io) => return Ok(Vec::new()),
                },
            };
            sections.push(start..end);
            start = end;
        }
        Ok(sections)
    }

    /// The whole records that belong to a part of the source. Neighbouring parts have neighbouring sections, so every record
    /// belongs to exactly one of them. A section may be empty. `None` if the source cannot be divided, or if a record is
    /// several times as long as the part.
    pub(crate) fn section_of(
        &self,
        part: Range<u64>,
        observer: &dyn Observer,
    ) -> Result<Option<Range<u64>>, Stopped> {
        let Some((file, size)) = self.divisible() else {
            return Ok(None);
        };
        let longest = (part.end - part.start).saturating_mul(LONGEST_RECORD);
        let cut = |at: u64| {
            if at == 0 || at >= size {
                return Ok(Some(at.min(size)));
            }
            // The first section holds what decides about the encoding.
            let at = at.max(encoding::HEAD as u64);
            let last = at.saturating_add(longest).min(size);
            match record_end(&file, self.format, at, last, observer) {
                Ok(end) if end < last || last == size => Ok(Some(end)),
                Ok(_) | Err(SearchError::Io) => Ok(None),
                Err(SearchError::Stopped(stopped)) => Err(stopped),
            }
        };
        Ok(match (cut(part.start)?, cut(part.end)?) {
            (Some(start), Some(end)) => Some(start..end.max(start)),
            _ => None,
        })
    }

    /// The open file and its size, if sections of it can be read.
    fn divisible(&self) -> Option<(File, u64)> {
        let Location::Path(path) = &self.location else {
            return None;
        };
        let by_line = matches!(
            self.format,
            Format::Jsonl | Format::Lines | Format::Paragraphs
        );
        let plain = matches!(self.compression, Compression::Detect | Compression::None);
        if !by_line || !plain || Kind::of(path).ok()? != Kind::File {
            return None;
        }
        let file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        if self.compression == Compression::Detect {
            let mut head = [0; 4];
            let read = read_at(&file, &mut head, 0).ok()?;
            if head[..read].starts_with(&GZIP_MAGIC) || head[..read].starts_with(&ZSTD_MAGIC) {
                return None;
            }
        }
        Some((file, size))
    }
}

enum SearchError {
    Stopped(Stopped),
    Io,
}

/// The end of the first line that ends at or after `from`; for paragraphs, the end of the first blank
/// line after it. `size` if there is none.
fn record_end(
    file: &File,
    format: Format,
    from: u64,
    size: u64,
    observer: &dyn Observer,
) -> Result<u64, SearchError> {
    let mut chunk = vec![0; CHUNK];
    let mut at = from.saturating_sub(1);
    // Whether the current line ends a record: true if it has been blank so far.
    let mut ends = format != Format::Paragraphs;
    while at < size {
        check_stop(observer).map_err(SearchError::Stopped)?;
        let read = match read_at(file, &mut chunk, at) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(SearchError::Io),
        };
        let mut rest = &chunk[..read];
        while let Some(newline) = memchr::memchr(b'\n', rest) {
            at += newline as u64 + 1;
            if ends && (format != Format::Paragraphs || is_blank(&rest[..newline])) {
                return Ok(at.min(size));
            }
            rest = &rest[newline + 1..];
            ends = true;
        }
        ends &= format != Format::Paragraphs || is_blank(rest);
        at += rest.len() as u64;
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Silent;

    fn sections(text: &[u8], format: Format, max_bytes: u64) -> Vec<Vec<u8>> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file.txt");
        std::fs::write(&path, text).unwrap();
        let source = Source::from_path(&path, Some(format)).unwrap();
        let ranges = source.sections(max_bytes, &Silent).unwrap();
        ranges
            .into_iter()
            .map(|range| text[range.start as usize..range.end as usize].to_vec())
            .collect()
    }

    #[test]
    fn sections_are_the_file_cut_after_lines() {
        let line = "x".repeat(80);
        let text = format!("{line}\r\n\n{line}{line}\n\n\nab\nlast");
        for max_bytes in 1..300 {
            let cut = sections(text.as_bytes(), Format::Lines, max_bytes);
            if max_bytes < text.len() as u64 {
                assert_eq!(cut.concat(), text.as_bytes(), "{max_bytes}");
            }
            for section in cut.iter().rev().skip(1) {
                assert_eq!(section.last(), Some(&b'\n'), "{max_bytes}");
            }
        }
        let cut = sections(text.as_bytes(), Format::Jsonl, 1);
        assert_eq!(cut.len(), 7);
        assert_eq!(cut[0].len(), 82);
        assert_eq!(cut[6], b"last");
        // The start that decides about the encoding is never divided.
        assert_eq!(sections(&b"a\n".repeat(40), Format::Lines, 1)[0].len(), 64);
    }

    #[test]
    fn paragraphs_end_with_a_blank_line() {
        let line = "x".repeat(80);
        let text = format!("{line}\na\n \t\r\nb\nc\n{line}\n\n\nd\n");
        for max_bytes in 1..200 {
            let cut = sections(text.as_bytes(), Format::Paragraphs, max_bytes);
            for section in cut.iter().rev().skip(1) {
                assert!(
                    section.ends_with(b"\n\n") || section.ends_with(b"\n \t\r\n"),
                    "{max_bytes} {section:?}"
                );
            }
        }
        assert_eq!(sections(text.as_bytes(), Format::Paragraphs, 1).len(), 3);
    }

    #[test]
    fn the_search_for_an_end_crosses_chunks() {
        let long = "y".repeat(2 * CHUNK);
        let text = format!("{long}\n   {long}\n \nz\n");
        assert_eq!(sections(text.as_bytes(), Format::Lines, 1).len(), 4);
        assert_eq!(sections(text.as_bytes(), Format::Paragraphs, 1).len(), 2);
        let spaces = " ".repeat(2 * CHUNK);
        let text = format!("{long}\n{spaces}\nz\n");
        assert_eq!(sections(text.as_bytes(), Format::Paragraphs, 1).len(), 2);
    }

    #[test]
    fn every_record_belongs_to_one_part() {
        let line = "x".repeat(80);
        let text = format!("{line}\n{line}\n{line}\n{}\nlast", "y".repeat(2000));
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file.txt");
        std::fs::write(&path, &text).unwrap();
        let source = Source::from_path(&path, Some(Format::Lines)).unwrap();
        let of = |part| source.section_of(part, &Silent).unwrap();
        for step in [130, 150, 500, 2000, 5000] {
            let mut end = 0;
            for start in (0..3000).step_by(step) {
                let section = of(start..start + step as u64).expect("no record is too long");
                assert_eq!(section.start, end, "{step} {start}");
                end = section.end;
                assert!([0, 81, 162, 243, 2244, 2248].contains(&end), "{step} {end}");
            }
            assert_eq!(end, text.len() as u64);
        }
        // The start that decides about the encoding is never divided.
        assert_eq!((of(0..10), of(10..20)), (Some(0..81), Some(81..81)));
        // The end of a long record would be far away.
        assert_eq!((of(200..300), of(300..400)), (None, None));
        let compressed = Source::from_path(directory.path().join("a.gz"), None).unwrap();
        assert_eq!(compressed.section_of(0..1, &Silent), Ok(None));
    }

    #[test]
    fn what_has_no_lines_is_not_divided() {
        let text = b"a\nb\n".repeat(50);
        assert!(sections(&text, Format::Text, 10).is_empty());
        assert!(sections(&text, Format::Lines, 200).is_empty());
        let compressed = [&GZIP_MAGIC[..], &text].concat();
        assert!(sections(&compressed, Format::Lines, 10).is_empty());
        let source = Source::memory("memory", text, Format::Lines);
        assert!(source.sections(10, &Silent).unwrap().is_empty());
        let source = Source::from_path("no-such-file.jsonl", None).unwrap();
        assert!(source.sections(10, &Silent).unwrap().is_empty());
    }
}
