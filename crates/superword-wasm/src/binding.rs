//! The classes and functions that JavaScript sees.

use superword::observe::{Observer, Phase};
use wasm_bindgen::prelude::*;

use crate::encoded;
use crate::error::PageError;
use crate::page_model::PageModel;

#[wasm_bindgen]
extern "C" {
    type Error;

    #[wasm_bindgen(constructor)]
    fn new(message: &str) -> Error;

    #[wasm_bindgen(method, setter, structural)]
    fn set_hint(this: &Error, hint: &str);

    #[wasm_bindgen(method, setter, structural)]
    fn set_code(this: &Error, code: &str);

    /// `(phase: string, done: number, total: number | undefined) => void`
    #[wasm_bindgen(js_name = Function, typescript_type = "Function")]
    pub type Callback;

    /// Calls the function. An error that it throws is returned.
    #[wasm_bindgen(method, catch, structural)]
    fn call(
        this: &Callback,
        value_of_this: &JsValue,
        phase: &str,
        done: f64,
        total: Option<f64>,
    ) -> Result<JsValue, JsValue>;
}

impl From<PageError> for JsValue {
    fn from(error: PageError) -> JsValue {
        let value = Error::new(&error.message);
        if let Some(hint) = &error.hint {
            value.set_hint(hint);
        }
        if let Some(code) = error.code {
            value.set_code(code);
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
        progress: &Callback,
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
    pub fn ids(&self) -> Vec<u32> {
        self.inner.ids.clone()
    }

    /// Where each token starts, in UTF-16 code units.
    #[wasm_bindgen(getter)]
    pub fn starts(&self) -> Vec<u32> {
        self.inner.starts.clone()
    }

    /// Where each token ends, in UTF-16 code units.
    #[wasm_bindgen(getter)]
    pub fn ends(&self) -> Vec<u32> {
        self.inner.ends.clone()
    }

    /// Where each token starts, in bytes.
    #[wasm_bindgen(getter)]
    pub fn byte_starts(&self) -> Vec<u32> {
        self.inner.byte_starts.clone()
    }

    /// Where each token ends, in bytes.
    #[wasm_bindgen(getter)]
    pub fn byte_ends(&self) -> Vec<u32> {
        self.inner.byte_ends.clone()
    }

    /// 0 ordinary, 1 superword, 2 special, 3 added; 8 more if it holds only part of a character.
    #[wasm_bindgen(getter)]
    pub fn kinds(&self) -> Vec<u8> {
        self.inner.kinds.clone()
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
    call: &'f Callback,
}

impl Observer for Progress<'_> {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        let total = total.map(|total| total as f64);
        // An error in the display of progress must not end the training.
        let _ = self
            .call
            .call(&JsValue::NULL, phase.name(), done as f64, total);
    }

    fn stop_requested(&self) -> bool {
        // The page ends the worker instead.
        false
    }
}
