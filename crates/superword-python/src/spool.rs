//! Documents that come from Python or from a pipe, kept so that they can be read twice.

use std::io::{BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use superword::corpus::{Compression, CorpusError, Format, Location, ReadError, Source, frame};

use crate::errors;
use crate::watch::{detached, watched_apart};

/// Documents from Python, kept in a temporary file so that training can read them twice.
#[pyclass(name = "Spool", module = "superword._core", frozen)]
pub(crate) struct PySpool {
    kept: Mutex<Kept>,
}

enum Kept {
    Nothing,
    /// Each after the number of its bytes.
    Documents(BufWriter<std::fs::File>),
    /// The raw bytes of standard input.
    Stdin(Source),
}

fn failed(error: &std::io::Error) -> PyErr {
    errors::corpus(&CorpusError::Spool {
        reason: error.to_string(),
    })
}

impl PySpool {
    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was kept, as a source.
    pub(crate) fn source(&self, format: Option<Format>) -> PyResult<Source> {
        match &mut *self.lock() {
            Kept::Nothing => Ok(Source::memory("texts", Vec::new(), Format::Framed)),
            Kept::Documents(writer) => {
                writer.flush().map_err(|error| failed(&error))?;
                let file = writer
                    .get_ref()
                    .try_clone()
                    .map_err(|error| failed(&error))?;
                Ok(Source {
                    location: Location::Spooled("texts".into(), Arc::new(file)),
                    format: Format::Framed,
                    compression: Compression::None,
                })
            }
            Kept::Stdin(source) => Ok(Source {
                format: format.unwrap_or(source.format),
                ..source.clone()
            }),
        }
    }
}

#[pymethods]
impl PySpool {
    #[new]
    fn new() -> PySpool {
        PySpool {
            kept: Mutex::new(Kept::Nothing),
        }
    }

    /// Keeps these texts, each a document.
    fn add(&self, py: Python<'_>, texts: Vec<String>) -> PyResult<()> {
        let written = detached(py, || {
            let mut kept = self.lock();
            if !matches!(&*kept, Kept::Documents(_)) {
                let file = tempfile::tempfile()?;
                *kept = Kept::Documents(BufWriter::with_capacity(1 << 20, file));
            }
            if let Kept::Documents(writer) = &mut *kept {
                let mut framed = Vec::new();
                for text in &texts {
                    framed.clear();
                    frame(Some(text.as_bytes()), &mut framed);
                    writer.write_all(&framed)?;
                }
            }
            std::io::Result::Ok(())
        })?;
        written.map_err(|error| failed(&error))
    }

    /// Keeps all of standard input.
    fn read_stdin(&self, py: Python<'_>) -> PyResult<()> {
        let source = watched_apart(py, None, |observer| {
            Source::stdin(Format::Lines).buffer(observer)
        })?;
        match source {
            Ok(source) => {
                *self.lock() = Kept::Stdin(source);
                Ok(())
            }
            Err(ReadError::Corpus(error)) => Err(errors::corpus(&error)),
            Err(ReadError::Stopped(_)) => Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(())),
            Err(ReadError::Sink(never)) => match never {},
        }
    }
}
