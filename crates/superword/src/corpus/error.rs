//! What can be wrong with a corpus: one variant per broken promise, with the facts.

use super::Compression;
use crate::observe::Stopped;

/// The reason why input cannot be read, or why a document of it is left out.
///
/// `source` is the name that people know the input by: the path as it was given, or `stdin`.
/// Lines and columns count from 1, offsets from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorpusError {
    /// There is no file of that name.
    #[error("{source_name}: no such file")]
    NotFound {
        /// The path as it was given.
        source_name: String,
    },
    /// The file is there but may not be read.
    #[error("{source_name}: permission denied")]
    PermissionDenied {
        /// The path as it was given.
        source_name: String,
    },
    /// A directory stands where a file is expected.
    #[error("{source_name}: is a directory, not a file")]
    IsDirectory {
        /// The path as it was given.
        source_name: String,
    },
    /// The file cannot be opened for another reason.
    #[error("{source_name}: cannot be opened: {reason}")]
    Open {
        /// The path as it was given.
        source_name: String,
        /// What the system says.
        reason: String,
    },
    /// The system failed while reading.
    #[error("{source_name}: cannot be read beyond byte {offset}: {reason}")]
    Read {
        /// The input.
        source_name: String,
        /// Bytes of the file that were read before.
        offset: u64,
        /// What the system says.
        reason: String,
    },
    /// A table cannot be read to its end.
    #[error("{source_name}: cannot be read beyond row {row}: {reason}")]
    Rows {
        /// The input.
        source_name: String,
        /// Rows that were read before.
        row: u64,
        /// What the reader says.
        reason: String,
    },
    /// A compressed stream is not what its name says, or was altered.
    #[error(
        "{source_name}: the {} data is damaged at byte {compressed_offset} \
         (byte {offset} of the decompressed text): {reason}",
        .compression.name()
    )]
    Damaged {
        /// The input.
        source_name: String,
        /// What it is compressed with.
        compression: Compression,
        /// Decompressed bytes before the damage.
        offset: u64,
        /// Compressed bytes that were understood.
        compressed_offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// A compressed stream ends before its end.
    #[error(
        "{source_name}: the {} data is cut short: it ends at byte {compressed_offset} \
         (byte {offset} of the decompressed text)",
        .compression.name()
    )]
    Truncated {
        /// The input.
        source_name: String,
        /// What it is compressed with.
        compression: Compression,
        /// Decompressed bytes that could be had.
        offset: u64,
        /// Size of the compressed data.
        compressed_offset: u64,
    },
    /// A line is not JSON.
    #[error("{source_name}:{line}:{column}: not JSON: {reason}")]
    NotJson {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// The character in the line.
        column: u64,
        /// What is wrong there.
        reason: String,
    },
    /// A line is JSON but not an object.
    #[error("{source_name}:{line}: expected a JSON object, found {found}")]
    NotObject {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// The type that stands there: `an array`, `a string`, ...
        found: &'static str,
    },
    /// An object lacks the text field.
    #[error("{source_name}:{line}: no field {field:?}; {}", list_fields(.fields, *.more_fields))]
    FieldMissing {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// The field that was looked for.
        field: String,
        /// The first fields that are there.
        fields: Vec<String>,
        /// How many more there are.
        more_fields: usize,
    },
    /// The text field does not hold a string.
    #[error("{source_name}:{line}: field {field:?} holds {found}, not a string")]
    FieldNotString {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// The field.
        field: String,
        /// The type that stands there: `null`, `a number`, ...
        found: &'static str,
    },
    /// A `\u` escape stands for half of a character only.
    #[error(
        "{source_name}:{line}:{column}: the escape {escape} is half a surrogate pair, which is not Unicode text"
    )]
    LoneSurrogate {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// The character in the line where the escape starts.
        column: u64,
        /// The escape as it is written.
        escape: String,
    },
    /// Bytes that are not UTF-8.
    #[error(
        "{source_name}:{line}: invalid UTF-8 at byte {offset_in_line} of the line (byte {offset} of the text)"
    )]
    InvalidUtf8 {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// Bytes of the line before the first bad one.
        offset_in_line: u64,
        /// Bytes of the (decompressed) text before the first bad one.
        offset: u64,
    },
    /// Nothing to learn from: no document, or only empty ones.
    #[error("no text in {}: {documents} documents of 0 bytes, {skipped} skipped", list_sources(.sources, *.source_count))]
    Empty {
        /// The first inputs that were read.
        sources: Vec<String>,
        /// How many inputs were read.
        source_count: usize,
        /// Documents found, all of them empty.
        documents: u64,
        /// Documents that were left out because of errors.
        skipped: u64,
        /// The first error that left a document out.
        first_skip: Option<Box<CorpusError>>,
    },
    /// Standard input is there only once.
    #[error("stdin is given twice, as input {} and as input {}", .first + 1, .second + 1)]
    StdinTwice {
        /// Where it stands first (from 0).
        first: usize,
        /// Where it stands again.
        second: usize,
    },
    /// The name says that the file is not text that is read here.
    #[error("{source_name}: files that end in .{suffix} cannot be read as text")]
    UnsupportedFile {
        /// The path as it was given.
        source_name: String,
        /// The ending that says so.
        suffix: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// An error of an earlier run that this one goes on from.
    #[error("{message}")]
    Earlier {
        /// What was said.
        message: String,
    },
    /// Not one document fits into the sample.
    #[error(
        "no document fits into a sample of {max_bytes} bytes: the smallest of {documents} has {smallest} bytes"
    )]
    SampleTooSmall {
        /// The size of the sample.
        max_bytes: u64,
        /// Documents in the corpus.
        documents: u64,
        /// The bytes of the smallest set of documents that can be drawn.
        smallest: u64,
    },
    /// A pipe was given where the input must be read more than once.
    #[error("{source_name}: can be read only once")]
    OnceOnly {
        /// The input.
        source_name: String,
    },
    /// A pipe could not be kept for a second reading.
    #[error("a pipe could not be written to a temporary file: {reason}")]
    Spool {
        /// What the system says.
        reason: String,
    },
}

impl CorpusError {
    /// The input it is about, by the name that people know.
    pub fn source_name(&self) -> Option<&str> {
        match self {
            CorpusError::NotFound { source_name }
            | CorpusError::PermissionDenied { source_name }
            | CorpusError::IsDirectory { source_name }
            | CorpusError::Open { source_name, .. }
            | CorpusError::Read { source_name, .. }
            | CorpusError::Rows { source_name, .. }
            | CorpusError::Damaged { source_name, .. }
            | CorpusError::Truncated { source_name, .. }
            | CorpusError::NotJson { source_name, .. }
            | CorpusError::NotObject { source_name, .. }
            | CorpusError::FieldMissing { source_name, .. }
            | CorpusError::FieldNotString { source_name, .. }
            | CorpusError::LoneSurrogate { source_name, .. }
            | CorpusError::InvalidUtf8 { source_name, .. }
            | CorpusError::UnsupportedFile { source_name, .. }
            | CorpusError::OnceOnly { source_name } => Some(source_name),
            CorpusError::Empty { .. }
            | CorpusError::StdinTwice { .. }
            | CorpusError::SampleTooSmall { .. }
            | CorpusError::Earlier { .. }
            | CorpusError::Spool { .. } => None,
        }
    }

    /// The line it is about, counted from 1.
    pub fn line(&self) -> Option<u64> {
        match self {
            CorpusError::NotJson { line, .. }
            | CorpusError::NotObject { line, .. }
            | CorpusError::FieldMissing { line, .. }
            | CorpusError::FieldNotString { line, .. }
            | CorpusError::LoneSurrogate { line, .. }
            | CorpusError::InvalidUtf8 { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// What to do next, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        let skip = "or skip such documents with `on_error=\"skip\"`";
        Some(match self {
            CorpusError::NotFound { .. } => "check the name; a pattern such as docs/*.jsonl \
                 must match at least one file"
                .into(),
            CorpusError::PermissionDenied { .. } => "make the file readable for this user".into(),
            CorpusError::IsDirectory { .. } => {
                "name the files in it, for example DIR/*.jsonl".into()
            }
            CorpusError::Open { .. } | CorpusError::Earlier { .. } => return None,
            CorpusError::Read { .. } => format!("check the disk or the network drive, {skip}"),
            CorpusError::Damaged {
                compressed_offset: 0,
                compression,
                ..
            } => format!(
                "the file may not be {} data at all; rename it or make it again",
                compression.name()
            ),
            CorpusError::Rows { .. }
            | CorpusError::Damaged { .. }
            | CorpusError::Truncated { .. } => {
                "make or download the file again, or keep what comes before the damage with \
                 `on_error=\"skip\"`"
                    .into()
            }
            CorpusError::NotJson { .. } | CorpusError::NotObject { .. } => format!(
                "each line must be one JSON object; read other text with `format=\"text\"`, {skip}"
            ),
            CorpusError::FieldMissing { .. } => {
                format!("set `text_field` to the field that holds the text, {skip}")
            }
            CorpusError::FieldNotString { .. } => {
                format!("choose another field with `text_field`, {skip}")
            }
            CorpusError::LoneSurrogate { .. } => format!("write the text again as UTF-8, {skip}"),
            CorpusError::InvalidUtf8 { .. } => format!("convert the file to UTF-8, {skip}"),
            CorpusError::Empty {
                first_skip: Some(error),
                ..
            } => {
                format!("every document was skipped; the first one because of: {error}")
            }
            CorpusError::Empty { .. } => "give files that hold text".into(),
            CorpusError::StdinTwice { .. } => "give - only once".into(),
            CorpusError::UnsupportedFile { instead, .. } => (*instead).into(),
            CorpusError::SampleTooSmall { smallest, .. } => {
                format!("ask for a sample of at least {smallest} bytes")
            }
            CorpusError::OnceOnly { .. } => "write it to a file first".into(),
            CorpusError::Spool { .. } => {
                "free some space, or point TMPDIR to a folder on a larger disk".into()
            }
        })
    }
}

fn list_fields(fields: &[String], more: usize) -> String {
    if fields.is_empty() {
        return "the object is empty".into();
    }
    let names = fields
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ");
    if more == 0 {
        format!("the fields are {names}")
    } else {
        format!("the fields are {names} and {more} more")
    }
}

fn list_sources(sources: &[String], count: usize) -> String {
    match (sources.len(), count) {
        (_, 0) => "an empty list of files".into(),
        (shown, count) if shown < count => {
            format!("{} and {} more", sources.join(", "), count - shown)
        }
        _ => sources.join(", "),
    }
}

/// Why [`read_parallel`](super::read_parallel) gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError<E> {
    /// The input is at fault.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A [`DocumentSink`](super::DocumentSink) refused a document.
    #[error("{0}")]
    Sink(E),
}
