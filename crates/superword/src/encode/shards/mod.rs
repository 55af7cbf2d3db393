//! A corpus to shards of ids, for training a language model.
//!
//! A shard is two arrays: the ids of whole documents one after the other, and where each document
//! starts and ends. Shards, and what is in them, depend on the input, the model and the options
//! alone, never on threads or interruptions.

mod npy;
mod shard;
mod writer;

pub use npy::Dtype;
pub use shard::{PROGRESS_FILE, Shard, ShardError, ShardOptions, ShardReport};

use super::{Encoder, SpecialFinder};
use crate::corpus::{BlockWorker, ReadError, ReadOptions, Source, read_ordered};
use crate::observe::{Observer, Phase};
use writer::Shards;

impl Encoder {
    /// Encodes all documents of the sources, in order, into shards. `finished` shards of an
    /// earlier run are kept and counted. A run that ends early leaves whole shards only.
    pub fn encode_files(
        &self,
        sources: &[Source],
        read: &ReadOptions,
        options: &ShardOptions,
        observer: &dyn Observer,
    ) -> Result<ShardReport, ReadError<ShardError>> {
        let mut shards = Shards::new(options, observer);
        let from = shards.from();
        // At the start too: it marks the folder as ours.
        shards.keep_progress().map_err(ReadError::Sink)?;
        let make_worker = || ShardWorker {
            encoder: self,
            specials: self.special_finder(|_| false),
            options,
            ids: Vec::new(),
            made: EncodedBlock::default(),
        };
        let reading = read_ordered(
            sources,
            read,
            from,
            Phase::Encode,
            observer,
            make_worker,
            |block| shards.take(block),
        );
        reading.map_err(|error| match error {
            ReadError::Sink(ShardError::Stopped(stopped)) => stopped.into(),
            error => error,
        })?;
        if shards.bytes() == 0 && !read.allow_empty {
            return Err(shards.empty(sources).into());
        }
        shards.end(sources.len()).map_err(ReadError::Sink)
    }
}

/// The documents of a block, ready to be written.
#[derive(Debug, Default)]
pub(super) struct EncodedBlock {
    /// The ids in the numbers of the shards, little-endian.
    pub(super) numbers: Vec<u8>,
    /// For each document: its tokens and the bytes of its text.
    pub(super) documents: Vec<(u64, u64)>,
}

struct ShardWorker<'e> {
    encoder: &'e Encoder,
    specials: SpecialFinder,
    options: &'e ShardOptions,
    ids: Vec<u32>,
    made: EncodedBlock,
}

impl BlockWorker for ShardWorker<'_> {
    type Made = EncodedBlock;
    type Error = ShardError;

    fn document(&mut self, text: &str) -> Result<(), ShardError> {
        self.ids.clear();
        self.encoder.encode(text, &self.specials, &mut self.ids)?;
        self.ids.extend(self.options.end_of_document);
        let numbers = &mut self.made.numbers;
        match self.options.dtype {
            Dtype::Uint16 => {
                for &id in &self.ids {
                    let number = u16::try_from(id).map_err(|_| ShardError::IdTooLarge {
                        id,
                        dtype: Dtype::Uint16,
                    })?;
                    numbers.extend_from_slice(&number.to_le_bytes());
                }
            }
            Dtype::Uint32 => numbers.extend(self.ids.iter().flat_map(|id| id.to_le_bytes())),
            Dtype::Uint64 => {
                numbers.extend(self.ids.iter().flat_map(|&id| u64::from(id).to_le_bytes()));
            }
        }
        let counts = (self.ids.len() as u64, text.len() as u64);
        self.made.documents.push(counts);
        Ok(())
    }

    fn finish(&mut self) -> EncodedBlock {
        std::mem::take(&mut self.made)
    }
}
