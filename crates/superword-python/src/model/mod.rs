//! Models for Python: the class is here, its methods are in `methods`.

mod methods;
mod parts;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use superword::encode::Encoder;
use superword::model::Model;
use superword::token::{Symbol, TokenId};

use crate::errors;
use crate::watch::detached;

/// A trained tokenizer. Immutable; may be used from many threads at once.
#[pyclass(name = "Model", module = "superword._core", frozen)]
pub(crate) struct PyModel {
    model: Arc<Model>,
    /// Created on first use, so that a model that is only inspected does not pay for it.
    encoder: OnceLock<Arc<Encoder>>,
    /// The cache size for an encoder that does not exist yet; [`DEFAULT_CACHE`] unless set.
    cache_bytes: AtomicUsize,
}

const DEFAULT_CACHE: usize = usize::MAX;

impl PyModel {
    pub(crate) fn new(model: Arc<Model>) -> PyModel {
        PyModel {
            model,
            encoder: OnceLock::new(),
            cache_bytes: AtomicUsize::new(DEFAULT_CACHE),
        }
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    pub(crate) fn encoder(&self, py: Python<'_>) -> PyResult<&Arc<Encoder>> {
        if let Some(encoder) = self.encoder.get() {
            return Ok(encoder);
        }
        let made = detached(py, || Encoder::new(self.model.clone()))?
            .map_err(|error| errors::pattern(&error))?;
        let encoder = self.encoder.get_or_init(|| Arc::new(made));
        // Also if another thread created it: the size that was set last wins.
        let bytes = self.cache_bytes.load(Ordering::SeqCst);
        if bytes != DEFAULT_CACHE {
            encoder.set_cache_bytes(bytes);
        }
        Ok(encoder)
    }

    fn bytes_of(&self, symbol: Symbol) -> &[u8] {
        self.model.vocabulary().bytes_of(symbol)
    }

    fn unknown_id(&self, id: u32) -> PyErr {
        let message = format!(
            "id {id} is not in the vocabulary, whose ids are below {}",
            self.model.n_vocab()
        );
        errors::unknown_token(TokenId(id), message).into()
    }
}
