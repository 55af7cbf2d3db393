//! Every way in which a model file can be wrong.

use std::io;
use std::path::PathBuf;

use super::{MAGIC, Section};
use crate::model::BuildError;

/// Why a file cannot be loaded, with one variant per reason. Offsets count from the start of the
/// file. Items (events, ids, n-grams) count from 0.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // each message says what its fields are
#[non_exhaustive]
pub enum LoadError {
    #[error("there is no file {}", path.display())]
    NotFound { path: PathBuf },

    #[error("no permission to read {}", path.display())]
    PermissionDenied { path: PathBuf },

    #[error("{} is a directory, not a model file", path.display())]
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

    #[error("the file has format version 0, which does not exist")]
    VersionZero,

    #[error(
        "written by a newer version of superword: the file has format version {found}, and this program reads up to {supported}"
    )]
    NewerVersion { found: u32, supported: u32 },

    #[error("the checksum does not match (stored {stored:016x}, computed {computed:016x}){}", lengths_differ(*bytes, *described))]
    Checksum {
        stored: u64,
        computed: u64,
        bytes: usize,
        /// The length of the file according to its header, which is not verified.
        described: Option<u64>,
    },

    #[error("the file claims a header of {length} bytes; at most {limit} are allowed")]
    HeaderTooLarge { length: u64, limit: usize },

    #[error("the file claims a header of {length} bytes, but only {left} bytes are left")]
    HeaderBeyondEnd { length: u64, left: usize },

    #[error("the header is not UTF-8 (byte {offset})")]
    HeaderNotUtf8 { offset: usize },

    #[error("the header is not JSON (byte {offset}): {problem}")]
    HeaderNotJson { offset: usize, problem: String },

    #[error("the header is not written in the canonical form (byte {offset})")]
    HeaderNotCanonical { offset: usize },

    #[error("the header has no field `{field}`")]
    FieldMissing { field: String },

    #[error("the header has the field `{field}`, which is unknown in this format version")]
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

    #[error("the file has format version {found}, but its model is written as version {needed}")]
    WrongVersion { found: u32, needed: u32 },

    #[error("the section `{section}` does not exist in format version {version}")]
    SectionOfLaterVersion { section: Section, version: u32 },

    #[error("the section `{section}` is out of order or listed twice")]
    SectionOrder { section: Section },

    #[error("the header does not list the section `events`")]
    NoEvents,

    #[error("the section `{section}` is empty; empty sections must be left out")]
    SectionEmpty { section: Section },

    #[error("the header describes {described} bytes of sections, but the file has {present}")]
    SectionsLength { described: u64, present: usize },

    #[error("the section `{section}` claims {items} items, too many for its {bytes} bytes")]
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

    #[error("event {event} has the unknown kind {kind} (byte {offset})")]
    EventKind { event: u64, kind: u8, offset: usize },

    #[error("a number in item {item} of `{section}` is larger than {limit} (byte {offset})")]
    NumberTooLarge {
        section: Section,
        item: u64,
        offset: usize,
        limit: u64,
    },

    #[error("a number in item {item} of `{section}` takes more bytes than needed (byte {offset})")]
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
            format!("; the file has {bytes} bytes, but its header describes {described}")
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
            NotFound { .. } => "check the path and the current directory",
            PermissionDenied { .. } => "check the permissions of the file",
            IsFolder { .. } => "give the path of the model file inside the directory",
            NotAFile { .. } => "save it as a regular file first",
            Io { .. } => "try again; if it fails again, check the disk or the network connection",
            BadMagic { looks_like } => return Some(looks_like.hint().to_owned()),
            TooShort { .. } => "the file was cut short; copy or download it again",
            NewerVersion { .. } => {
                "upgrade superword, or save the model again with the version used here"
            }
            Checksum {
                bytes, described, ..
            } if described.is_some_and(|described| described > *bytes as u64) => {
                "the file was cut short; copy or download it again"
            }
            Checksum {
                bytes, described, ..
            } if described.is_some_and(|described| described < *bytes as u64) => {
                "bytes were added to the file; copy or download it again"
            }
            VersionZero | Checksum { .. } => {
                "the file was altered after it was written; copy or download it again"
            }
            // All other errors occur after the checksum was found correct, so it was no accident.
            _ => "the file was not written by superword; do not use it, and save the model again",
        };
        Some(hint.to_owned())
    }
}

/// What a file that is not a model looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
#[non_exhaustive]
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
        // The magic after copying as text: line endings changed, or the first byte was re-encoded.
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
            LooksLike::Json => {
                "to use a tokenizer of another program, import it instead of loading it"
            }
            LooksLike::Zip | LooksLike::Gzip | LooksLike::Zstd => {
                "if it contains a model, unpack it first"
            }
            LooksLike::Text | LooksLike::Unknown => {
                "check the path, and give a file that superword saved"
            }
        }
    }
}

impl std::fmt::Display for LooksLike {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LooksLike::MangledModel => "it is a model that was damaged by copying it as text",
            LooksLike::LfsPointer => "it is a Git LFS pointer",
            LooksLike::Json => "it looks like JSON",
            LooksLike::Zip => "it looks like a zip archive",
            LooksLike::Gzip => "it is compressed with gzip",
            LooksLike::Zstd => "it is compressed with zstd",
            LooksLike::Text => "it looks like text",
            LooksLike::Unknown => "it does not start with the bytes of a model file",
        })
    }
}

fn is_text(start: &[u8]) -> bool {
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        // The limit of 512 bytes may split a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let blank = |c: char| matches!(c, '\t' | '\n' | '\r');
    !valid.is_empty() && valid.chars().all(|c| blank(c) || !c.is_control())
}
