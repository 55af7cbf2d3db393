//! A corpus to shards of ids, for Python.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use superword::corpus::{Format, OnError, ReadError, ReadOptions, Source};
use superword::encode::Encoder;
use superword::encode::shards::{Dtype, Shard, ShardError, ShardOptions, ShardReport};

use crate::arguments::{self, Input, Options, format_named};
use crate::errors::{self, Raised};
use crate::watch::watched_apart;

fn not_ours(what: &str) -> PyErr {
    Raised::new("OptionError", format!("{what} is not what it was"), None).into()
}

/// Keeps the directory to this run as long as it is at work, also where the caller has left it
/// alone: an object of Python that is closed at the end.
struct Held(Py<PyAny>);

impl Drop for Held {
    fn drop(&mut self) {
        // Nothing is to be done about a failure; a process that ends lets go of all it holds.
        Python::try_attach(|py| self.0.call_method0(py, "close").map(drop));
    }
}

/// The sources. Standard input is read as it comes: it is needed once.
fn opened(given: Vec<(Input<'_>, Option<String>)>) -> PyResult<Vec<Source>> {
    let mut sources = Vec::with_capacity(given.len());
    for (input, format) in given {
        match (input, format) {
            (Input::Path(path), format) if path == "-" => {
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
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = Options::new(options)?;
    let held = Held(options.take("held")?);
    let identity: String = options.take("identity")?;
    let finished: String = options.take("finished")?;
    let finished = serde_json::from_str::<Vec<Value>>(&finished)
        .ok()
        .and_then(|shards| shards.iter().map(Shard::from_json).collect())
        .ok_or_else(|| not_ours("the progress of an earlier run"))?;
    let shard_options = ShardOptions {
        folder: PathBuf::from(options.take::<String>("folder")?),
        dtype: options.take_named("dtype", |name| {
            let known = [Dtype::Uint16, Dtype::Uint32];
            known.into_iter().find(|dtype| dtype.name() == name)
        })?,
        shard_size: options.take("shard_size")?,
        end_of_document: options.take("end_of_document")?,
        identity: serde_json::from_str(&identity).map_err(|_| not_ours("the identity"))?,
        finished,
    };
    let read = ReadOptions {
        text_field: options.take("text_field")?,
        on_error: options.take_named("on_error", |name| match name {
            "stop" => Some(OnError::Stop),
            "skip" => Some(OnError::Skip),
            _ => None,
        })?,
        threads: options.take("threads")?,
        ..ReadOptions::default()
    };
    options.finish()?;
    let sources = opened(sources)?;
    let encoder = encoder.clone();
    let report = watched_apart(py, progress, move |observer| {
        let _held = held;
        encoder.encode_files(&sources, &read, &shard_options, observer)
    })?;
    let report = report.map_err(|error| match error {
        ReadError::Corpus(error) => errors::corpus(&error),
        ReadError::Stopped(_) => PyKeyboardInterrupt::new_err(()),
        ReadError::Sink(error) => raised(&error),
    })?;
    report_dict(py, &report)
}

fn raised(error: &ShardError) -> PyErr {
    match error {
        ShardError::Stopped(_) => return PyKeyboardInterrupt::new_err(()),
        ShardError::Split(_) => Raised::new("TextError", error, error.hint()),
        ShardError::IdTooLarge { .. } => Raised::new("OptionError", error, error.hint()),
        ShardError::Write { path, .. } => {
            Raised::new("SaveError", error, error.hint()).text("path", path.display())
        }
    }
    .into()
}

fn report_dict<'py>(py: Python<'py>, report: &ShardReport) -> PyResult<Bound<'py, PyDict>> {
    let shards = PyList::empty(py);
    for (number, shard) in report.shards.iter().enumerate() {
        let told = PyDict::new(py);
        told.set_item("tokens_file", Shard::tokens_name(number))?;
        told.set_item("documents_file", Shard::documents_name(number))?;
        told.set_item("tokens", shard.tokens)?;
        told.set_item("documents", shard.documents)?;
        told.set_item("bytes", shard.bytes)?;
        shards.append(told)?;
    }
    let dict = PyDict::new(py);
    dict.set_item("shards", shards)?;
    dict.set_item("skipped", report.skipped)?;
    let examples = report.first_skips.iter().map(ToString::to_string);
    dict.set_item("skipped_examples", examples.collect::<Vec<_>>())?;
    Ok(dict)
}
