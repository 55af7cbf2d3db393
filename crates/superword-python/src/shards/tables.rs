//! Parquet files that Python writes for the engine.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyMemoryError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use superword::encode::shards::{Table, Tables};

/// Calls a Python function that starts a file: `create(path)` returns an object with the methods
/// `append`, `finish` and `abandon`.
pub(crate) struct PyTables {
    create: Option<Py<PyAny>>,
}

impl PyTables {
    pub(crate) fn new(create: Option<Py<PyAny>>) -> PyTables {
        PyTables { create }
    }
}

impl Tables for PyTables {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Table>> {
        let Some(create) = &self.create else {
            return Err(io::Error::other("nothing is there to write Parquet with"));
        };
        Python::attach(|py| match create.call1(py, (path,)) {
            Ok(table) => Ok(Box::new(PyTable { table: Some(table) }) as Box<dyn Table>),
            Err(error) => Err(failed(py, &error)),
        })
    }
}

struct PyTable {
    /// `None` once it is finished.
    table: Option<Py<PyAny>>,
}

impl Table for PyTable {
    fn append(&mut self, ids: &[u8], offsets: &[u8]) -> io::Result<()> {
        let Some(table) = &self.table else {
            return Ok(());
        };
        Python::attach(|py| {
            let columns = (PyBytes::new(py, ids), PyBytes::new(py, offsets));
            match table.call_method1(py, "append", columns) {
                Ok(_) => Ok(()),
                Err(error) => Err(failed(py, &error)),
            }
        })
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        Python::attach(|py| {
            let Some(table) = &self.table else {
                return Ok(());
            };
            if let Err(error) = table.call_method0(py, "finish") {
                return Err(failed(py, &error));
            }
            self.table = None;
            Ok(())
        })
    }
}

impl Drop for PyTable {
    fn drop(&mut self) {
        let Some(table) = self.table.take() else {
            return;
        };
        // While the interpreter shuts down, nothing can be called any more.
        Python::try_attach(|py| {
            // The error that ended the work is the one to report.
            let _ = table.call_method0(py, "abandon");
            drop(table);
        });
    }
}

/// An exception as an error of the system, so that a full disk is recognised.
fn failed(py: Python<'_>, error: &PyErr) -> io::Error {
    if error.is_instance_of::<PyMemoryError>(py) {
        return io::ErrorKind::OutOfMemory.into();
    }
    if error.is_instance_of::<PyOSError>(py)
        && let Ok(number) = error.value(py).getattr("errno")
        && let Ok(number) = number.extract::<i32>()
    {
        return io::Error::from_raw_os_error(number);
    }
    io::Error::other(error.value(py).to_string())
}
