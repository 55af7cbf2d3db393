//! Columns of text in the layout of Arrow: offsets, bytes, and a validity bitmap.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use superword::internal::{SourceError, TextSource};

use crate::encoding::raised;
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

/// A column without nulls, as an argument in the place of a list of texts.
#[pyclass(name = "Column", module = "superword._core", frozen)]
pub(crate) struct PyColumn(Buffers);

#[pymethods]
impl PyColumn {
    #[new]
    fn new(offsets: Py<PyArray1<u8>>, wide: bool, data: Py<PyArray1<u8>>) -> PyColumn {
        PyColumn(Buffers {
            offsets,
            wide,
            data,
            there: None,
        })
    }
}

impl PyColumn {
    pub(crate) fn with<T: Send>(
        &self,
        work: impl FnOnce(TextColumn<'_>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        self.0.with(work)
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

/// What is wrong with a row.
#[derive(Debug)]
pub(crate) enum WrongRow {
    Offsets,
    NotText,
}

impl TextColumn<'_> {
    /// The position of a row's start, or of the end of the row before it.
    fn offset(&self, index: usize) -> Option<i64> {
        match self.wide {
            true => {
                let offset = self.offsets.as_chunks().0.get(index)?;
                Some(i64::from_ne_bytes(*offset))
            }
            false => {
                let offset = self.offsets.as_chunks().0.get(index)?;
                Some(i32::from_ne_bytes(*offset).into())
            }
        }
    }

    /// The bytes of a row.
    pub(crate) fn row(&self, index: usize) -> Result<&[u8], WrongRow> {
        let place = |index| {
            let distance = self.offset(index)?.checked_sub(self.offset(0)?)?;
            usize::try_from(distance).ok()
        };
        let (Some(start), Some(end)) = (place(index), place(index + 1)) else {
            return Err(WrongRow::Offsets);
        };
        self.data.get(start..end).ok_or(WrongRow::NotText)
    }

    /// The error for a column that was not encoded.
    pub(crate) fn failed(&self, error: SourceError<WrongRow>) -> PyErr {
        match error {
            SourceError::Batch(error) => raised(&error),
            SourceError::Text { index, error } => match error {
                WrongRow::Offsets => refused("the Arrow array has offsets outside of its text"),
                WrongRow::NotText => {
                    refused(&format!("row {index} of the Arrow array is not UTF-8 text"))
                }
            },
        }
    }
}

impl TextSource for TextColumn<'_> {
    type Error = WrongRow;

    fn count(&self) -> usize {
        let width = if self.wide { 8 } else { 4 };
        (self.offsets.len() / width).saturating_sub(1)
    }

    fn size(&self, index: usize) -> usize {
        self.row(index).map_or(0, <[u8]>::len)
    }

    /// The text of a row. A null is the empty text, since its bytes may be anything.
    fn get<'a>(&'a self, index: usize, _: &'a mut Vec<u8>) -> Result<&'a str, WrongRow> {
        let bit = |bits: &[u8]| bits.get(index / 8).map(|bits| bits >> (index % 8) & 1);
        if self.there.is_some_and(|bits| bit(bits) != Some(1)) {
            return Ok("");
        }
        std::str::from_utf8(self.row(index)?).map_err(|_| WrongRow::NotText)
    }
}
