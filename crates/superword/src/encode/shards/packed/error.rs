//! Why a packed shard cannot be read.

use super::header::VERSION;

/// Why a packed shard cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedError {
    /// The file does not start like a packed shard.
    #[error("it is not a packed shard")]
    NotPacked,
    /// A later version wrote the file.
    #[error(
        "its format has version {version}, and this version of superword reads up to {VERSION}"
    )]
    Newer {
        /// The version of the format.
        version: u32,
    },
    /// The header is not what superword writes.
    #[error("its header is damaged: {reason}")]
    Damaged {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file is too short or too long.
    #[error("it has {found} bytes instead of {}", shown(*.expected))]
    WrongSize {
        /// The bytes of the file.
        found: u64,
        /// The bytes that its header asks for, if 64 bits can say it.
        expected: Option<u64>,
    },
    /// The ids are not those that were written.
    #[error("its ids have changed since they were written")]
    Changed,
    /// An id does not fit.
    #[error("id {id} does not fit into {bits} bits")]
    IdTooLarge {
        /// The id.
        id: u32,
        /// The bits of an id.
        bits: u32,
    },
    /// The ids do not fit into the type that they are to be read as.
    #[error("ids of {bits} bits do not fit into this type")]
    TypeTooNarrow {
        /// The bits of an id.
        bits: u32,
    },
    /// Ids that the shard does not have were asked for.
    #[error("{length} ids from {start} on are not in the shard, which has {tokens}")]
    Outside {
        /// The first id.
        start: i128,
        /// How many.
        length: usize,
        /// The ids of the shard.
        tokens: usize,
    },
    /// The output does not have the size of the windows.
    #[error("{windows} windows of {length} ids do not fill an array of {room}")]
    WrongRoom {
        /// The number of windows.
        windows: usize,
        /// The ids of each.
        length: usize,
        /// The size of the output.
        room: usize,
    },
}

impl PackedError {
    /// What to do next, if there is something to suggest.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            PackedError::NotPacked => "name a file that was written with `format=\"packed\"`",
            PackedError::Newer { .. } => "install a newer version of superword",
            PackedError::Damaged { .. } | PackedError::WrongSize { .. } | PackedError::Changed => {
                "copy the file again, or encode the corpus again"
            }
            PackedError::TypeTooNarrow { .. } => "choose a type with more bits",
            PackedError::IdTooLarge { .. }
            | PackedError::Outside { .. }
            | PackedError::WrongRoom { .. } => return None,
        };
        Some(hint.into())
    }
}

fn shown(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "more than 2^64".into(), |bytes| bytes.to_string())
}
