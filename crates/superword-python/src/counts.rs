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

pub(crate) fn facts_of(json: &str) -> PyResult<Facts> {
    serde_json::from_str(json).map_err(|error| {
        Raised::new(
            "CountsError",
            format!("facts are no JSON object: {error}"),
            None,
        )
        .into()
    })
}

type TokenColumns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);
type RunColumns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// So many rows or bytes go into one batch at most: its offsets fit in 32 bits.
const BATCH_ROWS: usize = 1 << 20;
const BATCH_BYTES: usize = 1 << 28;

/// One batch of columns in the making, as Arrow lays them out.
struct Columns {
    rows: usize,
    tokens: i32,
    runs: Vec<u8>,
    ends: Vec<u8>,
    data: Vec<u8>,
    counts: Vec<u8>,
}

impl Default for Columns {
    fn default() -> Columns {
        let zero = 0i32.to_le_bytes().to_vec();
        Columns {
            rows: 0,
            tokens: 0,
            runs: zero.clone(),
            ends: zero,
            data: Vec::new(),
            counts: Vec::new(),
        }
    }
}

impl Columns {
    fn push<'b>(&mut self, tokens: impl Iterator<Item = &'b [u8]>, count: u64) {
        for token in tokens {
            self.data.extend_from_slice(token);
            self.ends
                .extend_from_slice(&(self.data.len() as i32).to_le_bytes());
            self.tokens += 1;
        }
        self.runs.extend_from_slice(&self.tokens.to_le_bytes());
        self.counts.extend_from_slice(&count.to_le_bytes());
        self.rows += 1;
    }
}

fn last_with_room(batches: &mut Vec<Columns>, bytes: usize) -> &mut Columns {
    let full = batches.last().is_none_or(|last| {
        last.rows >= BATCH_ROWS || (last.rows > 0 && last.data.len() + bytes > BATCH_BYTES)
    });
    if full {
        batches.push(Columns::default());
    }
    let last = batches.len() - 1;
    &mut batches[last]
}

fn broken_columns() -> PyErr {
    Raised::new("CountsError", "the columns do not fit together", None).into()
}

/// 64-bit numbers, little end first.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|chunk| {
        let mut number = [0; 8];
        number.copy_from_slice(chunk);
        u64::from_le_bytes(number)
    })
}

/// A column of byte strings, checked as it is read.
struct Strings<'b> {
    offsets: &'b [u8],
    data: &'b [u8],
}

impl<'b> Strings<'b> {
    fn new(offsets: &'b [u8], data: &'b [u8]) -> PyResult<Strings<'b>> {
        if !offsets.len().is_multiple_of(8) {
            return Err(broken_columns());
        }
        Ok(Strings { offsets, data })
    }

    fn get(&self, index: usize) -> PyResult<&'b [u8]> {
        let ends = self.offsets.get(index * 8..index * 8 + 16);
        let mut ends = numbers(ends.ok_or_else(broken_columns)?);
        let (start, end) = (ends.next().unwrap_or(0), ends.next().unwrap_or(0));
        self.data
            .get(start as usize..end as usize)
            .ok_or_else(broken_columns)
    }
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

    /// The sum of several.
    #[staticmethod]
    fn merge(py: Python<'_>, parts: Vec<Bound<'_, PyCounts>>, facts: &str) -> PyResult<PyCounts> {
        let parts: Vec<Arc<PretokenCounts>> =
            parts.iter().map(|part| part.get().counts.clone()).collect();
        let merged = detached(py, || {
            let mut all = PretokenCounts::default();
            parts
                .iter()
                .try_for_each(|part| all.merge(part))
                .map(|()| all)
        })?;
        Ok(PyCounts {
            counts: Arc::new(merged.map_err(|_| overflow())?),
            facts: facts_of(facts)?,
        })
    }

    /// Sorted by token, in batches: offsets (32 bits) into the bytes, the bytes, counts (64 bits).
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<TokenColumns<'py>>> {
        let batches = detached(py, || {
            let mut sorted: Vec<(Vec<u8>, u64)> = Vec::with_capacity(self.counts.len());
            self.counts
                .for_each(|token, count| sorted.push((token.to_vec(), count)));
            sorted.sort_unstable();
            let mut batches = vec![Columns::default()];
            for (token, count) in &sorted {
                last_with_room(&mut batches, token.len()).push(std::iter::once(&token[..]), *count);
            }
            batches
        })?;
        Ok(batches
            .iter()
            .map(|batch| {
                let bytes = |data: &[u8]| PyBytes::new(py, data);
                (bytes(&batch.ends), bytes(&batch.data), bytes(&batch.counts))
            })
            .collect())
    }

    /// The inverse of `columns`, but offsets have 64 bits. A token that comes twice is added up.
    #[staticmethod]
    fn from_columns(columns: Vec<TokenColumns<'_>>, facts: &str) -> PyResult<PyCounts> {
        let mut table = PretokenCounts::default();
        for (offsets, data, counts) in &columns {
            let tokens = Strings::new(offsets.as_bytes(), data.as_bytes())?;
            for (index, count) in numbers(counts.as_bytes()).enumerate() {
                let token = tokens.get(index)?;
                if token.is_empty() {
                    return Err(Raised::new("CountsError", "a token is empty", None).into());
                }
                if count > 0 {
                    table.add(token, count).map_err(|_| overflow())?;
                }
            }
        }
        Ok(PyCounts {
            counts: Arc::new(table),
            facts: facts_of(facts)?,
        })
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
        let batches = detached(py, || {
            let mut sorted: Vec<(Vec<&[u8]>, u64)> = self
                .counts
                .iter()
                .map(|(candidate, count)| {
                    let tokens = candidate.iter().map(|token| self.tokens.bytes_of(*token));
                    (tokens.collect(), count)
                })
                .collect();
            sorted.sort_unstable();
            let mut batches = vec![Columns::default()];
            for (tokens, count) in &sorted {
                let bytes = tokens.iter().map(|token| token.len() + 4).sum();
                last_with_room(&mut batches, bytes).push(tokens.iter().copied(), *count);
            }
            batches
        })?;
        Ok(batches
            .iter()
            .map(|batch| {
                let bytes = |data: &[u8]| PyBytes::new(py, data);
                let (ends, data) = (bytes(&batch.ends), bytes(&batch.data));
                (bytes(&batch.runs), ends, data, bytes(&batch.counts))
            })
            .collect())
    }

    /// The inverse of `columns`, but offsets have 64 bits. A candidate that comes twice is added up.
    #[staticmethod]
    fn from_columns(
        columns: Vec<RunColumns<'_>>,
        cut_below: u64,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let mut all = PyCandidates::new(
            TokenTable::default(),
            CandidateCounts::default(),
            cut_below.max(1),
            facts_of(facts)?,
        );
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
