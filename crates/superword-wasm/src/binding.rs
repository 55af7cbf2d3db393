//! The classes and functions that JavaScript sees.

use js_sys::{Error, Function, Reflect, Uint8Array, Uint32Array};
use superword::observe::{Observer, Phase};
use wasm_bindgen::prelude::*;

use crate::encoded;
use crate::error::PageError;
use crate::page_model::PageModel;

impl From<PageError> for JsValue {
    fn from(error: PageError) -> JsValue {
        let value = Error::new(&error.message);
        for (name, text) in [("hint", error.hint.as_deref()), ("code", error.code)] {
            if let Some(text) = text {
                // Setting a property of a new object cannot fail.
                let _ = Reflect::set(&value, &name.into(), &text.into());
            }
        }
        value.into()
    }
}

/// A tokenizer.
#[wasm_bindgen]
pub struct Model {
    inner: PageModel,
}

#[wasm_bindgen]
impl Model {
    /// Opens a file of any kind, recognised by its content. `options` is JSON:
    /// `{config?: string, sidecar?: string, pattern?: string}`.
    pub fn open(name: &str, file: &[u8], options: &str) -> Result<Model, JsValue> {
        let inner = PageModel::open(name, file, options)?;
        Ok(Model { inner })
    }

    /// Trains on documents. `options` is JSON:
    /// `{method: string, vocab_size: number, supermerges?: number, pretokenizer?: string}`.
    pub fn train(
        documents: Vec<String>,
        options: &str,
        progress: &Function,
    ) -> Result<Model, JsValue> {
        let inner = PageModel::train(&documents, options, &Progress { call: progress })?;
        Ok(Model { inner })
    }

    /// JSON: what the model is and how it was trained.
    pub fn describe(&self) -> String {
        self.inner.describe()
    }

    /// The model as a `.superword` file.
    pub fn save(&self) -> Vec<u8> {
        self.inner.model.to_bytes()
    }

    /// The tokens of a text.
    pub fn encode(&self, text: &str, superwords: bool, special: bool) -> Result<Encoded, JsValue> {
        let inner = self.inner.encode(text, superwords, special)?;
        Ok(Encoded { inner })
    }

    /// JSON: one token.
    pub fn token(&self, id: u32) -> Result<String, JsValue> {
        Ok(self.inner.token(id)?)
    }

    /// JSON: one token with everything that it is made of.
    pub fn tree(&self, id: u32) -> Result<String, JsValue> {
        Ok(self.inner.tree(id)?)
    }

    /// JSON: the tokens that are made from this one.
    pub fn used_in(&self, id: u32, limit: u32) -> Result<String, JsValue> {
        Ok(self.inner.used_in(id, limit as usize)?)
    }

    /// JSON: the tokens that a query asks for.
    pub fn search(&self, query: &str) -> Result<String, JsValue> {
        Ok(self.inner.search(query)?)
    }
}

/// The tokens of a text. Each getter copies an array.
#[wasm_bindgen]
pub struct Encoded {
    inner: encoded::Encoded,
}

#[wasm_bindgen]
impl Encoded {
    /// The ids.
    #[wasm_bindgen(getter)]
    pub fn ids(&self) -> Uint32Array {
        Uint32Array::from(&self.inner.ids[..])
    }

    /// Where each token starts, in UTF-16 code units.
    #[wasm_bindgen(getter)]
    pub fn starts(&self) -> Uint32Array {
        Uint32Array::from(&self.inner.starts[..])
    }

    /// Where each token ends, in UTF-16 code units.
    #[wasm_bindgen(getter)]
    pub fn ends(&self) -> Uint32Array {
        Uint32Array::from(&self.inner.ends[..])
    }

    /// Where each token starts, in bytes.
    #[wasm_bindgen(getter)]
    pub fn byte_starts(&self) -> Uint32Array {
        Uint32Array::from(&self.inner.byte_starts[..])
    }

    /// Where each token ends, in bytes.
    #[wasm_bindgen(getter)]
    pub fn byte_ends(&self) -> Uint32Array {
        Uint32Array::from(&self.inner.byte_ends[..])
    }

    /// 0 ordinary, 1 superword, 2 special, 3 added; 8 more if it holds only part of a character.
    #[wasm_bindgen(getter)]
    pub fn kinds(&self) -> Uint8Array {
        Uint8Array::from(&self.inner.kinds[..])
    }
}

/// The names of the presets of pretokenizers.
#[wasm_bindgen]
pub fn presets() -> Vec<String> {
    superword::text::PRESETS.map(str::to_owned).to_vec()
}

/// The version of superword.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Passes progress to a function of the page.
struct Progress<'f> {
    call: &'f Function,
}

impl Observer for Progress<'_> {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        let total = total.map_or(JsValue::UNDEFINED, |total| JsValue::from(total as f64));
        // An error in the display of progress must not end the training.
        let _ = self.call.call3(
            &JsValue::NULL,
            &phase.name().into(),
            &JsValue::from(done as f64),
            &total,
        );
    }

    fn stop_requested(&self) -> bool {
        // The page ends the worker instead.
        false
    }
}
