//! The directory of `work_dir` for Python, locked while a run uses it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use superword::train::WorkDir;

use crate::errors::{self, Raised};
use crate::watch::detached;

/// A directory, locked until it is closed; see the stub for the contract.
#[pyclass(name = "WorkDir", module = "superword._core", frozen)]
pub(crate) struct PyWorkDir {
    held: Mutex<Option<Arc<WorkDir>>>,
}

impl PyWorkDir {
    /// The locked directory. An error after `close`.
    pub(crate) fn held(&self) -> PyResult<Arc<WorkDir>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
            .ok_or_else(|| Raised::new("WorkDirError", "the directory is closed", None).into())
    }
}

#[pymethods]
impl PyWorkDir {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<PyWorkDir> {
        let opened = detached(py, || WorkDir::open(path))?;
        let work_dir = opened.map_err(|error| errors::train(&error))?;
        Ok(PyWorkDir {
            held: Mutex::new(Some(Arc::new(work_dir))),
        })
    }

    fn close(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        *held = None;
    }
}
