//! Encodes a corpus into shards of ids, for Python.

mod packed;
mod tables;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use superword::corpus::{Format, OnError, ReadError, Source};
use superword::encode::Encoder;
use superword::encode::shards::{
    self, Begun, Dtype, InputRecord, Recipe, ShardError, ShardFormat, ShardReport, ShardRun,
};
use superword::errors::LockError;

use crate::arguments::{self, Input, Options, format_named};
use crate::errors::{self, Raised};
use crate::watch::{detached, watched};
pub(crate) use packed::{PyPackedIds, pack_ids};
use tables::PyTables;

/// A run that writes shards to a directory; see the stub for the contract.
#[pyclass(name = "ShardRun", module = "superword._core", frozen)]
pub(crate) struct PyShardRun {
    /// The content of the directory, if an earlier run completed it.
    complete: Option<ShardReport>,
    /// Shared with the engine, which may still be at work after an interrupt.
    open: Mutex<Option<Arc<ShardRun>>>,
    tables: Arc<PyTables>,
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
        create_table: Option<Py<PyAny>>,
    ) -> PyResult<PyShardRun> {
        let options = Options::new(recipe)?;
        let mut recipe = Recipe {
            model_sha256: options.take("model_sha256")?,
            n_vocab: options.take("n_vocab")?,
            format: options.take_named("format", ShardFormat::from_name)?,
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
            tables: Arc::new(PyTables::new(create_table)),
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
    let tables = run.tables.clone();
    let run = run.open()?;
    let sources = opened(sources)?;
    let encoder = encoder.clone();
    let report = watched(py, progress, {
        let run = run.clone();
        move |observer| encoder.encode_files(&sources, threads, &run, &*tables, observer)
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
        ShardError::DocumentTooLong { .. } => new("TextError"),
        ShardError::Split(_) => new("TextError"),
        ShardError::IdTooWide { .. } => new("OptionError").text("option", "format"),
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
        _ => new("SaveError"),
    }
    .into()
}

fn report_dict<'py>(py: Python<'py>, report: &ShardReport) -> PyResult<Bound<'py, PyDict>> {
    let list = PyList::empty(py);
    for shard in &report.shards {
        let entry = PyDict::new(py);
        let names: Vec<&str> = shard.files.iter().map(|file| &*file.name).collect();
        entry.set_item("tokens_file", shard.tokens_file())?;
        entry.set_item("documents_file", shard.documents_file())?;
        entry.set_item("files", PyTuple::new(py, names)?)?;
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

/// The files that encoding wrote to a directory; see the stub for the contract.
#[pyfunction]
pub(crate) fn files_of_shards(
    py: Python<'_>,
    directory: PathBuf,
    will_be_written: bool,
) -> PyResult<Vec<String>> {
    detached(py, || shards::files_of_shards(&directory, will_be_written))
}

fn shard_format(name: &str) -> PyResult<ShardFormat> {
    ShardFormat::from_name(name).ok_or_else(|| arguments::unknown("format", name))
}

/// Whether a shard in this format has files of this name.
#[pyfunction]
pub(crate) fn is_shard_file_name(format: &str, name: &str) -> PyResult<bool> {
    Ok(shard_format(format)?.is_file_name(name))
}

/// The types that hold the ids of a vocabulary in a format; see the stub for the contract.
#[pyfunction]
pub(crate) fn shard_dtypes(format: &str, n_vocab: u64) -> PyResult<Vec<&'static str>> {
    let dtypes = shard_format(format)?.dtypes(n_vocab).iter();
    Ok(dtypes.map(|dtype| dtype.name()).collect())
}
