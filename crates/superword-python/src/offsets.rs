//! Encodes text with offsets for Python.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use superword::encode::{Encoder, OffsetUnit, Spans};

use crate::encoding::{Texts, off_the_gil, preparation, with_texts};
use crate::errors;

fn unit(characters: bool) -> OffsetUnit {
    match characters {
        true => OffsetUnit::Characters,
        false => OffsetUnit::Bytes,
    }
}

/// Ids and their positions in the text.
pub(crate) type WithOffsets = (Vec<u32>, Spans);

pub(crate) fn one(
    py: Python<'_>,
    encoder: &Arc<Encoder>,
    text: PyBackedStr,
    allowed: Vec<String>,
    characters: bool,
) -> PyResult<WithOffsets> {
    let (bytes, unit) = (text.len(), unit(characters));
    off_the_gil(py, encoder, text, bytes, move |encoder, text, _| {
        encoder.encode_with_offsets(text, &preparation(encoder, &allowed), unit)
    })?
    .map_err(|error| errors::split(&error))
}

/// Ids, offsets of the texts in them, and the start and end of each token in its text.
pub(crate) type FlatOffsets<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
);

pub(crate) fn flat<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    threads: usize,
    characters: bool,
) -> PyResult<FlatOffsets<'py>> {
    // The crate `numpy` panics if it cannot import the package.
    py.import("numpy")?;
    let unit = unit(characters);
    let encoded = with_texts(
        py,
        encoder,
        texts,
        allowed,
        move |encoder, texts, preparation, observer| {
            encoder.encode_batch_with_offsets(texts, preparation, unit, threads, observer)
        },
    )?;
    Ok((
        encoded.ids.into_pyarray(py),
        encoded.texts.into_pyarray(py),
        encoded.starts.into_pyarray(py),
        encoded.ends.into_pyarray(py),
    ))
}
