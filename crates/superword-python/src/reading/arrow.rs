//! Columns of text in the layout of Arrow: offsets, bytes, and a validity bitmap.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::Raised;

/// The buffers of a column, or of a slice of one, as arrays that share Arrow's memory.
pub(crate) struct Buffers {
    /// See [`TextColumn`].
    pub(crate) offsets: Py<PyArray1<u8>>,
    pub(crate) wide: bool,
    pub(crate) data: Py<PyArray1<u8>>,
    pub(crate) there: Option<Py<PyArray1<u8>>>,
}

impl Buffers {
    /// Calls `work` with the column, without the GIL.
    pub(crate) fn with<T: Send>(
        &self,
        work: impl FnOnce(TextColumn<'_>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        Python::attach(|py| {
            let [offsets, data] =
                [&self.offsets, &self.data].map(|array| array.bind(py).readonly());
            let there = self.there.as_ref().map(|array| array.bind(py).readonly());
            let column = TextColumn {
                offsets: offsets.as_slice()?,
                wide: self.wide,
                data: data.as_slice()?,
                there: there.as_ref().map(|there| there.as_slice()).transpose()?,
            };
            py.detach(|| work(column))
        })
    }
}

/// The rows of a column, or of a slice of one, borrowed from Arrow's memory.
#[derive(Clone, Copy)]
pub(crate) struct TextColumn<'a> {
    /// The start of the first row and the end of each row, as positions in the text of the whole
    /// column.
    pub(crate) offsets: &'a [u8],
    /// Whether the offsets are 64 bits wide (`large_string`) or 32 (`string`).
    pub(crate) wide: bool,
    /// The text from the first offset to the last.
    pub(crate) data: &'a [u8],
    /// The validity bitmap: bit `i` is 0 if row `i` is null. `None` if no row is null.
    pub(crate) there: Option<&'a [u8]>,
}

fn refused(what: &str) -> PyErr {
    let hint = "give a pyarrow Array of type string or large_string";
    Raised::new("TextError", what, Some(hint.into())).into()
}

impl<'a> TextColumn<'a> {
    /// The text of each row. A null is the empty text, since its bytes may be anything.
    pub(crate) fn texts(&self) -> PyResult<Vec<&'a str>> {
        let ends = match self.wide {
            true => numbers(self.offsets, i64::from_ne_bytes),
            false => numbers(self.offsets, |end| i32::from_ne_bytes(end).into()),
        };
        let Some(&start) = ends.first() else {
            return Ok(Vec::new());
        };
        // Nearly all columns are valid as a whole, and one check is faster than one for each row.
        let whole = std::str::from_utf8(self.data).ok();
        let place = |end: i64| usize::try_from(end.checked_sub(start)?).ok();
        let row = |row: usize, from: i64, to: i64| {
            let bit = |bits: &[u8]| bits.get(row / 8).map(|bits| bits >> (row % 8) & 1);
            if self.there.is_some_and(|bits| bit(bits) != Some(1)) {
                return Ok("");
            }
            let (Some(from), Some(to)) = (place(from), place(to)) else {
                return Err(refused("the Arrow array has offsets outside of its text"));
            };
            let text = match whole {
                Some(whole) => whole.get(from..to),
                None => self
                    .data
                    .get(from..to)
                    .and_then(|text| std::str::from_utf8(text).ok()),
            };
            text.ok_or_else(|| refused(&format!("row {row} of the Arrow array is not UTF-8 text")))
        };
        let bounds = ends.windows(2).enumerate();
        bounds
            .map(|(number, bounds)| row(number, bounds[0], bounds[1]))
            .collect()
    }
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> i64) -> Vec<i64> {
    let (numbers, _) = bytes.as_chunks::<N>();
    numbers.iter().map(|&bytes| number(bytes)).collect()
}
