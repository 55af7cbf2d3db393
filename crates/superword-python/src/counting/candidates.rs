//! Candidates for Python: runs of tokens, named by their bytes.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use superword::count::CandidateCounts;
use superword::internal::{Checksum, NamedCandidates, TokenColumn, numbers, partition_of};
use superword::model::{Facts, Model};

use crate::counting::counts::{facts_of, overflow};
use crate::counting::{dropped_tuple, partition, partitions};
use crate::errors;
use crate::reading::columns::{RunColumns, in_batches, of_runs};
use crate::watch::detached;

/// How often each run of tokens of a text occurs. Immutable, and independent of a model.
#[pyclass(name = "Candidates", module = "superword._core", frozen)]
pub(crate) struct PyCandidates {
    counts: Arc<NamedCandidates>,
    /// Runs were cut at bigrams that occur less often.
    cut_below: u64,
    pub(crate) facts: Facts,
}

impl PyCandidates {
    /// Candidates whose symbols are those of a model.
    pub(crate) fn new(
        words: &Model,
        counts: CandidateCounts,
        cut_below: u64,
        facts: Facts,
    ) -> PyCandidates {
        PyCandidates {
            counts: Arc::new(NamedCandidates::of_model(words, counts)),
            cut_below,
            facts,
        }
    }

    pub(crate) fn cut_below(&self) -> u64 {
        self.cut_below
    }

    fn with_counts(&self, counts: NamedCandidates) -> PyCandidates {
        PyCandidates {
            counts: Arc::new(counts),
            cut_below: self.cut_below,
            facts: self.facts.clone(),
        }
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
            counts: Arc::new(all),
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

    /// The sum of several candidates, all of which were cut in the same way.
    #[staticmethod]
    fn merge(
        py: Python<'_>,
        parts: Vec<Bound<'_, PyCandidates>>,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let cut_below = parts.iter().map(|part| part.get().cut_below).max();
        let parts: Vec<&NamedCandidates> = parts.iter().map(|part| &*part.get().counts).collect();
        let merged = detached(py, || {
            let mut all = NamedCandidates::default();
            parts
                .iter()
                .try_for_each(|part| all.merge(part))
                .map(|()| all)
        })?;
        Ok(PyCandidates {
            counts: Arc::new(merged.map_err(|error| errors::candidates(&error))?),
            cut_below: cut_below.unwrap_or(1),
            facts: facts_of(facts)?,
        })
    }

    /// Batches of columns, sorted by tokens.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<RunColumns<'py>>> {
        let one = self.partitioned(py, 1)?.pop();
        Ok(one.map(|(columns, _)| columns).unwrap_or_default())
    }

    /// The same for each of `of` partitions, with a checksum.
    fn partitioned<'py>(
        &self,
        py: Python<'py>,
        of: u32,
    ) -> PyResult<Vec<(Vec<RunColumns<'py>>, u64)>> {
        let of = partitions(of)?;
        let counts = &self.counts;
        let (rows, checksums) = detached(py, || {
            let mut checksums = vec![Checksum::default(); of.get() as usize];
            let sorted = counts.sorted().into_iter();
            let mut key = Vec::new();
            let mut rows: Vec<_> = sorted
                .map(|(run, count)| {
                    let hash = counts.hash(run, &mut key);
                    let partition = partition_of(hash, of);
                    checksums[partition as usize].add(hash, count);
                    (partition, run, count)
                })
                .collect();
            // Stable, so the rows of a partition stay sorted.
            rows.sort_by_key(|row| row.0);
            (rows, checksums)
        })?;
        let mut partitions = Vec::with_capacity(checksums.len());
        let mut rest = &rows[..];
        for (number, checksum) in (0..).zip(checksums) {
            let (rows, after) = rest.split_at(rest.partition_point(|row| row.0 <= number));
            rest = after;
            let bytes = |row: usize| counts.bytes(rows[row].1);
            let columns = in_batches(
                py,
                rows.len(),
                |row| bytes(row).map(|token| token.len() + 4).sum(),
                |row, batch| batch.push(bytes(row), rows[row].2),
                of_runs,
            )?;
            partitions.push((columns, checksum.0));
        }
        Ok(partitions)
    }

    /// The inverse of `columns`, with offsets of 64 bits. Repeated candidates are added up.
    #[staticmethod]
    fn from_columns(
        columns: &Bound<'_, PyAny>,
        cut_below: u64,
        facts: &str,
    ) -> PyResult<PyCandidates> {
        let mut all = NamedCandidates::default();
        // One batch at a time: the caller may be reading a file.
        for batch in columns.try_iter()? {
            let (runs, offsets, data, counts): RunColumns<'_> = batch?.extract()?;
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
            counts: Arc::new(all),
            cut_below: cut_below.max(1),
            facts: facts_of(facts)?,
        })
    }

    /// The rows of one partition.
    fn partition(&self, py: Python<'_>, number: u32, of: u32) -> PyResult<PyCandidates> {
        let partition = partition(number, of)?;
        let counts = detached(py, || self.counts.partition(partition))?;
        Ok(self.with_counts(counts))
    }

    /// The candidates of at least `min_count`; and rows, sum and checksum of the others.
    fn without_rare(
        &self,
        py: Python<'_>,
        min_count: u64,
    ) -> PyResult<(PyCandidates, (u64, u64, u64))> {
        let (kept, dropped) = detached(py, || self.counts.without_rare(min_count))?;
        Ok((self.with_counts(kept), dropped_tuple(dropped)))
    }

    /// The same candidates with other facts. The candidates are shared, not copied.
    fn with_facts(&self, facts: &str) -> PyResult<PyCandidates> {
        Ok(PyCandidates {
            counts: self.counts.clone(),
            cut_below: self.cut_below,
            facts: facts_of(facts)?,
        })
    }

    fn checksum(&self, py: Python<'_>) -> PyResult<u64> {
        detached(py, || self.counts.checksum().0)
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
