//! What a reader is asked to do, and what it says it did.

use super::CorpusError;
use super::sample::SamplePlan;
use super::weights::Groups;

/// How many of the errors that left documents out a [`ReadReport`] holds.
pub const MAX_SKIPS_SHOWN: usize = 10;

/// What to do with a document that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// End with the error that comes first in the input.
    #[default]
    Stop,
    /// Leave the document out, count it, go on. Of a damaged compressed file, what comes before the
    /// damage is kept and the rest left out, counted as one. A file that is missing or may not
    /// be opened is an error all the same: it was asked for by name.
    Skip,
}

/// How to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The field of a JSON object that holds the text.
    pub text_field: String,
    /// What to do with a document that cannot be read.
    pub on_error: OnError,
    /// Number of workers; 0 for one per core.
    pub threads: usize,
    /// Give only the documents of this sample.
    pub sample: Option<SamplePlan>,
    /// Which group each source is in, and what its documents weigh.
    pub groups: Option<Groups>,
    /// Text bytes that a worker takes at a time (a longer record is taken whole).
    pub block_size: usize,
    /// Whether a corpus without any text is fine; else it is [`CorpusError::Empty`].
    pub allow_empty: bool,
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
        }
    }
}

/// Takes the documents that one worker reads.
pub trait DocumentSink: Send {
    /// Why a document was refused; ends the reading.
    type Error: Send;

    /// Takes a document. Called for each one once, by some worker, in no set order.
    fn document(&mut self, text: &str) -> Result<(), Self::Error>;

    /// Takes a document that counts more than once because of its weight.
    fn document_times(&mut self, text: &str, times: u64) -> Result<(), Self::Error> {
        (0..times).try_for_each(|_| self.document(text))
    }
}

/// What was read of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceReport {
    /// Documents that were given to a sink.
    pub documents: u64,
    /// Their text bytes.
    pub bytes: u64,
    /// Documents left out because of errors.
    pub skipped: u64,
    /// Bytes read, as they are stored.
    pub raw_bytes: u64,
}

/// What was read in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// Documents that were given to a sink.
    pub documents: u64,
    /// Their text bytes.
    pub bytes: u64,
    /// Documents left out because of errors.
    pub skipped: u64,
    /// The first of these errors in input order, up to [`MAX_SKIPS_SHOWN`].
    pub first_skips: Vec<CorpusError>,
    /// The same by source, in their order.
    pub per_source: Vec<SourceReport>,
}
