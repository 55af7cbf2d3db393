//! Encodes text with offsets for Python.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use superword::encode::{Encoder, OffsetUnit, Spans};
use superword::internal::offsets_source;

use super::{with_text, with_texts};
use crate::texts::Texts;

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
    text: Texts,
    allowed: Vec<String>,
    characters: bool,
) -> PyResult<WithOffsets> {
    let unit = unit(characters);
    with_text(
        py,
        encoder,
        text,
        allowed,
        move |encoder, text, preparation| encoder.encode_with_offsets(text, preparation, unit),
    )
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
            offsets_source(encoder, texts, preparation, unit, threads, observer)
        },
    )?;
    Ok((
        encoded.ids.into_pyarray(py),
        encoded.texts.into_pyarray(py),
        encoded.starts.into_pyarray(py),
        encoded.ends.into_pyarray(py),
    ))
}
