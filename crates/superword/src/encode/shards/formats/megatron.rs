//! Shards as indexed datasets of Megatron-LM and NeMo.
//!
//! `shard-00000.bin` holds the ids. `shard-00000.idx` holds, all little-endian:
//!
//! | field | type |
//! |---|---|
//! | `MMIDIDX\0\0` | 9 bytes |
//! | version, 1 | `u64` |
//! | code of the type of the ids | `u8` |
//! | number of sequences | `u64` |
//! | length of the last array | `u64` |
//! | tokens of each sequence | `i32` each |
//! | where each sequence starts in the `.bin` file, in bytes | `i64` each |
//! | the first sequence of each document, and the number of sequences | `i64` each |
//!
//! Each document is one sequence.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use super::{Dtype, NewShard, ShardFiles, ShardFormat, Sizes, UINT16_IDS, signed_length};
use crate::disk::{Replacement, WriteError};
use crate::encode::shards::ShardError;

const MAGIC: &[u8; 9] = b"MMIDIDX\0\0";
const VERSION: u64 = 1;
const HEADER_BYTES: usize = 34;

/// Megatron stores smaller vocabularies in 16 bits. The distance to 65,536 is its own choice.
const MEGATRON_UINT16_IDS: u64 = 65_500;

pub(super) fn dtypes(n_vocab: u64) -> &'static [Dtype] {
    if n_vocab < MEGATRON_UINT16_IDS {
        &[Dtype::Uint16, Dtype::Int32]
    } else if n_vocab <= UINT16_IDS {
        &[Dtype::Int32, Dtype::Uint16]
    } else {
        &[Dtype::Int32]
    }
}

pub(super) fn sizes(ids: u64, documents: u64) -> Option<Sizes> {
    // A length, a start and the number of a sequence for each document, and one number more.
    let arrays = documents.checked_mul(4 + 8 + 8)?.checked_add(8)?;
    let index = arrays.checked_add(HEADER_BYTES as u64)?;
    Some(vec![Some(ids), Some(index)])
}

/// `shard-00000.bin` and `shard-00000.idx`.
pub(super) struct MegatronShard {
    ids: Replacement,
    index: Replacement,
    dtype: Dtype,
    documents: u64,
}

impl MegatronShard {
    pub(super) fn create(shard: &NewShard<'_>) -> Result<MegatronShard, ShardError> {
        let mut index = Replacement::begin_own(&shard.path(".idx"))?;
        // Overwritten at the end: the number of documents is not known yet.
        index.write(|file| file.write_all(&[0; HEADER_BYTES]))?;
        Ok(MegatronShard {
            ids: Replacement::begin_own(&shard.path(".bin"))?,
            index,
            dtype: shard.dtype,
            documents: 0,
        })
    }

    fn header(&self) -> Vec<u8> {
        let code: u8 = match self.dtype {
            Dtype::Uint16 => 8,
            // Uint32 and Uint64 have no code; `ShardFormat::dtypes` leaves them out.
            Dtype::Int32 | Dtype::Uint32 | Dtype::Uint64 => 4,
        };
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.push(code);
        header.extend(self.documents.to_le_bytes());
        header.extend((self.documents + 1).to_le_bytes());
        header
    }

    /// Writes the rest of the index. The lengths are read back from the file, so that memory does
    /// not grow with the number of documents.
    fn finish_index(&mut self) -> Result<(), WriteError> {
        let header = self.header();
        let (documents, size) = (self.documents, self.dtype.size());
        let path = self.index.temporary_path().to_owned();
        self.index.write(|file| {
            file.flush()?;
            let mut lengths = BufReader::new(File::open(&path)?);
            lengths.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
            let mut start = 0u64;
            for _ in 0..documents {
                file.write_all(&start.to_le_bytes())?;
                let mut length = [0; 4];
                lengths.read_exact(&mut length)?;
                start += u64::from(u32::from_le_bytes(length)) * size;
            }
            for document in 0..=documents {
                file.write_all(&document.to_le_bytes())?;
            }
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)?;
            io::Result::Ok(())
        })
    }
}

impl ShardFiles for MegatronShard {
    fn append(&mut self, ids: &[u8], tokens: u64) -> Result<(), ShardError> {
        self.append_all(ids, &[tokens], 0)
    }

    fn append_all(&mut self, ids: &[u8], lengths: &[u64], _size: u64) -> Result<(), ShardError> {
        for &tokens in lengths {
            let length = signed_length(tokens, ShardFormat::Megatron)?;
            self.index.append(&length.to_le_bytes())?;
            self.documents += 1;
        }
        Ok(self.ids.append(ids)?)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Replacement>, ShardError> {
        self.finish_index()?;
        Ok(vec![self.ids, self.index])
    }
}

#[cfg(test)]
mod tests {
    use super::super::parquet::tests::NoTables;
    use super::*;

    #[test]
    fn the_index_says_where_documents_are_and_refuses_what_it_cannot_say() {
        let directory = tempfile::tempdir().unwrap();
        let mut shard = MegatronShard::create(&NewShard {
            directory: directory.path(),
            number: 0,
            dtype: Dtype::Uint16,
            bits: 17,
            model_sha256: "",
            tables: &NoTables,
        })
        .unwrap();
        shard.append(&[1, 0, 2, 0], 2).unwrap();
        shard.append(&[], 0).unwrap();
        shard.append(&[3, 0], 1).unwrap();
        let error = shard.append(&[], 1 << 31).unwrap_err();
        assert!(
            matches!(error, ShardError::DocumentTooLong { .. }),
            "{error}"
        );
        for file in Box::new(shard).finish().unwrap() {
            file.commit().unwrap();
        }
        let index = std::fs::read(directory.path().join("shard-00000.idx")).unwrap();
        let mut expected = b"MMIDIDX\0\0".to_vec();
        expected.extend([1, 0, 0, 0, 0, 0, 0, 0, 8]);
        let mut put = |number: u64, bytes: usize| expected.extend(&number.to_le_bytes()[..bytes]);
        for (numbers, bytes) in [
            (&[3, 4][..], 8),
            (&[2, 0, 1], 4),
            (&[0, 4, 4], 8),
            (&[0, 1, 2, 3], 8),
        ] {
            for &number in numbers {
                put(number, bytes);
            }
        }
        assert_eq!(index, expected);
        let ids = std::fs::read(directory.path().join("shard-00000.bin")).unwrap();
        assert_eq!(ids, [1, 0, 2, 0, 3, 0]);
    }
}
