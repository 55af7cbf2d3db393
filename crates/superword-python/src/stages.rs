//! The stages of training for Python, each by itself.

use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword::corpus::{ReadOptions, Sample, Source, plan_sample};
use superword::model::read_facts;
use superword::observe::{Observer, Phase};
use superword::text::Pretokenizer;
use superword::token::Symbol;
use superword::tokens::TokenTable;
use superword::train::{self, PhaseTime, TrainError, Words};

use crate::arguments::{self, Input, Options};
use crate::candidates::{PyCandidates, candidates_for};
use crate::counts::{PyCounts, facts_of};
use crate::errors;
use crate::model::PyModel;
use crate::pretokenizer::PyPretokenizer;
use crate::training::read_dict;
use crate::watch::watched_apart;

/// Pipes are kept for a second reading, and the sample is drawn, where there is one.
fn prepared(
    sources: Vec<Source>,
    read: &mut ReadOptions,
    sample: Option<Sample>,
    observer: &dyn Observer,
) -> Result<(Vec<Source>, Vec<PhaseTime>), TrainError> {
    let sources: Vec<Source> = sources
        .into_iter()
        .map(|source| source.buffer(observer))
        .collect::<Result<_, _>>()?;
    let mut times = Vec::new();
    if let Some(sample) = sample {
        let start = Instant::now();
        read.sample = Some(plan_sample(&sources, read, sample, observer)?);
        times.push(PhaseTime {
            phase: Phase::Sample,
            time: start.elapsed(),
        });
    }
    Ok((sources, times))
}

/// Says before any text is read whether counting can be done in so much memory.
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
) -> PyResult<(PyCounts, Bound<'py, PyDict>)> {
    let options = Options::new(options)?;
    let pretokenizer: Pretokenizer = options
        .take::<Bound<'_, PyPretokenizer>>("pretokenizer")?
        .get()
        .inner
        .clone();
    let (mut read, sample) = arguments::read_options(&options)?;
    let limit: Option<u64> = options.take("max_memory")?;
    options.finish()?;
    let sources = arguments::sources(sources)?;
    let result = watched_apart(py, progress, move |observer| {
        let (sources, mut times) = prepared(sources, &mut read, sample, observer)?;
        let start = Instant::now();
        let counted = match limit {
            None => train::count_pretokens(&sources, &read, &pretokenizer, false, observer),
            Some(limit) => {
                train::count_pretokens_within(&sources, &read, &pretokenizer, limit, observer)
            }
        }?;
        times.push(PhaseTime {
            phase: Phase::Count,
            time: start.elapsed(),
        });
        Ok((counted, times))
    })?;
    let (counted, times) = result.map_err(|error: TrainError| errors::train(&error))?;
    let report = read_dict(py, &counted.read, &times)?;
    report.set_item("pretokens", counted.pretokens)?;
    report.set_item("unique_pretokens", counted.counts.len())?;
    let facts = counted.facts();
    let counts = PyCounts {
        counts: Arc::new(counted.counts),
        facts,
    };
    Ok((counts, report))
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
    let mut train_options = arguments::train_options(&options)?;
    train_options.threads = options.take("threads")?;
    options.finish()?;
    let (counts, facts) = (counts.get().counts.clone(), counts.get().facts.clone());
    let result = watched_apart(py, progress, move |observer| {
        train::train_words(&counts, &pretokenizer, &train_options, facts, observer)
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
    let (mut read, sample) = arguments::read_options(&options)?;
    let limit: Option<u64> = options.take("max_memory")?;
    options.finish()?;
    let sources = arguments::sources(sources)?;
    let model = model.get().model().clone();
    let result = watched_apart(py, progress, move |observer| {
        let (sources, mut times) = prepared(sources, &mut read, sample, observer)?;
        let start = Instant::now();
        let pretokenizer = Pretokenizer::new(model.parts().pretokenizer.clone())?;
        let words = Words::of_model(&model)?;
        let eligible = words.eligible(model.parts().alphabet, &pretokenizer);
        let (counts, read) = match limit {
            None => train::count_candidates(
                &sources,
                &read,
                &pretokenizer,
                &eligible,
                None,
                cut_below,
                observer,
            ),
            Some(limit) => train::count_candidates_within(
                &sources,
                &read,
                &pretokenizer,
                &eligible,
                cut_below,
                limit,
                observer,
            ),
        }?;
        let mut tokens = TokenTable::with_capacity(words.tokens.len());
        for index in 0..words.tokens.len() as u32 {
            tokens.insert(words.tokens.bytes_of(Symbol(index)));
        }
        times.push(PhaseTime {
            phase: Phase::Candidates,
            time: start.elapsed(),
        });
        Ok((tokens, counts, read, times))
    })?;
    let (tokens, counts, read, times) =
        result.map_err(|error: TrainError| errors::train(&error))?;
    let report = read_dict(py, &read, &times)?;
    report.set_item("unique_candidates", counts.len())?;
    report.set_item("candidate_tokens", counts.tokens())?;
    let facts = read_facts(read.documents, read.bytes, read.skipped);
    Ok((PyCandidates::new(tokens, counts, cut_below, facts), report))
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
    let mut train_options = arguments::train_options(&options)?;
    train_options.threads = options.take("threads")?;
    let given: Option<String> = options.take_if_there("facts")?.flatten();
    options.finish()?;
    let given = given.as_deref().map(facts_of).transpose()?;
    let model = model.get().model().clone();
    let cut_below = candidates.get().cut_below();
    let counts = candidates_for(py, candidates.get(), &model)?;
    let result = watched_apart(py, progress, move |observer| {
        let text = given.unwrap_or_else(|| model.text_facts());
        train::train_superwords(&model, &counts, cut_below, &train_options, text, observer)
    })?;
    let (model, shortfall) = result.map_err(|error| errors::train(&error))?;
    Ok((PyModel::new(Arc::new(model)), shortfall))
}
