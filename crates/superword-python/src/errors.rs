//! Engine errors as the classes of `superword.errors`. The only place that maps them.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use superword::corpus::CorpusError;
use superword::encode::UnknownId;
use superword::errors::{OutOfMemory, WriteError};
use superword::imports::{ImportError, Reason};
use superword::internal::{CandidatesError, ColumnError};
use superword::model::{BuildError, LoadError, NamedError as PartsError, SaveError};
use superword::observe::Stopped;
use superword::text::{PatternError, SplitError};
use superword::token::TokenId;
use superword::train::{MergeError, TrainError};

/// An error for Python: the name of its class, its texts and its facts.
pub(crate) struct Raised {
    class: &'static str,
    message: String,
    hint: Option<String>,
    facts: Vec<(&'static str, Fact)>,
}

enum Fact {
    Text(String),
    Number(u64),
    Texts(Vec<String>),
}

impl Raised {
    pub(crate) fn new(class: &'static str, message: impl ToString, hint: Option<String>) -> Raised {
        Raised {
            class,
            message: message.to_string(),
            hint,
            facts: Vec::new(),
        }
    }

    pub(crate) fn text(mut self, name: &'static str, value: impl ToString) -> Raised {
        self.facts.push((name, Fact::Text(value.to_string())));
        self
    }

    pub(crate) fn texts(mut self, name: &'static str, values: &[String]) -> Raised {
        self.facts.push((name, Fact::Texts(values.to_vec())));
        self
    }

    pub(crate) fn number(mut self, name: &'static str, value: u64) -> Raised {
        self.facts.push((name, Fact::Number(value)));
        self
    }

    fn build(&self, py: Python<'_>) -> PyResult<PyErr> {
        let class = py.import("superword.errors")?.getattr(self.class)?;
        let facts = PyDict::new(py);
        facts.set_item("hint", self.hint.as_deref())?;
        for (name, fact) in &self.facts {
            match fact {
                Fact::Text(text) => facts.set_item(name, text)?,
                Fact::Number(number) => facts.set_item(name, number)?,
                Fact::Texts(texts) => facts.set_item(name, texts)?,
            }
        }
        let message = PyString::new(py, &self.message);
        Ok(PyErr::from_value(class.call((message,), Some(&facts))?))
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> PyErr {
        Python::attach(|py| raised.build(py).unwrap_or_else(|error| error))
    }
}

/// The error for work that stopped on request. Python requests it after Ctrl-C, or after an
/// exception in a progress callback, which is then raised instead of this.
pub(crate) fn stopped(_: Stopped) -> PyErr {
    PyKeyboardInterrupt::new_err(())
}

/// The error for a panic: out of memory, or else a bug in the engine.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> PyErr {
    if let Some(error) = OutOfMemory::from_payload(panic) {
        return out_of_memory(error);
    }
    let what = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".into());
    Raised::new(
        "InternalError",
        format!("the engine failed: {what}"),
        Some("this is a bug in superword; please report what you did".into()),
    )
    .into()
}

pub(crate) fn out_of_memory(error: OutOfMemory) -> PyErr {
    Raised::new("OutOfMemoryError", error, Some(error.hint())).into()
}

/// The error for a thread that the system could not start.
pub(crate) fn no_thread(error: &std::io::Error) -> PyErr {
    corpus(&CorpusError::NoThread {
        reason: error.to_string(),
    })
}

pub(crate) fn pattern(error: &PatternError) -> PyErr {
    let class = match error {
        PatternError::UnknownScript { .. } | PatternError::NotARealScript { .. } => {
            "UnknownScriptError"
        }
        _ => "PatternError",
    };
    let raised = Raised::new(class, error, error.hint());
    match error {
        PatternError::Syntax { position, .. } | PatternError::MatchesEmpty { position, .. } => {
            raised.number("position", *position as u64)
        }
        _ => raised,
    }
    .into()
}

pub(crate) fn split(error: &SplitError) -> PyErr {
    Raised::new("TextError", error, error.hint()).into()
}

pub(crate) fn corpus(error: &CorpusError) -> PyErr {
    use CorpusError as E;
    let class = match error {
        E::NotFound { .. } => "MissingInputError",
        E::Damaged { .. } | E::Truncated { .. } | E::Rows { .. } => "DamagedInputError",
        E::Empty { .. } => "EmptyCorpusError",
        E::ZeroWeights => "OptionError",
        E::NoThread { .. } => "ThreadError",
        E::ForeignEncoding { .. }
        | E::JsonArray { .. }
        | E::NotJson { .. }
        | E::NotObject { .. }
        | E::FieldMissing { .. }
        | E::FieldNotString { .. }
        | E::LoneSurrogate { .. }
        | E::InvalidUtf8 { .. } => "DocumentError",
        _ => "InputError",
    };
    let mut raised = Raised::new(class, error, error.hint());
    if let Some(name) = error.source_name() {
        raised = raised.text("path", name);
    }
    if let Some(line) = error.line() {
        raised = raised.number("line", line);
    }
    if matches!(error, E::ZeroWeights) {
        raised = raised.text("option", "weights");
    }
    raised.into()
}

/// The error for columns of counts that do not belong together.
pub(crate) fn columns(error: ColumnError) -> PyErr {
    Raised::new("CountsError", error, error.hint()).into()
}

/// The error for candidates that cannot be used.
pub(crate) fn candidates(error: &CandidatesError) -> PyErr {
    let hint = match error {
        CandidatesError::Columns(error) => error.hint(),
        CandidatesError::Foreign { .. } => {
            Some("count the candidates with the same model of words".into())
        }
        CandidatesError::Overflow(_) => {
            Some("no text is that large; the counts may come from a damaged file".into())
        }
        CandidatesError::TooShort | CandidatesError::TooManyBytes => None,
    };
    Raised::new("CountsError", error, hint).into()
}

/// The error for a tokenizer of another program that cannot be imported.
pub(crate) fn import(error: &ImportError) -> PyErr {
    let class = match error.reason {
        Reason::PatternNeeded => "OptionError",
        _ => "ConversionError",
    };
    let mut raised = Raised::new(class, error, error.hint());
    match &error.reason {
        Reason::PatternNeeded => return raised.text("option", "pattern").into(),
        Reason::RoleWithoutToken { token, .. } => raised = raised.text("token", token),
        Reason::Load(load_error) => return load(load_error, error.file.as_deref()),
        _ => {}
    }
    match &error.file {
        Some(file) => raised.text("path", file).into(),
        None => raised.into(),
    }
}

/// The error for parts, usually from another program, that do not make a valid model.
pub(crate) fn parts(error: &PartsError) -> PyErr {
    Raised::new("ConversionError", error, error.hint()).into()
}

/// The error for an unknown name in the parts of a model.
pub(crate) fn no_part(what: &str, name: &str) -> PyErr {
    let message = format!("there is no {what} named {name:?}");
    Raised::new("ConversionError", message, None).into()
}

/// The error for facts of a model that are not a JSON object.
/// A column of 32-bit offsets has more ids than these can count.
pub(crate) fn too_many_ids() -> PyErr {
    let message = "the column has more tokens than a list column with 32-bit offsets can hold";
    let hint = "cast the column to large_string".to_owned();
    Raised::new("TextError", message, Some(hint)).into()
}

pub(crate) fn part_json(what: &str, error: &serde_json::Error) -> PyErr {
    let message = format!("the {what} are not a JSON object: {error}");
    Raised::new("ConversionError", message, None).into()
}

pub(crate) fn build(error: &BuildError) -> PyErr {
    let class = match error {
        BuildError::TruncateSize { .. } | BuildError::TruncateIds => "OptionError",
        _ => "DamagedModelError",
    };
    let raised = Raised::new(class, error, error.hint());
    match class {
        "OptionError" => raised.text("option", "n_vocab"),
        _ => raised,
    }
    .into()
}

pub(crate) fn load(error: &LoadError, path: Option<&str>) -> PyErr {
    let class = match error {
        LoadError::NotFound { .. } => "MissingModelError",
        LoadError::PermissionDenied { .. }
        | LoadError::IsFolder { .. }
        | LoadError::NotAFile { .. }
        | LoadError::Io { .. } => "ModelFileError",
        LoadError::BadMagic { .. } => "NotAModelError",
        LoadError::NewerVersion { .. } => "NewerModelError",
        _ => "DamagedModelError",
    };
    let names_path = matches!(
        error,
        LoadError::NotFound { .. }
            | LoadError::PermissionDenied { .. }
            | LoadError::IsFolder { .. }
            | LoadError::NotAFile { .. }
            | LoadError::Io { .. }
    );
    let message = match path {
        Some(path) if !names_path => format!("{path}: {error}"),
        _ => error.to_string(),
    };
    let raised = Raised::new(class, message, error.hint());
    match path {
        Some(path) => raised.text("path", path),
        None => raised,
    }
    .into()
}

pub(crate) fn write(error: &WriteError) -> PyErr {
    Raised::new("SaveError", error, Some(error.hint().into()))
        .text("path", error.path().display())
        .into()
}

pub(crate) fn save(error: &SaveError, path: &str) -> PyErr {
    Raised::new("SaveError", error, error.hint())
        .text("path", path)
        .into()
}

/// The error for an id that is not in the vocabulary.
pub(crate) fn unknown_token(id: TokenId, message: impl ToString) -> Raised {
    let hint = "the ids may come from another tokenizer";
    Raised::new("TokenError", message, Some(hint.into())).number("id", u64::from(id.0))
}

pub(crate) fn unknown_id(error: &UnknownId) -> PyErr {
    unknown_token(error.id, error)
        .number("position", error.position as u64)
        .into()
}

pub(crate) fn train(error: &TrainError) -> PyErr {
    let class = match error {
        TrainError::Pattern(error) => return pattern(error),
        TrainError::Corpus(error) => return corpus(error),
        TrainError::Stopped(error) => return stopped(*error),
        TrainError::Option(_)
        | TrainError::WordsOnly
        | TrainError::SuperwordsOnly
        | TrainError::BaseNeedsSuperBpe
        | TrainError::BaseHasSpecials
        | TrainError::MemoryTooSmall { .. }
        | TrainError::NotAFile { .. } => "OptionError",
        TrainError::InputChanged { .. } => "InputError",
        TrainError::MemoryExceeded { .. } | TrainError::DocumentTooLarge { .. } => {
            "MemoryLimitError"
        }
        TrainError::WorkFile { .. } => "WorkDirError",
        TrainError::InUse { .. } => "WorkDirInUseError",
        TrainError::HasSuperwords
        | TrainError::CutTooHigh { .. }
        | TrainError::Overflow(_)
        | TrainError::Merge(MergeError::CountOverflow)
        | TrainError::ForeignByte => "CountsError",
        TrainError::Split(_) => "TextError",
        _ => "SuperwordError",
    };
    let mut raised = Raised::new(class, error, error.hint());
    if let TrainError::WorkFile { path, .. }
    | TrainError::InUse { path, .. }
    | TrainError::InputChanged { source_name: path } = error
    {
        raised = raised.text("path", path);
    }
    if let TrainError::DocumentTooLarge {
        source_name, line, ..
    } = error
    {
        raised = raised.text("path", source_name);
        if let Some(line) = line {
            raised = raised.number("line", *line);
        }
    }
    if let TrainError::CutTooHigh { next, .. } = error {
        raised = raised.number("next", *next);
    }
    if let Some(option) = error.option() {
        raised = raised.text("option", option);
    }
    raised.into()
}
