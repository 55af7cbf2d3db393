//! A finished piece of the text, and the record of it that a later run finds.

use serde_json::{Value, json};

use super::counter::Extras;
use crate::corpus::{Before, CorpusError, ReadReport, SourceReport};

/// Some of the counts of a piece.
#[derive(Debug)]
pub(in crate::train) enum Part<C> {
    /// In memory.
    Memory(C),
    /// In a file of this name.
    File(String),
}

/// A part, and how many times its documents count.
#[derive(Debug)]
pub(in crate::train) struct WeightedPart<C> {
    pub(super) times: u64,
    pub(super) part: Part<C>,
}

/// What was counted in one piece of the text.
pub(super) struct Piece<C> {
    pub(super) parts: Vec<WeightedPart<C>>,
    pub(super) extras: Extras,
    pub(super) read: ReadReport,
    /// If the piece is a section of a source: what comes before the next section. `None` if the
    /// source could not be read further.
    pub(super) end: Option<Before>,
}

impl<C> Piece<C> {
    /// The names of the files that hold the counts.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match &part.part {
            Part::File(name) => Some(name.as_str()),
            Part::Memory(_) => None,
        })
    }

    /// The record of a piece whose parts are in files. The sketch is not in it.
    pub(super) fn to_json(&self) -> Value {
        let parts = self.parts.iter().filter_map(|part| match &part.part {
            Part::File(name) => Some(json!([part.times, name])),
            Part::Memory(_) => None,
        });
        let sources = self.read.per_source.iter();
        let sources =
            sources.map(|read| [read.documents, read.bytes, read.skipped, read.raw_bytes]);
        let skips = self.read.first_skips.iter().map(ToString::to_string);
        json!({
            "parts": parts.collect::<Vec<_>>(),
            "pretokens": self.extras.pretokens,
            "sources": sources.collect::<Vec<_>>(),
            "skips": skips.collect::<Vec<_>>(),
            "end": self.end.map(|end| json!([end.lines, end.is_blank])),
        })
    }

    /// The inverse of [`Piece::to_json`]; `None` for anything else.
    pub(super) fn from_json(value: &Value) -> Option<Piece<C>> {
        let mut read = ReadReport::default();
        for source in value["sources"].as_array()? {
            let at = |index: usize| source[index].as_u64();
            let report = SourceReport {
                documents: at(0)?,
                bytes: at(1)?,
                skipped: at(2)?,
                raw_bytes: at(3)?,
            };
            read.documents = read.documents.checked_add(report.documents)?;
            read.bytes = read.bytes.checked_add(report.bytes)?;
            read.skipped = read.skipped.checked_add(report.skipped)?;
            read.per_source.push(report);
        }
        for skip in value["skips"].as_array()? {
            read.first_skips.push(CorpusError::Earlier {
                message: skip.as_str()?.to_owned(),
            });
        }
        let parts = value["parts"].as_array()?.iter().map(|part| {
            Some(WeightedPart {
                times: part[0].as_u64()?,
                part: Part::File(part[1].as_str()?.to_owned()),
            })
        });
        Some(Piece {
            parts: parts.collect::<Option<_>>()?,
            extras: Extras {
                pretokens: value["pretokens"].as_u64()?,
                sketch: None,
            },
            read,
            end: match &value["end"] {
                Value::Null => None,
                end => Some(Before {
                    lines: end[0].as_u64()?,
                    is_blank: end[1].as_bool()?,
                }),
            },
        })
    }
}
