//! Tokenizers of other programs, from the contents of their files.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use superword::imports::huggingface::OldFiles;
use superword::imports::tiktoken::Encoding;
use superword::imports::{ImportError, Kind, Source, huggingface, tekken, tiktoken};
use superword::model::Model;

use crate::errors;
use crate::model::PyModel;
use crate::watch::detached;

/// The name of a file, and its content. Without a name it does not come from a file.
type File = (Option<String>, PyBackedBytes);

fn source((name, content): &File) -> Source<'_> {
    Source {
        name: name.as_deref(),
        content,
    }
}

fn imported(
    py: Python<'_>,
    import: impl FnOnce() -> Result<Model, ImportError> + Send,
) -> PyResult<PyModel> {
    detached(py, import)?
        .map(|model| PyModel::new(Arc::new(model)))
        .map_err(|error| errors::import(&error))
}

/// What a file is: `superword`, `huggingface`, `tiktoken`, `tekken` or `paper`.
#[pyfunction]
pub(crate) fn file_kind(py: Python<'_>, file: File) -> PyResult<&'static str> {
    detached(py, || Kind::of(source(&file)))?
        .map(Kind::name)
        .map_err(|error| errors::import(&error))
}

#[pyfunction]
pub(crate) fn import_huggingface(
    py: Python<'_>,
    file: File,
    configs: Vec<File>,
    ignore_normalizer: bool,
) -> PyResult<PyModel> {
    imported(py, || {
        let configs: Vec<Source<'_>> = configs.iter().map(source).collect();
        huggingface::import(source(&file), &configs, ignore_normalizer)
    })
}

#[pyfunction]
pub(crate) fn import_old_huggingface(
    py: Python<'_>,
    vocab: File,
    merges: File,
    added: Option<File>,
    configs: Vec<File>,
    ignore_normalizer: bool,
) -> PyResult<PyModel> {
    imported(py, || {
        let configs: Vec<Source<'_>> = configs.iter().map(source).collect();
        let files = OldFiles {
            vocab: source(&vocab),
            merges: source(&merges),
            added: added.as_ref().map(source),
        };
        huggingface::import_old(files, &configs, ignore_normalizer)
    })
}

#[pyfunction]
pub(crate) fn import_tiktoken(
    py: Python<'_>,
    file: File,
    sidecar: Option<File>,
    pattern: Option<String>,
    special_tokens: Option<Vec<(String, u32)>>,
) -> PyResult<PyModel> {
    let given = Encoding {
        pattern,
        special_tokens,
    };
    imported(py, || {
        tiktoken::import(source(&file), sidecar.as_ref().map(source), given)
    })
}

#[pyfunction]
pub(crate) fn import_ranks(
    py: Python<'_>,
    ranks: HashMap<Vec<u8>, u32>,
    pattern: Option<String>,
    special_tokens: Option<Vec<(String, u32)>>,
) -> PyResult<PyModel> {
    let given = Encoding {
        pattern,
        special_tokens,
    };
    imported(py, || tiktoken::from_ranks(&ranks, given))
}

#[pyfunction]
pub(crate) fn import_tekken(py: Python<'_>, file: File) -> PyResult<PyModel> {
    imported(py, || tekken::import(source(&file)))
}

/// The pattern and the special tokens of the `.json` file beside a `.tiktoken` file.
#[pyfunction]
pub(crate) fn read_sidecar(file: File) -> PyResult<Sidecar> {
    tiktoken::read_sidecar(source(&file))
        .map(|found| (found.pattern, found.special_tokens))
        .map_err(|error| errors::import(&error))
}

type Sidecar = (Option<String>, Option<Vec<(String, u32)>>);

/// The character of each byte in the byte alphabet of GPT-2.
#[pyfunction]
pub(crate) fn byte_chars() -> String {
    superword::internal::byte_chars().collect()
}

/// The roles that an added token can have.
#[pyfunction]
pub(crate) fn roles() -> Vec<&'static str> {
    huggingface::ROLES.to_vec()
}
