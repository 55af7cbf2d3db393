//! The stages of training for Python, one function each.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword::corpus::Source;
use superword::internal::read_facts;
use superword::observe::Observer;
use superword::text::Pretokenizer;
use superword::train::{self, Cut, Text, TrainError};

use crate::allocator::WithinLimit;
use crate::arguments::{self, Input, Options};
use crate::counting::bounds::PyBounds;
use crate::counting::candidates::{PyCandidates, candidates_for};
use crate::counting::counts::{PyCounts, facts_of};
use crate::errors;
use crate::model::PyModel;
use crate::pretokenizer::PyPretokenizer;
use crate::training::read_dict;
use crate::watch::{measured, watched};

/// Buffers pipes, which can only be read once.
fn buffered(sources: Vec<Source>, observer: &dyn Observer) -> Result<Vec<Source>, TrainError> {
    let sources = sources.into_iter();
    Ok(sources
        .map(|source| source.buffer(observer))
        .collect::<Result<_, _>>()?)
}

/// Raises an error if nothing can be counted within `max_memory`, before any text is read.
#[pyfunction]
pub(crate) fn check_memory(options: &Bound<'_, PyDict>) -> PyResult<()> {
    let options = Options::new(options)?;
    let (read, _) = arguments::read_options(&options)?;
    let limit: Option<u64> = options.take("max_memory")?;
    options.finish()?;
    match limit {
        Some(limit) => train::check_memory(limit, &read).map_err(|error| errors::train(&error)),
        None => Ok(()),
    }
}

#[pyfunction]
#[pyo3(signature = (sources, options, progress=None))]
pub(crate) fn count_pretokens<'py>(
    py: Python<'py>,
    sources: Vec<(Input<'py>, Option<String>)>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyCounts, Bound<'py, PyDict>, Option<PyBounds>)> {
    let options = Options::new(options)?;
    let pretokenizer: Pretokenizer = options
        .take::<Bound<'_, PyPretokenizer>>("pretokenizer")?
        .get()
        .inner
        .clone();
    let (read, sample) = arguments::read_options(&options)?;
    let max_memory: Option<u64> = options.take("max_memory")?;
    let with_bounds: bool = options.take_if_there("bounds")?.unwrap_or(false);
    options.finish()?;
    let sources = arguments::sources(sources)?;
    let (result, peaks) = measured(py, progress, move |observer| {
        let _within = WithinLimit::start(max_memory);
        let text = Text {
            sources: &buffered(sources, observer)?,
            read: &read,
            sample,
            max_memory,
        };
        train::count_pretokens(&text, &pretokenizer, with_bounds, observer)
    })?;
    let counted = result.map_err(|error| errors::train(&error))?;
    let report = read_dict(py, &counted.text.read, &counted.times, &peaks)?;
    report.set_item("pretokens", counted.text.pretokens)?;
    report.set_item("unique_pretokens", counted.text.unique_pretokens)?;
    let facts = counted.text.facts();
    let counts = PyCounts {
        counts: Arc::new(counted.counts),
        facts,
    };
    Ok((counts, report, counted.bounds.map(PyBounds::new)))
}

#[pyfunction]
#[pyo3(signature = (counts, options, progress=None))]
pub(crate) fn train_words<'py>(
    py: Python<'py>,
    counts: &Bound<'py, PyCounts>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyModel, Option<String>)> {
    let options = Options::new(options)?;
    let pretokenizer: Pretokenizer = options
        .take::<Bound<'_, PyPretokenizer>>("pretokenizer")?
        .get()
        .inner
        .clone();
    let train_options = arguments::train_options(&options)?;
    let threads: usize = options.take("threads")?;
    options.finish()?;
    let (counts, facts) = (counts.get().counts.clone(), counts.get().facts.clone());
    let result = watched(py, progress, move |observer| {
        train::train_words(
            &counts,
            &pretokenizer,
            &train_options,
            facts,
            threads,
            observer,
        )
    })?;
    let (model, shortfall) = result.map_err(|error| errors::train(&error))?;
    Ok((PyModel::new(Arc::new(model)), shortfall))
}

#[pyfunction]
#[pyo3(signature = (sources, model, options, progress=None))]
pub(crate) fn count_candidates<'py>(
    py: Python<'py>,
    sources: Vec<(Input<'py>, Option<String>)>,
    model: &Bound<'py, PyModel>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyCandidates, Bound<'py, PyDict>)> {
    let options = Options::new(options)?;
    let cut_below: Option<u64> = options.take("cut_below")?;
    let cut_below = cut_below.unwrap_or(1).max(1);
    let bounds: Option<Bound<'_, PyBounds>> = options.take_if_there("bounds")?.flatten();
    let bounds = bounds.map(|bounds| bounds.get().bounds.clone());
    let (read, sample) = arguments::read_options(&options)?;
    let max_memory: Option<u64> = options.take("max_memory")?;
    options.finish()?;
    let sources = arguments::sources(sources)?;
    let model = model.get().model().clone();
    let words = model.clone();
    let (result, peaks) = measured(py, progress, move |observer| {
        let _within = WithinLimit::start(max_memory);
        let text = Text {
            sources: &buffered(sources, observer)?,
            read: &read,
            sample,
            max_memory,
        };
        let cut = match &bounds {
            Some(bounds) => Cut::InWholeText(cut_below, bounds),
            None => Cut::InThisText(cut_below),
        };
        train::count_candidates(&text, &words, cut, observer)
    })?;
    let counted = result.map_err(|error: TrainError| errors::train(&error))?;
    let (counts, read) = (counted.counts, counted.read);
    let report = read_dict(py, &read, &counted.times, &peaks)?;
    report.set_item("unique_candidates", counts.len())?;
    report.set_item("candidate_tokens", counts.tokens())?;
    let facts = read_facts(read.documents, read.bytes, read.skipped);
    Ok((PyCandidates::new(&model, counts, cut_below, facts), report))
}

#[pyfunction]
#[pyo3(signature = (model, candidates, options, progress=None))]
pub(crate) fn train_superwords<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyModel>,
    candidates: &Bound<'py, PyCandidates>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyModel, Option<String>)> {
    let options = Options::new(options)?;
    let train_options = arguments::train_options(&options)?;
    let threads: usize = options.take("threads")?;
    let given: Option<String> = options.take_if_there("facts")?.flatten();
    options.finish()?;
    let given = given.as_deref().map(facts_of).transpose()?;
    let model = model.get().model().clone();
    let cut_below = candidates.get().cut_below();
    // A model must tell that it is not exact.
    let pruned = candidates.get().facts.get("pruned").cloned();
    let counts = candidates_for(py, candidates.get(), &model)?;
    let result = watched(py, progress, move |observer| {
        let mut text = given.unwrap_or_else(|| model.text_facts());
        if let Some(pruned) = pruned {
            text.insert("pruned_candidates".into(), pruned);
        }
        train::train_superwords(
            &model,
            &counts,
            cut_below,
            &train_options,
            text,
            threads,
            observer,
        )
    })?;
    let (model, shortfall) = result.map_err(|error| errors::train(&error))?;
    Ok((PyModel::new(Arc::new(model)), shortfall))
}
