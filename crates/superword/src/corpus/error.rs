//! What can be wrong with a corpus: one variant per cause, with the details.

use super::Compression;
use super::hints::{list_fields, list_sources, place};
use crate::observe::Stopped;

/// Why input cannot be read, or why one of its documents is skipped.
///
/// `source_name` is the name to show: the path as given, or `stdin`. Lines and columns count from 1,
/// offsets from 0. Hints mark options with backquotes and write them as Python does, for example
/// `` `on_error="skip"` ``; the command line replaces the marks by its flags.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// There is no such file.
    #[error("{source_name}: no such file")]
    NotFound {
        /// The path as given.
        source_name: String,
    },
    /// The file exists but may not be read.
    #[error("{source_name}: permission denied")]
    PermissionDenied {
        /// The path as given.
        source_name: String,
    },
    /// The path leads to a directory instead of a file.
    #[error("{source_name}: is a directory, not a file")]
    IsDirectory {
        /// The path as given.
        source_name: String,
    },
    /// The path leads to a device, such as `/dev/zero`, which may never end.
    #[error("{source_name}: is a device, not a file")]
    Device {
        /// The path as given.
        source_name: String,
    },
    /// The file cannot be opened for another reason.
    #[error("{source_name}: cannot be opened: {reason}")]
    Open {
        /// The path as given.
        source_name: String,
        /// The message of the system.
        reason: String,
    },
    /// The system reported an error while reading.
    #[error("{source_name}: cannot be read beyond byte {offset}: {reason}")]
    Read {
        /// The input.
        source_name: String,
        /// Bytes of the file that were read before.
        offset: u64,
        /// The message of the system.
        reason: String,
    },
    /// A table cannot be read to its end.
    #[error("{source_name}: cannot be read beyond row {row}: {reason}")]
    Rows {
        /// The input.
        source_name: String,
        /// Rows that were read before.
        row: u64,
        /// The message of the reader.
        reason: String,
    },
    /// The system cannot start the threads that reading needs.
    #[error("cannot start a thread: {reason}")]
    NoThread {
        /// The message of the system.
        reason: String,
    },
    /// Compressed data is invalid.
    #[error(
        "{source_name}: the {} data is damaged at byte {compressed_offset} \
         (byte {offset} of the decompressed text): {reason}",
        .compression.name()
    )]
    Damaged {
        /// The input.
        source_name: String,
        /// How it is compressed.
        compression: Compression,
        /// Decompressed bytes before the damage.
        offset: u64,
        /// Compressed bytes before the damage.
        compressed_offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// Compressed data ends too early.
    #[error(
        "{source_name}: the {} data is incomplete: it ends at byte {compressed_offset} \
         (byte {offset} of the decompressed text)",
        .compression.name()
    )]
    Truncated {
        /// The input.
        source_name: String,
        /// How it is compressed.
        compression: Compression,
        /// Decompressed bytes before the end.
        offset: u64,
        /// Size of the compressed data.
        compressed_offset: u64,
    },
    /// The text is in another encoding than UTF-8.
    #[error("{source_name}: the text is {encoding}, not UTF-8")]
    ForeignEncoding {
        /// The input.
        source_name: String,
        /// The encoding: `UTF-16` or `UTF-32`.
        encoding: &'static str,
    },
    /// The file is one JSON array instead of one JSON object per line.
    #[error("{source_name}:{line}: the file is a JSON array, not JSON Lines")]
    JsonArray {
        /// The input.
        source_name: String,
        /// The line where the array starts.
        line: u64,
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
        /// What was found: `an array`, `a string`, ...
        found: &'static str,
    },
    /// An object does not have the text field.
    #[error("{source_name}:{line}: no field {field:?}; {}", list_fields(.fields, *.more_fields))]
    FieldMissing {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// The text field.
        field: String,
        /// The first fields of the object.
        fields: Vec<String>,
        /// How many more fields it has.
        more_fields: usize,
    },
    /// The text field does not hold a string.
    #[error("{source_name}:{line}: field {field:?} holds {found}, not a string")]
    FieldNotString {
        /// The input.
        source_name: String,
        /// The line.
        line: u64,
        /// The text field.
        field: String,
        /// What was found: `null`, `a number`, ...
        found: &'static str,
    },
    /// A `\u` escape encodes only half of a surrogate pair.
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
        /// The escape as written.
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
        /// Bytes of the line before the first invalid one.
        offset_in_line: u64,
        /// Bytes of the (decompressed) text before the first invalid one.
        offset: u64,
    },
    /// There is no text: no document, or only empty ones.
    #[error("no text in {}: {documents} documents of 0 bytes, {skipped} skipped", list_sources(.sources, *.source_count))]
    Empty {
        /// The first inputs that were read.
        sources: Vec<String>,
        /// How many inputs were read.
        source_count: usize,
        /// Documents found, all of them empty.
        documents: u64,
        /// Documents skipped because of errors.
        skipped: u64,
        /// The error of the first skipped document.
        first_skip: Option<Box<CorpusError>>,
    },
    /// All groups of inputs have weight 0, so no document counts.
    #[error("all weights are 0, so no document counts")]
    ZeroWeights,
    /// Standard input can be read only once.
    #[error("stdin is given twice, as input {} and as input {}", .first + 1, .second + 1)]
    StdinTwice {
        /// The index of its first use.
        first: usize,
        /// The index of its second use.
        second: usize,
    },
    /// The file name has the suffix of a format that does not hold text.
    #[error("{source_name}: .{suffix} files cannot be read as text")]
    UnsupportedFile {
        /// The path as given.
        source_name: String,
        /// The suffix.
        suffix: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// An error recorded by an earlier run that this one resumes.
    #[error("{message}")]
    Earlier {
        /// The recorded message.
        message: String,
    },
    /// No document fits into the sample.
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
    /// A source that can be read only once was given where it has to be read again.
    #[error("{source_name}: cannot be read twice")]
    OnceOnly {
        /// The input.
        source_name: String,
    },
    /// A document takes more memory than [`ReadOptions::document_memory`](super::ReadOptions::document_memory).
    #[error("{}: the document has {bytes} bytes, which is too much", place(.source_name, *.line))]
    DocumentTooLarge {
        /// The input.
        source_name: String,
        /// The line or row where it starts; `None` if the file is one document.
        line: Option<u64>,
        /// Its size in the input, decompressed.
        bytes: u64,
        /// The memory that it takes.
        memory: u64,
    },
    /// Input from a pipe could not be saved for the second pass.
    #[error("cannot keep the input for a second pass: {reason}")]
    Spool {
        /// The message of the system.
        reason: String,
    },
}

impl CorpusError {
    /// The name of the input that the error is about.
    pub fn source_name(&self) -> Option<&str> {
        match self {
            CorpusError::NotFound { source_name }
            | CorpusError::PermissionDenied { source_name }
            | CorpusError::IsDirectory { source_name }
            | CorpusError::Device { source_name }
            | CorpusError::Open { source_name, .. }
            | CorpusError::Read { source_name, .. }
            | CorpusError::Rows { source_name, .. }
            | CorpusError::Damaged { source_name, .. }
            | CorpusError::Truncated { source_name, .. }
            | CorpusError::ForeignEncoding { source_name, .. }
            | CorpusError::JsonArray { source_name, .. }
            | CorpusError::NotJson { source_name, .. }
            | CorpusError::NotObject { source_name, .. }
            | CorpusError::FieldMissing { source_name, .. }
            | CorpusError::FieldNotString { source_name, .. }
            | CorpusError::LoneSurrogate { source_name, .. }
            | CorpusError::InvalidUtf8 { source_name, .. }
            | CorpusError::UnsupportedFile { source_name, .. }
            | CorpusError::DocumentTooLarge { source_name, .. }
            | CorpusError::OnceOnly { source_name } => Some(source_name),
            CorpusError::Empty { .. }
            | CorpusError::ZeroWeights
            | CorpusError::StdinTwice { .. }
            | CorpusError::SampleTooSmall { .. }
            | CorpusError::Earlier { .. }
            | CorpusError::NoThread { .. }
            | CorpusError::Spool { .. } => None,
        }
    }

    /// The line that the error is about, counted from 1.
    pub fn line(&self) -> Option<u64> {
        match self {
            CorpusError::JsonArray { line, .. }
            | CorpusError::NotJson { line, .. }
            | CorpusError::NotObject { line, .. }
            | CorpusError::FieldMissing { line, .. }
            | CorpusError::FieldNotString { line, .. }
            | CorpusError::LoneSurrogate { line, .. }
            | CorpusError::InvalidUtf8 { line, .. } => Some(*line),
            CorpusError::DocumentTooLarge { line, .. } => *line,
            _ => None,
        }
    }
}

/// Why reading ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError<E> {
    /// The input cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A [`DocumentSink`](super::DocumentSink) rejected a document.
    #[error("{0}")]
    Sink(E),
}
