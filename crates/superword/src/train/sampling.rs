//! The sample of a run: drawn in one pass over the input, and kept for the later passes.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::inputs::Inputs;
use super::report::{report_from_json, report_to_json};
use super::work::{SampleNames, Store};
use super::{TrainError, WorkKept};
use crate::corpus::{
    DrawnSample, KeepError, ReadError, ReadOptions, ReadReport, Sample, SamplePlan, Texts,
    TextsError, draw_sample,
};
use crate::observe::Observer;

/// The documents of a sample, and what else there is to say about the input that they come from.
pub(super) struct KeptSample {
    pub(super) texts: Texts,
    /// What was read to draw the sample: nothing is left out, so only what was skipped is of use.
    report: ReadReport,
    /// Where the documents are if they do not fit in memory, for messages.
    path: PathBuf,
    kept: WorkKept,
}

impl KeptSample {
    /// The report of a pass that has not read any document yet: what is skipped in every pass.
    pub(super) fn skipped(&self) -> ReadReport {
        let mut report = ReadReport {
            skipped: self.report.skipped,
            first_skips: self.report.first_skips.clone(),
            per_source: self.report.per_source.clone(),
            ..ReadReport::default()
        };
        for source in &mut report.per_source {
            (source.documents, source.bytes) = (0, 0);
        }
        report
    }

    /// The error of a pass over the documents.
    pub(super) fn error(&self, error: ReadError<TextsError<Box<TrainError>>>) -> TrainError {
        match error {
            ReadError::Corpus(error) => error.into(),
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::Sink(TextsError::Sink(error)) => *error,
            ReadError::Sink(TextsError::Keep(error)) => {
                keep_error(error, self.path.clone(), self.kept)
            }
        }
    }
}

fn keep_error(error: KeepError, path: PathBuf, kept: WorkKept) -> TrainError {
    match error {
        KeepError::Io(error) => TrainError::work_file(&path, error, kept),
        KeepError::Damaged => TrainError::WorkFile {
            path: path.display().to_string(),
            reason: "the file is damaged".into(),
            full: None,
        },
    }
}

/// Draws a sample, or finds the one that an earlier run drew. `names` are those of the files in a
/// work directory.
///
/// Returns no documents if all are in the sample, or in rare cases if not all of them were kept. Then
/// the passes read the input.
pub(super) fn draw(
    inputs: &Inputs<'_>,
    read: &ReadOptions,
    sample: Sample,
    store: &Store,
    names: &SampleNames,
    observer: &dyn Observer,
) -> Result<(SamplePlan, Option<KeptSample>), TrainError> {
    if let Some(plan) = store.find(&names.plan, SamplePlan::from_bytes) {
        return Ok((plan, find_kept(inputs, store, names)));
    }
    let (directory, kept) = match store.kept_directory() {
        Some(directory) => (directory.root().to_owned(), WorkKept::Yes),
        None => (std::env::temp_dir(), WorkKept::No),
    };
    let drawn = draw_sample(inputs.sources(), read, sample, &directory, observer);
    let DrawnSample {
        plan,
        report,
        texts,
    } = drawn.map_err(|error| match error {
        ReadError::Corpus(error) => error.into(),
        ReadError::Stopped(stopped) => stopped.into(),
        ReadError::Sink(error) => keep_error(error, directory.clone(), kept),
    })?;
    inputs.check_all()?;
    let sample = texts.map(|texts| KeptSample {
        texts,
        report,
        path: match store.kept_directory() {
            Some(directory) => directory.path(&names.texts),
            None => directory,
        },
        kept,
    });
    if let (Some(directory), Some(sample)) = (store.kept_directory(), &sample) {
        directory.write(&names.texts, |out| sample.texts.write_to(out))?;
        store.keep(&names.record, || {
            Ok(sample.to_json().to_string().into_bytes())
        })?;
    }
    // Last, since it declares the sample drawn.
    store.keep(&names.plan, || Ok(plan.to_bytes()))?;
    Ok((plan, sample))
}

/// The documents that an earlier run kept. `None` if they are not there.
fn find_kept(inputs: &Inputs<'_>, store: &Store, names: &SampleNames) -> Option<KeptSample> {
    let path = store.kept_directory()?.path(&names.texts);
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    let record = store.find(&names.record, parse)?;
    let chunks = record["chunks"].as_array()?.iter().map(|chunk| {
        let at = |index: usize| chunk[index].as_u64();
        Some([at(0)?, at(1)?, at(2)?])
    });
    let chunks: Vec<[u64; 3]> = chunks.collect::<Option<_>>()?;
    let report = report_from_json(&record)?;
    if report.per_source.len() != inputs.sources().len() {
        return None;
    }
    Some(KeptSample {
        texts: Texts::open(&path, &chunks)?,
        report,
        path,
        kept: WorkKept::Yes,
    })
}

impl KeptSample {
    fn to_json(&self) -> Value {
        let chunks = self.texts.chunks().iter();
        let chunks = chunks.map(|chunk| json!([chunk.stored, chunk.bytes, chunk.hash]));
        let mut record = report_to_json(&self.report);
        record["chunks"] = chunks.collect();
        record
    }
}
