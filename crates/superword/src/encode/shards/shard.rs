//! A finished shard and its entry in the progress file and the manifest.

use serde_json::{Value, json};

use super::Recipe;
use crate::corpus::{BlockNumber, CorpusError};

/// A file of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardFile {
    /// Its name in the directory.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// A finished shard, and where in the input the next one starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shard {
    /// Its files. The first holds the ids.
    pub files: Vec<ShardFile>,
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
    /// The entry in the progress file.
    pub(super) fn to_progress(&self) -> Value {
        json!({
            "files": self.files_json(),
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
    pub(super) fn from_progress(number: usize, value: &Value, recipe: &Recipe) -> Option<Shard> {
        let count = |name: &str| value.get(name)?.as_u64();
        Some(Shard {
            skipped_before: count("skipped_before")?,
            block: BlockNumber {
                source: usize::try_from(count("source")?).ok()?,
                block: count("block")?,
            },
            documents_of_block: count("documents_of_block")?,
            ..Shard::files_and_counts(number, value, recipe)?
        })
    }

    /// The file that holds the ids.
    pub fn tokens_file(&self) -> Option<&str> {
        self.file(0)
    }

    /// The file that says where the documents are. Parquet needs none.
    pub fn documents_file(&self) -> Option<&str> {
        self.file(1)
    }

    fn file(&self, number: usize) -> Option<&str> {
        self.files.get(number).map(|file| &*file.name)
    }

    /// The entry in the manifest. It omits where the next shard starts, because all are finished.
    pub(super) fn to_manifest(&self) -> Value {
        json!({
            "tokens_file": self.tokens_file(),
            "documents_file": self.documents_file(),
            "files": self.files_json(),
            "tokens": self.tokens,
            "documents": self.documents,
            "bytes": self.bytes,
        })
    }

    /// The inverse of [`Shard::to_manifest`]; `None` for anything else.
    pub(super) fn from_manifest(number: usize, value: &Value, recipe: &Recipe) -> Option<Shard> {
        let shard = Shard::files_and_counts(number, value, recipe)?;
        let name = |field: &str| value.get(field).and_then(Value::as_str);
        let same = name("tokens_file") == shard.tokens_file()
            && name("documents_file") == shard.documents_file();
        same.then_some(shard)
    }

    fn files_json(&self) -> Value {
        let files = self.files.iter();
        files
            .map(|file| json!({ "name": file.name, "bytes": file.bytes }))
            .collect()
    }

    fn files_and_counts(number: usize, value: &Value, recipe: &Recipe) -> Option<Shard> {
        let count = |name: &str| value.get(name)?.as_u64();
        let (tokens, documents) = (count("tokens")?, count("documents")?);
        let names = recipe.format.files(number);
        let expected = recipe
            .format
            .sizes(recipe.dtype, recipe.bits(), tokens, documents)?;
        let sizes = match value.get("files") {
            // Earlier versions wrote npy only and did not record the sizes of its files.
            None => expected.into_iter().collect::<Option<Vec<_>>>()?,
            Some(files) => recorded_sizes(files, &names, &expected)?,
        };
        let files = names.into_iter().zip(sizes);
        Some(Shard {
            files: files
                .map(|(name, bytes)| ShardFile { name, bytes })
                .collect(),
            tokens,
            documents,
            bytes: count("bytes")?,
            ..Shard::default()
        })
    }
}

/// The sizes of files as they were recorded; `None` if they or the names are not as expected.
fn recorded_sizes(files: &Value, names: &[String], expected: &[Option<u64>]) -> Option<Vec<u64>> {
    let files = files.as_array()?;
    let named = files
        .iter()
        .map(|file| file.get("name").and_then(Value::as_str));
    if !named.eq(names.iter().map(|name| Some(&**name))) {
        return None;
    }
    let sizes = files.iter().zip(expected).map(|(file, expected)| {
        let size = file.get("bytes")?.as_u64()?;
        expected
            .is_none_or(|expected| expected == size)
            .then_some(size)
    });
    sizes.collect()
}

/// What was written, including the shards of earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
    use super::super::ShardFormat;
    use super::*;

    #[test]
    fn entries_are_read_back() {
        let recipe = Recipe::example();
        let shard = Shard {
            files: vec![
                ShardFile {
                    name: "shard-00003.npy".into(),
                    bytes: 130,
                },
                ShardFile {
                    name: "shard-00003.documents.npy".into(),
                    bytes: 152,
                },
            ],
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
        let progress = shard.to_progress();
        let read = Shard::from_progress(3, &progress, &recipe);
        assert_eq!(read.as_ref(), Some(&shard));
        let mut manifest = shard.to_manifest();
        let read = |number, value: &Value| Shard::from_manifest(number, value, &recipe);
        let found = read(3, &manifest).unwrap();
        assert_eq!(found.files, shard.files);
        assert_eq!((found.tokens, found.documents, found.bytes), (1, 2, 3));
        assert_eq!(read(4, &manifest), None);
        // Earlier versions wrote npy only, without the sizes of the files.
        manifest.as_object_mut().unwrap().remove("files");
        assert_eq!(read(3, &manifest), Some(found));
        let parquet = Recipe {
            format: ShardFormat::Parquet,
            ..Recipe::example()
        };
        assert_eq!(Shard::from_manifest(3, &manifest, &parquet), None);
    }
}
