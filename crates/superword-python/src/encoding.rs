//! Encodes text for Python, in whole batches and without creating an object for each id.

use std::collections::HashSet;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyList, PySlice};
use superword::encode::{BatchError, EncodedBatch, Encoder, Preparation};
use superword::errors::OutOfMemory;
use superword::observe::{Observer, Silent};

use crate::errors;
use crate::reading::arrow::Buffers;
use crate::watch::{detached, watched};

/// Ctrl-C can stop a call that encodes at least this many bytes. Such a call needs a second thread,
/// which costs about ten microseconds. A shorter call takes at most some ten milliseconds.
const LONG: usize = 1 << 20;

/// Texts in the memory of Python, which can be read without the GIL.
pub(crate) type Texts = Vec<PyBackedStr>;

/// All ids, and the offsets of the texts in them: 0, then the end of each text.
pub(crate) type Flat<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

/// The same for a column. Its offsets have the width of those of the column.
pub(crate) type FlatColumn<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyByteArray>);

/// Prepares texts with the special tokens that a call allows.
pub(crate) fn preparation(encoder: &Encoder, allowed: &[String]) -> Preparation {
    if allowed.is_empty() {
        return encoder.ordinary().clone();
    }
    let allowed: HashSet<&str> = allowed.iter().map(String::as_str).collect();
    encoder.preparation(|text| allowed.contains(text))
}

fn raised(error: &BatchError) -> PyErr {
    match error {
        BatchError::Split(error) => errors::split(error),
        BatchError::Stopped(stopped) => errors::stopped(*stopped),
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

/// [`off_the_gil`] for many texts.
pub(crate) fn with_texts<T: Send + 'static>(
    py: Python<'_>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    work: impl FnOnce(&Encoder, &[&str], &Preparation, &dyn Observer) -> Result<T, BatchError>
    + Send
    + 'static,
) -> PyResult<T> {
    let bytes = texts.iter().map(|text| text.len()).sum();
    let result = off_the_gil(
        py,
        encoder,
        texts,
        bytes,
        move |encoder, texts, observer| {
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            work(encoder, &texts, &preparation(encoder, &allowed), observer)
        },
    )?;
    result.map_err(|error| raised(&error))
}

pub(crate) fn ids<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    text: PyBackedStr,
    allowed: Vec<String>,
) -> PyResult<Bound<'py, PyList>> {
    let bytes = text.len();
    let ids = off_the_gil(py, encoder, text, bytes, move |encoder, text, _| {
        let mut ids = Vec::new();
        let done = encoder.encode_into(text, &preparation(encoder, &allowed), &mut ids);
        done.map(|()| ids)
    })?;
    let ids = ids.map_err(|error| errors::split(&error))?;
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

fn batch(
    py: Python<'_>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<EncodedBatch> {
    with_texts(
        py,
        encoder,
        texts,
        allowed,
        move |encoder, texts, preparation, observer| {
            encoder.encode_batch(texts, preparation, threads, observer)
        },
    )
}

pub(crate) fn lists<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyList>>> {
    let encoded = batch(py, encoder, texts, allowed, threads)?;
    let lists: PyResult<_> = encoded.lists().map(|ids| list(py, ids)).collect();
    lists.map_err(no_memory)
}

pub(crate) fn flat<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<Flat<'py>> {
    // The crate `numpy` imports the package on first use and panics if that fails. Imported here, a
    // failure or Ctrl-C is an ordinary exception.
    py.import("numpy")?;
    let bytes = texts.iter().map(|text| text.len()).sum();
    if threads == 1 && bytes >= LONG {
        return flat_in_place(py, encoder, texts, bytes, allowed);
    }
    let encoded = batch(py, encoder, texts, allowed, threads)?;
    let offsets: Vec<u64> = encoded.offsets().map(|offset| offset as u64).collect();
    Ok((all_ids(py, &encoded)?, offsets.into_pyarray(py)))
}

/// [`flat`] on one thread, written directly to an array that is large enough for nearly all text.
///
/// Allocating memory would take most of the time. numpy asks the system for large pages, and pages
/// that are never written to cost nothing.
fn flat_in_place<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    bytes: usize,
    allowed: Vec<String>,
) -> PyResult<Flat<'py>> {
    let room = PyArray1::<u32>::zeros(py, bytes / 3, false);
    let owned = (texts, room.clone().unbind());
    let (count, rest, offsets) = off_the_gil(
        py,
        encoder,
        owned,
        bytes,
        move |encoder, owned, observer| {
            let (texts, room) = owned;
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let preparation = preparation(encoder, &allowed);
            Python::attach(|py| -> PyResult<_> {
                let mut room = room.bind(py).try_readwrite()?;
                let room = room.as_slice_mut()?;
                py.detach(|| {
                    let (mut count, mut rest) = (0, Vec::new());
                    let offsets =
                        encoder.encode_in_chunks(&texts, &preparation, observer, |part| match room
                            .get_mut(count..count + part.len())
                        {
                            Some(place) if rest.is_empty() => {
                                place.copy_from_slice(part);
                                count += part.len();
                            }
                            _ => rest.extend_from_slice(part),
                        });
                    let offsets = offsets.map_err(|error| raised(&error))?;
                    let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
                    Ok((count, rest, offsets))
                })
            })
        },
    )??;
    let start = room.get_item(PySlice::new(py, 0, count as isize, 1))?;
    let start = start.cast_into::<PyArray1<u32>>()?;
    let ids = match rest[..] {
        [] => start,
        // The tokens of this text have fewer than three bytes on average.
        _ => joined(
            py,
            count + rest.len(),
            &[start.try_readonly()?.as_slice()?, &rest],
        )?,
    };
    Ok((ids, offsets.into_pyarray(py)))
}

/// All ids of a batch in one array.
fn all_ids<'py>(py: Python<'py>, encoded: &EncodedBatch) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let parts: Vec<&[u32]> = encoded.chunks().collect();
    joined(py, encoded.tokens(), &parts)
}

fn joined<'py>(
    py: Python<'py>,
    len: usize,
    parts: &[&[u32]],
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let ids = PyArray1::<u32>::zeros(py, len, false);
    {
        let mut places = ids.try_readwrite()?;
        let mut places = places.as_slice_mut()?;
        py.detach(|| {
            for part in parts {
                let (place, after) = places.split_at_mut(part.len());
                place.copy_from_slice(part);
                places = after;
            }
        });
    }
    Ok(ids)
}

/// The ids of a column in one array, and offsets of the same width as those of the column.
pub(crate) fn column<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    column: Buffers,
    bytes: usize,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<FlatColumn<'py>> {
    let wide = column.wide;
    let encoded = off_the_gil(
        py,
        encoder,
        column,
        bytes,
        move |encoder, column, observer| {
            let preparation = preparation(encoder, &allowed);
            column.with(|column| {
                let encoded =
                    encoder.encode_batch(&column.texts()?, &preparation, threads, observer);
                encoded.map_err(|error| raised(&error))
            })
        },
    )??;
    let offsets = match wide {
        true => offsets_of(py, &encoded, |offset| (offset as u64).to_ne_bytes()),
        // Normalization may make a text longer, so there may be more ids than bytes.
        false if i32::try_from(encoded.tokens()).is_err() => return Err(errors::too_many_ids()),
        false => offsets_of(py, &encoded, |offset| (offset as u32).to_ne_bytes()),
    }?;
    Ok((all_ids(py, &encoded)?, offsets))
}

/// The offsets of the texts in one buffer: 0, then the end of each text, in `N` bytes each.
fn offsets_of<'py, const N: usize>(
    py: Python<'py>,
    encoded: &EncodedBatch,
    bytes: impl Fn(usize) -> [u8; N] + Sync,
) -> PyResult<Bound<'py, PyByteArray>> {
    filled(py, (encoded.texts() + 1) * N, |buffer| {
        let places = buffer.as_chunks_mut().0.iter_mut();
        for (place, offset) in places.zip(encoded.offsets()) {
            *place = bytes(offset);
        }
    })
}

/// A buffer that `fill` fills without the GIL, before other code can see it.
fn filled(
    py: Python<'_>,
    size: usize,
    fill: impl Fn(&mut [u8]) + Sync,
) -> PyResult<Bound<'_, PyByteArray>> {
    PyByteArray::new_with(py, size, |buffer| detached(py, || fill(buffer)))
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
            encoder.count_batch(texts, preparation, threads, observer)
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
