//! Why a tokenizer of another program cannot be imported.

use std::fmt;

use crate::model::{LoadError, NamedError};
use crate::text::PatternError;

/// Why a file cannot be imported. Its text is the message, and [`ImportError::hint`] says what to do
/// next.
#[derive(Debug)]
#[non_exhaustive]
pub struct ImportError {
    /// The name of the file, as it was given. `None` if the tokenizer does not come from a file.
    pub file: Option<String>,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a file, with one variant per reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each message says what its fields are
pub enum Reason {
    #[error("is not JSON: {problem}")]
    NotJson { problem: String },

    #[error("is not a JSON object")]
    NotAnObject,

    #[error("is not a tokenizer.json of Hugging Face: it has no model")]
    NoModel,

    #[error("is not a tekken.json: it has no list of tokens")]
    NotTekken,

    #[error("is not the sidecar of a tiktoken export: it has no pattern")]
    NotASidecar,

    #[error("looks like a SentencePiece model, not byte-level BPE")]
    SentencePieceFile,

    #[error("is not a tokenizer that superword knows")]
    UnknownKind,

    #[error("is a model of the paper's program")]
    PaperModel,

    #[error("not laid out as expected ({at}: {problem})")]
    Layout { at: String, problem: String },

    #[error("is not UTF-8 at byte {byte}")]
    NotUtf8 { byte: usize },

    #[error("merge {number} is not two tokens: {shown}")]
    NotAMerge { number: usize, shown: String },

    #[error(
        "vocab.json and merges.txt do not say how text is split, and superword does not know the class {class}"
    )]
    UnknownClass { class: String },

    #[error("{line}: not a token in base64 and its rank: {shown}")]
    NotARank { line: usize, shown: String },

    #[error("the ranks of tiktoken do not include the pattern: give `pattern`")]
    PatternNeeded,

    #[error("it is {what}, not byte-level BPE")]
    NotByteLevel { what: String },

    #[error("it drops merges at random (dropout {dropout})")]
    Dropout { dropout: String },

    #[error("it changes text with the {kinds}")]
    Normalizers { kinds: String },

    #[error("the pre-tokenizer {kind} comes after ByteLevel, and so it sees bytes, not text")]
    AfterByteLevel { kind: String },

    #[error(
        "it splits text in {steps} steps ({kinds}), and superword has no single pattern for them"
    )]
    SeveralSplits { steps: usize, kinds: String },

    #[error("it puts a space in front of every text (add_prefix_space)")]
    PrefixSpace,

    #[error("its pre-tokenizer has the step {kind}, which superword does not know")]
    UnknownStep { kind: String },

    #[error("its Split is {behavior}, {}", if *.inverted { "inverted" } else { "not inverted" })]
    SplitBehavior { behavior: String, inverted: bool },

    #[error("the pattern cannot be used: {0}")]
    Pattern(PatternError),

    #[error("the added token {token} has the id of another token, {other}")]
    AddedIsAnother { token: String, other: String },

    #[error(
        "it looks up whole pretokens and has {count} tokens that are not spelled in bytes, such as {first}"
    )]
    WholeNames { count: usize, first: String },

    #[error("it puts tokens around a text in several steps (post_processor)")]
    SeveralTemplates,

    #[error("it has the post_processor {kind}, which superword does not know")]
    UnknownPostProcessor { kind: String },

    #[error("the {role} is {shown}, and the tokenizer has no such added token")]
    RoleWithoutToken {
        role: &'static str,
        shown: String,
        token: String,
    },

    #[error("the vocabulary has some of the bytes that never occur in UTF-8 ({bytes}) and not all")]
    SomeInvalidBytes { bytes: String },

    #[error("the vocabulary lacks {count} of the bytes that texts consist of: {bytes}")]
    LacksBytes { count: usize, bytes: String },

    #[error("the vocabulary lacks the token {token}, which its merges make")]
    LacksToken { token: String },

    #[error(transparent)]
    Parts(#[from] NamedError),

    #[error(transparent)]
    Load(#[from] LoadError),
}

const NOT_BYTE_LEVEL: &str = "only byte-level BPE can be imported exactly, such as GPT-2, Llama 3, Qwen, DeepSeek or \
     GPT-4o; train a new tokenizer on your text instead: superword train";

impl Reason {
    /// A tokenizer of another kind.
    pub(super) fn not_byte_level(what: impl Into<String>) -> Reason {
        Reason::NotByteLevel { what: what.into() }
    }

    /// What stands between the name of the file and the text.
    fn separator(&self) -> &'static str {
        match self {
            Reason::NotJson { .. }
            | Reason::NotAnObject
            | Reason::NoModel
            | Reason::NotTekken
            | Reason::NotASidecar
            | Reason::NotUtf8 { .. }
            | Reason::SentencePieceFile
            | Reason::PaperModel
            | Reason::UnknownKind => " ",
            Reason::NotARank { .. } => ":",
            _ => ": ",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Reason::NotJson { .. } => "the file is damaged or incomplete; download it again",
            Reason::NotAnObject | Reason::NoModel => {
                "give a tokenizer.json, or the directory that holds it"
            }
            Reason::NotTekken => "give a tekken.json of Mistral",
            Reason::NotASidecar => "export the model again",
            Reason::SentencePieceFile | Reason::NotByteLevel { .. } => NOT_BYTE_LEVEL,
            Reason::UnknownKind => {
                "give a tokenizer.json, its directory, a .tiktoken file, a tekken.json, or a model \
                 of superword or of the paper's program"
            }
            Reason::PaperModel => "convert it with superword import, and open the result",
            Reason::Layout { .. } => {
                "the file is damaged, or of a version that superword does not know"
            }
            Reason::NotUtf8 { .. } | Reason::NotAMerge { .. } => {
                "check that this is the merges.txt of a byte-level BPE"
            }
            Reason::UnknownClass { .. } => {
                "load it with transformers and give the object, or save it there with \
                 save_pretrained, which writes a tokenizer.json"
            }
            Reason::NotARank { .. } => "check that this is a .tiktoken file",
            Reason::PatternNeeded => {
                "it is in the program that loads the ranks, as pat_str; the name of a preset that \
                 splits in the same way will do, such as gpt4o, or llama3 for Llama 3"
            }
            Reason::Dropout { .. } => {
                "set dropout to null in tokenizer.json, if you only want to encode with it"
            }
            Reason::Normalizers { .. } => {
                "superword knows NFC and NFKC; give `ignore_normalizer` to encode texts without it, \
                 and normalize them yourself"
            }
            Reason::SeveralSplits { .. } => {
                "the sequences of Command R, Aya and DeepSeek are known; for another one, write a \
                 pattern that splits in the same way, put it into one Split of a copy of \
                 tokenizer.json, and compare the two"
            }
            Reason::SplitBehavior { .. } => {
                "superword knows Split with Isolated, and with Removed and invert"
            }
            Reason::AfterByteLevel { .. }
            | Reason::PrefixSpace
            | Reason::UnknownStep { .. }
            | Reason::AddedIsAnother { .. }
            | Reason::WholeNames { .. }
            | Reason::SeveralTemplates
            | Reason::UnknownPostProcessor { .. } => "this tokenizer cannot be imported exactly",
            Reason::RoleWithoutToken { role, .. } => {
                return Some(format!(
                    "add the token to added_tokens in tokenizer.json, or change the {role}; without \
                     this file the tokenizer can be imported as it is"
                ));
            }
            Reason::SomeInvalidBytes { .. } => {
                "a vocabulary must have all 256 bytes, or exactly the 243 of UTF-8"
            }
            Reason::LacksBytes { .. } => {
                "the original drops them from texts; train it with the whole byte alphabet \
                 (initial_alphabet=ByteLevel.alphabet() in Hugging Face's trainer)"
            }
            Reason::LacksToken { .. } => "the file is damaged; download it again",
            Reason::Pattern(error) => return error.hint(),
            Reason::Parts(error) => return error.hint(),
            Reason::Load(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }
}

impl ImportError {
    /// What to do next, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        self.reason.hint()
    }

    /// The same error, in this file unless it names another one.
    pub(super) fn in_file(mut self, name: Option<&str>) -> ImportError {
        if self.file.is_none() {
            self.file = name.map(str::to_owned);
        }
        self
    }
}

impl From<Reason> for ImportError {
    fn from(reason: Reason) -> ImportError {
        ImportError { file: None, reason }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.reason, Reason::PatternNeeded) {
            return self.reason.fmt(f);
        }
        let file = self.file.as_deref().unwrap_or("the tokenizer");
        write!(f, "{file}{}{}", self.reason.separator(), self.reason)
    }
}

impl std::error::Error for ImportError {}
