//! Counts of pretokens for Python, named by their bytes.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use superword::count::PretokenCounts;
use superword::internal::{
    Checksum, ColumnError, TokenColumn, numbers, partition_of, pretoken_hash,
};
use superword::model::Facts;

use crate::counting::{dropped_tuple, partition, partitions};
use crate::errors::{self, Raised};
use crate::reading::columns::{TokenColumns, in_batches, of_tokens};
use crate::watch::detached;

pub(crate) fn overflow() -> PyErr {
    Raised::new(
        "CountsError",
        "a count does not fit in 64 bits",
        Some("no text is that large; the counts may come from a damaged file".into()),
    )
    .into()
}

pub(crate) fn facts_of(json: &str) -> PyResult<Facts> {
    serde_json::from_str(json).map_err(|error| {
        Raised::new(
            "CountsError",
            format!("the facts are not a JSON object: {error}"),
            None,
        )
        .into()
    })
}

/// How often each pretoken of a text occurs. Immutable.
#[pyclass(name = "Counts", module = "superword._core", frozen)]
pub(crate) struct PyCounts {
    pub(crate) counts: Arc<PretokenCounts>,
    /// The facts about the text that a model records.
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
                return Err(errors::columns(ColumnError::EmptyToken));
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

    /// The same counts with other facts. The counts are shared, not copied.
    fn with_facts(&self, facts: &str) -> PyResult<PyCounts> {
        Ok(PyCounts {
            counts: self.counts.clone(),
            facts: facts_of(facts)?,
        })
    }

    /// The sum of several counts.
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

    /// Batches of columns, sorted by token.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<TokenColumns<'py>>> {
        let one = self.partitioned(py, 1)?.pop();
        Ok(one.map(|(columns, _)| columns).unwrap_or_default())
    }

    /// The same for each of `of` partitions, with a checksum.
    fn partitioned<'py>(
        &self,
        py: Python<'py>,
        of: u32,
    ) -> PyResult<Vec<(Vec<TokenColumns<'py>>, u64)>> {
        let of = partitions(of)?;
        // All bytes in one vector: a vector for each token would take more memory than the counts.
        let (arena, rows, checksums) = detached(py, || {
            let mut arena: Vec<u8> = Vec::new();
            let mut rows: Vec<(u32, usize, usize, u64)> = Vec::with_capacity(self.counts.len());
            let mut checksums = vec![Checksum::default(); of.get() as usize];
            self.counts.for_each(|token, count| {
                let hash = pretoken_hash(token);
                let partition = partition_of(hash, of);
                checksums[partition as usize].add(hash, count);
                let start = arena.len();
                arena.extend_from_slice(token);
                rows.push((partition, start, arena.len(), count));
            });
            rows.sort_unstable_by(|a, b| (a.0, &arena[a.1..a.2]).cmp(&(b.0, &arena[b.1..b.2])));
            (arena, rows, checksums)
        })?;
        let mut partitions = Vec::with_capacity(checksums.len());
        let mut rest = &rows[..];
        for (number, checksum) in (0..).zip(checksums) {
            let (rows, after) = rest.split_at(rest.partition_point(|row| row.0 <= number));
            rest = after;
            let token = |row: usize| &arena[rows[row].1..rows[row].2];
            let columns = in_batches(
                py,
                rows.len(),
                |row| token(row).len(),
                |row, batch| batch.push(std::iter::once(token(row)), rows[row].3),
                of_tokens,
            )?;
            partitions.push((columns, checksum.0));
        }
        Ok(partitions)
    }

    /// The inverse of `columns`, with offsets of 64 bits. Repeated tokens are added up.
    #[staticmethod]
    fn from_columns(columns: &Bound<'_, PyAny>, facts: &str) -> PyResult<PyCounts> {
        let mut table = PretokenCounts::default();
        // One batch at a time: the caller may be reading a file.
        for batch in columns.try_iter()? {
            let (offsets, data, counts): TokenColumns<'_> = batch?.extract()?;
            let tokens =
                TokenColumn::new(offsets.as_bytes(), data.as_bytes()).map_err(errors::columns)?;
            for (index, count) in (0..).zip(numbers(counts.as_bytes())) {
                let token = tokens.get(index).map_err(errors::columns)?;
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

    /// The rows of one partition.
    fn partition(&self, py: Python<'_>, number: u32, of: u32) -> PyResult<PyCounts> {
        let partition = partition(number, of)?;
        Ok(PyCounts {
            counts: Arc::new(detached(py, || self.counts.partition(partition))?),
            facts: self.facts.clone(),
        })
    }

    /// The counts of at least `min_count`; and rows, sum and checksum of the others.
    fn without_rare(
        &self,
        py: Python<'_>,
        min_count: u64,
    ) -> PyResult<(PyCounts, (u64, u64, u64))> {
        let (kept, dropped) = detached(py, || self.counts.without_rare(min_count))?;
        let kept = PyCounts {
            counts: Arc::new(kept),
            facts: self.facts.clone(),
        };
        Ok((kept, dropped_tuple(dropped)))
    }

    fn checksum(&self, py: Python<'_>) -> PyResult<u64> {
        detached(py, || self.counts.checksum().0)
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
