//! A model from the text in the page.

use serde_json::Value;
use superword::model::Method;
use superword::observe::Observer;
use superword::text::{DEFAULT_ELIGIBLE, Pretokenizer, PretokenizerConfig};
use superword::train::{TrainOptions, train_documents};

use crate::error::PageError;
use crate::page_model::PageModel;

impl PageModel {
    /// Trains on documents. `options` is JSON: `method`, `vocab_size`, and if wanted `supermerges`
    /// and `pretokenizer`, the name of a preset or a pattern.
    pub(crate) fn train(
        documents: &[String],
        options: &str,
        observer: &dyn Observer,
    ) -> Result<PageModel, PageError> {
        let options: Value = serde_json::from_str(options)
            .map_err(|error| PageError::new(format!("the options are not JSON: {error}")))?;
        if documents.iter().all(|text| text.trim().is_empty()) {
            return Err(PageError::with_hint(
                "there is no text to train on",
                "type or paste some text first",
            ));
        }
        let pretokenizer = Pretokenizer::new(pretokenizer(&options))?;
        let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
        let options = train_options(&options)?;
        let (model, _) = train_documents(&texts, &pretokenizer, &options, observer)?;
        PageModel::new(model)
    }
}

fn train_options(options: &Value) -> Result<TrainOptions, PageError> {
    let name = options["method"].as_str().unwrap_or("superbpe");
    let method = Method::from_name(name)
        .ok_or_else(|| PageError::new(format!("there is no method {name:?}")))?;
    let vocab_size = options["vocab_size"].as_u64().ok_or_else(|| {
        PageError::with_hint(
            "the vocabulary size is not a number",
            "use 1000, for example",
        )
    })?;
    let supermerges = options["supermerges"].as_u64().unwrap_or(0);
    Ok(TrainOptions {
        supermerges: usize::try_from(supermerges).unwrap_or(usize::MAX / 2),
        ..TrainOptions::new(method, usize::try_from(vocab_size).unwrap_or(usize::MAX))
    })
}

/// A preset by its name, or a pattern.
pub(crate) fn pretokenizer(options: &Value) -> PretokenizerConfig {
    match options["pretokenizer"].as_str() {
        None | Some("") => PretokenizerConfig::default(),
        Some(given) => PretokenizerConfig::preset(given).unwrap_or_else(|| PretokenizerConfig {
            name: None,
            pattern: given.to_owned(),
            script: None,
            eligible: DEFAULT_ELIGIBLE.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use superword::observe::Silent;

    use super::*;

    fn train(text: &str, options: Value) -> Result<PageModel, PageError> {
        PageModel::train(&[text.to_owned()], &options.to_string(), &Silent)
    }

    #[test]
    fn a_preset_or_a_pattern_splits_the_text() {
        let size = |pretokenizer: &str| {
            let options = json!({"method": "bpe", "vocab_size": 300, "pretokenizer": pretokenizer});
            train("one two one two", options).unwrap().model.n_vocab()
        };
        // A pattern for single characters leaves nothing to merge.
        assert_eq!(size("(?s)."), 256);
        assert!(size("gpt2") > 256);
    }

    #[test]
    fn wrong_options_are_errors_that_a_page_can_show() {
        let error = |text: &str, options| train(text, options).err().unwrap();
        let nothing = error(" \n", json!({"method": "bpe", "vocab_size": 300}));
        assert_eq!(nothing.message, "there is no text to train on");
        let small = error("text", json!({"method": "bpe", "vocab_size": 10}));
        assert!(small.message.contains("too small"), "{}", small.message);
        let huge = error("text", json!({"method": "bpe", "vocab_size": 1u64 << 40}));
        assert!(huge.message.contains("larger than"), "{}", huge.message);
        let pattern = json!({"method": "bpe", "vocab_size": 300, "pretokenizer": "("});
        assert!(error("text", pattern).message.contains("pattern"));
        let supermerges = error("text", json!({"method": "superbpe", "vocab_size": 300}));
        assert_eq!(supermerges.message, "SuperBPE needs supermerges");
        assert!(
            error("text", json!({"method": "best"}))
                .message
                .contains("best")
        );
    }
}
