//! Durable files for Python.

use std::io::Write;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superword::internal::{self as disk, Replacement};
use superword::model::MAGIC;

use crate::errors;
use crate::watch::detached;

/// Replaces a file atomically; see the stub for the contract.
#[pyfunction]
pub(crate) fn replace_file(
    py: Python<'_>,
    path: PathBuf,
    content: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let failed = |error| errors::write(&error);
    if let Ok(bytes) = content.cast::<PyBytes>() {
        let bytes = bytes.as_bytes();
        let written = detached(py, || disk::replace(&path, |file| file.write_all(bytes)))?;
        return written.map_err(failed);
    }
    let replacement = detached(py, || Replacement::begin(&path))?.map_err(failed)?;
    content.call1((replacement.temporary_path(),))?;
    detached(py, || replacement.commit())?.map_err(failed)
}

/// Creates a directory and its parents.
#[pyfunction]
pub(crate) fn create_directory(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    detached(py, || disk::create_directory(&path))?.map_err(|error| errors::write(&error))
}

/// Whether a file that starts with these bytes is a model, of any version.
#[pyfunction]
pub(crate) fn is_model_start(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

/// Identifies a file by its size, its modification time, and a hash of its first and last 64 kB.
#[pyfunction]
pub(crate) fn identity(py: Python<'_>, path: PathBuf) -> PyResult<Option<(u64, i64, String)>> {
    let found = detached(py, || disk::identity(&path))?;
    Ok(found
        .ok()
        .map(|file| (file.bytes, file.modified_ns, format!("{:016x}", file.ends))))
}
