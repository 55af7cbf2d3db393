//! Columns of tokens and counts, exchanged with Python in the layout of Arrow.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superword::internal::Columns;

use crate::errors;
use crate::watch::detached;

/// Offsets, bytes, counts.
pub(crate) type TokenColumns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// The offsets of candidates in the list of tokens, then the columns of the tokens.
pub(crate) type RunColumns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

pub(crate) fn of_tokens<'py>(py: Python<'py>, batch: &Columns) -> TokenColumns<'py> {
    let bytes = |data: &[u8]| PyBytes::new(py, data);
    (
        bytes(batch.offsets()),
        bytes(batch.data()),
        bytes(batch.counts()),
    )
}

pub(crate) fn of_runs<'py>(py: Python<'py>, batch: &Columns) -> RunColumns<'py> {
    let (offsets, data, counts) = of_tokens(py, batch);
    (PyBytes::new(py, batch.runs()), offsets, data, counts)
}

/// Makes batches of rows. Each is converted before the next is made, so that only one batch is in
/// memory twice. Returns at least one batch. See [`Columns::batch`].
pub(crate) fn in_batches<'py, T>(
    py: Python<'py>,
    rows: usize,
    bytes: impl Fn(usize) -> usize + Sync,
    push: impl Fn(usize, &mut Columns) + Sync,
    hand_over: impl Fn(Python<'py>, &Columns) -> T,
) -> PyResult<Vec<T>> {
    let mut batches = Vec::new();
    let mut next = 0;
    while next < rows || batches.is_empty() {
        let made = detached(py, || Columns::batch(next, rows, &bytes, &push))?;
        let (batch, end) = made.map_err(errors::columns)?;
        batches.push(hand_over(py, &batch));
        next = end;
    }
    Ok(batches)
}
