//! Packed shards: ids of a fixed number of bits, one after the other without gaps.
//!
//! The first 64 bytes of the file are its [header](header). Id `i` starts at bit `i × bits` of what
//! follows. Bit `k` is bit `k % 8` of byte `k / 8`, where bit 0 is worth 1. The last byte is filled
//! up with zeros. Eight zero bytes end the file, so that eight bytes can be read wherever an id starts.

mod bits;
mod error;
mod header;

use xxhash_rust::xxh3::xxh3_64;

pub(super) use bits::Packer;
pub use bits::{Number, packed_bits};
pub use error::PackedError;
pub(super) use header::{HEADER_BYTES, Header, PADDING};

use crate::memory;
use bits::Layout;

/// The ids of a packed shard. The file is read or mapped into memory by the caller.
///
/// ```
/// use superword::encode::shards::PackedIds;
///
/// let file = PackedIds::pack(&[5, 0, 70_000], 1, 17)?;
/// let ids = PackedIds::new(&file)?;
/// let mut last = [0u32; 2];
/// ids.read(1, &mut last)?;
/// assert_eq!((ids.len(), last), (3, [0, 70_000]));
/// # Ok::<(), superword::encode::shards::PackedError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PackedIds<'a> {
    header: Header,
    /// The ids and the padding.
    data: &'a [u8],
    len: usize,
}

impl<'a> PackedIds<'a> {
    /// The ids of a file. Its header and its size are checked. The ids themselves are not: see
    /// [`PackedIds::verify`].
    pub fn new(file: &'a [u8]) -> Result<PackedIds<'a>, PackedError> {
        let header = Header::read(file)?;
        let found = file.len() as u64;
        let damaged = PackedError::WrongSize {
            found,
            expected: header.file_bytes(),
        };
        if header.file_bytes() != Some(found) {
            return Err(damaged);
        }
        let Ok(len) = usize::try_from(header.tokens) else {
            return Err(damaged);
        };
        let data = file.get(HEADER_BYTES..).unwrap_or_default();
        Ok(PackedIds { header, data, len })
    }

    /// A file with these ids, which are `documents` documents. An error if an id has more than `bits`
    /// bits, or if `bits` is not between 1 and 32.
    pub fn pack(ids: &[u32], documents: u64, bits: u32) -> Result<Vec<u8>, PackedError> {
        let mut header = Header {
            bits,
            item_bytes: if bits <= 16 { 2 } else { 4 },
            tokens: ids.len() as u64,
            documents,
            checksum: 0,
        };
        header.check()?;
        let mut file = Vec::new();
        let size = header.file_bytes().and_then(|size| size.try_into().ok());
        memory::reserve_exact(&mut file, size.unwrap_or(usize::MAX));
        file.resize(HEADER_BYTES, 0);
        let mut packer = Packer::new(bits);
        if let Some(id) = packer.append(ids.iter().copied(), &mut file) {
            return Err(PackedError::IdTooLarge { id, bits });
        }
        packer.finish(&mut file);
        header.checksum = xxh3_64(&file[HEADER_BYTES..]);
        file[..HEADER_BYTES].copy_from_slice(&header.to_bytes());
        file.extend([0; PADDING]);
        Ok(file)
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are no ids.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of documents.
    pub fn documents(&self) -> u64 {
        self.header.documents
    }

    /// The bits of each id.
    pub fn bits(&self) -> u32 {
        self.header.bits
    }

    /// The bytes of the type that the shard was written for: 2 or 4.
    pub fn item_bytes(&self) -> u32 {
        self.header.item_bytes
    }

    /// Fills `out` with the ids from `start` on.
    pub fn read<N: Number>(&self, start: usize, out: &mut [N]) -> Result<(), PackedError> {
        let layout = self.layout::<N>()?;
        self.check(start, out.len())?;
        layout.unpack(self.data, start, out);
        Ok(())
    }

    /// Fills `out` with windows of `length` ids, one after the other. Each begins at one of
    /// `starts`. Nothing is written if a window is not within the shard, or if `out` has another
    /// size.
    pub fn read_windows<N: Number>(
        &self,
        starts: &[i64],
        length: usize,
        out: &mut [N],
    ) -> Result<(), PackedError> {
        let layout = self.layout::<N>()?;
        for &start in starts {
            match usize::try_from(start) {
                Ok(start) => self.check(start, length)?,
                Err(_) => return Err(self.outside(start.into(), length)),
            }
        }
        if starts.len().checked_mul(length) != Some(out.len()) {
            return Err(PackedError::WrongRoom {
                windows: starts.len(),
                length,
                room: out.len(),
            });
        }
        if length == 0 {
            return Ok(());
        }
        for (&start, window) in starts.iter().zip(out.chunks_exact_mut(length)) {
            layout.unpack(self.data, start as usize, window);
        }
        Ok(())
    }

    /// Compares the ids with their checksum. This reads the whole file.
    pub fn verify(&self) -> Result<(), PackedError> {
        let (ids, padding) = self.data.split_at(self.data.len().saturating_sub(PADDING));
        if xxh3_64(ids) != self.header.checksum || padding.iter().any(|&byte| byte != 0) {
            return Err(PackedError::Changed);
        }
        Ok(())
    }

    fn layout<N: Number>(&self) -> Result<Layout, PackedError> {
        let bits = self.header.bits;
        if bits > N::BITS {
            return Err(PackedError::TypeTooNarrow { bits });
        }
        Ok(Layout::new(bits))
    }

    fn check(&self, start: usize, length: usize) -> Result<(), PackedError> {
        match start.checked_add(length) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(self.outside(start as i128, length)),
        }
    }

    fn outside(&self, start: i128, length: usize) -> PackedError {
        PackedError::Outside {
            start,
            length,
            tokens: self.len,
        }
    }
}

#[cfg(test)]
mod tests;
