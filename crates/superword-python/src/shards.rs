//! Encodes a corpus into shards of ids, for Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use superword::corpus::{Format, OnError, ReadError, Source};
use superword::disk::LockError;
use superword::encode::Encoder;
use superword::encode::shards::{
    self, Begun, Dtype, InputRecord, Recipe, Shard, ShardError, ShardReport, ShardRun,
};

use crate::arguments::{self, Input, Options, format_named};
use crate::errors::{self, Raised};
use crate::watch::{detached, watched};

/// A run that writes shards to a directory; see the stub for the contract.
#[pyclass(name = "ShardRun", module = "superword._core", frozen)]
pub(crate) struct PyShardRun {
    /// The content of the directory, if an earlier run completed it.
    complete: Option<ShardReport>,
    /// Shared with the engine, which may still be at work after an interrupt.
    open: Mutex<Option<Arc<ShardRun>>>,
}

/// An input as Python describes it: its kind, name, format and fingerprint.
type GivenInput = (String, PathBuf, Option<String>, Option<String>);

#[pymethods]
impl PyShardRun {
    #[new]
    fn new(
        py: Python<'_>,
        directory: PathBuf,
        recipe: &Bound<'_, PyDict>,
        inputs: Vec<GivenInput>,
        overwrite: bool,
    ) -> PyResult<PyShardRun> {
        let options = Options::new(recipe)?;
        let mut recipe = Recipe {
            model_sha256: options.take("model_sha256")?,
            n_vocab: options.take("n_vocab")?,
            dtype: options.take_named("dtype", Dtype::from_name)?,
            eot_token: options.take("eot_token")?,
            shard_size: options.take("shard_size")?,
            text_field: options.take("text_field")?,
            on_error: options.take_named("on_error", OnError::from_name)?,
            inputs: Vec::new(),
        };
        options.finish()?;
        let begun = detached(py, || {
            recipe.inputs = inputs.into_iter().map(record).collect();
            ShardRun::begin(&directory, recipe, overwrite)
        })?;
        let (complete, open) = match begun.map_err(|error| raised(&error))? {
            Begun::Complete(report) => (Some(report), None),
            Begun::Open(run) => (None, Some(Arc::new(run))),
        };
        Ok(PyShardRun {
            complete,
            open: Mutex::new(open),
        })
    }

    fn complete<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let report = self.complete.as_ref();
        report.map(|report| report_dict(py, report)).transpose()
    }

    fn close(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl PyShardRun {
    fn open(&self) -> PyResult<Arc<ShardRun>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone()
            .ok_or_else(|| Raised::new("SaveError", "the run has ended", None).into())
    }
}

fn record((kind, name, format, fingerprint): GivenInput) -> InputRecord {
    match &*kind {
        "stdin" => InputRecord::stdin(format),
        "data" => InputRecord::data(name.display().to_string(), format, fingerprint),
        _ => InputRecord::file(&name, format),
    }
}

/// The sources. Standard input is read only once here, so it is not buffered.
fn opened(given: Vec<(Input<'_>, Option<String>)>) -> PyResult<Vec<Source>> {
    let mut sources = Vec::with_capacity(given.len());
    for (input, format) in given {
        match (input, format) {
            (Input::Path(path), format) if path.as_os_str() == "-" => {
                let format = format.as_deref().map(format_named).transpose()?;
                sources.push(Source::stdin(format.unwrap_or(Format::Lines)));
            }
            other => sources.extend(arguments::sources(vec![other])?),
        }
    }
    Ok(sources)
}

/// Encodes files; see the stub for the contract.
pub(crate) fn encode<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    sources: Vec<(Input<'py>, Option<String>)>,
    run: &PyShardRun,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let run = run.open()?;
    let sources = opened(sources)?;
    let encoder = encoder.clone();
    let report = watched(py, progress, {
        let run = run.clone();
        move |observer| encoder.encode_files(&sources, threads, &run, observer)
    });
    let report = report.inspect_err(|_| run.remove_leftovers())?;
    let report = report.map_err(|error| match error {
        ReadError::Corpus(error) => errors::corpus(&error),
        ReadError::Stopped(stopped) => errors::stopped(stopped),
        ReadError::Sink(error) => raised(&error),
    })?;
    report_dict(py, &report)
}

fn raised(error: &ShardError) -> PyErr {
    let new = |class| Raised::new(class, error, error.hint());
    match error {
        ShardError::Stopped(stopped) => return errors::stopped(*stopped),
        ShardError::Split(_) => new("TextError"),
        ShardError::IdTooLarge { .. } => new("OptionError").text("option", "dtype"),
        ShardError::Write(inner) | ShardError::Lock(LockError::Write(inner)) => {
            new("SaveError").text("path", inner.path().display())
        }
        ShardError::Lock(LockError::InUse { directory, .. }) => {
            new("SaveError").text("path", directory.display())
        }
        ShardError::Changed { directory, changes } => new("ShardsMismatchError")
            .text("path", directory.display())
            .texts("changed", changes),
        ShardError::UnknownShards { directory, .. } => {
            new("ShardsMismatchError").text("path", directory.display())
        }
        ShardError::Damaged { path, .. } | ShardError::ShardChanged { path } => {
            new("ShardsMismatchError").text("path", path.display())
        }
        ShardError::Read { path, .. } => new("SaveError").text("path", path.display()),
    }
    .into()
}

fn report_dict<'py>(py: Python<'py>, report: &ShardReport) -> PyResult<Bound<'py, PyDict>> {
    let list = PyList::empty(py);
    for (number, shard) in report.shards.iter().enumerate() {
        let entry = PyDict::new(py);
        entry.set_item("tokens_file", Shard::tokens_name(number))?;
        entry.set_item("documents_file", Shard::documents_name(number))?;
        entry.set_item("tokens", shard.tokens)?;
        entry.set_item("documents", shard.documents)?;
        entry.set_item("bytes", shard.bytes)?;
        list.append(entry)?;
    }
    let dict = PyDict::new(py);
    dict.set_item("shards", list)?;
    dict.set_item("resumed", report.resumed)?;
    dict.set_item("skipped", report.skipped)?;
    let examples = report.first_skips.iter().map(ToString::to_string);
    dict.set_item("skipped_examples", examples.collect::<Vec<_>>())?;
    Ok(dict)
}

/// Whether encoding writes files of this name to a directory of shards.
#[pyfunction]
pub(crate) fn is_shard_directory_file(name: &str) -> bool {
    shards::is_shard_directory_file(name)
}
