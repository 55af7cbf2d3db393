//! Text → ids for Python, whole batches at a time and without an object for each id.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyString};
use superword::encode::{EncodedBatch, Encoder, OffsetUnit, Spans, SpecialFinder};

use crate::errors;
use crate::watch::detached;

pub(crate) type Texts<'py> = Vec<Bound<'py, PyString>>;

/// Two buffers: ids and offsets, as numbers of this machine.
pub(crate) type Flat<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// The special tokens that a call allows.
fn finder(encoder: &Encoder, allowed: &[String]) -> SpecialFinder {
    encoder.special_finder(|text| allowed.iter().any(|allowed| allowed == text))
}

fn strs<'t>(texts: &'t Texts<'_>) -> PyResult<Vec<&'t str>> {
    texts.iter().map(|text| text.to_str()).collect()
}

pub(crate) fn ids<'py>(
    py: Python<'py>,
    encoder: &Encoder,
    text: &str,
    allowed: &[String],
) -> PyResult<Bound<'py, PyList>> {
    let mut ids = Vec::new();
    detached(py, || {
        encoder.encode(text, &finder(encoder, allowed), &mut ids)
    })?
    .map_err(|error| errors::split(&error))?;
    PyList::new(py, ids)
}

pub(crate) fn batch(
    py: Python<'_>,
    encoder: &Encoder,
    texts: &[&str],
    allowed: &[String],
    threads: usize,
) -> PyResult<EncodedBatch> {
    detached(py, || {
        encoder.encode_batch(texts, &finder(encoder, allowed), threads)
    })?
    .map_err(|error| errors::split(&error))
}

pub(crate) fn lists<'py>(
    py: Python<'py>,
    encoder: &Encoder,
    texts: &Texts<'py>,
    allowed: &[String],
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyList>>> {
    let encoded = batch(py, encoder, &strs(texts)?, allowed, threads)?;
    encoded.lists().map(|ids| PyList::new(py, ids)).collect()
}

pub(crate) fn flat<'py>(
    py: Python<'py>,
    encoder: &Encoder,
    texts: &Texts<'py>,
    allowed: &[String],
    threads: usize,
) -> PyResult<Flat<'py>> {
    let encoded = batch(py, encoder, &strs(texts)?, allowed, threads)?;
    let offsets = offsets_of(py, &encoded, |offset| (offset as u64).to_ne_bytes())?;
    Ok((ids_of(py, &encoded)?, offsets))
}

/// All ids in one buffer of `uint32`.
pub(crate) fn ids_of<'py>(
    py: Python<'py>,
    encoded: &EncodedBatch,
) -> PyResult<Bound<'py, PyByteArray>> {
    filled(py, encoded.tokens() * 4, |buffer| {
        let mut places = buffer.as_chunks_mut().0.iter_mut();
        for ids in encoded.pieces() {
            for (id, place) in ids.iter().zip(places.by_ref()) {
                *place = id.to_ne_bytes();
            }
        }
    })
}

/// Where each text ends, after a 0, in one buffer of numbers of `N` bytes.
pub(crate) fn offsets_of<'py, const N: usize>(
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

/// A buffer that is filled off the GIL, before anyone else can see it.
fn filled(
    py: Python<'_>,
    size: usize,
    fill: impl Fn(&mut [u8]) + Sync,
) -> PyResult<Bound<'_, PyByteArray>> {
    PyByteArray::new_with(py, size, |buffer| detached(py, || fill(buffer)))
}

pub(crate) fn counts(
    py: Python<'_>,
    encoder: &Encoder,
    texts: &Texts<'_>,
    allowed: &[String],
    threads: usize,
) -> PyResult<Vec<usize>> {
    let texts = strs(texts)?;
    detached(py, || {
        encoder.count_batch(&texts, &finder(encoder, allowed), threads)
    })?
    .map_err(|error| errors::split(&error))
}

/// Ids, and where each stands.
pub(crate) type WithOffsets = (Vec<u32>, Spans);

pub(crate) fn with_offsets(
    py: Python<'_>,
    encoder: &Encoder,
    text: &str,
    allowed: &[String],
    unit: OffsetUnit,
) -> PyResult<WithOffsets> {
    detached(py, || {
        encoder.encode_with_offsets(text, &finder(encoder, allowed), unit)
    })?
    .map_err(|error| errors::split(&error))
}

/// `None` if the documents are not UTF-8.
pub(crate) fn lines<'py>(
    py: Python<'py>,
    encoder: &Encoder,
    documents: &[u8],
    end: &[u8],
    allowed: &[String],
    threads: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let lines = detached(py, || {
        let text = std::str::from_utf8(documents).ok()?;
        let texts: Vec<&str> = match std::str::from_utf8(end).ok()? {
            "" => vec![text],
            end => text.strip_suffix(end).unwrap_or(text).split(end).collect(),
        };
        Some(encoder.encode_lines(&texts, &finder(encoder, allowed), threads))
    })?;
    match lines {
        None => Ok(None),
        Some(Ok(lines)) => Ok(Some(PyBytes::new(py, &lines))),
        Some(Err(error)) => Err(errors::split(&error)),
    }
}
