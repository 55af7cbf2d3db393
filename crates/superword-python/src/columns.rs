//! Columns of tokens and counts, as Arrow lays them out, between Python and the engine.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::Raised;
use crate::watch::detached;

pub(crate) type TokenColumns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);
pub(crate) type RunColumns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// So many rows or bytes go into one batch at most: its offsets fit in 32 bits.
const BATCH_ROWS: usize = 1 << 20;
const BATCH_BYTES: usize = 1 << 28;

/// A row that is longer does not fit into a batch even alone.
const LONGEST: usize = 1 << 30;

/// One batch of columns in the making, as Arrow lays them out.
pub(crate) struct Columns {
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
    fn has_room(&self, bytes: usize) -> bool {
        self.rows == 0 || (self.rows < BATCH_ROWS && self.data.len() + bytes <= BATCH_BYTES)
    }

    pub(crate) fn push<'b>(&mut self, tokens: impl Iterator<Item = &'b [u8]>, count: u64) {
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

    /// Tokens and counts.
    pub(crate) fn of_tokens<'py>(py: Python<'py>, batch: &Columns) -> TokenColumns<'py> {
        let bytes = |data: &[u8]| PyBytes::new(py, data);
        (bytes(&batch.ends), bytes(&batch.data), bytes(&batch.counts))
    }

    /// Runs of tokens and counts.
    pub(crate) fn of_runs<'py>(py: Python<'py>, batch: &Columns) -> RunColumns<'py> {
        let (ends, data, counts) = Columns::of_tokens(py, batch);
        (PyBytes::new(py, &batch.runs), ends, data, counts)
    }
}

/// Puts rows into batches and hands each over before the next is made: rows are not there twice
/// for longer than that takes. There is one batch at least.
pub(crate) fn in_batches<'py, T>(
    py: Python<'py>,
    rows: usize,
    bytes: impl Fn(usize) -> usize + Sync,
    push: impl Fn(usize, &mut Columns) + Sync,
    hand_over: impl Fn(Python<'py>, &Columns) -> T,
) -> PyResult<Vec<T>> {
    if (0..rows).any(|row| bytes(row) > LONGEST) {
        return Err(Raised::new(
            "CountsError",
            "a token of more than 1 GB does not fit into a table",
            Some("leave such texts out, or cut them by another pretokenizer".into()),
        )
        .into());
    }
    let mut batches = Vec::new();
    let mut next = 0;
    while next < rows || batches.is_empty() {
        let (batch, end) = detached(py, || {
            let (mut batch, mut row) = (Columns::default(), next);
            while row < rows && batch.has_room(bytes(row)) {
                push(row, &mut batch);
                row += 1;
            }
            (batch, row)
        })?;
        batches.push(hand_over(py, &batch));
        next = end;
    }
    Ok(batches)
}

pub(crate) fn broken_columns() -> PyErr {
    Raised::new("CountsError", "the columns do not fit together", None).into()
}

/// 64-bit numbers, little end first.
pub(crate) fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|chunk| {
        let mut number = [0; 8];
        number.copy_from_slice(chunk);
        u64::from_le_bytes(number)
    })
}

/// A column of byte strings, checked as it is read.
pub(crate) struct Strings<'b> {
    offsets: &'b [u8],
    data: &'b [u8],
}

impl<'b> Strings<'b> {
    pub(crate) fn new(offsets: &'b [u8], data: &'b [u8]) -> PyResult<Strings<'b>> {
        if !offsets.len().is_multiple_of(8) {
            return Err(broken_columns());
        }
        Ok(Strings { offsets, data })
    }

    pub(crate) fn get(&self, index: usize) -> PyResult<&'b [u8]> {
        let ends = self.offsets.get(index * 8..index * 8 + 16);
        let mut ends = numbers(ends.ok_or_else(broken_columns)?);
        let (start, end) = (ends.next().unwrap_or(0), ends.next().unwrap_or(0));
        self.data
            .get(start as usize..end as usize)
            .ok_or_else(broken_columns)
    }
}
