//! Shards as plain ids without a header, for programs that map them into memory with
//! `numpy.memmap`, such as nanoGPT and OLMo.

use super::npy::OffsetsFile;
use super::{NewShard, ShardFiles, Sizes};
use crate::disk::Replacement;
use crate::encode::shards::ShardError;

pub(super) fn sizes(ids: u64, documents: u64) -> Option<Sizes> {
    Some(vec![Some(ids), Some(OffsetsFile::size(documents)?)])
}

/// `shard-00000.bin` and `shard-00000.documents.npy`.
pub(super) struct RawShard {
    ids: Replacement,
    documents: OffsetsFile,
}

impl RawShard {
    pub(super) fn create(shard: &NewShard<'_>) -> Result<RawShard, ShardError> {
        Ok(RawShard {
            ids: Replacement::begin_own(&shard.path(".bin"))?,
            documents: OffsetsFile::create(&shard.path(".documents.npy"))?,
        })
    }
}

impl ShardFiles for RawShard {
    fn append(&mut self, ids: &[u8], tokens: u64) -> Result<(), ShardError> {
        self.ids.append(ids)?;
        Ok(self.documents.append(tokens)?)
    }

    fn append_all(&mut self, ids: &[u8], lengths: &[u64], _size: u64) -> Result<(), ShardError> {
        self.ids.append(ids)?;
        Ok(self.documents.append_all(lengths)?)
    }

    fn finish(self: Box<Self>) -> Result<Vec<Replacement>, ShardError> {
        Ok(vec![self.ids, self.documents.finish()?])
    }
}
