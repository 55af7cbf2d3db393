//! Packed shards, for Python.

use std::path::PathBuf;

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superword::encode::shards::{Number, PackedError, PackedIds};

use crate::encoding::copied_bytes;
use crate::errors::Raised;
use crate::watch::detached;

/// Fewer ids than this are read in less time than it takes to release the GIL and get it back.
const MANY: usize = 512;

/// A packed shard that Python has mapped into memory; see the stub for the contract.
#[pyclass(name = "PackedIds", module = "superword._core", frozen)]
pub(crate) struct PyPackedIds {
    file: Py<PyArray1<u8>>,
    path: PathBuf,
}

#[pymethods]
impl PyPackedIds {
    #[new]
    fn new(file: &Bound<'_, PyArray1<u8>>, path: PathBuf) -> PyResult<PyPackedIds> {
        let ids = PyPackedIds {
            file: file.clone().unbind(),
            path,
        };
        ids.with(file.py(), |_, _| Ok(()))?;
        Ok(ids)
    }

    /// The number of ids, the number of documents, the bits of an id, and the bytes of the type that
    /// the shard was written for.
    fn facts(&self, py: Python<'_>) -> PyResult<(usize, u64, u32, u32)> {
        self.with(py, |_, ids| {
            Ok((ids.len(), ids.documents(), ids.bits(), ids.item_bytes()))
        })
    }

    /// The id at a position.
    fn get(&self, py: Python<'_>, at: usize) -> PyResult<u32> {
        self.with(py, |_, ids| {
            let mut id = [0u32];
            ids.read(at, &mut id).map_err(|error| self.raised(&error))?;
            Ok(id[0])
        })
    }

    /// Fills an array with the ids from `start` on.
    fn read(&self, out: &Bound<'_, PyAny>, start: i64) -> PyResult<()> {
        self.fill(out, &[start], None)
    }

    /// Fills an array with windows of `length` ids that begin at `starts`.
    fn read_windows(
        &self,
        out: &Bound<'_, PyAny>,
        starts: PyReadonlyArray1<'_, i64>,
        length: usize,
    ) -> PyResult<()> {
        self.fill(out, starts.as_slice()?, Some(length))
    }

    /// Compares the ids with their checksum.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |py, ids| {
            detached(py, || ids.verify())?.map_err(|error| self.raised(&error))
        })
    }
}

impl PyPackedIds {
    /// Calls `work` with the ids. The header is checked again: the file may have been written to.
    fn with<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Python<'_>, PackedIds<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        let file = self.file.bind(py).try_readonly()?;
        let ids = PackedIds::new(file.as_slice()?).map_err(|error| self.raised(&error))?;
        work(py, ids)
    }

    /// Fills an array of one of the types that the engine writes. It must be contiguous. Without a
    /// length, a window is as long as the array.
    fn fill(&self, out: &Bound<'_, PyAny>, starts: &[i64], length: Option<usize>) -> PyResult<()> {
        macro_rules! as_one_of {
            ($($type:ty),+) => {$(
                if let Ok(out) = out.cast::<PyArrayDyn<$type>>() {
                    let mut room = out.try_readwrite()?;
                    return self.fill_as(out.py(), room.as_slice_mut()?, starts, length);
                }
            )+};
        }
        as_one_of!(i64, u32, u16, i32, u64);
        let message = "ids cannot be read as this type";
        let hint = "choose uint16, uint32, int32, uint64 or int64";
        Err(Raised::new("OptionError", message, Some(hint.into())).into())
    }

    fn fill_as<N: Number + Send>(
        &self,
        py: Python<'_>,
        out: &mut [N],
        starts: &[i64],
        length: Option<usize>,
    ) -> PyResult<()> {
        let length = length.unwrap_or(out.len());
        self.with(py, |py, ids| {
            let filled = match out.len() < MANY {
                true => ids.read_windows(starts, length, out),
                false => py.detach(|| ids.read_windows(starts, length, out)),
            };
            filled.map_err(|error| self.raised(&error))
        })
    }

    fn raised(&self, error: &PackedError) -> PyErr {
        match error {
            PackedError::Outside { .. } => PyIndexError::new_err(error.to_string()),
            PackedError::TypeTooNarrow { .. } | PackedError::WrongRoom { .. } => {
                Raised::new("OptionError", error, error.hint()).into()
            }
            _ => {
                let message = format!("{} cannot be read: {error}", self.path.display());
                Raised::new("ShardFileError", message, error.hint())
                    .text("path", self.path.display())
                    .into()
            }
        }
    }
}

/// A packed shard as the content of a file; see the stub for the contract.
#[pyfunction]
pub(crate) fn pack_ids<'py>(
    py: Python<'py>,
    ids: PyReadonlyArray1<'py, u32>,
    documents: u64,
    bits: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let ids = ids.as_slice()?;
    let packed = detached(py, || PackedIds::pack(ids, documents, bits))?;
    match packed {
        Ok(file) => copied_bytes(py, &file),
        Err(error) => Err(Raised::new("OptionError", &error, error.hint()).into()),
    }
}
