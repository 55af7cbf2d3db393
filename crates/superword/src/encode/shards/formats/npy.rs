//! Shards as arrays in numpy's file format, written one piece after another.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::{Dtype, NewShard, ShardFiles, Sizes};
use crate::disk::{Replacement, WriteError};
use crate::encode::shards::ShardError;

/// The size of the header that numpy writes for a one-dimensional array.
const HEADER_BYTES: usize = 128;

pub(super) fn sizes(ids: u64, documents: u64) -> Option<Sizes> {
    let ids = ids.checked_add(HEADER_BYTES as u64)?;
    Some(vec![Some(ids), Some(OffsetsFile::size(documents)?)])
}

fn header(dtype: Dtype, length: u64) -> [u8; HEADER_BYTES] {
    let described = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({length},), }}",
        dtype.npy_name()
    );
    let mut header = [b' '; HEADER_BYTES];
    header[..8].copy_from_slice(b"\x93NUMPY\x01\x00");
    header[8..10].copy_from_slice(&(HEADER_BYTES as u16 - 10).to_le_bytes());
    header[10..10 + described.len()].copy_from_slice(described.as_bytes());
    header[HEADER_BYTES - 1] = b'\n';
    header
}

/// An array of numbers in a file.
struct ArrayFile {
    file: Replacement,
    dtype: Dtype,
    bytes: u64,
}

impl ArrayFile {
    fn create(path: &Path, dtype: Dtype) -> Result<ArrayFile, WriteError> {
        let mut file = Replacement::begin_own(path)?;
        // Overwritten at the end: the length is not known yet.
        file.write(|file| file.write_all(&[0; HEADER_BYTES]))?;
        Ok(ArrayFile {
            file,
            dtype,
            bytes: 0,
        })
    }

    /// Appends numbers, as bytes in little-endian order.
    fn append(&mut self, numbers: &[u8]) -> Result<(), WriteError> {
        self.bytes += numbers.len() as u64;
        self.file.append(numbers)
    }

    fn finish(mut self) -> Result<Replacement, WriteError> {
        let header = header(self.dtype, self.bytes / self.dtype.size());
        self.file.write(|file| {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)
        })?;
        Ok(self.file)
    }
}

/// The array of where documents start and end: 0, the end of the first document, and so on.
pub(super) struct OffsetsFile {
    array: ArrayFile,
    end: u64,
}

impl OffsetsFile {
    pub(super) fn create(path: &Path) -> Result<OffsetsFile, WriteError> {
        let mut array = ArrayFile::create(path, Dtype::Uint64)?;
        array.append(&0u64.to_le_bytes())?;
        Ok(OffsetsFile { array, end: 0 })
    }

    /// The size of the file; `None` if it overflows.
    pub(super) fn size(documents: u64) -> Option<u64> {
        let offsets = documents.checked_add(1)?;
        let bytes = offsets.checked_mul(Dtype::Uint64.size())?;
        bytes.checked_add(HEADER_BYTES as u64)
    }

    /// Appends a document.
    pub(super) fn append(&mut self, tokens: u64) -> Result<(), WriteError> {
        self.end += tokens;
        self.array.append(&self.end.to_le_bytes())
    }

    /// Appends several documents.
    pub(super) fn append_all(&mut self, lengths: &[u64]) -> Result<(), WriteError> {
        lengths.iter().try_for_each(|&tokens| self.append(tokens))
    }

    pub(super) fn finish(self) -> Result<Replacement, WriteError> {
        self.array.finish()
    }
}

/// `shard-00000.npy` and `shard-00000.documents.npy`.
pub(super) struct NpyShard {
    ids: ArrayFile,
    documents: OffsetsFile,
}

impl NpyShard {
    pub(super) fn create(shard: &NewShard<'_>) -> Result<NpyShard, ShardError> {
        Ok(NpyShard {
            ids: ArrayFile::create(&shard.path(".npy"), shard.dtype)?,
            documents: OffsetsFile::create(&shard.path(".documents.npy"))?,
        })
    }
}

impl ShardFiles for NpyShard {
    fn append(&mut self, ids: &[u8], tokens: u64) -> Result<(), ShardError> {
        self.ids.append(ids)?;
        Ok(self.documents.append(tokens)?)
    }

    fn append_all(&mut self, ids: &[u8], lengths: &[u64], _size: u64) -> Result<(), ShardError> {
        self.ids.append(ids)?;
        Ok(self.documents.append_all(lengths)?)
    }

    fn finish(self: Box<Self>) -> Result<Vec<Replacement>, ShardError> {
        Ok(vec![self.ids.finish()?, self.documents.finish()?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_appears_complete_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.npy");
        let mut array = ArrayFile::create(&path, Dtype::Uint16).unwrap();
        array.append(&[1, 0, 2, 1]).unwrap();
        assert!(!path.exists());
        array.finish().unwrap().commit().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(&bytes[HEADER_BYTES..], [1, 0, 2, 1]);
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u2'"));

        let mut array = ArrayFile::create(&directory.path().join("b.npy"), Dtype::Uint64).unwrap();
        array.append(&[0; 8]).unwrap();
        drop(array);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
