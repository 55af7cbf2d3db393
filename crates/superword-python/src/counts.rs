//! Counts for Python: pretokens and candidates, by their bytes.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use superword::count::{CandidateCounts, PretokenCounts};
use superword::model::{Facts, Model};
use superword::token::Symbol;
use superword::tokens::TokenTable;
use superword::train::TrainError;

use crate::errors::{self, Raised};
use crate::watch::detached;

fn overflow() -> PyErr {
    Raised::new(
        "CountsError",
        "a count does not fit in 64 bits",
        Some("the counts are beyond any text; are they from a damaged file?".into()),
    )
    .into()
}

fn facts_of(json: &str) -> PyResult<Facts> {
    serde_json::from_str(json).map_err(|error| {
        Raised::new(
            "CountsError",
            format!("facts are no JSON object: {error}"),
            None,
        )
        .into()
    })
}

/// How often each pretoken of a text occurs. Immutable.
#[pyclass(name = "Counts", module = "superword._core", frozen)]
pub(crate) struct PyCounts {
    pub(crate) counts: Arc<PretokenCounts>,
    /// What is recorded in a model about the text.
    pub(crate) facts: Facts,
}

#[pymethods]
impl PyCounts {
    #[staticmethod]
    fn from_dict(counts: &Bound<'_, PyDict>, facts: &str) -> PyResult<PyCounts> {
        let mut table = PretokenCounts::default();
        for (token, count) in counts.iter() {
            let token = token.cast::<PyBytes>()?;
            if token.as_bytes().is_empty() {
                return Err(Raised::new("CountsError", "a token is empty", None).into());
            }
            let count = count.extract::<u64>().map_err(|_| overflow())?;
            if count > 0 {
                table.add(token.as_bytes(), count).map_err(|_| overflow())?;
            }
        }
        Ok(PyCounts {
            counts: Arc::new(table),
            facts: facts_of(facts)?,
        })
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let mut result = Ok(());
        self.counts.for_each(|token, count| {
            if result.is_ok() {
                result = dict.set_item(PyBytes::new(py, token), count);
            }
        });
        result.map(|()| dict)
    }

    fn get(&self, token: &[u8]) -> u64 {
        self.counts.get(token)
    }

    #[getter]
    fn facts(&self) -> String {
        serde_json::Value::from(self.facts.clone()).to_string()
    }

    fn __len__(&self) -> usize {
        self.counts.len()
    }
}

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
}

#[pymethods]
impl PyCandidates {
    #[staticmethod]
    fn from_dict(
        counts: &Bound<'_, PyDict>,
        cut_below: u64,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let mut all = PyCandidates::new(
            TokenTable::default(),
            CandidateCounts::default(),
            cut_below.max(1),
            facts_of(facts)?,
        );
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
