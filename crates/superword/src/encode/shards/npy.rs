//! Arrays in files as numpy writes them, made piece by piece and there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Room for the header: what numpy itself takes for an array of one dimension.
const HEADER_BYTES: usize = 128;

/// What the numbers of an array are.
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
    /// The name in numpy: `uint16`, ...
    pub fn name(self) -> &'static str {
        match self {
            Dtype::Uint16 => "uint16",
            Dtype::Uint32 => "uint32",
            Dtype::Uint64 => "uint64",
        }
    }

    /// Bytes of one number.
    pub fn size(self) -> u64 {
        match self {
            Dtype::Uint16 => 2,
            Dtype::Uint32 => 4,
            Dtype::Uint64 => 8,
        }
    }

    /// The size of the file of an array.
    pub fn file_size(self, length: u64) -> u64 {
        HEADER_BYTES as u64 + length * self.size()
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

/// An array on its way into a file. Dropped before it is finished, it leaves nothing.
#[derive(Debug)]
pub(super) struct NpyWriter {
    path: PathBuf,
    partial: PathBuf,
    file: Option<BufWriter<File>>,
    dtype: Dtype,
    bytes: u64,
}

impl NpyWriter {
    /// Starts an array that will be at `path`; until then it is in `path` + `.partial`.
    pub(super) fn create(path: &Path, dtype: Dtype) -> io::Result<NpyWriter> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&partial)?;
        let mut writer = NpyWriter {
            path: path.to_owned(),
            partial,
            file: Some(BufWriter::with_capacity(1 << 18, file)),
            dtype,
            bytes: 0,
        };
        // The length is not known yet.
        writer.put(&[0; HEADER_BYTES])?;
        writer.bytes = 0;
        Ok(writer)
    }

    /// Appends numbers, as bytes in little-endian order.
    pub(super) fn put(&mut self, numbers: &[u8]) -> io::Result<()> {
        self.bytes += numbers.len() as u64;
        match &mut self.file {
            Some(file) => file.write_all(numbers),
            None => Ok(()),
        }
    }

    /// Writes the length, makes sure that all is on the disk, and gives the file its name.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header(self.dtype, self.bytes / self.dtype.size()))?;
            file.sync_all()?;
            drop(file);
            std::fs::rename(&self.partial, &self.path)?;
            self.partial = PathBuf::new();
        }
        Ok(())
    }
}

impl Drop for NpyWriter {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // What is still in the buffer is not wanted any more.
            let _ = file.into_parts();
        }
        if !self.partial.as_os_str().is_empty() {
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_appear_whole_or_not_at_all() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.npy");
        let mut writer = NpyWriter::create(&path, Dtype::Uint16)?;
        writer.put(&[1, 0, 2, 1])?;
        assert!(!path.exists());
        writer.finish()?;
        let bytes = std::fs::read(&path)?;
        assert_eq!(bytes.len() as u64, Dtype::Uint16.file_size(2));
        assert_eq!(&bytes[HEADER_BYTES..], [1, 0, 2, 1]);
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u2'"));

        let mut writer = NpyWriter::create(&folder.path().join("b.npy"), Dtype::Uint64)?;
        writer.put(&[0; 8])?;
        drop(writer);
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }
}
