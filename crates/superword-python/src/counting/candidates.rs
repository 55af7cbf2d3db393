//! Candidates for Python: runs of tokens, named by their bytes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use superword::count::{CandidateCounts, NamedCandidates, TokenColumn, numbers};
use superword::model::{Facts, Model};
use superword::tokens::TokenTable;

use crate::counting::counts::{facts_of, overflow};
use crate::errors;
use crate::reading::columns::{RunColumns, in_batches, of_runs};
use crate::watch::detached;

/// How often each run of tokens of a text occurs. Immutable, and independent of a model.
#[pyclass(name = "Candidates", module = "superword._core", frozen)]
pub(crate) struct PyCandidates {
    counts: NamedCandidates,
    /// Runs were cut at bigrams that occur less often.
    cut_below: u64,
    pub(crate) facts: Facts,
}

impl PyCandidates {
    /// Candidates whose symbols refer to `tokens`.
    pub(crate) fn new(
        tokens: TokenTable,
        counts: CandidateCounts,
        cut_below: u64,
        facts: Facts,
    ) -> PyCandidates {
        PyCandidates {
            counts: NamedCandidates::new(tokens, counts),
            cut_below,
            facts,
        }
    }

    pub(crate) fn cut_below(&self) -> u64 {
        self.cut_below
    }
}

#[pymethods]
impl PyCandidates {
    #[staticmethod]
    fn from_dict(
        counts: &Bound<'_, PyDict>,
        cut_below: u64,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let mut all = NamedCandidates::default();
        for (tokens, count) in counts.iter() {
            let tokens = tokens.cast::<PyTuple>()?;
            let count = count.extract::<u64>().map_err(|_| overflow())?;
            let tokens: Vec<Bound<'_, PyBytes>> = tokens
                .iter()
                .map(|token| token.cast_into::<PyBytes>())
                .collect::<Result<_, _>>()
                .map_err(|_| PyTypeError::new_err("tokens must be bytes"))?;
            all.add(tokens.iter().map(|token| token.as_bytes()), count)
                .map_err(|error| errors::candidates(&error))?;
        }
        Ok(PyCandidates {
            counts: all,
            cut_below: cut_below.max(1),
            facts: facts_of(facts)?,
        })
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tokens: Vec<Bound<'py, PyBytes>> = self
            .counts
            .tokens()
            .map(|token| PyBytes::new(py, token))
            .collect();
        let dict = PyDict::new(py);
        for (candidate, count) in self.counts.iter() {
            let run = candidate.iter().map(|token| &tokens[token.index()]);
            dict.set_item(PyTuple::new(py, run.collect::<Vec<_>>())?, count)?;
        }
        Ok(dict)
    }

    /// The sum of several candidates, none of which were cut.
    #[staticmethod]
    fn merge(
        py: Python<'_>,
        parts: Vec<Bound<'_, PyCandidates>>,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let parts: Vec<&NamedCandidates> = parts.iter().map(|part| &part.get().counts).collect();
        let merged = detached(py, || {
            let mut all = NamedCandidates::default();
            parts
                .iter()
                .try_for_each(|part| all.merge(part))
                .map(|()| all)
        })?;
        Ok(PyCandidates {
            counts: merged.map_err(|error| errors::candidates(&error))?,
            cut_below: 1,
            facts: facts_of(facts)?,
        })
    }

    /// Batches of columns, sorted by tokens.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<RunColumns<'py>>> {
        let counts = &self.counts;
        let sorted = detached(py, || counts.sorted())?;
        in_batches(
            py,
            sorted.len(),
            |row| {
                counts
                    .bytes(sorted[row].0)
                    .map(|token| token.len() + 4)
                    .sum()
            },
            |row, batch| batch.push(counts.bytes(sorted[row].0), sorted[row].1),
            of_runs,
        )
    }

    /// The inverse of `columns`, with offsets of 64 bits. Repeated candidates are added up.
    #[staticmethod]
    fn from_columns(
        columns: Vec<RunColumns<'_>>,
        cut_below: u64,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let mut all = NamedCandidates::default();
        for (runs, offsets, data, counts) in &columns {
            let tokens =
                TokenColumn::new(offsets.as_bytes(), data.as_bytes()).map_err(errors::columns)?;
            let runs: Vec<u64> = numbers(runs.as_bytes()).collect();
            for (row, count) in numbers(counts.as_bytes()).enumerate() {
                let run = tokens.run(&runs, row).map_err(errors::columns)?;
                all.add(run.into_iter(), count)
                    .map_err(|error| errors::candidates(&error))?;
            }
        }
        Ok(PyCandidates {
            counts: all,
            cut_below: cut_below.max(1),
            facts: facts_of(facts)?,
        })
    }

    #[getter(cut_below)]
    fn get_cut_below(&self) -> u64 {
        self.cut_below
    }

    #[getter]
    fn facts(&self) -> String {
        serde_json::Value::from(self.facts.clone()).to_string()
    }

    fn __len__(&self) -> usize {
        self.counts.len()
    }
}

/// The candidates in the symbols of a model, without the GIL.
pub(crate) fn candidates_for(
    py: Python<'_>,
    candidates: &PyCandidates,
    words: &Model,
) -> PyResult<CandidateCounts> {
    let vocabulary = words.vocabulary();
    let counts = &candidates.counts;
    // A deleted token has a symbol but no id.
    detached(py, || {
        counts.in_symbols(|token| {
            let symbol = vocabulary.symbol_of_bytes(token)?;
            vocabulary.id_of(symbol).map(|_| symbol)
        })
    })?
    .map_err(|error| errors::candidates(&error))
}
