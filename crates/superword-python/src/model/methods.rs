//! The methods of a model that Python can call.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList};
use superword::model::{Event, Model, NamedParts, Normalizer, Origin};
use superword::text::{Pretokenizer, PretokenizerConfig};
use superword::token::TokenId;

use super::parts::{self, Added, GivenEvent};
use super::{DEFAULT_CACHE, PyModel};
use crate::arguments::Input;
use crate::encoding;
use crate::encoding::arrays::{self, Flat, FlatColumn};
use crate::encoding::offsets::{self, FlatOffsets, WithOffsets};
use crate::errors;
use crate::pretokenizer::PyPretokenizer;
use crate::reading::arrow::Buffers;
use crate::shards::{self, PyShardRun};
use crate::texts::Texts;
use crate::watch::detached;

type Merge<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64);

#[pymethods]
impl PyModel {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<PyModel> {
        detached(py, || Model::load(&path))?
            .map(|model| PyModel::new(Arc::new(model)))
            .map_err(|error| errors::load(&error, Some(&path.to_string_lossy())))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<PyModel> {
        detached(py, || Model::from_bytes(data))?
            .map(|model| PyModel::new(Arc::new(model)))
            .map_err(|error| errors::load(&error, None))
    }

    /// A model from parts that name tokens by their bytes. See [`NamedParts`].
    #[staticmethod]
    #[pyo3(signature = (
        method, pretokenizer, alphabet, events, ids, added_tokens, facts, *,
        normalizer=None, whole_pieces=false, order=None, unmade=Vec::new(), settings="{}",
        picky_split="parts"
    ))]
    #[allow(clippy::too_many_arguments)] // the parts of a model, each with its name
    fn from_parts(
        py: Python<'_>,
        method: &str,
        pretokenizer: &PyPretokenizer,
        alphabet: &str,
        events: Vec<GivenEvent>,
        ids: Option<HashMap<Vec<u8>, u32>>,
        added_tokens: Vec<Added>,
        facts: &str,
        normalizer: Option<&str>,
        whole_pieces: bool,
        order: Option<Vec<u32>>,
        unmade: Vec<(Vec<u8>, u32)>,
        settings: &str,
        picky_split: &str,
    ) -> PyResult<PyModel> {
        let parts = NamedParts {
            method: parts::method(method)?,
            pretokenizer: pretokenizer.inner.config().clone(),
            alphabet: parts::alphabet(alphabet)?,
            picky_split: parts::picky_split(picky_split)?,
            events: parts::events(events)?,
            ids,
            added: added_tokens.into_iter().map(parts::added).collect(),
            normalizer: normalizer.map(parts::normalizer).transpose()?,
            whole_pieces,
            order,
            unmade,
            settings: parts::object("settings", settings)?,
            facts: parts::object("facts", facts)?,
        };
        detached(py, || parts.build())?
            .map(|model| PyModel::new(Arc::new(model)))
            .map_err(|error| errors::parts(&error))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.model.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || self.model.save(&path))?
            .map_err(|error| errors::save(&error, &path.to_string_lossy()))
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.model.parts().method.name()
    }

    #[getter]
    fn alphabet(&self) -> &'static str {
        self.model.parts().alphabet.name()
    }

    #[getter]
    fn picky_split(&self) -> &'static str {
        self.model.parts().recorded_split()
    }

    #[getter]
    fn n_vocab(&self) -> usize {
        self.model.n_vocab()
    }

    #[getter]
    fn pretokenizer(&self) -> PyResult<PyPretokenizer> {
        if let Some(encoder) = self.encoder.get() {
            return Ok(PyPretokenizer {
                inner: encoder.pretokenizer().clone(),
            });
        }
        let config: PretokenizerConfig = self.model.parts().pretokenizer.clone();
        Pretokenizer::new(config)
            .map(|inner| PyPretokenizer { inner })
            .map_err(|error| errors::pattern(&error))
    }

    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for token in &self.model.parts().added {
            if token.special {
                dict.set_item(&token.text, token.id.0)?;
            }
        }
        Ok(dict)
    }

    #[getter]
    fn added_tokens(&self) -> Vec<Added> {
        let added = self.model.parts().added.iter();
        added.map(parts::given).collect()
    }

    /// The id of the added token with this text.
    fn added_to_id(&self, text: &str) -> Option<u32> {
        let mut added = self.model.parts().added.iter();
        let token = added.find(|token| token.text == text);
        token.map(|token| token.id.0)
    }

    #[getter]
    fn normalizer(&self) -> Option<&'static str> {
        self.model.parts().normalizer.map(Normalizer::name)
    }

    #[getter]
    fn whole_pieces(&self) -> bool {
        self.model.parts().whole_pieces
    }

    #[getter]
    fn order(&self) -> Option<Vec<u32>> {
        self.model.parts().order.clone()
    }

    #[getter]
    fn unmade<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, u32)> {
        let unmade = self.model.parts().unmade.iter();
        let vocabulary = self.model.vocabulary();
        unmade
            .filter_map(|token| {
                let id = vocabulary.id_of_bytes(token)?;
                Some((PyBytes::new(py, token), id.0))
            })
            .collect()
    }

    #[getter]
    fn settings(&self) -> String {
        serde_json::Value::from(self.model.parts().settings.clone()).to_string()
    }

    #[getter]
    fn facts(&self) -> String {
        serde_json::Value::from(self.model.parts().facts.clone()).to_string()
    }

    #[getter]
    fn has_deletions(&self) -> bool {
        self.model.has_deletions()
    }

    /// True if runs of words are cut at recorded n-grams before supermerges are applied.
    #[getter]
    fn has_ngrams(&self) -> bool {
        !self.model.parts().ngrams.is_empty()
    }

    /// True if ids do not follow the order in which tokens entered the vocabulary (imported models).
    #[getter]
    fn has_own_ids(&self) -> bool {
        self.model.parts().ids.is_some()
    }

    fn events<'py>(
        &self,
        py: Python<'py>,
    ) -> Vec<(&'static str, Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64)> {
        let bytes = |symbol| PyBytes::new(py, self.bytes_of(symbol));
        let events = self.model.parts().events.iter();
        events
            .map(|event| match *event {
                Event::Merge { left, right, count } => ("merge", bytes(left), bytes(right), count),
                Event::Supermerge { left, right, count } => {
                    ("supermerge", bytes(left), bytes(right), count)
                }
                Event::Delete { token } => ("delete", bytes(token), PyBytes::new(py, b""), 0),
            })
            .collect()
    }

    fn merges<'py>(&self, py: Python<'py>) -> Vec<Merge<'py>> {
        let bytes = |symbol| PyBytes::new(py, self.bytes_of(symbol));
        let events = self.model.parts().events.iter();
        events
            .filter_map(|event| match *event {
                Event::Merge { left, right, count } => Some((bytes(left), bytes(right), count)),
                _ => None,
            })
            .collect()
    }

    fn supermerges<'py>(&self, py: Python<'py>) -> Vec<Merge<'py>> {
        let bytes = |symbol| PyBytes::new(py, self.bytes_of(symbol));
        let events = self.model.parts().events.iter();
        events
            .filter_map(|event| match *event {
                Event::Supermerge { left, right, count } => {
                    Some((bytes(left), bytes(right), count))
                }
                _ => None,
            })
            .collect()
    }

    fn token_bytes<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyBytes>> {
        match self.model.token_bytes(TokenId(id)) {
            Some(bytes) => Ok(PyBytes::new(py, bytes)),
            None => Err(self.unknown_id(id)),
        }
    }

    fn token_to_id(&self, token: &[u8]) -> Option<u32> {
        let vocabulary = self.model.vocabulary();
        let id = vocabulary.id_of_bytes(token).or_else(|| {
            let mut added = self.model.parts().added.iter();
            added
                .find(|added| added.text.as_bytes() == token)
                .map(|added| added.id)
        });
        id.map(|id| id.0)
    }

    fn is_superword(&self, id: u32) -> PyResult<bool> {
        let vocabulary = self.model.vocabulary();
        match vocabulary.symbol_with(TokenId(id)) {
            Some(symbol) => Ok(matches!(
                vocabulary.origin_of(symbol),
                Origin::Supermerge(..)
            )),
            None if self.model.token_bytes(TokenId(id)).is_some() => Ok(false),
            None => Err(self.unknown_id(id)),
        }
    }

    fn truncate(&self, py: Python<'_>, n_vocab: usize) -> PyResult<PyModel> {
        detached(py, || self.model.truncate(n_vocab))?
            .map(|model| PyModel::new(Arc::new(model)))
            .map_err(|error| errors::build(&error))
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        allowed_special: Vec<String>,
    ) -> PyResult<Bound<'py, PyList>> {
        encoding::ids(py, self.encoder(py)?, Texts::one(text)?, allowed_special)
    }

    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        allowed_special: Vec<String>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let texts = Texts::of(texts)?;
        encoding::lists(py, self.encoder(py)?, texts, allowed_special, threads)
    }

    fn encode_flat<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        allowed_special: Vec<String>,
        threads: usize,
        one: bool,
    ) -> PyResult<Flat<'py>> {
        let texts = Texts::given(texts, one)?;
        arrays::flat(py, self.encoder(py)?, texts, allowed_special, threads)
    }

    #[allow(clippy::too_many_arguments)] // the buffers of a column, each with its name
    fn encode_arrow<'py>(
        &self,
        py: Python<'py>,
        offsets: Py<PyArray1<u8>>,
        wide: bool,
        data: Bound<'py, PyArray1<u8>>,
        there: Option<Py<PyArray1<u8>>>,
        allowed_special: Vec<String>,
        threads: usize,
    ) -> PyResult<FlatColumn<'py>> {
        let bytes = data.len()?;
        let column = Buffers {
            offsets,
            wide,
            data: data.unbind(),
            there,
        };
        arrays::column(
            py,
            self.encoder(py)?,
            column,
            bytes,
            allowed_special,
            threads,
        )
    }

    fn count_tokens<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        allowed_special: Vec<String>,
        threads: usize,
        one: bool,
    ) -> PyResult<Vec<usize>> {
        let texts = Texts::given(texts, one)?;
        encoding::counts(py, self.encoder(py)?, texts, allowed_special, threads)
    }

    fn encode_with_offsets<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        allowed_special: Vec<String>,
        characters: bool,
    ) -> PyResult<WithOffsets> {
        let text = Texts::one(text)?;
        offsets::one(py, self.encoder(py)?, text, allowed_special, characters)
    }

    fn encode_offsets_flat<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        allowed_special: Vec<String>,
        threads: usize,
        characters: bool,
    ) -> PyResult<FlatOffsets<'py>> {
        let (encoder, texts) = (self.encoder(py)?, Texts::of(texts)?);
        offsets::flat(py, encoder, texts, allowed_special, threads, characters)
    }

    fn encode_lines<'py>(
        &self,
        py: Python<'py>,
        documents: PyBackedBytes,
        end: PyBackedBytes,
        allowed_special: Vec<String>,
        threads: usize,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let encoder = self.encoder(py)?;
        encoding::lines(py, encoder, documents, end, allowed_special, threads)
    }

    fn decode_lines<'py>(
        &self,
        py: Python<'py>,
        lines: &[u8],
        end: &[u8],
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let encoder = self.encoder(py)?;
        let bytes = detached(py, || encoder.decode_lines(lines, end))?;
        bytes
            .map(|bytes| encoding::copied_bytes(py, &bytes))
            .transpose()
    }

    #[pyo3(signature = (sources, run, threads, progress=None))]
    fn encode_files<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<(Input<'py>, Option<String>)>,
        run: &Bound<'py, PyShardRun>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let encoder = self.encoder(py)?;
        shards::encode(py, encoder, sources, run.get(), threads, progress)
    }

    fn cache_bytes(&self, py: Python<'_>) -> PyResult<usize> {
        match self.cache_bytes.load(Ordering::SeqCst) {
            DEFAULT_CACHE => Ok(self.encoder(py)?.cache_bytes()),
            bytes => Ok(bytes),
        }
    }

    fn set_cache_bytes(&self, bytes: usize) {
        let bytes = bytes.min(DEFAULT_CACHE - 1);
        self.cache_bytes.store(bytes, Ordering::SeqCst);
        if let Some(encoder) = self.encoder.get() {
            encoder.set_cache_bytes(bytes);
        }
    }

    fn clear_cache(&self) {
        if let Some(encoder) = self.encoder.get() {
            encoder.clear_cache();
        }
    }

    fn decode_bytes<'py>(&self, py: Python<'py>, ids: Vec<u32>) -> PyResult<Bound<'py, PyBytes>> {
        let encoder = self.encoder(py)?;
        let mut bytes = Vec::new();
        detached(py, || encoder.decode_into(&ids, &mut bytes))?
            .map_err(|error| errors::unknown_id(&error))?;
        encoding::copied_bytes(py, &bytes)
    }
}
