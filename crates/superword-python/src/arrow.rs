//! Columns of text read in place, as the Arrow C data interface lays them out.

use std::ffi::{CStr, c_char, c_void};

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::Raised;

/// `struct ArrowSchema` of the interface.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray` of the interface.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// How wide the offsets of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// `string`: 32 bits.
    Narrow,
    /// `large_string`: 64 bits.
    Wide,
}

/// A column of text that lives in the buffers of its owner.
pub(crate) struct TextColumn<'c> {
    pub(crate) width: Width,
    /// The text of each row; of a null, the empty text.
    pub(crate) texts: Vec<&'c str>,
}

fn refused(what: &str) -> PyErr {
    let hint = "give a pyarrow Array of type string or large_string";
    Raised::new("TextError", what, Some(hint.into())).into()
}

/// Reads the two capsules that `__arrow_c_array__` gives. Nothing is copied; the texts live as
/// long as the capsules, which give the memory free when they are dropped.
pub(crate) fn text_column<'c>(
    schema: &'c Bound<'_, PyCapsule>,
    array: &'c Bound<'_, PyCapsule>,
) -> PyResult<TextColumn<'c>> {
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: a capsule of this name holds an `ArrowSchema`, by the PyCapsule interface of Arrow,
    // and the borrowed capsule keeps it alive for 'c.
    let schema: &'c ArrowSchema = unsafe { schema.cast().as_ref() };
    // SAFETY: as above, an `ArrowArray`.
    let array: &'c ArrowArray = unsafe { array.cast().as_ref() };
    if schema.release.is_none() || array.release.is_none() || schema.format.is_null() {
        return Err(refused("the Arrow array was released already"));
    }
    // SAFETY: the format of a schema that is not released is a string that ends with NUL.
    let width = match unsafe { CStr::from_ptr(schema.format) }.to_bytes() {
        b"u" if schema.dictionary.is_null() => Width::Narrow,
        b"U" if schema.dictionary.is_null() => Width::Wide,
        _ => return Err(refused("the Arrow array does not hold text")),
    };
    let (Ok(length), Ok(offset)) = (usize::try_from(array.length), usize::try_from(array.offset))
    else {
        return Err(refused("the Arrow array has a negative length"));
    };
    if array.n_buffers != 3 || array.buffers.is_null() {
        return Err(refused("the Arrow array does not have the buffers of text"));
    }
    if length == 0 {
        let texts = Vec::new();
        return Ok(TextColumn { width, texts });
    }
    // SAFETY: `buffers` points to `n_buffers` = 3 pointers.
    let buffers: &[*const c_void] = unsafe { std::slice::from_raw_parts(array.buffers, 3) };
    if buffers[1].is_null() {
        return Err(refused("the Arrow array has no offsets"));
    }
    let ends: Vec<i64> = match width {
        Width::Narrow => {
            // SAFETY: text of format `u` has `offset + length + 1` offsets of 32 bits.
            let ends = unsafe {
                std::slice::from_raw_parts(buffers[1].cast::<i32>(), offset + length + 1)
            };
            ends[offset..].iter().map(|&end| end.into()).collect()
        }
        Width::Wide => {
            // SAFETY: text of format `U` has `offset + length + 1` offsets of 64 bits.
            let ends = unsafe {
                std::slice::from_raw_parts(buffers[1].cast::<i64>(), offset + length + 1)
            };
            ends[offset..].to_vec()
        }
    };
    let last = usize::try_from(ends[length]).ok();
    let data: &[u8] = match last {
        Some(0) => &[],
        // SAFETY: the bytes up to the last offset belong to the text.
        Some(size) if !buffers[2].is_null() => unsafe {
            std::slice::from_raw_parts(buffers[2].cast(), size)
        },
        _ => return Err(refused("the Arrow array has offsets outside of its text")),
    };
    let validity: Option<&[u8]> = (array.null_count != 0 && !buffers[0].is_null()).then(|| {
        // SAFETY: where there is a validity buffer it has a bit for each row.
        unsafe { std::slice::from_raw_parts(buffers[0].cast(), (offset + length).div_ceil(8)) }
    });
    let is_null = |row: usize| {
        let bit = offset + row;
        validity.is_some_and(|bits| bits[bit / 8] >> (bit % 8) & 1 == 0)
    };
    let texts = texts_of(data, &ends, is_null)?;
    Ok(TextColumn { width, texts })
}

/// The text between each two offsets; the empty text for a null, whose bytes may be anything.
fn texts_of<'c>(
    data: &'c [u8],
    ends: &[i64],
    is_null: impl Fn(usize) -> bool,
) -> PyResult<Vec<&'c str>> {
    // Checked as a whole: fast, and nearly always true.
    let start = usize::try_from(ends[0]).unwrap_or(usize::MAX);
    let whole = data
        .get(start..)
        .and_then(|data| std::str::from_utf8(data).ok());
    let bounds = ends.windows(2).enumerate();
    bounds
        .map(|(row, bounds)| {
            if is_null(row) {
                return Ok("");
            }
            let (Ok(from), Ok(to)) = (usize::try_from(bounds[0]), usize::try_from(bounds[1]))
            else {
                return Err(refused("the Arrow array has a negative offset"));
            };
            let text = match whole {
                Some(whole) if from >= start && to >= from => whole.get(from - start..to - start),
                _ => data
                    .get(from..to)
                    .and_then(|text| std::str::from_utf8(text).ok()),
            };
            text.ok_or_else(|| refused(&format!("row {row} of the Arrow array is not UTF-8 text")))
        })
        .collect()
}
