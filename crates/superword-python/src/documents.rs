//! The documents of files, for Python: in order, some at a time.

use pyo3::prelude::*;
use superword::corpus::{DocumentSink, ReadError, ReadOptions, read_parallel};
use superword::observe::Phase;

use crate::arguments::{self, Input};
use crate::errors;

use crate::watch::watched;

/// Text that is handed over at a time.
const BATCH_BYTES: usize = 1 << 20;

/// Collects documents and hands them to a Python function.
struct Batches<'c> {
    callback: &'c Py<PyAny>,
    texts: Vec<String>,
    bytes: usize,
}

impl Batches<'_> {
    fn hand_over(&mut self) -> PyResult<()> {
        self.bytes = 0;
        let texts = std::mem::take(&mut self.texts);
        if texts.is_empty() {
            return Ok(());
        }
        Python::attach(|py| self.callback.call1(py, (texts,)).map(drop))
    }
}

impl DocumentSink for Batches<'_> {
    type Error = PyErr;

    fn document(&mut self, text: &str) -> Result<(), PyErr> {
        self.texts.push(text.to_owned());
        self.bytes += text.len();
        if self.bytes >= BATCH_BYTES {
            self.hand_over()?;
        }
        Ok(())
    }
}

/// Calls `callback(texts)` with every document of the sources, in order, some at a time. What it
/// raises ends the reading.
#[pyfunction]
pub(crate) fn each_document(
    py: Python<'_>,
    sources: Vec<(Input<'_>, Option<String>)>,
    text_field: String,
    callback: Py<PyAny>,
) -> PyResult<()> {
    let read = ReadOptions {
        text_field,
        threads: 1, // One worker reads in order.
        ..ReadOptions::default()
    };
    let inputs = arguments::sources(sources)?;
    let done = watched(py, None, |observer| {
        let (sinks, _) = read_parallel(&inputs, &read, Phase::Count, observer, |_| Batches {
            callback: &callback,
            texts: Vec::new(),
            bytes: 0,
        })?;
        for mut sink in sinks {
            sink.hand_over().map_err(ReadError::Sink)?;
        }
        Ok(())
    })?;
    match done {
        Ok(()) => Ok(()),
        Err(ReadError::Corpus(error)) => Err(errors::corpus(&error)),
        Err(ReadError::Stopped(_)) => Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(())),
        Err(ReadError::Sink(error)) => Err(error),
    }
}
