//! Tokenizers of other programs as models: Hugging Face, tiktoken and Mistral.
//!
//! Ids are kept, and the model encodes as the original does. If that is impossible, the
//! [`ImportError`] says why. Nothing here reads files: the caller passes their contents, and the
//! names to use in errors.
//!
//! ```text
//! content -> json -> huggingface, tekken --\
//!         -> tiktoken (ranks) --------------> rules (the merge of each token) -> build -> Model
//! ```
//!
//! ```
//! use superword::imports::{Options, Source, open};
//! let file = Source::new("notes.txt", b"Some text.");
//! let error = open(file, &Options::default()).unwrap_err();
//! assert_eq!(error.to_string(), "notes.txt is not a tokenizer that superword knows");
//! ```

mod base64;
mod build;
pub(crate) mod byte_chars;
mod error;
pub mod huggingface;
mod json;
mod rules;
mod shown;
pub mod tekken;
#[cfg(test)]
mod tests;
pub mod tiktoken;

pub use error::{ImportError, Reason};
use json::{BYTE_ORDER_MARK, parse_object};

use crate::model::{MAGIC, Model};

/// The content of a file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name of the file, for errors. `None` if the content does not come from a file.
    pub name: Option<&'a str>,
    /// Everything in it.
    pub content: &'a [u8],
}

impl<'a> Source<'a> {
    /// The content of the file with this name.
    pub fn new(name: &'a str, content: &'a [u8]) -> Source<'a> {
        Source {
            name: Some(name),
            content,
        }
    }

    fn error(&self, reason: Reason) -> ImportError {
        ImportError::from(reason).in_file(self.name)
    }
}

/// What a file does not say itself. Each option is for one kind of file; others ignore it.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// For a `.tiktoken` file: its pattern and special tokens, if the sidecar lacks them.
    pub encoding: tiktoken::Encoding,
    /// For a `.tiktoken` file: the `.json` file beside it.
    pub sidecar: Option<Source<'a>>,
    /// For a `tokenizer.json`: the `tokenizer_config.json` and similar files beside it. The last one
    /// that has a field counts.
    pub configs: Vec<Source<'a>>,
    /// For a `tokenizer.json`: whether texts are left as they are, although the original normalizes
    /// them.
    pub ignore_normalizer: bool,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A model of superword.
    Superword,
    /// A `tokenizer.json` of Hugging Face.
    HuggingFace,
    /// Ranks of tiktoken.
    Tiktoken,
    /// A `tekken.json` of Mistral.
    Tekken,
    /// A model of the paper's program, which only the Python package imports.
    Paper,
}

impl Kind {
    /// The name in the API: `superword`, `huggingface`, `tiktoken`, `tekken`, `paper`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Superword => "superword",
            Kind::HuggingFace => "huggingface",
            Kind::Tiktoken => "tiktoken",
            Kind::Tekken => "tekken",
            Kind::Paper => "paper",
        }
    }

    /// Recognises a file by its content.
    pub fn of(file: Source<'_>) -> Result<Kind, ImportError> {
        match Start::of(file)? {
            Start::Json => match tekken::is_tekken(&parse_object(file)?) {
                true => Ok(Kind::Tekken),
                false => Ok(Kind::HuggingFace),
            },
            Start::Model => Ok(Kind::Superword),
            Start::Ranks => Ok(Kind::Tiktoken),
            Start::Paper => Ok(Kind::Paper),
        }
    }
}

/// Imports a file of any kind, recognised by its content.
pub fn open(file: Source<'_>, options: &Options<'_>) -> Result<Model, ImportError> {
    match Start::of(file)? {
        Start::Paper => Err(file.error(Reason::PaperModel)),
        Start::Model => Model::from_bytes(file.content).map_err(|error| file.error(error.into())),
        Start::Ranks => tiktoken::import(file, options.sidecar, options.encoding.clone()),
        Start::Json => {
            let data = parse_object(file)?;
            if tekken::is_tekken(&data) {
                return tekken::convert(&data).map_err(|reason| file.error(reason));
            }
            huggingface::import_data(&data, &options.configs, options.ignore_normalizer)
                .map_err(|error| error.in_file(file.name))
        }
    }
}

/// What the first bytes of a file tell.
enum Start {
    Model,
    Json,
    Ranks,
    Paper,
}

impl Start {
    fn of(file: Source<'_>) -> Result<Start, ImportError> {
        let content = file.content;
        if content.starts_with(&MAGIC[..4]) {
            return Ok(Start::Model);
        }
        let text = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
        if text.starts_with(b"BoundlessBPE v") {
            return Ok(Start::Paper);
        }
        if text.trim_ascii_start().starts_with(b"{") {
            return Ok(Start::Json);
        }
        if starts_with_rank(text) {
            return Ok(Start::Ranks);
        }
        let start = &content[..content.len().min(1 << 12)];
        let is_model = file.name.is_some_and(|name| name.ends_with(".model"));
        Err(file.error(
            match is_model || start.contains(&0) || start.starts_with(b"\n") {
                true => Reason::SentencePieceFile,
                false => Reason::UnknownKind,
            },
        ))
    }
}

/// Whether a file begins with something like base64, a space, a number and white space.
fn starts_with_rank(content: &[u8]) -> bool {
    let skip = |text: &mut &[u8], matches: fn(u8) -> bool| {
        let length = text.iter().take_while(|&&byte| matches(byte)).count();
        *text = &text[length..];
        length
    };
    let mut rest = content.trim_ascii_start();
    skip(&mut rest, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
    });
    skip(&mut rest, |byte| byte == b'=');
    let Some(after) = rest.strip_prefix(b" ") else {
        return false;
    };
    rest = after;
    let digits = skip(&mut rest, |byte| byte.is_ascii_digit());
    digits > 0 && rest.first().is_some_and(u8::is_ascii_whitespace)
}
