//! Encodes text for Python, in whole batches and without creating an object for each id.

pub(crate) mod arrays;
pub(crate) mod offsets;

use std::collections::HashSet;
use std::sync::Arc;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};
use superword::encode::{BatchError, Encoder, Preparation};
use superword::errors::OutOfMemory;
use superword::internal::{SourceError, TextSource, count_source, encode_source};
use superword::observe::{Observer, Silent};
use superword::text::SplitError;

use crate::errors;
use crate::texts::{NotTextError, Texts};
use crate::watch::{detached, watched};

/// Ctrl-C can stop a call that encodes at least this many bytes. Such a call needs a second thread,
/// which costs about ten microseconds. A shorter call takes at most some ten milliseconds.
pub(crate) const LONG: usize = 1 << 20;

/// Prepares texts with the special tokens that a call allows.
pub(crate) fn preparation(encoder: &Encoder, allowed: &[String]) -> Preparation {
    if allowed.is_empty() {
        return encoder.ordinary().clone();
    }
    let allowed: HashSet<&str> = allowed.iter().map(String::as_str).collect();
    encoder.preparation(|text| allowed.contains(text))
}

pub(crate) fn raised(error: &BatchError) -> PyErr {
    match error {
        BatchError::Split(error) => errors::split(error),
        BatchError::Stopped(stopped) => errors::stopped(*stopped),
    }
}

/// The error for texts of Python. One that is not Unicode is named by its number, and Python finds
/// out what is wrong with it.
pub(crate) fn failed(error: SourceError<()>) -> PyErr {
    match error {
        SourceError::Batch(error) => raised(&error),
        SourceError::Text { index, .. } => NotTextError::new_err(index),
    }
}

/// Runs `work` on objects of Python (`owned`) without the GIL. Ctrl-C can stop it if it is about at
/// least [`LONG`] `bytes`.
pub(crate) fn off_the_gil<O: Send + Sync + 'static, T: Send + 'static>(
    py: Python<'_>,
    encoder: &Arc<Encoder>,
    owned: O,
    bytes: usize,
    work: impl FnOnce(&Encoder, &O, &dyn Observer) -> T + Send + 'static,
) -> PyResult<T> {
    if bytes < LONG {
        return detached(py, || work(encoder, &owned, &Silent));
    }
    let encoder = encoder.clone();
    let (result, _owned) = watched(py, None, move |observer| {
        let result = work(&encoder, &owned, observer);
        // Returned, so that it is dropped on the thread that holds the GIL.
        (result, owned)
    })?;
    Ok(result)
}

/// [`off_the_gil`] for texts of Python.
pub(crate) fn with_texts<T: Send + 'static>(
    py: Python<'_>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    work: impl FnOnce(&Encoder, &Texts, &Preparation, &dyn Observer) -> Result<T, SourceError<()>>
    + Send
    + 'static,
) -> PyResult<T> {
    let bytes = texts.bytes();
    let work = move |encoder: &Encoder, texts: &Texts, observer: &dyn Observer| {
        work(encoder, texts, &preparation(encoder, &allowed), observer)
    };
    off_the_gil(py, encoder, texts, bytes, work)?.map_err(failed)
}

/// [`with_texts`] for a single text, which is passed as a string.
pub(crate) fn with_text<T: Send + 'static>(
    py: Python<'_>,
    encoder: &Arc<Encoder>,
    text: Texts,
    allowed: Vec<String>,
    work: impl FnOnce(&Encoder, &str, &Preparation) -> Result<T, SplitError> + Send + 'static,
) -> PyResult<T> {
    with_texts(
        py,
        encoder,
        text,
        allowed,
        move |encoder, texts, preparation, _| {
            let mut buffer = Vec::new();
            let text = texts.get(0, &mut buffer);
            let text = text.map_err(|error| SourceError::Text { index: 0, error })?;
            Ok(work(encoder, text, preparation)?)
        },
    )
}

pub(crate) fn ids<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    text: Texts,
    allowed: Vec<String>,
) -> PyResult<Bound<'py, PyList>> {
    let ids = with_text(py, encoder, text, allowed, |encoder, text, preparation| {
        let mut ids = Vec::new();
        encoder.encode_into(text, preparation, &mut ids)?;
        Ok(ids)
    })?;
    list(py, &ids).map_err(no_memory)
}

/// The error for a list of ids that does not fit into memory. It takes memory itself, so the ids in
/// the list must have been dropped before.
fn no_memory(_: PyErr) -> PyErr {
    errors::out_of_memory(OutOfMemory)
}

/// Returns the ids as a Python list. The only possible error is a lack of memory.
///
/// [`PyList::new`] would panic. The list takes about ten times the memory of the ids, so this is
/// where long texts run out of it.
fn list<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let length = ffi::Py_ssize_t::try_from(ids.len())?;
    // SAFETY: The GIL is held. A new reference, or null with an exception set, is what
    // `from_owned_ptr_or_err` expects.
    let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(length)) };
    let list = list?.cast_into::<PyList>()?;
    for (at, &id) in (0..length).zip(ids) {
        // SAFETY: As above.
        let id = unsafe {
            let id = ffi::PyLong_FromUnsignedLong(id.into());
            Bound::from_owned_ptr_or_err(py, id)
        };
        // SAFETY: `at` is in the list, which nobody else can see yet. The call takes over the
        // reference to `id`. A list that is not filled to the end may be dropped.
        unsafe { ffi::PyList_SetItem(list.as_ptr(), at, id?.into_ptr()) };
    }
    Ok(list)
}

pub(crate) fn lists<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyList>>> {
    let encoded = with_texts(
        py,
        encoder,
        texts,
        allowed,
        move |encoder, texts, preparation, observer| {
            encode_source(encoder, texts, preparation, threads, observer)
        },
    )?;
    let lists: PyResult<_> = encoded.lists().map(|ids| list(py, ids)).collect();
    lists.map_err(no_memory)
}

pub(crate) fn counts(
    py: Python<'_>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<Vec<usize>> {
    with_texts(
        py,
        encoder,
        texts,
        allowed,
        move |encoder, texts, preparation, observer| {
            count_source(encoder, texts, preparation, threads, observer)
        },
    )
}

/// Returns a copy of `content`. The only possible error is a lack of memory, where [`PyBytes::new`]
/// would panic.
pub(crate) fn copied_bytes<'py>(py: Python<'py>, content: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let copied = PyBytes::new_with(py, content.len(), |buffer| {
        buffer.copy_from_slice(content);
        Ok(())
    });
    copied.map_err(no_memory)
}

/// Encodes each document into a line of ids. `None` if the documents are not UTF-8.
pub(crate) fn lines<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    documents: PyBackedBytes,
    end: PyBackedBytes,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let bytes = documents.len();
    let owned = (documents, end);
    let lines = off_the_gil(
        py,
        encoder,
        owned,
        bytes,
        move |encoder, owned, observer| {
            let text = std::str::from_utf8(&owned.0).ok()?;
            let texts: Vec<&str> = match std::str::from_utf8(&owned.1).ok()? {
                "" => vec![text],
                end => text.strip_suffix(end).unwrap_or(text).split(end).collect(),
            };
            Some(encoder.encode_lines(&texts, &preparation(encoder, &allowed), threads, observer))
        },
    )?;
    match lines {
        None => Ok(None),
        Some(Ok(lines)) => copied_bytes(py, &lines).map(Some),
        Some(Err(error)) => Err(raised(&error)),
    }
}
