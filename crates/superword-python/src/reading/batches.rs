//! Documents that Python passes in batches: columns of Arrow tables.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};
use superword::corpus::{self, BatchStream, Source};
use superword::internal::frame;

/// A column of texts that can be read any number of times.
#[pyclass(name = "Batches", module = "superword._core", frozen)]
pub(crate) struct PyBatches {
    column: Arc<Column>,
}

struct Column {
    /// The path of the file, or a name for data that is not in a file.
    path: PathBuf,
    size: u64,
    open: Py<PyAny>,
}

impl PyBatches {
    pub(crate) fn source(&self) -> Source {
        Source::batches(self.column.clone())
    }
}

#[pymethods]
impl PyBatches {
    #[new]
    fn new(path: PathBuf, size: u64, open: Py<PyAny>) -> PyBatches {
        PyBatches {
            column: Arc::new(Column { path, size, open }),
        }
    }
}

fn failed(py: Python<'_>, error: &PyErr) -> io::Error {
    io::Error::other(error.value(py).to_string())
}

impl corpus::Batches for Column {
    fn path(&self) -> &Path {
        &self.path
    }

    fn size_guess(&self) -> u64 {
        self.size
    }

    fn open(&self) -> io::Result<Box<dyn BatchStream>> {
        Python::attach(|py| {
            let batches = self
                .open
                .call0(py)
                .and_then(|batches| Ok(batches.bind(py).try_iter()?.unbind()))
                .map_err(|error| failed(py, &error))?;
            Ok(Box::new(Stream { batches }) as Box<dyn BatchStream>)
        })
    }
}

struct Stream {
    batches: Py<PyIterator>,
}

/// 64-bit offsets, the bytes, and the validity bitmap (`None`: no text is null).
type Batch<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyBytes>>,
);

impl BatchStream for Stream {
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        Python::attach(|py| {
            let Some(batch) = self.batches.bind(py).clone().next() else {
                return Ok(false);
            };
            let (offsets, data, there): Batch<'_> = batch
                .and_then(|batch| batch.extract())
                .map_err(|error| failed(py, &error))?;
            let (offsets, data) = (offsets.as_bytes(), data.as_bytes());
            let there = there.as_ref().map(|there| there.as_bytes());
            // Safe without the GIL: the bytes are immutable, and this function holds references.
            py.detach(|| {
                append(offsets, data, there, out)
                    .ok_or_else(|| io::Error::other("the columns do not fit together"))
            })
            .map(|()| true)
        })
    }
}

fn append(offsets: &[u8], data: &[u8], there: Option<&[u8]>, out: &mut Vec<u8>) -> Option<()> {
    let at = |index: usize| {
        let mut number = [0; 8];
        number.copy_from_slice(offsets.get(index * 8..index * 8 + 8)?);
        usize::try_from(u64::from_le_bytes(number)).ok()
    };
    out.reserve(data.len() + offsets.len());
    for row in 0..(offsets.len() / 8).saturating_sub(1) {
        let is_there = match there {
            Some(bits) => bits.get(row / 8)? >> (row % 8) & 1 == 1,
            None => true,
        };
        let text = match is_there {
            true => Some(data.get(at(row)?..at(row + 1)?)?),
            false => None,
        };
        frame(text, out);
    }
    Some(())
}
