//! The header of a packed shard. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | [`MAGIC`] |
//! | 8–11 | the version of the format, 1 |
//! | 12 | the bits of an id, 1 to 32 |
//! | 13 | the bytes of the type that the shard was written for, 2 or 4 |
//! | 14–15 | zeros |
//! | 16–23 | the number of ids |
//! | 24–31 | the number of documents |
//! | 32–39 | XXH3 of the ids, without the padding |
//! | 40–55 | zeros |
//! | 56–63 | XXH3 of the first 56 bytes |

use xxhash_rust::xxh3::xxh3_64;

use super::PackedError;

/// The size of the header. The ids start here, at the beginning of a cache line.
pub(in super::super) const HEADER_BYTES: usize = 64;

/// Zero bytes after the ids.
pub(in super::super) const PADDING: usize = 8;

/// The version that is written.
pub(super) const VERSION: u32 = 1;

/// The first byte is not text, and the line ends show whether a program has converted them.
const MAGIC: [u8; 8] = *b"\x93SWIDS\r\n";

const CHECKSUM_AT: usize = 56;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Header {
    pub(in super::super) bits: u32,
    pub(in super::super) item_bytes: u32,
    pub(in super::super) tokens: u64,
    pub(in super::super) documents: u64,
    pub(in super::super) checksum: u64,
}

impl Header {
    /// The size of a file; `None` if it does not fit into 64 bits.
    pub(in super::super) fn file_bytes(&self) -> Option<u64> {
        let bits = self.tokens.checked_mul(self.bits.into())?;
        bits.div_ceil(8)
            .checked_add((HEADER_BYTES + PADDING) as u64)
    }

    pub(in super::super) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &[self.bits as u8, self.item_bytes as u8]);
        put(16, &self.tokens.to_le_bytes());
        put(24, &self.documents.to_le_bytes());
        put(32, &self.checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..CHECKSUM_AT]);
        bytes[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The header at the start of a file.
    pub(super) fn read(file: &[u8]) -> Result<Header, PackedError> {
        if !file.starts_with(&MAGIC) {
            return Err(PackedError::NotPacked);
        }
        let Some(bytes) = file.first_chunk::<HEADER_BYTES>() else {
            return Err(PackedError::Damaged {
                reason: "the file ends in it",
            });
        };
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let version = number(8) as u32;
        // What follows may be different in a later version, so this comes first.
        if version > VERSION {
            return Err(PackedError::Newer { version });
        }
        if number(CHECKSUM_AT) != xxh3_64(&bytes[..CHECKSUM_AT]) {
            return Err(PackedError::Damaged {
                reason: "its checksum is wrong",
            });
        }
        let header = Header {
            bits: bytes[12].into(),
            item_bytes: bytes[13].into(),
            tokens: number(16),
            documents: number(24),
            checksum: number(32),
        };
        header.check()?;
        // The rest must be zero.
        if header.to_bytes() != *bytes {
            return Err(PackedError::Damaged {
                reason: "a field has a wrong value",
            });
        }
        Ok(header)
    }

    /// Checks the fields that have few values.
    pub(super) fn check(&self) -> Result<(), PackedError> {
        let reason = match (self.bits, self.item_bytes) {
            (1..=16, 2 | 4) | (17..=32, 4) => return Ok(()),
            (1..=32, _) => "the type of the ids is unknown or too small",
            _ => "ids have between 1 and 32 bits",
        };
        Err(PackedError::Damaged { reason })
    }
}
