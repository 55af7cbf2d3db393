//! A finished piece of the text, and the record of it that a later run finds.

use serde_json::{Value, json};

use super::super::report::{report_from_json, report_to_json};
use super::counter::Extras;
use crate::corpus::{Before, ReadReport};

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
        let mut record = report_to_json(&self.read);
        record["parts"] = parts.collect();
        record["pretokens"] = json!(self.extras.pretokens);
        record["end"] = json!(self.end.map(|end| json!([end.lines, end.is_blank])));
        record
    }

    /// The inverse of [`Piece::to_json`]; `None` for anything else.
    pub(super) fn from_json(value: &Value) -> Option<Piece<C>> {
        let read = report_from_json(value)?;
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
