//! A finished shard and its entry in the progress file and the manifest.

use serde_json::{Value, json};

use crate::corpus::{BlockNumber, CorpusError};

/// A finished shard, and where in the input the next one starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shard {
    /// Tokens in the shard.
    pub tokens: u64,
    /// Documents in the shard.
    pub documents: u64,
    /// Bytes of their text.
    pub bytes: u64,
    /// Documents skipped before the block in which the shard ends.
    pub skipped_before: u64,
    /// The block in which the shard ends.
    pub block: BlockNumber,
    /// Documents of that block that are in this shard or an earlier one.
    pub documents_of_block: u64,
}

impl Shard {
    /// The file with the ids of a shard: `shard-00007.npy`.
    pub fn tokens_name(number: usize) -> String {
        format!("shard-{number:05}.npy")
    }

    /// The file that says where its documents start and end: `shard-00007.documents.npy`.
    pub fn documents_name(number: usize) -> String {
        format!("shard-{number:05}.documents.npy")
    }

    /// True for the names of shard files.
    pub fn is_name(name: &str) -> bool {
        let number = name
            .strip_prefix("shard-")
            .and_then(|rest| rest.strip_suffix(".npy"))
            .map(|rest| rest.strip_suffix(".documents").unwrap_or(rest));
        number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit()))
    }

    /// The entry in the progress file.
    pub(super) fn to_progress(&self) -> Value {
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

    /// The inverse of [`Shard::to_progress`]; `None` for anything else.
    pub(super) fn from_progress(value: &Value) -> Option<Shard> {
        let number = |name: &str| value.get(name)?.as_u64();
        Some(Shard {
            skipped_before: number("skipped_before")?,
            block: BlockNumber {
                source: usize::try_from(number("source")?).ok()?,
                block: number("block")?,
            },
            documents_of_block: number("documents_of_block")?,
            ..Shard::counts(value)?
        })
    }

    /// The entry in the manifest. It omits where the next shard starts, because all are finished.
    pub(super) fn to_manifest(&self, number: usize) -> Value {
        json!({
            "tokens_file": Shard::tokens_name(number),
            "documents_file": Shard::documents_name(number),
            "tokens": self.tokens,
            "documents": self.documents,
            "bytes": self.bytes,
        })
    }

    /// The inverse of [`Shard::to_manifest`]; `None` for anything else.
    pub(super) fn from_manifest(number: usize, value: &Value) -> Option<Shard> {
        let named = |name: &str, expected: String| {
            value.get(name).and_then(Value::as_str) == Some(&expected)
        };
        let ours = named("tokens_file", Shard::tokens_name(number))
            && named("documents_file", Shard::documents_name(number));
        ours.then(|| Shard::counts(value)).flatten()
    }

    fn counts(value: &Value) -> Option<Shard> {
        let number = |name: &str| value.get(name)?.as_u64();
        Some(Shard {
            tokens: number("tokens")?,
            documents: number("documents")?,
            bytes: number("bytes")?,
            ..Shard::default()
        })
    }
}

/// What was written, including the shards of earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardReport {
    /// The shards.
    pub shards: Vec<Shard>,
    /// How many of them an earlier run had finished.
    pub resumed: usize,
    /// Documents that were skipped.
    pub skipped: u64,
    /// The first errors that made this run skip documents.
    pub first_skips: Vec<CorpusError>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_recognised() {
        assert!(Shard::is_name(&Shard::tokens_name(7)));
        assert!(Shard::is_name(&Shard::documents_name(123_456)));
        for name in [
            "shard-1.npy",
            "shard-00000.npy.bak",
            "shard-0000a.npy",
            "x-00000.npy",
        ] {
            assert!(!Shard::is_name(name), "{name}");
        }
    }

    #[test]
    fn entries_are_read_back() {
        let shard = Shard {
            tokens: 1,
            documents: 2,
            bytes: 3,
            skipped_before: 4,
            block: BlockNumber {
                source: 5,
                block: 6,
            },
            documents_of_block: 7,
        };
        assert_eq!(
            Shard::from_progress(&shard.to_progress()),
            Some(shard.clone())
        );
        let read = Shard::from_manifest(3, &shard.to_manifest(3)).unwrap();
        assert_eq!((read.tokens, read.documents, read.bytes), (1, 2, 3));
        assert_eq!(Shard::from_manifest(4, &shard.to_manifest(3)), None);
    }
}
