//! Texts as Python gives them: `str`, `bytes`, or anything with a buffer of bytes.
//!
//! While the GIL is held, only the addresses and the lengths of the texts are read. The threads that
//! encode them make UTF-8 of strings and check bytes.

mod layout;

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMemoryView, PyString, PyTuple};
use superword::errors::OutOfMemory;
use superword::internal::{SourceError, TextSource, make_room, push_utf8};

use crate::errors;
use crate::reading::arrow::PyColumn;

use layout::{Layout, layout};

pyo3::create_exception!(
    superword._core,
    NotTextError,
    PyValueError,
    "A text is not valid Unicode. The argument is its number."
);

/// How a text is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// UTF-8 that never changes.
    Utf8,
    /// Characters of one, two or four bytes.
    Latin1,
    Ucs2,
    Ucs4,
    /// Bytes that never change and should be UTF-8.
    Bytes,
    /// The same, but others may write to them at any time.
    Shared,
}

impl Form {
    /// How many bytes each of the text's units has.
    fn width(self) -> usize {
        match self {
            Form::Utf8 | Form::Latin1 | Form::Bytes | Form::Shared => 1,
            Form::Ucs2 => 2,
            Form::Ucs4 => 4,
        }
    }
}

/// A text in the memory of Python. `len` is in units of [`Form::width`].
#[derive(Clone, Copy, Debug)]
struct Text {
    start: *const u8,
    len: usize,
    form: Form,
}

impl Text {
    const EMPTY: Text = Text {
        start: std::ptr::NonNull::<u8>::dangling().as_ptr().cast_const(),
        len: 0,
        form: Form::Utf8,
    };

    /// The text. UTF-8 is made in `buffer`, which is empty, unless the text is stored as UTF-8.
    ///
    /// # Safety
    ///
    /// The memory that the text was read from is still there.
    unsafe fn get<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<&'a str, ()> {
        // SAFETY: Whoever made `self` has checked that there are `len` aligned units at `start`, of
        // the type that belongs to `form`. They do not change: a `str` or `bytes` never does while
        // there is a reference to it. Only [`Form::Shared`] may, and is copied before it is looked at.
        let converted = unsafe {
            match self.form {
                Form::Utf8 => {
                    return Ok(std::str::from_utf8_unchecked(self.units()));
                }
                Form::Bytes => return std::str::from_utf8(self.units()).map_err(drop),
                Form::Shared => {
                    make_room(buffer, self.len);
                    std::ptr::copy_nonoverlapping(self.start, buffer.as_mut_ptr(), self.len);
                    buffer.set_len(self.len);
                    return std::str::from_utf8(buffer).map_err(drop);
                }
                Form::Latin1 => push_utf8::<u8>(self.units(), buffer),
                Form::Ucs2 => push_utf8::<u16>(self.units(), buffer),
                Form::Ucs4 => push_utf8::<u32>(self.units(), buffer),
            }
        };
        converted.map_err(drop)?;
        // SAFETY: `push_utf8` writes valid UTF-8.
        Ok(unsafe { std::str::from_utf8_unchecked(buffer) })
    }

    /// # Safety
    ///
    /// As for [`Text::get`], and the units have this type.
    unsafe fn units<T>(&self) -> &[T] {
        // SAFETY: As above.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.len) }
    }
}

/// Texts in the memory of Python, which can be read without the GIL.
pub(crate) struct Texts {
    texts: Vec<Text>,
    bytes: usize,
    room: usize,
    /// Whether this is a single text, which has no number.
    is_one: bool,
    /// The objects that the texts are in. Nobody else can change these.
    _objects: Py<PyAny>,
    /// Views of the buffers that are among them.
    _views: Vec<Py<PyArray1<u8>>>,
}

// SAFETY: The pointers are to memory that `_objects` and `_views` keep, and it is only read.
unsafe impl Send for Texts {}
// SAFETY: As above.
unsafe impl Sync for Texts {}

impl Texts {
    /// The texts of a sequence, or of a column.
    ///
    /// Arguments are not converted by PyO3, which would add its own words to an error.
    pub(crate) fn of(texts: &Bound<'_, PyAny>) -> PyResult<Texts> {
        Texts::many(texts, layout(texts.py()))
    }

    /// The same, or a single text.
    pub(crate) fn given(texts: &Bound<'_, PyAny>, one: bool) -> PyResult<Texts> {
        if one {
            Texts::one(texts)
        } else {
            Texts::of(texts)
        }
    }

    fn many(texts: &Bound<'_, PyAny>, layout: Option<Layout>) -> PyResult<Texts> {
        if let Ok(column) = texts.cast_exact::<PyColumn>() {
            return Texts::column(column);
        }
        // Others may change a list while the GIL is released, but not a tuple.
        let tuple = match texts.cast::<PyList>() {
            Ok(list) => list.to_tuple(),
            Err(_) => match texts.cast_exact::<PyTuple>() {
                Ok(tuple) => tuple.clone(),
                Err(_) => {
                    PyTuple::new(texts.py(), texts.try_iter()?.collect::<PyResult<Vec<_>>>()?)?
                }
            },
        };
        let mut found = Texts::empty(tuple.as_any(), tuple.len())?;
        for item in tuple.iter_borrowed() {
            let text = found.text(&item, layout)?;
            found.push(text);
        }
        Ok(found)
    }

    /// The rows of a column.
    fn column(column: &Bound<'_, PyColumn>) -> PyResult<Texts> {
        let mut found = Texts::empty(column.as_any(), 0)?;
        column.get().with(|rows| {
            found.reserve(rows.count())?;
            for index in 0..rows.count() {
                let row = rows.row(index);
                let row = row.map_err(|error| rows.failed(SourceError::Text { index, error }))?;
                found.push(Text {
                    start: row.as_ptr(),
                    len: row.len(),
                    form: Form::Bytes,
                });
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// A single text.
    pub(crate) fn one(text: &Bound<'_, PyAny>) -> PyResult<Texts> {
        let mut found = Texts::empty(text, 1)?;
        found.is_one = true;
        let text = found.text(text, layout(text.py()))?;
        found.push(text);
        Ok(found)
    }

    fn empty(objects: &Bound<'_, PyAny>, count: usize) -> PyResult<Texts> {
        let mut empty = Texts {
            texts: Vec::new(),
            bytes: 0,
            room: 0,
            is_one: false,
            _objects: objects.clone().unbind(),
            _views: Vec::new(),
        };
        empty.reserve(count)?;
        Ok(empty)
    }

    fn reserve(&mut self, count: usize) -> PyResult<()> {
        let reserved = self.texts.try_reserve_exact(count);
        reserved.map_err(|_| errors::out_of_memory(OutOfMemory))
    }

    /// About how many bytes all texts have.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// About how many tokens nearly all texts of this size have at most.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    fn text(&mut self, item: &Bound<'_, PyAny>, layout: Option<Layout>) -> PyResult<Text> {
        if let Ok(string) = item.cast::<PyString>() {
            return self.string(string, layout);
        }
        if let Ok(bytes) = item.cast::<PyBytes>() {
            return Ok(Text {
                start: bytes.as_bytes().as_ptr(),
                len: bytes.as_bytes().len(),
                form: Form::Bytes,
            });
        }
        self.view(item)
    }

    fn push(&mut self, text: Text) {
        // Characters above U+00FF have two or three bytes each, but are few in most texts that have
        // some. A token has three bytes or more on average, or else it is about one character.
        let (bytes, room) = match text.form {
            Form::Ucs2 | Form::Ucs4 => (text.len + text.len / 2, text.len),
            _ => (text.len, text.len / 3),
        };
        self.bytes += bytes;
        self.room += room;
        self.texts.push(text);
    }

    fn string(&self, string: &Bound<'_, PyString>, layout: Option<Layout>) -> PyResult<Text> {
        // SAFETY: It is a string, the GIL is held, and `self` keeps a reference to it.
        let read = layout.and_then(|layout| unsafe { layout.read(string.as_ptr()) });
        if let Some(text) = read {
            return Ok(text);
        }
        let mut len: ffi::Py_ssize_t = 0;
        // SAFETY: As above. The string keeps its UTF-8 as long as it lives.
        let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(string.as_ptr(), &mut len) };
        match usize::try_from(len) {
            Ok(len) if !start.is_null() => Ok(Text {
                start: start.cast(),
                len,
                form: Form::Utf8,
            }),
            _ => {
                let error = PyErr::fetch(string.py());
                Err(match error.is_instance_of::<PyValueError>(string.py()) {
                    true => self.wrong(),
                    false => error,
                })
            }
        }
    }

    /// The error for the text after those that were found.
    fn wrong(&self) -> PyErr {
        NotTextError::new_err(self.texts.len())
    }

    /// A buffer of bytes. Through numpy, because the buffer protocol is not part of the stable ABI
    /// of Python 3.10.
    fn view(&mut self, item: &Bound<'_, PyAny>) -> PyResult<Text> {
        let refused = |wanted: &str| {
            let text = match self.is_one {
                true => "the text".to_owned(),
                false => format!("text {}", self.texts.len()),
            };
            let kind = item.get_type();
            let kind = kind.name().map_or("object".into(), |name| name.to_string());
            PyTypeError::new_err(format!("{text} must be {wanted}, not {kind}"))
        };
        let view = PyMemoryView::from(item)
            .map_err(|_| refused("a str, bytes or another buffer of bytes"))?;
        if view.getattr("itemsize")?.extract::<usize>()? != 1
            || !view.getattr("c_contiguous")?.extract::<bool>()?
        {
            return Err(refused("one block of bytes (convert it with bytes)"));
        }
        if view.getattr("nbytes")?.extract::<usize>()? == 0 {
            return Ok(Text::EMPTY);
        }
        let numpy = item.py().import("numpy")?;
        let array = numpy.call_method1("frombuffer", (view, "u1"))?;
        let array = array.cast_into::<PyArray1<u8>>()?;
        let text = Text {
            start: array.data(),
            len: array.len(),
            form: Form::Shared,
        };
        self._views.push(array.unbind());
        Ok(text)
    }
}

impl TextSource for Texts {
    type Error = ();

    fn count(&self) -> usize {
        self.texts.len()
    }

    fn size(&self, index: usize) -> usize {
        self.texts[index].len
    }

    fn get<'a>(&'a self, index: usize, buffer: &'a mut Vec<u8>) -> Result<&'a str, ()> {
        // SAFETY: `self` keeps the objects.
        unsafe { self.texts[index].get(buffer) }
    }
}

/// The UTF-8 of each text as encoding sees it. With `direct` false, strings are read through the
/// stable ABI only, to compare both ways.
#[pyfunction]
pub(crate) fn texts_as_utf8<'py>(
    texts: &Bound<'py, PyAny>,
    direct: bool,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let py = texts.py();
    let layout = if direct { layout(py) } else { None };
    let texts = Texts::many(texts, layout)?;
    let mut buffer = Vec::new();
    let utf8 = |index| {
        buffer.clear();
        match texts.get(index, &mut buffer) {
            Ok(text) => crate::encoding::copied_bytes(py, text.as_bytes()),
            Err(()) => Err(NotTextError::new_err(index)),
        }
    };
    (0..texts.count()).map(utf8).collect()
}

/// Whether the characters of strings are read where Python stores them.
#[pyfunction]
pub(crate) fn reads_strings_directly(py: Python<'_>) -> bool {
    layout(py).is_some()
}
