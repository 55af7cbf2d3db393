//! Training for Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword::corpus::{ReadReport, Source};
use superword::observe::Phase;
use superword::train::{PhaseTime, TrainError, TrainReport, train as run};

use crate::allocator::WithinLimit;
use crate::arguments::{self, Input, Options};
use crate::errors;
use crate::model::PyModel;
use crate::pretokenizer::PyPretokenizer;
use crate::watch::measured;

/// Trains a model; see the stub for the contract.
#[pyfunction]
#[pyo3(signature = (sources, options, progress=None))]
pub(crate) fn train<'py>(
    py: Python<'py>,
    sources: Vec<(Input<'py>, Option<String>)>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyModel, Bound<'py, PyDict>)> {
    let options = Options::new(options)?;
    let pretokenizer = options
        .take::<Bound<'_, PyPretokenizer>>("pretokenizer")?
        .get()
        .inner
        .clone();
    let mut train_options = arguments::train_options(&options)?;
    let resources = arguments::resources(&options)?;
    let (read, sample) = arguments::read_options(&options)?;
    train_options.sample = sample;
    options.finish()?;
    let sources = arguments::sources(sources)?;
    let (trained, peaks) = measured(py, progress, move |observer| {
        let _within = WithinLimit::start(resources.max_memory);
        let sources: Vec<Source> = sources
            .into_iter()
            .map(|source| source.buffer(observer))
            .collect::<Result<_, _>>()
            .map_err(TrainError::from)?;
        run(
            &sources,
            &read,
            &pretokenizer,
            &train_options,
            &resources,
            observer,
        )
    })?;
    let (model, report) = trained.map_err(|error| errors::train(&error))?;
    Ok((
        PyModel::new(Arc::new(model)),
        report_dict(py, &report, &peaks)?,
    ))
}

fn report_dict<'py>(
    py: Python<'py>,
    report: &TrainReport,
    peaks: &[(Phase, u64)],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = read_dict(py, &report.text.read, &report.times, peaks)?;
    dict.set_item("pretokens", report.text.pretokens)?;
    dict.set_item("unique_pretokens", report.text.unique_pretokens)?;
    dict.set_item("unique_candidates", report.unique_candidates)?;
    dict.set_item("candidate_tokens", report.candidate_tokens)?;
    dict.set_item("cut_below", report.cut_below)?;
    dict.set_item("attempts", report.attempts)?;
    dict.set_item("shortfall", report.shortfall.as_deref())?;
    Ok(dict)
}

/// Converts a report: what was read, and the duration and the peak memory of each phase.
pub(crate) fn read_dict<'py>(
    py: Python<'py>,
    read: &ReadReport,
    times: &[PhaseTime],
    peaks: &[(Phase, u64)],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("documents", read.documents)?;
    dict.set_item("bytes", read.bytes)?;
    dict.set_item("skipped", read.skipped)?;
    let examples: Vec<String> = read.first_skips.iter().map(ToString::to_string).collect();
    dict.set_item("skipped_examples", examples)?;
    let inputs: Vec<(u64, u64, u64)> = read
        .per_source
        .iter()
        .map(|source| (source.documents, source.bytes, source.skipped))
        .collect();
    dict.set_item("inputs", inputs)?;
    let seconds = PyDict::new(py);
    for phase in times {
        let before: f64 = match seconds.get_item(phase.phase.name())? {
            Some(before) => before.extract()?,
            None => 0.0,
        };
        seconds.set_item(phase.phase.name(), before + phase.time.as_secs_f64())?;
    }
    dict.set_item("seconds", seconds)?;
    let memory = PyDict::new(py);
    for (phase, bytes) in peaks {
        memory.set_item(phase.name(), bytes)?;
    }
    dict.set_item("peak_memory", memory)?;
    Ok(dict)
}
