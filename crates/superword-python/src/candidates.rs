//! Candidates for Python: runs of tokens, by their bytes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use superword::count::CandidateCounts;
use superword::model::{Facts, Model};
use superword::token::Symbol;
use superword::tokens::TokenTable;
use superword::train::TrainError;

use crate::columns::{Columns, RunColumns, Strings, broken_columns, in_batches, numbers};
use crate::counts::{facts_of, overflow};
use crate::errors::{self, Raised};
use crate::watch::detached;

/// How often each run of tokens of a text occurs. Immutable; not bound to the model whose tokens
/// they are.
#[pyclass(name = "Candidates", module = "superword._core", frozen)]
pub(crate) struct PyCandidates {
    tokens: TokenTable,
    counts: CandidateCounts,
    /// Bigrams that occur less often were cut.
    cut_below: u64,
    pub(crate) facts: Facts,
}

impl PyCandidates {
    /// Candidates in the symbols of a table.
    pub(crate) fn new(
        tokens: TokenTable,
        counts: CandidateCounts,
        cut_below: u64,
        facts: Facts,
    ) -> PyCandidates {
        PyCandidates {
            tokens,
            counts,
            cut_below,
            facts,
        }
    }

    pub(crate) fn cut_below(&self) -> u64 {
        self.cut_below
    }

    /// The same in the symbols of a model.
    pub(crate) fn in_symbols_of(&self, words: &Model) -> Result<CandidateCounts, TrainError> {
        let vocabulary = words.vocabulary();
        let symbols: Vec<Option<Symbol>> = (0..self.tokens.len() as u32)
            .map(|index| {
                let symbol = vocabulary.symbol_of_bytes(self.tokens.bytes_of(Symbol(index)))?;
                vocabulary.id_of(symbol).map(|_| symbol)
            })
            .collect();
        let mut all = CandidateCounts::default();
        let mut run = Vec::new();
        for (candidate, count) in self.counts.iter() {
            run.clear();
            for token in candidate {
                let Some(symbol) = symbols[token.index()] else {
                    let token = String::from_utf8_lossy(self.tokens.bytes_of(*token));
                    return Err(TrainError::ForeignToken {
                        token: token.into_owned(),
                    });
                };
                run.push(symbol);
            }
            all.add(&run, count)?;
        }
        Ok(all)
    }

    fn bytes<'a>(&'a self, run: &'a [Symbol]) -> impl Iterator<Item = &'a [u8]> {
        run.iter().map(|token| self.tokens.bytes_of(*token))
    }

    /// Adds a candidate given by the bytes of its tokens.
    fn add<'b>(&mut self, tokens: impl Iterator<Item = &'b [u8]>, count: u64) -> PyResult<()> {
        let mut run = Vec::new();
        for token in tokens {
            let symbol = self.tokens.insert(token).ok_or_else(|| {
                PyErr::from(Raised::new(
                    "CountsError",
                    "the tokens of the candidates hold too many bytes for any vocabulary",
                    None,
                ))
            })?;
            run.push(symbol);
        }
        if run.len() < 2 {
            return Err(
                Raised::new("CountsError", "a candidate has fewer than two tokens", None).into(),
            );
        }
        self.counts.add(&run, count).map_err(|_| overflow())
    }

    /// No candidates yet, with their facts.
    fn empty(cut_below: u64, facts: &str) -> PyResult<PyCandidates> {
        Ok(PyCandidates::new(
            TokenTable::default(),
            CandidateCounts::default(),
            cut_below.max(1),
            facts_of(facts)?,
        ))
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
        let mut all = PyCandidates::empty(cut_below, facts)?;
        for (tokens, count) in counts.iter() {
            let tokens = tokens.cast::<PyTuple>()?;
            let count = count.extract::<u64>().map_err(|_| overflow())?;
            let tokens: Vec<Bound<'_, PyBytes>> = tokens
                .iter()
                .map(|token| token.cast_into::<PyBytes>())
                .collect::<Result<_, _>>()
                .map_err(|_| PyTypeError::new_err("tokens must be bytes"))?;
            if count > 0 {
                all.add(tokens.iter().map(|token| token.as_bytes()), count)?;
            }
        }
        Ok(all)
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tokens: Vec<Bound<'py, PyBytes>> = (0..self.tokens.len() as u32)
            .map(|index| PyBytes::new(py, self.tokens.bytes_of(Symbol(index))))
            .collect();
        let dict = PyDict::new(py);
        for (candidate, count) in self.counts.iter() {
            let run = candidate.iter().map(|token| &tokens[token.index()]);
            dict.set_item(PyTuple::new(py, run.collect::<Vec<_>>())?, count)?;
        }
        Ok(dict)
    }

    /// The sum of several, none of them cut.
    #[staticmethod]
    fn merge(
        py: Python<'_>,
        parts: Vec<Bound<'_, PyCandidates>>,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let mut all = PyCandidates::new(
            TokenTable::default(),
            CandidateCounts::default(),
            1,
            facts_of(facts)?,
        );
        let parts: Vec<&PyCandidates> = parts.iter().map(|part| part.get()).collect();
        detached(py, || {
            parts.iter().try_for_each(|part| {
                part.counts.iter().try_for_each(|(candidate, count)| {
                    let tokens = candidate.iter().map(|token| part.tokens.bytes_of(*token));
                    all.add(tokens, count)
                })
            })
        })??;
        Ok(all)
    }

    /// Sorted by tokens, in batches: offsets (32 bits) of the candidates into the tokens, of the
    /// tokens into the bytes, the bytes, counts (64 bits).
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<RunColumns<'py>>> {
        let sorted = detached(py, || {
            let mut sorted: Vec<(&[Symbol], u64)> = self.counts.iter().collect();
            sorted.sort_unstable_by(|(a, _), (b, _)| self.bytes(a).cmp(self.bytes(b)));
            sorted
        })?;
        in_batches(
            py,
            sorted.len(),
            |row| self.bytes(sorted[row].0).map(|token| token.len() + 4).sum(),
            |row, batch| batch.push(self.bytes(sorted[row].0), sorted[row].1),
            Columns::of_runs,
        )
    }

    /// The inverse of `columns`, but offsets have 64 bits. A candidate that comes twice is added up.
    #[staticmethod]
    fn from_columns(
        columns: Vec<RunColumns<'_>>,
        cut_below: u64,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let mut all = PyCandidates::empty(cut_below, facts)?;
        for (runs, offsets, data, counts) in &columns {
            let tokens = Strings::new(offsets.as_bytes(), data.as_bytes())?;
            let runs: Vec<u64> = numbers(runs.as_bytes()).collect();
            for (index, count) in numbers(counts.as_bytes()).enumerate() {
                let (Some(&start), Some(&end)) = (runs.get(index), runs.get(index + 1)) else {
                    return Err(broken_columns());
                };
                let run: Vec<&[u8]> = (start..end)
                    .map(|token| tokens.get(token as usize))
                    .collect::<PyResult<_>>()?;
                if run.iter().any(|token| token.is_empty()) {
                    return Err(Raised::new("CountsError", "a token is empty", None).into());
                }
                if count > 0 {
                    all.add(run.into_iter(), count)?;
                }
            }
        }
        Ok(all)
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

/// The candidates in the symbols of a model, off the GIL.
pub(crate) fn candidates_for(
    py: Python<'_>,
    candidates: &PyCandidates,
    words: &Model,
) -> PyResult<CandidateCounts> {
    detached(py, || candidates.in_symbols_of(words))?.map_err(|error| errors::train(&error))
}
