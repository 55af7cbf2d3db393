//! Buffers documents that can be read only once, so that training can read them twice.

use std::io::{BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use superword::corpus::{Compression, CorpusError, Format, Location, ReadError, Source};
use superword::internal::frame;

use crate::errors;
use crate::watch::{detached, watched};

/// Documents from Python, or the bytes of standard input, buffered in a temporary file.
#[pyclass(name = "Spool", module = "superword._core", frozen)]
pub(crate) struct PySpool {
    content: Mutex<Content>,
}

enum Content {
    Empty,
    /// Documents in the layout of [`frame`].
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
    fn lock(&self) -> std::sync::MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A source that reads the content.
    pub(crate) fn source(&self, format: Option<Format>) -> PyResult<Source> {
        match &mut *self.lock() {
            Content::Empty => Ok(Source::memory("texts", Vec::new(), Format::Framed)),
            Content::Documents(writer) => {
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
            Content::Stdin(source) => Ok(Source {
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
            content: Mutex::new(Content::Empty),
        }
    }

    /// Appends texts; each is a document.
    fn add(&self, py: Python<'_>, texts: Vec<String>) -> PyResult<()> {
        let written = detached(py, || {
            let mut content = self.lock();
            if !matches!(&*content, Content::Documents(_)) {
                let file = tempfile::tempfile()?;
                *content = Content::Documents(BufWriter::with_capacity(1 << 20, file));
            }
            if let Content::Documents(writer) = &mut *content {
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

    /// Reads all of standard input.
    fn read_stdin(&self, py: Python<'_>) -> PyResult<()> {
        let source = watched(py, None, |observer| {
            Source::stdin(Format::Lines).buffer(observer)
        })?;
        match source {
            Ok(source) => {
                *self.lock() = Content::Stdin(source);
                Ok(())
            }
            Err(ReadError::Corpus(error)) => Err(errors::corpus(&error)),
            Err(ReadError::Stopped(stopped)) => Err(errors::stopped(stopped)),
            Err(ReadError::Sink(never)) => match never {},
        }
    }
}
