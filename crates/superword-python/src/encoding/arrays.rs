//! Encodes many texts into one array of ids.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PySlice};
use superword::encode::{Encoder, Preparation};
use superword::errors::OutOfMemory;
use superword::internal::{Placed, SourceError, TextSource, encode_to_place};
use superword::observe::Observer;

use super::{LONG, failed, off_the_gil, preparation};
use crate::errors;
use crate::reading::arrow::Buffers;
use crate::texts::Texts;
use crate::watch::detached;

/// All ids, and the offsets of the texts in them: 0, then the end of each text.
pub(crate) type Flat<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

/// The same for a column. Its offsets have the width of those of the column.
pub(crate) type FlatColumn<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyByteArray>);

pub(crate) fn flat<'py>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    texts: Texts,
    allowed: Vec<String>,
    threads: usize,
) -> PyResult<Flat<'py>> {
    let (bytes, room) = (texts.bytes(), texts.room());
    let work = |texts: &Texts, job: Job<'_>| job.run(texts).map_err(failed);
    let (ids, offsets) = placed(py, encoder, texts, bytes, room, allowed, threads, work)?;
    Ok((ids, offsets.into_pyarray(py)))
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
    let (wide, room) = (column.wide, bytes / 3);
    let work = |column: &Buffers, job: Job<'_>| {
        column.with(|column| job.run(&column).map_err(|error| column.failed(error)))
    };
    let (ids, offsets) = placed(py, encoder, column, bytes, room, allowed, threads, work)?;
    let offsets = match wide {
        true => offsets_of(py, &offsets, u64::to_ne_bytes),
        // Normalization may make a text longer, so there may be more ids than bytes.
        false
            if offsets
                .last()
                .is_some_and(|&end| i32::try_from(end).is_err()) =>
        {
            return Err(errors::too_many_ids());
        }
        false => offsets_of(py, &offsets, |offset| (offset as u32).to_ne_bytes()),
    }?;
    Ok((ids, offsets))
}

/// Everything about a call except the texts.
struct Job<'a> {
    encoder: &'a Encoder,
    preparation: Preparation,
    threads: usize,
    observer: &'a dyn Observer,
    place: &'a mut [u32],
}

impl Job<'_> {
    fn run<S: TextSource>(self, texts: &S) -> Result<Placed, SourceError<S::Error>> {
        encode_to_place(
            self.encoder,
            texts,
            &self.preparation,
            self.threads,
            self.observer,
            self.place,
        )
    }
}

/// Encodes texts into an array with room for about as many ids as they have.
///
/// Most of the time would be spent on allocating memory and on copying. numpy asks the system for
/// large pages, and pages that are never written to cost nothing.
#[allow(clippy::too_many_arguments)] // the arguments of a call, each with its name
fn placed<'py, O: Send + Sync + 'static>(
    py: Python<'py>,
    encoder: &Arc<Encoder>,
    owned: O,
    bytes: usize,
    room: usize,
    allowed: Vec<String>,
    threads: usize,
    work: impl FnOnce(&O, Job<'_>) -> PyResult<Placed> + Send + 'static,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Vec<u64>)> {
    // The crate `numpy` imports the package on first use and panics if that fails. Imported here, a
    // failure or Ctrl-C is an ordinary exception.
    py.import("numpy")?;
    // A short text gets an array of the right size at the end. So does a long one if there is not
    // enough memory for this one, which is larger than it has to be.
    let room = if bytes < LONG { 0 } else { room };
    let place = zeros(py, room).or_else(|_| zeros(py, 0))?;
    let owned = (owned, place.clone().unbind());
    let placed = off_the_gil(
        py,
        encoder,
        owned,
        bytes,
        move |encoder, (texts, place), observer| {
            let preparation = preparation(encoder, &allowed);
            Python::attach(|py| -> PyResult<Placed> {
                let mut place = place.bind(py).try_readwrite()?;
                let place = place.as_slice_mut()?;
                py.detach(|| {
                    let job = Job {
                        encoder,
                        preparation,
                        threads,
                        observer,
                        place,
                    };
                    work(texts, job)
                })
            })
        },
    )??;
    let in_place = isize::try_from(placed.in_place)?;
    let start = place.get_item(PySlice::new(py, 0, in_place, 1))?;
    let start = start.cast_into::<PyArray1<u32>>()?;
    if placed.rest.is_empty() {
        return Ok((start, placed.offsets));
    }
    // A short text, or one whose tokens are shorter than those of most texts.
    let ids = {
        let start = start.try_readonly()?;
        let rest = placed.rest.iter().map(|part| &part[..]);
        let parts = std::iter::once(start.as_slice()?).chain(rest);
        joined(py, &parts.collect::<Vec<_>>())?
    };
    Ok((ids, placed.offsets))
}

fn joined<'py>(py: Python<'py>, parts: &[&[u32]]) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let ids = zeros(py, parts.iter().map(|part| part.len()).sum())?;
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

/// A new array. The crate `numpy` panics if there is no memory for it, so a large one is made by the
/// function of the package.
fn zeros(py: Python<'_>, len: usize) -> PyResult<Bound<'_, PyArray1<u32>>> {
    if len < LONG {
        return Ok(PyArray1::zeros(py, len, false));
    }
    let array = py.import("numpy")?.call_method1("zeros", (len, "u4"));
    let array = array.map_err(|_| errors::out_of_memory(OutOfMemory))?;
    Ok(array.cast_into()?)
}

/// The offsets of the texts in one buffer, in `N` bytes each.
fn offsets_of<'py, const N: usize>(
    py: Python<'py>,
    offsets: &[u64],
    bytes: impl Fn(u64) -> [u8; N] + Sync,
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, offsets.len() * N, |buffer| {
        detached(py, || {
            for (place, &offset) in buffer.as_chunks_mut().0.iter_mut().zip(offsets) {
                *place = bytes(offset);
            }
        })
    })
}
