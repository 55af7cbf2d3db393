//! A piece of the text that is counted by itself, and the record of it.

use serde_json::{Value, json};

use crate::corpus::{CorpusError, MAX_SKIPS_SHOWN, ReadReport, SourceReport};

/// A finished piece: how often each of its parts counts, and what was read.
pub(super) struct Piece {
    pub(super) parts: Vec<(u64, String)>,
    pub(super) sketch: Option<String>,
    pub(super) pretokens: u64,
    pub(super) report: ReadReport,
}

impl Piece {
    pub(super) fn to_json(&self) -> Value {
        let sources = self.report.per_source.iter();
        let sources: Vec<[u64; 4]> = sources
            .map(|read| [read.documents, read.bytes, read.skipped, read.raw_bytes])
            .collect();
        let skips = self.report.first_skips.iter();
        json!({
            "parts": self.parts,
            "sketch": self.sketch,
            "pretokens": self.pretokens,
            "sources": sources,
            "skips": skips.map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    pub(super) fn from_json(value: &Value) -> Option<Piece> {
        let mut report = ReadReport::default();
        for source in value["sources"].as_array()? {
            let at = |index: usize| source[index].as_u64();
            let read = SourceReport {
                documents: at(0)?,
                bytes: at(1)?,
                skipped: at(2)?,
                raw_bytes: at(3)?,
            };
            report.documents = report.documents.checked_add(read.documents)?;
            report.bytes = report.bytes.checked_add(read.bytes)?;
            report.skipped = report.skipped.checked_add(read.skipped)?;
            report.per_source.push(read);
        }
        for skip in value["skips"].as_array()? {
            report.first_skips.push(CorpusError::Earlier {
                message: skip.as_str()?.to_owned(),
            });
        }
        let parts = value["parts"].as_array()?.iter();
        Some(Piece {
            parts: parts
                .map(|part| Some((part[0].as_u64()?, part[1].as_str()?.to_owned())))
                .collect::<Option<_>>()?,
            sketch: value["sketch"].as_str().map(str::to_owned),
            pretokens: value["pretokens"].as_u64()?,
            report,
        })
    }
}

/// Adds what was read of a piece.
pub(super) fn add_report(all: &mut ReadReport, piece: ReadReport) {
    // They come from a file: nothing of it may make the sum fail.
    all.documents = all.documents.saturating_add(piece.documents);
    all.bytes = all.bytes.saturating_add(piece.bytes);
    all.skipped = all.skipped.saturating_add(piece.skipped);
    all.per_source.extend(piece.per_source);
    let room = MAX_SKIPS_SHOWN - all.first_skips.len();
    all.first_skips
        .extend(piece.first_skips.into_iter().take(room));
}
