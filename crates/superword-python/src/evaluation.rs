//! Measures models on text, for Python.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use superword::corpus::ReadError;
use superword::encode::Encoder;
use superword::evaluate::{
    self as engine, EvaluateError, EvaluateOptions, GroupCounts, Inexact, Measure, Measured,
    ModelTally, Tokens,
};

use crate::arguments::{self, Input, Options};
use crate::errors;
use crate::model::PyModel;
use crate::training::read_dict;
use crate::watch::{detached, watched};

/// Reads documents and encodes them with every model; see the stub for the contract.
#[pyfunction]
#[pyo3(signature = (sources, models, options, progress=None))]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    sources: Vec<(Input<'py>, Option<String>)>,
    models: Vec<Bound<'py, PyModel>>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = Options::new(options)?;
    let group_of: Vec<usize> = options.take("group_of")?;
    let top_words = options.take("top_words")?;
    let (read, _) = arguments::read_options(&options)?;
    options.finish()?;
    let options = EvaluateOptions {
        read,
        groups: group_of.iter().max().map_or(0, |&last| last + 1),
        group_of,
        top_words,
    };
    let sources = arguments::sources(sources)?;
    let encoders: Vec<Arc<Encoder>> = models
        .iter()
        .map(|model| model.get().encoder(py).cloned())
        .collect::<PyResult<_>>()?;
    let measures: Vec<Measure> = detached(py, || {
        encoders
            .into_iter()
            .map(Measure::new)
            .collect::<Result<_, _>>()
    })?
    .map_err(|error| errors::pattern(&error))?;
    let measured = watched(py, progress, move |observer| {
        engine::evaluate(&sources, &measures, &options, observer)
    })?;
    let measured = measured.map_err(|error: EvaluateError| match error {
        ReadError::Corpus(error) => errors::corpus(&error),
        ReadError::Stopped(stopped) => errors::stopped(stopped),
        ReadError::Sink(error) => errors::split(&error),
    })?;
    measured_dict(py, measured)
}

fn measured_dict(py: Python<'_>, measured: Measured) -> PyResult<Bound<'_, PyDict>> {
    let dict = read_dict(py, &measured.read, &[], &[])?;
    let groups = PyList::empty(py);
    for group in measured.groups {
        groups.append(group_dict(py, group)?)?;
    }
    dict.set_item("groups", groups)?;
    dict.set_item("top_words", words(measured.top_words))?;
    Ok(dict)
}

fn words(counted: Vec<(String, u64)>) -> Vec<String> {
    counted.into_iter().map(|(word, _)| word).collect()
}

fn group_dict(py: Python<'_>, group: GroupCounts) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let text = group.text;
    dict.set_item("characters", text.characters)?;
    dict.set_item("lines", text.lines)?;
    dict.set_item("words", text.words)?;
    dict.set_item("spaces", text.spaces)?;
    dict.set_item("word_ends", text.word_ends)?;
    dict.set_item("sentence_ends", text.sentence_ends)?;
    dict.set_item("line_ends", text.line_ends)?;
    let (bytes, characters): (Vec<u64>, Vec<u64>) = group.document_sizes.into_iter().unzip();
    dict.set_item("document_bytes", bytes.into_pyarray(py))?;
    dict.set_item("document_characters", characters.into_pyarray(py))?;
    dict.set_item("top_words", words(group.top_words))?;
    let models = PyList::empty(py);
    for model in group.models {
        models.append(model_dict(py, model)?)?;
    }
    dict.set_item("models", models)?;
    Ok(dict)
}

fn model_dict(py: Python<'_>, tally: ModelTally) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("uses", tally.uses.into_pyarray(py))?;
    dict.set_item("document_tokens", tally.document_tokens.into_pyarray(py))?;
    dict.set_item("continued_words", tally.continued_words)?;
    dict.set_item("cut_spaces", tally.cut_spaces)?;
    dict.set_item("cut_word_ends", tally.cut_word_ends)?;
    dict.set_item("cut_sentence_ends", tally.cut_sentence_ends)?;
    dict.set_item("cut_line_ends", tally.cut_line_ends)?;
    dict.set_item("tokens_without", tally.tokens_without)?;
    Ok(dict)
}

/// The tokens of a model by id; see the stub for the contract.
#[pyfunction]
pub(crate) fn describe_tokens<'py>(
    py: Python<'py>,
    model: &PyModel,
) -> PyResult<Bound<'py, PyDict>> {
    let tokens = detached(py, || Tokens::of(model.model()))?;
    let dict = PyDict::new(py);
    dict.set_item("kinds", tokens.kinds.into_pyarray(py))?;
    dict.set_item("characters", tokens.characters.into_pyarray(py))?;
    dict.set_item("partial", tokens.partial.into_pyarray(py))?;
    dict.set_item("words", tokens.words.into_pyarray(py))?;
    dict.set_item("scripts", tokens.scripts)?;
    Ok(dict)
}

/// The uses of events, or the reason why they are not known.
type Uses<'py> = (Option<Bound<'py, PyArray1<u64>>>, Option<String>);

fn uses_or_reason(py: Python<'_>, uses: Result<Vec<u64>, Inexact>) -> Uses<'_> {
    match uses {
        Ok(uses) => (Some(uses.into_pyarray(py)), None),
        Err(reason) => (None, Some(reason.to_string())),
    }
}

/// How often each event applies; see the stub for the contract.
#[pyfunction]
pub(crate) fn event_uses<'py>(
    py: Python<'py>,
    model: &PyModel,
    emitted: PyReadonlyArray1<'py, u64>,
) -> PyResult<Uses<'py>> {
    let emitted = emitted.as_slice()?;
    Ok(uses_or_reason(
        py,
        engine::event_uses(model.model(), emitted),
    ))
}

/// How often each supermerge applies; see the stub for the contract.
#[pyfunction]
pub(crate) fn supermerge_uses<'py>(
    py: Python<'py>,
    model: &PyModel,
    emitted: PyReadonlyArray1<'py, u64>,
) -> PyResult<Uses<'py>> {
    let emitted = emitted.as_slice()?;
    Ok(uses_or_reason(
        py,
        engine::supermerge_uses(model.model(), emitted),
    ))
}

/// The tokens that are only steps to others; see the stub for the contract.
#[pyfunction]
pub(crate) fn only_steps(model: &PyModel, emitted: PyReadonlyArray1<'_, u64>) -> PyResult<u64> {
    Ok(engine::only_steps(model.model(), emitted.as_slice()?))
}
