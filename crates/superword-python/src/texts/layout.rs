//! Where CPython keeps the characters of a `str`.
//!
//! The stable ABI has no function that reads the characters of a `str` without the GIL. Its header
//! is not part of the stable ABI, but it has been the same in all releases of a version. So the
//! layouts of the known versions are listed here, and before one is used, strings of every kind
//! are compared with it in the running interpreter. Strings are read through the ABI if there is
//! any difference, and in versions that are not listed.

use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use super::{Form, Text};

/// Positions in a `str` object, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The number of characters.
    length: usize,
    /// The byte with the kind (3 bits), and whether the string is compact and ASCII (1 bit each).
    flags: usize,
    /// How many bits of that byte are before the kind.
    shift: u32,
    /// The characters of a compact ASCII string, and of another compact string.
    ascii: usize,
    others: usize,
}

const WORD: usize = size_of::<usize>();

impl Layout {
    /// The layout of this version of CPython, if it is known. The header of an object is larger in
    /// a free-threaded build.
    fn of_version(major: u8, minor: u8) -> Option<Layout> {
        if cfg!(not(all(
            target_pointer_width = "64",
            target_endian = "little"
        ))) {
            return None;
        }
        let head = size_of::<ffi::PyObject>();
        // After the head: length, hash, flags. Before 3.12 a pointer to wide characters follows.
        // The structure for other strings adds the length and the address of the UTF-8, and before
        // 3.12 the length of the wide characters.
        let (start, shift, ascii, others) = match (head / WORD, major, minor) {
            (2, 3, 10 | 11) => (0, 2, 4, 7),
            (2, 3, 12 | 13) => (0, 2, 3, 5),
            // The flags have 16 bits of their own, after 16 bits that say whether it is interned.
            (2 | 4, 3, 14) => (2, 0, 3, 5),
            _ => return None,
        };
        Some(Layout {
            length: head,
            flags: head + 2 * WORD + start,
            shift,
            ascii: head + ascii * WORD,
            others: head + others * WORD,
        })
    }

    /// The characters of a string, or `None` if they are in another block of memory, as in
    /// instances of subclasses.
    ///
    /// # Safety
    ///
    /// `string` is a `str`, and the calling thread holds the GIL. The text may be read as long as
    /// there is a reference to the object.
    pub(super) unsafe fn read(self, string: *mut ffi::PyObject) -> Option<Text> {
        let start = string.cast::<u8>().cast_const();
        // SAFETY: [`check`] has compared this layout with real strings. Both fields are inside of
        // the smallest string, are aligned, and do not change after the string was made.
        let (len, flags) = unsafe {
            let len = start.add(self.length).cast::<usize>().read();
            (len, start.add(self.flags).read() >> self.shift)
        };
        if flags & 0b1000 == 0 {
            return None;
        }
        let (form, place) = match (flags & 0b111, flags & 0b1_0000 != 0) {
            (1, true) => (Form::Utf8, self.ascii),
            (1, false) => (Form::Latin1, self.others),
            (2, false) => (Form::Ucs2, self.others),
            (4, false) => (Form::Ucs4, self.others),
            _ => return None,
        };
        // SAFETY: The characters of a compact string follow its header in the same block.
        let start = unsafe { start.add(place) };
        Some(Text { start, len, form })
    }

    /// Whether strings of all kinds are as this layout says.
    fn is_right(self, py: Python<'_>) -> PyResult<bool> {
        let samples = [
            "",
            "a",
            "\u{e9}",
            "plain",
            "caf\u{e9}",
            "\u{416}\u{438}",
            "\u{4e2d} text",
            "\u{1f600} text",
        ];
        for sample in samples {
            for times in [1, 40] {
                let sample = sample.repeat(times);
                let string = PyString::new(py, &sample);
                // As it is new, then interned, then with its UTF-8 in its memory.
                if !self.fits(&string, &sample)?
                    || !self.fits(&PyString::intern(py, &sample), &sample)?
                    || string.to_str()? != sample
                    || !self.fits(&string, &sample)?
                {
                    return Ok(false);
                }
            }
        }
        // The characters of such a string are elsewhere.
        let bases = (py.get_type::<PyString>(),);
        let class = py.get_type::<PyType>();
        let subclass = class.call1(("Text", bases, PyDict::new(py)))?;
        for sample in ["plain", "caf\u{e9}"] {
            let string = subclass.call1((sample,))?;
            // SAFETY: It is a string, and larger than those without a class of their own.
            if unsafe { self.read(string.as_ptr()) }.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a string is as this layout says. Never reads outside of it.
    fn fits(self, string: &Bound<'_, PyString>, text: &str) -> PyResult<bool> {
        let characters: Vec<char> = text.chars().collect();
        let form = match characters.iter().max() {
            None | Some('\0'..='\x7f') => Form::Utf8,
            Some('\u{80}'..='\u{ff}') => Form::Latin1,
            Some('\u{100}'..='\u{ffff}') => Form::Ucs2,
            Some(_) => Form::Ucs4,
        };
        let place = match form {
            Form::Utf8 => self.ascii,
            _ => self.others,
        };
        let size: usize = string.call_method0("__sizeof__")?.extract()?;
        // A zero follows the characters.
        if size < place + (characters.len() + 1) * form.width() {
            return Ok(false);
        }
        // SAFETY: It is a string. The fields are before the characters, so they are inside of it.
        let Some(read) = (unsafe { self.read(string.as_ptr()) }) else {
            return Ok(false);
        };
        if read.len != characters.len() || read.form != form {
            return Ok(false);
        }
        let mut buffer = Vec::new();
        // SAFETY: `string` lives as long as this function runs, and the characters are inside of
        // it, as `size` says.
        Ok(unsafe { read.get(&mut buffer) } == Ok(text))
    }
}

/// The layout of strings in this process. `None` if it is not known.
pub(super) fn layout(py: Python<'_>) -> Option<Layout> {
    static LAYOUT: OnceLock<Option<Layout>> = OnceLock::new();
    *LAYOUT.get_or_init(|| check(py))
}

fn check(py: Python<'_>) -> Option<Layout> {
    let name = py.import("sys").ok()?.getattr("implementation").ok()?;
    let name: String = name.getattr("name").ok()?.extract().ok()?;
    let version = py.version_info();
    let layout = Layout::of_version(version.major, version.minor)?;
    (name == "cpython" && layout.is_right(py).ok()?).then_some(layout)
}
