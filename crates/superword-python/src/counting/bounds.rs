//! Bounds on the counts of bigrams, for Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use superword::count::BigramBounds;
use superword::train;

use crate::arguments::{self, Options};
use crate::errors::{self, Raised};
use crate::model::PyModel;
use crate::watch::detached;

/// Upper bounds on the counts of the bigrams of a text. Immutable.
#[pyclass(name = "BigramBounds", module = "superword._core", frozen)]
pub(crate) struct PyBounds {
    pub(crate) bounds: Arc<BigramBounds>,
}

impl PyBounds {
    pub(crate) fn new(bounds: BigramBounds) -> PyBounds {
        PyBounds {
            bounds: Arc::new(bounds),
        }
    }
}

#[pymethods]
impl PyBounds {
    /// The bounds of a text that consists of these parts.
    #[staticmethod]
    fn merge(py: Python<'_>, parts: Vec<Bound<'_, PyBounds>>) -> PyResult<PyBounds> {
        let parts: Vec<_> = parts.iter().map(|part| part.get().bounds.clone()).collect();
        let sum = detached(py, || {
            let mut sum = BigramBounds::default();
            parts.iter().for_each(|part| sum.merge(part));
            sum
        })?;
        Ok(PyBounds::new(sum))
    }

    /// Bounds that are good for this threshold only.
    fn above(&self, py: Python<'_>, threshold: u64) -> PyResult<PyBounds> {
        detached(py, || PyBounds::new(self.bounds.above(threshold)))
    }

    /// One of several slices, as bytes for a file.
    fn slice<'py>(&self, py: Python<'py>, number: u32, of: u32) -> PyResult<Bound<'py, PyBytes>> {
        let slice = detached(py, || self.bounds.slice(number, of))??;
        Ok(PyBytes::new(py, &slice))
    }

    /// A hash of all bounds, in hexadecimal.
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || format!("{:016x}", self.bounds.digest()))
    }

    /// The sum of slices, each with its number. What no slice covers is 0.
    #[staticmethod]
    fn from_slices(slices: &Bound<'_, PyAny>, of: u32) -> PyResult<PyBounds> {
        let mut sum = BigramBounds::default();
        for slice in slices.try_iter()? {
            let (number, slice): (u32, Bound<'_, PyBytes>) = slice?.extract()?;
            let added = sum.add_slice(number, of, slice.as_bytes());
            added.map_err(|error| {
                let hint = "count the text again with the same version of superword";
                PyErr::from(Raised::new("CountsError", error, Some(hint.into())))
            })?;
        }
        Ok(PyBounds::new(sum))
    }
}

/// A guess at where candidates can be cut; see the stub for the contract.
#[pyfunction]
pub(crate) fn guess_cut(
    py: Python<'_>,
    model: &Bound<'_, PyModel>,
    bounds: &Bound<'_, PyBounds>,
    options: &Bound<'_, PyDict>,
) -> PyResult<u64> {
    let options = Options::new(options)?;
    let train_options = arguments::train_options(&options)?;
    let _threads: usize = options.take("threads")?;
    options.finish()?;
    let (model, bounds) = (model.get().model().clone(), bounds.get().bounds.clone());
    let guess = detached(py, || train::guess_cut(&model, &bounds, &train_options))?;
    guess.map_err(|error| errors::train(&error))
}
