//! Converts arguments from Python: options by name, and sources.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword::corpus::{Format, Groups, OnError, ReadOptions, Sample, Source, Weight};
use superword::model::{Alphabet, Method, PickySplit};
use superword::train::{Boundary, GreedySplit, Picky, Resources, TrainOptions};

use crate::errors::{self, Raised};
use crate::reading::batches::PyBatches;
use crate::reading::spool::PySpool;
use crate::work_dir::PyWorkDir;

/// A path, a spool or batches.
#[derive(FromPyObject)]
pub(crate) enum Input<'py> {
    Path(PathBuf),
    Spool(Bound<'py, PySpool>),
    Batches(Bound<'py, PyBatches>),
}

/// The largest number of threads that may be asked for.
#[pyfunction]
pub(crate) fn max_threads() -> usize {
    superword::internal::MAX_THREADS
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

pub(crate) fn unknown(option: &'static str, name: &str) -> PyErr {
    Raised::new(
        "OptionError",
        format!("`{option}` cannot be {name:?}"),
        None,
    )
    .text("option", option)
    .into()
}

/// Options by name. Each is taken once; an option that nobody took is an error.
pub(crate) struct Options<'py>(Bound<'py, PyDict>);

impl<'py> Options<'py> {
    pub(crate) fn new(options: &Bound<'py, PyDict>) -> PyResult<Options<'py>> {
        Ok(Options(options.copy()?))
    }

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

    pub(crate) fn take_if_there<T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>>(
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

/// The options that decide what is learned.
pub(crate) fn train_options(options: &Options<'_>) -> PyResult<TrainOptions> {
    let method = options.take_named("method", Method::from_name)?;
    let picky: Option<f64> = options.take("picky")?;
    let picky_split = options.take_named("picky_split", PickySplit::from_name)?;
    Ok(TrainOptions {
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
        boundary: options.take_named("boundary", Boundary::from_name)?,
        veto: options.take("veto")?,
        special_tokens: options.take("special_tokens")?,
        ..TrainOptions::new(method, options.take("vocab_size")?)
    })
}

/// The options that decide how training computes, but not what it learns.
pub(crate) fn resources(options: &Options<'_>) -> PyResult<Resources> {
    let work_dir: Option<Bound<'_, PyWorkDir>> = options.take_if_there("work_dir")?.flatten();
    Ok(Resources {
        work_dir: work_dir.map(|work_dir| work_dir.get().held()).transpose()?,
        max_memory: options.take_if_there("max_memory")?.flatten(),
        // Only tests set the other two.
        piece_bytes: options.take_if_there("piece_bytes")?,
        cutting: options.take_if_there("cutting")?.unwrap_or(true),
    })
}

/// The name and weight of each group, and the index of the group of each source.
type GivenGroups = (Vec<(String, f64)>, Vec<usize>);

/// The options that decide what is read.
pub(crate) fn read_options(options: &Options<'_>) -> PyResult<(ReadOptions, Option<Sample>)> {
    let sample: Option<u64> = options.take("sample")?;
    let seed: u64 = options.take("seed")?;
    let groups: Option<GivenGroups> = options.take_if_there("groups")?.flatten();
    let groups = match groups {
        None => None,
        Some((groups, of_source)) => Some(Groups::new(groups, of_source).ok_or_else(|| {
            PyErr::from(Raised::new(
                "OptionError",
                format!("a weight must be a number from 0 to {}", Weight::MAX),
                None,
            ))
        })?),
    };
    let read = ReadOptions {
        text_field: options.take("text_field")?,
        on_error: options.take_named("on_error", OnError::from_name)?,
        threads: options.take("threads")?,
        groups,
        allow_empty: options.take_if_there("allow_empty")?.unwrap_or(false),
        ..ReadOptions::default()
    };
    let sample = sample.map(|max_bytes| Sample { max_bytes, seed });
    Ok((read, sample))
}

/// Converts the sources to those of the engine.
pub(crate) fn sources(given: Vec<(Input<'_>, Option<String>)>) -> PyResult<Vec<Source>> {
    let mut inputs = Vec::with_capacity(given.len());
    for (input, format) in given {
        let format = format.as_deref().map(format_named).transpose()?;
        inputs.push(match input {
            Input::Path(path) => {
                Source::from_path(path, format).map_err(|error| errors::corpus(&error))?
            }
            Input::Spool(spool) => spool.get().source(format)?,
            Input::Batches(batches) => batches.get().source(),
        });
    }
    Ok(inputs)
}
