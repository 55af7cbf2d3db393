//! Why a corpus was not encoded into shards.

use std::io;
use std::path::PathBuf;

use super::formats::{Dtype, ShardFormat};
use crate::disk::{LockError, WriteError};
use crate::observe::Stopped;
use crate::text::SplitError;

/// Why a corpus was not encoded into shards. Options are marked with backquotes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// A document cannot be split into pretokens.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// An id is too large for the array type of the shards.
    #[error("id {id} does not fit into {}", .dtype.name())]
    IdTooLarge {
        /// The id.
        id: u32,
        /// The array type.
        dtype: Dtype,
    },
    /// An id has more bits than the vocabulary needs.
    #[error("id {id} does not fit into {bits} bits")]
    IdTooWide {
        /// The id.
        id: u32,
        /// The bits of an id.
        bits: u32,
    },
    /// A document has more tokens than the format can say.
    #[error("a document of {tokens} tokens is too long for the format {}", .format.name())]
    DocumentTooLong {
        /// Its tokens.
        tokens: u64,
        /// The format.
        format: ShardFormat,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The directory cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The directory holds shards made from another model, other inputs or other options.
    #[error("{} holds other shards: {}", directory.display(), changes.join("; "))]
    Changed {
        /// The directory.
        directory: PathBuf,
        /// Each difference, in words.
        changes: Vec<String>,
    },
    /// The directory holds shards, and no file says what they were made from.
    #[error("{} holds {name}, and no file says what it was made from", directory.display())]
    UnknownShards {
        /// The directory.
        directory: PathBuf,
        /// One of the shards.
        name: String,
    },
    /// A manifest or progress file is not what superword writes.
    #[error("{} is damaged, or another program wrote it: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of a finished shard is missing or has another size than the manifest says.
    #[error("{} is missing or has changed since it was written", path.display())]
    ShardChanged {
        /// The file.
        path: PathBuf,
    },
    /// A manifest or progress file cannot be read.
    #[error("reading {} failed: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl ShardError {
    /// What to do next, if there is something to suggest.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            ShardError::Split(error) => return error.hint(),
            ShardError::Stopped(_) => return None,
            ShardError::IdTooLarge { .. } => {
                "choose a `dtype` that holds larger ids, or another format of shards"
            }
            ShardError::IdTooWide { .. } => "write shards in another format, such as npy",
            ShardError::DocumentTooLong { .. } => {
                "split the document, or write shards in another format, such as npy"
            }
            ShardError::Write(WriteError::DiskFull { .. }) => {
                "free some space and run it again; finished shards are kept"
            }
            ShardError::Write(error) => error.hint(),
            ShardError::Lock(error) => error.hint(),
            ShardError::Changed { .. }
            | ShardError::UnknownShards { .. }
            | ShardError::Damaged { .. } => {
                "use another directory, or set `overwrite=True` to replace the shards"
            }
            ShardError::ShardChanged { .. } => "set `overwrite=True` to make all shards again",
            ShardError::Read { .. } => "check the permissions of the file and its disk",
        };
        Some(hint.into())
    }
}
