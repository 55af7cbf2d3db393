//! How to read a corpus, and the report of what was read.

use super::CorpusError;
use super::sample::SamplePlan;
use super::weights::Groups;

/// The most errors of skipped documents that a [`ReadReport`] holds.
pub const MAX_SKIPS_SHOWN: usize = 10;

/// What to do with a document that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Stop with the error that comes first in the input.
    #[default]
    Stop,
    /// Skip the document and count it. If a compressed file is damaged, the documents before the
    /// damage are used, and the rest counts as one skipped document. A file that is missing or
    /// cannot be opened is still an error, because it was given by name.
    Skip,
}

impl OnError {
    /// The name in the API and in files: `stop`, `skip`.
    pub fn name(self) -> &'static str {
        match self {
            OnError::Stop => "stop",
            OnError::Skip => "skip",
        }
    }

    /// The inverse of [`OnError::name`].
    pub fn from_name(name: &str) -> Option<OnError> {
        [OnError::Stop, OnError::Skip]
            .into_iter()
            .find(|on_error| on_error.name() == name)
    }
}

/// How to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The field of a JSON object that holds the text.
    pub text_field: String,
    /// What to do with a document that cannot be read.
    pub on_error: OnError,
    /// Number of workers; 0 means one per core. At most 1,024 are used.
    pub threads: usize,
    /// Read only the documents of this sample.
    pub sample: Option<SamplePlan>,
    /// The group of each source and the weights of the groups.
    pub groups: Option<Groups>,
    /// Text bytes that a worker takes at a time. A longer record is still taken whole.
    pub block_size: usize,
    /// Accept a corpus without any text instead of returning [`CorpusError::Empty`].
    pub allow_empty: bool,
    /// The memory for large documents, in bytes. [`read_parallel`](super::read_parallel) then reads only one
    /// document of more than 2 MB at a time, and returns [`CorpusError::DocumentTooLarge`] if it takes more.
    pub document_memory: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            text_field: "text".into(),
            on_error: OnError::Stop,
            threads: 0,
            sample: None,
            groups: None,
            block_size: 1 << 20,
            allow_empty: false,
            document_memory: None,
        }
    }
}

/// Receives the documents that one worker reads.
pub trait DocumentSink: Send {
    /// Why a document was rejected, which ends the reading.
    type Error: Send;

    /// Called before the documents of a block: the number of the source that they come from.
    fn source(&mut self, _source: usize) {}

    /// Receives a document. Each document goes to exactly one worker, in no particular order.
    fn document(&mut self, text: &str) -> Result<(), Self::Error>;

    /// Receives a document that counts `times` times because of its weight.
    fn document_times(&mut self, text: &str, times: u64) -> Result<(), Self::Error> {
        (0..times).try_for_each(|_| self.document(text))
    }
}

/// What was read from one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceReport {
    /// Documents that were passed to a sink.
    pub documents: u64,
    /// Their text bytes.
    pub bytes: u64,
    /// Documents skipped because of errors.
    pub skipped: u64,
    /// Bytes read, before decompression.
    pub raw_bytes: u64,
}

/// What was read from all sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadReport {
    /// Documents that were passed to a sink.
    pub documents: u64,
    /// Their text bytes.
    pub bytes: u64,
    /// Documents skipped because of errors.
    pub skipped: u64,
    /// The first errors in input order, at most [`MAX_SKIPS_SHOWN`].
    pub first_skips: Vec<CorpusError>,
    /// The same for each source, in order.
    pub per_source: Vec<SourceReport>,
}
