//! What a run did: times and sizes for people, and facts about the text for the model.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::build::TextFacts;
use crate::corpus::{CorpusError, Groups, ReadReport, SourceReport};
use crate::model::Facts;
use crate::observe::Phase;

/// How long a phase took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhaseTime {
    /// The phase.
    pub phase: Phase,
    /// Wall-clock time.
    pub time: Duration,
}

impl PhaseTime {
    /// Does some work and records how long it took.
    pub(super) fn measure<T>(times: &mut Vec<Self>, phase: Phase, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        times.push(PhaseTime {
            phase,
            time: start.elapsed(),
        });
        result
    }
}

/// What a run did, for people. Nothing of it is saved in the model except the facts of the text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TrainReport {
    /// The text.
    pub text: TextReport,
    /// The phases in the order in which they ran. A phase can run more than once.
    pub times: Vec<PhaseTime>,
    /// Distinct candidates after cutting.
    pub unique_candidates: u64,
    /// Tokens in the distinct candidates.
    pub candidate_tokens: u64,
    /// Bigrams that occur less often were cut; 1 if nothing was cut.
    pub cut_below: u64,
    /// How often candidates were counted: again with a lower `cut_below` if it was too high. 0 if
    /// there are no superwords, or if they were learned by an earlier run.
    pub attempts: u64,
    /// Why the vocabulary is smaller than requested, if it is.
    pub shortfall: Option<String>,
}

/// What was read and counted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TextReport {
    /// What was read.
    pub read: ReadReport,
    /// What was read of each group, if there are groups.
    pub groups: Vec<GroupRead>,
    /// Pretokens in all documents.
    pub pretokens: u64,
    /// Distinct pretokens.
    pub unique_pretokens: u64,
}

impl TextReport {
    /// The facts about the text that are saved in a model.
    pub fn facts(&self) -> Facts {
        let mut facts = TextFacts {
            documents: self.read.documents,
            bytes: self.read.bytes,
            skipped_documents: self.read.skipped,
            pretokens: self.pretokens,
            unique_pretokens: self.unique_pretokens,
        }
        .into_facts();
        if !self.groups.is_empty() {
            let table = self.groups.iter().map(|group| {
                let read = json!({
                    "weight": group.weight,
                    "documents": group.documents,
                    "bytes": group.bytes,
                });
                (group.name.clone(), read)
            });
            facts.insert("groups".into(), table.collect::<Facts>().into());
        }
        facts
    }
}

/// What was read of a group of sources.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroupRead {
    /// The name of the group.
    pub name: String,
    /// The weight of its documents.
    pub weight: f64,
    /// Documents, each counted once whatever its weight.
    pub documents: u64,
    /// Bytes of text in these documents.
    pub bytes: u64,
}

impl GroupRead {
    /// What was read of each group; nothing if there are no groups.
    pub(super) fn of(groups: Option<&Groups>, report: &ReadReport) -> Vec<GroupRead> {
        let Some(groups) = groups else {
            return Vec::new();
        };
        let mut all: Vec<GroupRead> = groups
            .groups
            .iter()
            .map(|(name, weight)| GroupRead {
                name: name.clone(),
                weight: *weight,
                documents: 0,
                bytes: 0,
            })
            .collect();
        for (source, read) in report.per_source.iter().enumerate() {
            if let Some(group) = groups.group_of(source) {
                let group = &mut all[group];
                group.documents = group.documents.saturating_add(read.documents);
                group.bytes = group.bytes.saturating_add(read.bytes);
            }
        }
        all
    }
}

/// A report as it is kept.
pub(super) fn report_to_json(report: &ReadReport) -> Value {
    let sources = report.per_source.iter();
    let sources = sources.map(|read| [read.documents, read.bytes, read.skipped, read.raw_bytes]);
    let skips = report.first_skips.iter().map(ToString::to_string);
    json!({
        "sources": sources.collect::<Vec<_>>(),
        "skips": skips.collect::<Vec<_>>(),
    })
}

/// The inverse of [`report_to_json`]; `None` for anything else.
pub(super) fn report_from_json(value: &Value) -> Option<ReadReport> {
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
    Some(read)
}
