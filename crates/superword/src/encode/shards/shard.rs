//! What a shard is, what may go wrong with it, and what is told of it.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::npy::Dtype;
use crate::corpus::{BlockNumber, CorpusError};
use crate::observe::Stopped;
use crate::text::SplitError;

/// The file that says how far the work is, while it is under way.
pub const PROGRESS_FILE: &str = "progress.json";

/// What to write, and where.
#[derive(Clone, Debug)]
pub struct ShardOptions {
    /// The folder of the shards. It must be there.
    pub folder: PathBuf,
    /// What the ids are written as.
    pub dtype: Dtype,
    /// A shard ends with the document that brings it to this many tokens.
    pub shard_size: u64,
    /// The token that ends each document, if any.
    pub end_of_document: Option<u32>,
    /// What the shards are made of, kept with the progress so that the caller can tell whether
    /// it may go on from there.
    pub identity: Value,
    /// Shards that were finished before, in order; the work goes on behind the last.
    pub finished: Vec<Shard>,
}

/// A finished shard, and where the next one starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shard {
    /// The tokens in it.
    pub tokens: u64,
    /// The documents in it.
    pub documents: u64,
    /// The bytes of their text.
    pub bytes: u64,
    /// Documents left out up to the block that holds its end, that block not counted.
    pub skipped_before: u64,
    /// The block that holds its end.
    pub block: BlockNumber,
    /// Documents of that block that are in this shard or one before.
    pub documents_of_block: u64,
}

impl Shard {
    /// The file of the ids of a shard: `shard-00007.npy`.
    pub fn tokens_name(number: usize) -> String {
        format!("shard-{number:05}.npy")
    }

    /// The file of where its documents start and end: `shard-00007.documents.npy`.
    pub fn documents_name(number: usize) -> String {
        format!("shard-{number:05}.documents.npy")
    }

    /// As it is kept in the progress file.
    pub fn to_json(&self) -> Value {
        json!({
            "tokens": self.tokens,
            "documents": self.documents,
            "bytes": self.bytes,
            "skipped_before": self.skipped_before,
            "source": self.block.source,
            "block": self.block.block,
            "documents_of_block": self.documents_of_block,
        })
    }

    /// The inverse of [`Shard::to_json`]; `None` if it is something else.
    pub fn from_json(value: &Value) -> Option<Shard> {
        let number = |name: &str| value.get(name)?.as_u64();
        Some(Shard {
            tokens: number("tokens")?,
            documents: number("documents")?,
            bytes: number("bytes")?,
            skipped_before: number("skipped_before")?,
            block: BlockNumber {
                source: usize::try_from(number("source")?).ok()?,
                block: number("block")?,
            },
            documents_of_block: number("documents_of_block")?,
        })
    }
}

/// What was written, shards of earlier runs included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardReport {
    /// The shards.
    pub shards: Vec<Shard>,
    /// Documents that were left out.
    pub skipped: u64,
    /// The first of the errors, of this run.
    pub first_skips: Vec<CorpusError>,
}

/// Why a corpus was not encoded.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// A document cannot be split.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The observer asked for it.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// An id does not fit the numbers of the shards.
    #[error("id {id} does not fit into {}", .dtype.name())]
    IdTooLarge {
        /// The id.
        id: u32,
        /// The numbers.
        dtype: Dtype,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl ShardError {
    /// What to do next, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            ShardError::Split(error) => error.hint(),
            ShardError::Stopped(_) => None,
            ShardError::IdTooLarge { .. } => Some("use dtype uint32".into()),
            ShardError::Write { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                    Some("make room on the disk and run it again: finished shards are kept".into())
                }
                _ => None,
            },
        }
    }
}
