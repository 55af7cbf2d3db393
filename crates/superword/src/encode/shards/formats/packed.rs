//! Shards of packed ids.

use std::io::{Seek, SeekFrom, Write};

use xxhash_rust::xxh3::Xxh3;

use super::npy::OffsetsFile;
use super::{NewShard, ShardFiles, Sizes};
use crate::disk::Replacement;
use crate::encode::shards::ShardError;
use crate::encode::shards::packed::{HEADER_BYTES, Header, PADDING, Packer};

/// Packed ids are written once there are this many bytes.
const BUFFER_BYTES: usize = 1 << 16;

pub(super) fn sizes(bits: u32, tokens: u64, documents: u64) -> Option<Sizes> {
    let ids = Header {
        bits,
        item_bytes: 4,
        tokens,
        documents,
        checksum: 0,
    };
    Some(vec![
        Some(ids.file_bytes()?),
        Some(OffsetsFile::size(documents)?),
    ])
}

/// `shard-00000.packed` and `shard-00000.documents.npy`.
pub(super) struct PackedShard {
    file: Replacement,
    header: Header,
    packer: Packer,
    checksum: Xxh3,
    /// Packed ids that are not in the file yet.
    buffer: Vec<u8>,
    documents: OffsetsFile,
}

impl PackedShard {
    pub(super) fn create(shard: &NewShard<'_>) -> Result<PackedShard, ShardError> {
        let mut file = Replacement::begin_own(&shard.path(".packed"))?;
        // Overwritten at the end.
        file.write(|file| file.write_all(&[0; HEADER_BYTES]))?;
        Ok(PackedShard {
            file,
            header: Header {
                bits: shard.bits,
                item_bytes: shard.dtype.size() as u32,
                tokens: 0,
                documents: 0,
                checksum: 0,
            },
            packer: Packer::new(shard.bits),
            checksum: Xxh3::new(),
            buffer: Vec::new(),
            documents: OffsetsFile::create(&shard.path(".documents.npy"))?,
        })
    }

    fn flush(&mut self) -> Result<(), ShardError> {
        self.checksum.update(&self.buffer);
        self.file.write(|file| file.write_all(&self.buffer))?;
        self.buffer.clear();
        Ok(())
    }
}

impl ShardFiles for PackedShard {
    fn append(&mut self, ids: &[u8], tokens: u64) -> Result<(), ShardError> {
        let ids = ids.as_chunks().0;
        // In parts, so that the buffer stays small however long the document is.
        for part in ids.chunks(BUFFER_BYTES / 4) {
            let part = part.iter().map(|&id| u32::from_le_bytes(id));
            if let Some(id) = self.packer.append(part, &mut self.buffer) {
                return Err(ShardError::IdTooWide {
                    id,
                    bits: self.header.bits,
                });
            }
            if self.buffer.len() >= BUFFER_BYTES {
                self.flush()?;
            }
        }
        self.header.tokens += tokens;
        self.header.documents += 1;
        Ok(self.documents.append(tokens)?)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Replacement>, ShardError> {
        let packer = std::mem::replace(&mut self.packer, Packer::new(self.header.bits));
        packer.finish(&mut self.buffer);
        self.flush()?;
        self.header.checksum = self.checksum.digest();
        let header = self.header.to_bytes();
        self.file.write(|file| {
            file.write_all(&[0; PADDING])?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)
        })?;
        Ok(vec![self.file, self.documents.finish()?])
    }
}
