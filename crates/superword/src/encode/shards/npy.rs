//! Writes arrays in numpy's file format, one piece after another.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use crate::disk::{Replacement, WriteError};

/// The size of the header that numpy writes for a one-dimensional array.
const HEADER_BYTES: usize = 128;

/// The type of the numbers in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// 16 bits, for ids below 65,536.
    Uint16,
    /// 32 bits.
    Uint32,
    /// 64 bits.
    Uint64,
}

impl Dtype {
    /// The name that numpy uses, such as `uint16`.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::Uint16 => "uint16",
            Dtype::Uint32 => "uint32",
            Dtype::Uint64 => "uint64",
        }
    }

    /// The inverse of [`Dtype::name`].
    pub fn from_name(name: &str) -> Option<Dtype> {
        let all = [Dtype::Uint16, Dtype::Uint32, Dtype::Uint64];
        all.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Bytes of one number.
    pub fn size(self) -> u64 {
        match self {
            Dtype::Uint16 => 2,
            Dtype::Uint32 => 4,
            Dtype::Uint64 => 8,
        }
    }

    /// The size of the file of an array; `None` if it overflows.
    pub fn file_size(self, length: u64) -> Option<u64> {
        length
            .checked_mul(self.size())?
            .checked_add(HEADER_BYTES as u64)
    }
}

fn header(dtype: Dtype, length: u64) -> [u8; HEADER_BYTES] {
    let described = format!(
        "{{'descr': '<u{}', 'fortran_order': False, 'shape': ({length},), }}",
        dtype.size()
    );
    let mut header = [b' '; HEADER_BYTES];
    header[..8].copy_from_slice(b"\x93NUMPY\x01\x00");
    header[8..10].copy_from_slice(&(HEADER_BYTES as u16 - 10).to_le_bytes());
    header[10..10 + described.len()].copy_from_slice(described.as_bytes());
    header[HEADER_BYTES - 1] = b'\n';
    header
}

/// An array file that appears only when it is complete. Dropped earlier, it leaves no file behind.
#[derive(Debug)]
pub(super) struct NpyWriter {
    file: Replacement,
    dtype: Dtype,
    bytes: u64,
}

impl NpyWriter {
    pub(super) fn create(path: &Path, dtype: Dtype) -> Result<NpyWriter, WriteError> {
        let mut file = Replacement::begin(path)?;
        // Overwritten at the end: the length is not known yet.
        file.write(|file| file.write_all(&[0; HEADER_BYTES]))?;
        Ok(NpyWriter {
            file,
            dtype,
            bytes: 0,
        })
    }

    /// Appends numbers, as bytes in little-endian order.
    pub(super) fn append(&mut self, numbers: &[u8]) -> Result<(), WriteError> {
        self.bytes += numbers.len() as u64;
        self.file.write(|file| file.write_all(numbers))
    }

    /// Writes the header and puts the file in place.
    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        let header = header(self.dtype, self.bytes / self.dtype.size());
        self.file.write(|file| {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)
        })?;
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_appears_complete_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.npy");
        let mut writer = NpyWriter::create(&path, Dtype::Uint16).unwrap();
        writer.append(&[1, 0, 2, 1]).unwrap();
        assert!(!path.exists());
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(Dtype::Uint16.file_size(2), Some(bytes.len() as u64));
        assert_eq!(&bytes[HEADER_BYTES..], [1, 0, 2, 1]);
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u2'"));

        let mut writer = NpyWriter::create(&directory.path().join("b.npy"), Dtype::Uint64).unwrap();
        writer.append(&[0; 8]).unwrap();
        drop(writer);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
