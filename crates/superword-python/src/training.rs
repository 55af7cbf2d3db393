//! Training for Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword::corpus::{Format, OnError, ReadOptions, Sample, Source};
use superword::model::{Alphabet, Method, PickySplit};
use superword::train::{
    Boundary, GreedySplit, Picky, TrainError, TrainOptions, TrainReport, train as run,
};

use crate::errors::{self, Raised};
use crate::model::PyModel;
use crate::pretokenizer::PyPretokenizer;
use crate::spool::PySpool;
use crate::watch::watched;

/// A path or a spool.
#[derive(FromPyObject)]
pub(crate) enum Input<'py> {
    Path(String),
    Spool(Bound<'py, PySpool>),
}

pub(crate) fn format_named(name: &str) -> PyResult<Format> {
    match name {
        "jsonl" => Ok(Format::Jsonl),
        "text" => Ok(Format::Text),
        "lines" => Ok(Format::Lines),
        "paragraphs" => Ok(Format::Paragraphs),
        _ => Err(unknown("format", name)),
    }
}

fn unknown(option: &'static str, name: &str) -> PyErr {
    Raised::new("OptionError", format!("{option} cannot be {name:?}"), None)
        .text("option", option)
        .into()
}

/// Options by name, each taken once; what is left over is an error.
pub(crate) struct Options<'py>(pub(crate) Bound<'py, PyDict>);

impl<'py> Options<'py> {
    pub(crate) fn take<T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>>(
        &self,
        name: &'static str,
    ) -> PyResult<T> {
        let value = self.0.get_item(name)?.ok_or_else(|| {
            PyErr::from(Raised::new(
                "OptionError",
                format!("the option {name} is missing"),
                None,
            ))
        })?;
        self.0.del_item(name)?;
        value.extract().map_err(Into::into)
    }

    fn take_if_there<T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>>(
        &self,
        name: &'static str,
    ) -> PyResult<Option<T>> {
        match self.0.contains(name)? {
            true => self.take(name).map(Some),
            false => Ok(None),
        }
    }

    pub(crate) fn take_named<T>(
        &self,
        name: &'static str,
        from_name: impl FnOnce(&str) -> Option<T>,
    ) -> PyResult<T> {
        let given: String = self.take(name)?;
        from_name(&given).ok_or_else(|| unknown(name, &given))
    }

    pub(crate) fn finish(self) -> PyResult<()> {
        match self.0.keys().iter().next() {
            None => Ok(()),
            Some(name) => Err(unknown("an option", &name.to_string())),
        }
    }
}

/// Trains a model; see the stub for the contract.
#[pyfunction]
#[pyo3(signature = (sources, options, progress=None))]
pub(crate) fn train<'py>(
    py: Python<'py>,
    sources: Vec<(Input<'py>, Option<String>)>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyModel, Bound<'py, PyDict>)> {
    let options = Options(options.copy()?);
    let pretokenizer: PyRef<'_, PyPretokenizer> = options
        .take::<Bound<'_, PyPretokenizer>>("pretokenizer")?
        .borrow();
    let method = options.take_named("method", Method::from_name)?;
    let picky: Option<f64> = options.take("picky")?;
    let picky_split = options.take_named("picky_split", PickySplit::from_name)?;
    let max_bytes: Option<u64> = options.take("max_bytes")?;
    let train_options = TrainOptions {
        supermerges: options.take::<Option<usize>>("supermerges")?.unwrap_or(0),
        alphabet: options.take_named("alphabet", Alphabet::from_name)?,
        min_count: options.take("min_count")?,
        picky: picky.map(|threshold| Picky {
            threshold,
            split: picky_split,
        }),
        greedy_split: options.take_named("greedy_split", |name| match name {
            "off" => Some(GreedySplit::Off),
            "train" => Some(GreedySplit::Training),
            "encode" => Some(GreedySplit::Encoding),
            _ => None,
        })?,
        max_words: options.take("max_words")?,
        same_script: options.take("same_script")?,
        boundary: options.take_named("boundary", |name| match name {
            "any" => Some(Boundary::Any),
            "space" => Some(Boundary::Space),
            _ => None,
        })?,
        veto: options.take("veto")?,
        special_tokens: options.take("special_tokens")?,
        sample: max_bytes.map(|max_bytes| Sample { max_bytes, seed: 0 }),
        // Only tests turn it off: it changes speed and memory, never the result.
        cutting: options.take_if_there("cutting")?.unwrap_or(true),
        ..TrainOptions::new(method, options.take("vocab_size")?)
    };
    let mut read = ReadOptions {
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

    let mut inputs = Vec::with_capacity(sources.len());
    for (input, format) in sources {
        let format = format.as_deref().map(format_named).transpose()?;
        inputs.push(match input {
            Input::Path(path) => {
                Source::from_path(path, format).map_err(|error| errors::corpus(&error))?
            }
            Input::Spool(spool) => {
                if spool.get().is_documents() {
                    read.text_field = "text".into();
                }
                spool.get().source(format)?
            }
        });
    }
    let pretokenizer = pretokenizer.inner.clone();
    let trained = watched(py, progress, move |observer| {
        let inputs: Vec<Source> = inputs
            .into_iter()
            .map(|source| source.buffer(observer))
            .collect::<Result<_, _>>()
            .map_err(TrainError::from)?;
        run(&inputs, &read, &pretokenizer, &train_options, observer)
    })?;
    let (model, report) = trained.map_err(|error| errors::train(&error))?;
    Ok((PyModel::new(Arc::new(model)), report_dict(py, &report)?))
}

fn report_dict<'py>(py: Python<'py>, report: &TrainReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("documents", report.read.documents)?;
    dict.set_item("bytes", report.read.bytes)?;
    dict.set_item("skipped", report.read.skipped)?;
    let examples: Vec<String> = report
        .read
        .first_skips
        .iter()
        .map(ToString::to_string)
        .collect();
    dict.set_item("skipped_examples", examples)?;
    let seconds = PyDict::new(py);
    for phase in &report.times {
        let before: f64 = match seconds.get_item(phase.phase.name())? {
            Some(before) => before.extract()?,
            None => 0.0,
        };
        seconds.set_item(phase.phase.name(), before + phase.time.as_secs_f64())?;
    }
    dict.set_item("seconds", seconds)?;
    dict.set_item("pretokens", report.pretokens)?;
    dict.set_item("unique_pretokens", report.unique_pretokens)?;
    dict.set_item("unique_candidates", report.unique_candidates)?;
    dict.set_item("candidate_tokens", report.candidate_tokens)?;
    dict.set_item("cut_below", report.cut_below)?;
    dict.set_item("shortfall", report.shortfall.as_deref())?;
    Ok(dict)
}
