//! Shards as Parquet files with a list of ids for each document.
//!
//! The engine has no Parquet library. The caller writes the files, and the engine decides what is
//! in each row group, so that memory stays bounded and the files do not depend on threads.

use std::io;
use std::path::Path;

use super::{NewShard, ShardFiles, ShardFormat, signed_length};
use crate::disk::{Replacement, WriteError};
use crate::encode::shards::ShardError;

/// A row group ends with the document that brings it to this many tokens (16 MB) ...
const GROUP_TOKENS: usize = 1 << 22;

/// ... or to this many documents.
const GROUP_DOCUMENTS: usize = 1 << 20;

/// Writes Parquet files for the engine.
pub trait Tables: Send + Sync {
    /// Starts a file, which exists already and is empty.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Table>>;
}

/// A Parquet file with one column, a list of ids for each document.
pub trait Table {
    /// Appends a row group. `ids` are those of all documents, one after the other. Document `i` is
    /// `ids[offsets[i]..offsets[i + 1]]`. Both are `i32`, little-endian, as Arrow stores lists.
    fn append(&mut self, ids: &[u8], offsets: &[u8]) -> io::Result<()>;

    /// Writes the rest of the file and closes it.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// `shard-00000.parquet`.
pub(super) struct ParquetShard {
    // Declared before `file`, so that it is closed before the file is removed.
    table: Box<dyn Table>,
    file: Replacement,
    ids: Vec<u8>,
    offsets: Vec<u8>,
    /// Tokens and documents of the row group.
    tokens: usize,
    documents: usize,
}

impl ParquetShard {
    pub(super) fn create(shard: &NewShard<'_>) -> Result<ParquetShard, ShardError> {
        let path = shard.path(".parquet");
        let file = Replacement::begin_own(&path)?;
        let table = shard.tables.create(file.temporary_path());
        Ok(ParquetShard {
            table: table.map_err(|source| WriteError::new(&path, source))?,
            file,
            ids: Vec::new(),
            offsets: 0i32.to_le_bytes().to_vec(),
            tokens: 0,
            documents: 0,
        })
    }

    fn write_group(&mut self) -> Result<(), ShardError> {
        if self.documents == 0 {
            return Ok(());
        }
        let written = self.table.append(&self.ids, &self.offsets);
        written.map_err(|source| WriteError::new(self.file.path(), source))?;
        self.ids.clear();
        self.offsets.truncate(size_of::<i32>());
        self.tokens = 0;
        self.documents = 0;
        Ok(())
    }
}

impl ShardFiles for ParquetShard {
    fn append(&mut self, ids: &[u8], tokens: u64) -> Result<(), ShardError> {
        let length = signed_length(tokens, ShardFormat::Parquet)?;
        // A very long document gets its own group if the offsets cannot hold it otherwise.
        if i32::try_from(self.tokens + length as usize).is_err() {
            self.write_group()?;
        }
        self.ids.extend_from_slice(ids);
        self.tokens += length as usize;
        self.offsets.extend((self.tokens as i32).to_le_bytes());
        self.documents += 1;
        if self.tokens >= GROUP_TOKENS || self.documents >= GROUP_DOCUMENTS {
            self.write_group()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Replacement>, ShardError> {
        self.write_group()?;
        let ParquetShard { table, file, .. } = *self;
        let finished = table.finish();
        finished.map_err(|source| WriteError::new(file.path(), source))?;
        Ok(vec![file])
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::Dtype;
    use super::*;

    /// For formats that need no tables.
    pub(in super::super) struct NoTables;

    impl Tables for NoTables {
        fn create(&self, _: &Path) -> io::Result<Box<dyn Table>> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    type Groups = Arc<Mutex<Vec<(usize, Vec<u8>)>>>;

    struct Recorder(Groups);

    impl Tables for Recorder {
        fn create(&self, _: &Path) -> io::Result<Box<dyn Table>> {
            Ok(Box::new(Recorder(self.0.clone())))
        }
    }

    impl Table for Recorder {
        fn append(&mut self, ids: &[u8], offsets: &[u8]) -> io::Result<()> {
            let mut groups = self.0.lock().unwrap();
            groups.push((ids.len(), offsets.to_vec()));
            Ok(())
        }

        fn finish(self: Box<Self>) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn row_groups_are_bounded_and_start_at_zero() {
        let directory = tempfile::tempdir().unwrap();
        let groups = Groups::default();
        let new = NewShard {
            directory: directory.path(),
            number: 0,
            dtype: Dtype::Int32,
            bits: 17,
            model_sha256: "",
            tables: &Recorder(groups.clone()),
        };
        let mut shard = ParquetShard::create(&new).unwrap();
        let half = vec![0; GROUP_TOKENS * 2];
        shard.append(&half, GROUP_TOKENS as u64 / 2).unwrap();
        shard.append(&half, GROUP_TOKENS as u64 / 2).unwrap();
        for _ in 0..GROUP_DOCUMENTS {
            shard.append(&[], 0).unwrap();
        }
        shard.append(&[1, 0, 0, 0], 1).unwrap();
        let error = shard.append(&[], 1 << 31).unwrap_err();
        assert!(
            matches!(error, ShardError::DocumentTooLong { .. }),
            "{error}"
        );
        Box::new(shard).finish().unwrap();
        let groups = groups.lock().unwrap();
        assert_eq!(groups.len(), 3);
        assert_eq!(groups[0].0, GROUP_TOKENS * 4);
        assert_eq!(groups[0].1.len(), 3 * 4);
        assert_eq!(groups[1].1.len(), (GROUP_DOCUMENTS + 1) * 4);
        assert_eq!(groups[2], (4, vec![0, 0, 0, 0, 1, 0, 0, 0]));
    }

    #[test]
    fn a_file_that_cannot_be_started_is_an_error_with_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let new = NewShard {
            directory: directory.path(),
            number: 3,
            dtype: Dtype::Int32,
            bits: 17,
            model_sha256: "",
            tables: &NoTables,
        };
        let error = ParquetShard::create(&new).err().unwrap();
        assert!(error.to_string().contains("shard-00003.parquet"), "{error}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
