//! What the page shows if something is wrong.

use superword::imports::{ImportError, Reason};
use superword::text::{PatternError, SplitError};
use superword::train::TrainError;

/// A message for people, with a hint and a code for the page where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageError {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Set if the page does something about the error itself.
    pub(crate) code: Option<&'static str>,
}

impl PageError {
    pub(crate) fn new(message: impl Into<String>) -> PageError {
        PageError {
            message: message.into(),
            hint: None,
            code: None,
        }
    }

    pub(crate) fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> PageError {
        PageError {
            hint: Some(hint.into()),
            ..PageError::new(message)
        }
    }

    /// An error of the engine. Its options are written as words, because the page has no code.
    fn from_engine(message: String, hint: Option<String>) -> PageError {
        PageError {
            message: without_marks(&message),
            hint: hint.as_deref().map(without_marks),
            code: None,
        }
    }
}

/// Replaces marked options by words: `` `vocab_size` `` becomes `vocab size`, and
/// `` `method="bpe"` `` becomes `method "bpe"`.
fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => plain.push_str(part),
            _ => plain.push_str(&part.replace(['_', '='], " ")),
        }
    }
    plain
}

impl From<ImportError> for PageError {
    fn from(error: ImportError) -> PageError {
        let code = matches!(error.reason, Reason::PatternNeeded).then_some("pattern-needed");
        PageError {
            code,
            ..PageError::from_engine(error.to_string(), error.hint())
        }
    }
}

impl From<PatternError> for PageError {
    fn from(error: PatternError) -> PageError {
        PageError::from_engine(error.to_string(), error.hint())
    }
}

impl From<SplitError> for PageError {
    fn from(error: SplitError) -> PageError {
        PageError::from_engine(error.to_string(), error.hint())
    }
}

impl From<TrainError> for PageError {
    fn from(error: TrainError) -> PageError {
        PageError::from_engine(error.to_string(), error.hint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_as_words() {
        let text = "leave `max_words` out, or use `method=\"superbpe\"`";
        let plain = "leave max words out, or use method \"superbpe\"";
        assert_eq!(without_marks(text), plain);
    }
}
