//! Pretokenizers for Python.

use pyo3::prelude::*;
use superword::internal::{DEEPSEEK_SPLITS, Script, Shape, is_real};
use superword::text::{PRESETS, Pretokenizer, PretokenizerConfig, ScriptPattern};

use crate::errors::{self, Raised};
use crate::watch::detached;

/// A compiled pretokenizer. Immutable.
#[pyclass(name = "Pretokenizer", module = "superword._core", frozen)]
pub(crate) struct PyPretokenizer {
    pub(crate) inner: Pretokenizer,
}

fn compile(config: PretokenizerConfig) -> PyResult<PyPretokenizer> {
    Pretokenizer::new(config)
        .map(|inner| PyPretokenizer { inner })
        .map_err(|error| errors::pattern(&error))
}

#[pymethods]
impl PyPretokenizer {
    #[staticmethod]
    fn preset(name: &str) -> PyResult<PyPretokenizer> {
        match PretokenizerConfig::preset(name) {
            Some(config) => compile(config),
            None => Err(Raised::new(
                "OptionError",
                format!("there is no pretokenizer named {name:?}"),
                Some(format!("the names are {}", PRESETS.join(", "))),
            )
            .into()),
        }
    }

    #[staticmethod]
    #[pyo3(signature = (pattern, script_pattern, scripts, eligible))]
    fn custom(
        pattern: String,
        script_pattern: Option<String>,
        scripts: Option<Vec<String>>,
        eligible: String,
    ) -> PyResult<PyPretokenizer> {
        compile(PretokenizerConfig {
            name: None,
            pattern,
            script: script_pattern.map(|pattern| ScriptPattern {
                pattern,
                scripts: scripts.unwrap_or_default(),
            }),
            eligible,
        })
    }

    /// The preset with exactly these patterns, or the same pretokenizer if there is none.
    fn or_preset(&self) -> PyResult<PyPretokenizer> {
        compile(self.inner.config().clone().or_preset())
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.inner.config().name.as_deref()
    }

    #[getter]
    fn meaning(&self) -> Option<&'static str> {
        self.inner.meaning()
    }

    #[getter]
    fn pattern(&self) -> &str {
        &self.inner.config().pattern
    }

    #[getter]
    fn script_pattern(&self) -> Option<&str> {
        let script = self.inner.config().script.as_ref()?;
        Some(&script.pattern)
    }

    #[getter]
    fn scripts(&self) -> Vec<String> {
        let script = self.inner.config().script.as_ref();
        script.map_or_else(Vec::new, |script| script.scripts.clone())
    }

    #[getter]
    fn eligible(&self) -> &str {
        &self.inner.config().eligible
    }

    fn split<'t>(&self, py: Python<'_>, text: &'t str) -> PyResult<Vec<&'t str>> {
        detached(py, || self.inner.split(text))?.map_err(|error| errors::split(&error))
    }

    /// The shapes of the words. `None` if it is not known where they end.
    fn word_shapes(&self) -> Option<Vec<WordShape>> {
        let shapes = self.inner.config().word_shapes()?.into_iter();
        let tuple = |shape: Shape| {
            (
                shape.name,
                shape.word,
                shape.not_before,
                shape.not_joined_to,
            )
        };
        Some(shapes.map(tuple).collect())
    }

    fn is_eligible(&self, pretoken: &str) -> bool {
        self.inner.is_eligible(pretoken)
    }
}

#[pyfunction]
pub(crate) fn preset_names() -> Vec<&'static str> {
    PRESETS.to_vec()
}

/// The splits of DeepSeek V3, as they are published.
#[pyfunction]
pub(crate) fn deepseek_splits() -> Vec<&'static str> {
    DEEPSEEK_SPLITS.to_vec()
}

/// The name of a shape, and its patterns: for the words, for what must not follow them, and for the
/// words that may not be joined to them.
type WordShape = (&'static str, String, String, String);

/// The names of all scripts that a run of text can have, in alphabetical order.
#[pyfunction]
pub(crate) fn script_names() -> Vec<&'static str> {
    Script::all()
        .filter(|&script| is_real(script))
        .map(Script::name)
        .collect()
}
