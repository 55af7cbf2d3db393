//! Every way in which a file can be wrong.

use std::io;
use std::path::PathBuf;

use super::{MAGIC, Section};
use crate::disk::WriteError;
use crate::model::BuildError;

/// Why a file is not a model: one variant per broken promise. Offsets count from the start of the
/// file; items (events, ids, n-grams) from 0.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // each message says what its fields are
pub enum LoadError {
    #[error("there is no file {}", path.display())]
    NotFound { path: PathBuf },

    #[error("no permission to read {}", path.display())]
    PermissionDenied { path: PathBuf },

    #[error("{} is a folder, not a model file", path.display())]
    IsFolder { path: PathBuf },

    #[error("{} is a device or pipe, not a model file", path.display())]
    NotAFile { path: PathBuf },

    #[error("reading {} failed: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },

    #[error("the file has {bytes} bytes; a model file has at most {limit}")]
    TooLarge { bytes: u64, limit: u64 },

    #[error("not a superword model: {looks_like}")]
    BadMagic { looks_like: LooksLike },

    #[error("the file ends after {bytes} bytes; a model has at least {needed}")]
    TooShort { bytes: usize, needed: usize },

    #[error("the file says format version 0, which never was")]
    VersionZero,

    #[error(
        "written by a newer version of superword: the file has format version {found}, this program reads up to {supported}"
    )]
    NewerVersion { found: u32, supported: u32 },

    #[error("the checksum does not match (stored {stored:016x}, computed {computed:016x}){}", lengths_differ(*bytes, *described))]
    Checksum {
        stored: u64,
        computed: u64,
        bytes: usize,
        /// How long the file ought to be by its own, unchecked, header.
        described: Option<u64>,
    },

    #[error("the header is said to have {length} bytes; the most allowed is {limit}")]
    HeaderTooLarge { length: u64, limit: usize },

    #[error("the header is said to have {length} bytes, but only {left} are left in the file")]
    HeaderBeyondEnd { length: u64, left: usize },

    #[error("the header is not UTF-8 (byte {offset})")]
    HeaderNotUtf8 { offset: usize },

    #[error("the header is not JSON (byte {offset}): {problem}")]
    HeaderNotJson { offset: usize, problem: String },

    #[error("the header is JSON, but not in the one form that is written (byte {offset})")]
    HeaderNotCanonical { offset: usize },

    #[error("the header lacks `{field}`")]
    FieldMissing { field: String },

    #[error("the header has `{field}`, which this format version does not know")]
    FieldUnknown { field: String },

    #[error("`{field}` in the header is {found}, not {expected}")]
    FieldType {
        field: String,
        expected: &'static str,
        found: &'static str,
    },

    #[error("`{field}` in the header is {name:?}, not one of {allowed}")]
    FieldName {
        field: String,
        name: String,
        allowed: &'static str,
    },

    #[error("the section `{section}` is out of place or named twice")]
    SectionOrder { section: Section },

    #[error("the header does not name the section `events`")]
    NoEvents,

    #[error("the section `{section}` is empty; an empty one is left out")]
    SectionEmpty { section: Section },

    #[error("the sections are said to have {described} bytes, but there are {present}")]
    SectionsLength { described: u64, present: usize },

    #[error(
        "the section `{section}` is said to hold {items} items, too many for its {bytes} bytes"
    )]
    TooManyItems {
        section: Section,
        items: u64,
        bytes: u64,
    },

    #[error("the section `{section}` ends in the middle of item {item} (byte {offset})")]
    SectionEnds {
        section: Section,
        item: u64,
        offset: usize,
    },

    #[error("{left} bytes are left in the section `{section}` after its last item (byte {offset})")]
    BytesLeft {
        section: Section,
        left: usize,
        offset: usize,
    },

    #[error("event {event} is of the unknown kind {kind} (byte {offset})")]
    EventKind { event: u64, kind: u8, offset: usize },

    #[error("a number in item {item} of `{section}` is larger than {limit} (byte {offset})")]
    NumberTooLarge {
        section: Section,
        item: u64,
        offset: usize,
        limit: u64,
    },

    #[error("a number in item {item} of `{section}` is written longer than needed (byte {offset})")]
    NumberNotShortest {
        section: Section,
        item: u64,
        offset: usize,
    },

    #[error(transparent)]
    Build(#[from] BuildError),
}

fn lengths_differ(bytes: usize, described: Option<u64>) -> String {
    match described {
        Some(described) if described != bytes as u64 => {
            format!("; the file has {bytes} bytes where its header describes {described}")
        }
        _ => String::new(),
    }
}

impl LoadError {
    /// What to do next.
    ///
    /// `NewerVersion` gives "upgrade superword, or save the model again with …".
    pub fn hint(&self) -> Option<String> {
        use LoadError::*;
        let hint = match self {
            NotFound { .. } => "check the path, and the folder it starts from",
            PermissionDenied { .. } => "check who may read the file",
            IsFolder { .. } => "name the model file inside the folder",
            NotAFile { .. } => "save it as a regular file first",
            Io { .. } => "try again; if it stays so, the disk or the connection to it has a fault",
            BadMagic { looks_like } => return Some(looks_like.hint().to_owned()),
            TooShort { .. } => "the file was cut short; copy or download it again",
            NewerVersion { .. } => {
                "upgrade superword, or save the model with the version that you use here"
            }
            Checksum {
                bytes, described, ..
            } if described.is_some_and(|described| described > *bytes as u64) => {
                "the file was cut short; copy or download it again"
            }
            Checksum {
                bytes, described, ..
            } if described.is_some_and(|described| described < *bytes as u64) => {
                "something was added to the file; copy or download it again"
            }
            VersionZero | Checksum { .. } => {
                "the file was altered after it was written; copy or download it again"
            }
            // From here on the checksum is right: it was not an accident.
            _ => "the file was not written by superword; do not use it, and save the model again",
        };
        Some(hint.to_owned())
    }
}

/// What a file that is not a model seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum LooksLike {
    MangledModel,
    LfsPointer,
    Json,
    Zip,
    Gzip,
    Zstd,
    Text,
    Unknown,
}

impl LooksLike {
    /// A guess from the first bytes: `{"a": 1}` looks like JSON.
    pub(super) fn of(bytes: &[u8]) -> LooksLike {
        let start = &bytes[..bytes.len().min(512)];
        // The magic after a copy as text: line ends changed, or the first byte re-encoded.
        let name = &MAGIC[1..4];
        if [&b"\x89"[..], b"\xc2\x89", b"\xef\xbf\xbd"]
            .iter()
            .any(|first| {
                start
                    .strip_prefix(*first)
                    .is_some_and(|rest| rest.starts_with(name))
            })
        {
            LooksLike::MangledModel
        } else if start.starts_with(b"version https://git-lfs") {
            LooksLike::LfsPointer
        } else if start.starts_with(b"PK\x03\x04") {
            LooksLike::Zip
        } else if start.starts_with(b"\x1f\x8b") {
            LooksLike::Gzip
        } else if start.starts_with(b"\x28\xb5\x2f\xfd") {
            LooksLike::Zstd
        } else if matches!(start.trim_ascii_start().first(), Some(b'{' | b'[')) {
            LooksLike::Json
        } else if is_text(start) {
            LooksLike::Text
        } else {
            LooksLike::Unknown
        }
    }

    fn hint(self) -> &'static str {
        match self {
            LooksLike::MangledModel => "copy it again, as a binary file",
            LooksLike::LfsPointer => "get the file itself: git lfs pull",
            LooksLike::Json => "a tokenizer of another tool has to be imported, not loaded",
            LooksLike::Zip | LooksLike::Gzip | LooksLike::Zstd => {
                "unpack it first, if there is a model in it"
            }
            LooksLike::Text | LooksLike::Unknown => {
                "give a file that superword saved; check the path"
            }
        }
    }
}

impl std::fmt::Display for LooksLike {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LooksLike::MangledModel => "it was one, but was damaged by copying it as text",
            LooksLike::LfsPointer => "it is a pointer of Git LFS",
            LooksLike::Json => "it looks like JSON",
            LooksLike::Zip => "it looks like a zip archive",
            LooksLike::Gzip => "it is compressed with gzip",
            LooksLike::Zstd => "it is compressed with zstd",
            LooksLike::Text => "it looks like text",
            LooksLike::Unknown => "it starts with other bytes",
        })
    }
}

fn is_text(start: &[u8]) -> bool {
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        // The cut at 512 bytes may split a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let blank = |c: char| matches!(c, '\t' | '\n' | '\r');
    !valid.is_empty() && valid.chars().all(|c| blank(c) || !c.is_control())
}

/// Why a model could not be saved.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages describe the variants.
pub enum SaveError {
    #[error(transparent)]
    Write(#[from] WriteError),

    #[error("the model takes {bytes} bytes; a model file has at most {limit}")]
    TooLarge { bytes: u64, limit: u64 },
}

impl SaveError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            SaveError::Write(error) => error.hint(),
            SaveError::TooLarge { .. } => "record fewer n-grams, or ask for a smaller vocabulary",
        };
        Some(hint.to_owned())
    }
}
