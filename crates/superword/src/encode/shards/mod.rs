//! Encodes a corpus into shards of ids, for training a language model.
//!
//! A shard holds whole documents. It consists of one to three files, depending on the
//! [`ShardFormat`]. The file with the ids is put in place last, so if it is there, the others are
//! too. A shard counts as finished once `progress.json` lists it. A later run resumes after the
//! last of those. Once all shards are finished, `manifest.json` describes them instead.
//!
//! The shards and their content depend only on the [`Recipe`]: the model, the inputs and the
//! options. Threads and interruptions make no difference.

mod directory;
mod error;
mod formats;
mod packed;
mod recipe;
mod records;
mod run;
mod shard;
mod writer;

pub use directory::files_of_shards;
pub use error::ShardError;
pub use formats::{Dtype, ShardFormat, Table, Tables};
pub use packed::{Number, PackedError, PackedIds, packed_bits};
pub use recipe::{InputRecord, Recipe};
pub use run::{Begun, ShardRun};
pub use shard::{Shard, ShardFile, ShardReport};

use super::Encoder;
use super::session::Session;
use crate::corpus::{BlockWorker, ReadError, ReadOptions, Source, Spares, read_ordered};
use crate::memory;
use crate::observe::{Observer, Phase};
use writer::ShardWriter;

/// Text bytes that a thread encodes at a time. Small enough that all threads end at about the same
/// time.
const BLOCK_SIZE: usize = 256 << 10;

/// Buffers are kept for the next block if they are not larger than a block by this factor. The ids of
/// a block of usual text take about as many bytes as the text.
const MAX_RETAINED: usize = 8;

impl Encoder {
    /// Encodes all documents of the sources, in order, into the directory of `run`, and writes the
    /// manifest. Shards that an earlier run finished are kept and reported too. If it ends early,
    /// finished shards stay, and nothing else.
    ///
    /// `sources` must be the inputs that the recipe of the run records. `tables` is used only for
    /// Parquet.
    pub fn encode_files(
        &self,
        sources: &[Source],
        threads: usize,
        run: &ShardRun,
        tables: &dyn Tables,
        observer: &dyn Observer,
    ) -> Result<ShardReport, ReadError<ShardError>> {
        let read = ReadOptions {
            text_field: run.recipe.text_field.clone(),
            on_error: run.recipe.on_error,
            threads,
            block_size: run.block_size,
            ..ReadOptions::default()
        };
        let mut writer = ShardWriter::new(run, tables, observer);
        // Written even before the first shard: it marks the directory as ours.
        writer.write_progress().map_err(ReadError::Sink)?;
        let spares = &Spares::default();
        let most = MAX_RETAINED * run.block_size;
        let make_worker = || ShardWorker {
            session: Session::new(self),
            recipe: &run.recipe,
            ids: Vec::new(),
            encoded: spares.take(),
            spares,
        };
        let reading = read_ordered(
            sources,
            &read,
            writer.position(),
            Phase::Encode,
            observer,
            make_worker,
            |mut block| {
                writer.write_block(&mut block)?;
                block.made.clear();
                if block.made.numbers.capacity() <= most {
                    spares.put(block.made);
                }
                Ok(())
            },
        );
        reading.map_err(|error| match error {
            ReadError::Sink(ShardError::Stopped(stopped)) => stopped.into(),
            error => error,
        })?;
        if writer.bytes() == 0 {
            return Err(writer.empty(sources).into());
        }
        let report = writer.finish(sources.len()).map_err(ReadError::Sink)?;
        run.write_manifest(&report).map_err(ReadError::Sink)?;
        Ok(report)
    }
}

/// The documents of a block, ready to be written.
#[derive(Debug, Default)]
struct EncodedBlock {
    /// The ids as the shards store them, little-endian.
    numbers: Vec<u8>,
    /// For each document the number of its tokens.
    lengths: Vec<u64>,
    /// For each document the bytes of its text.
    bytes: Vec<u64>,
}

impl EncodedBlock {
    fn clear(&mut self) {
        self.numbers.clear();
        self.lengths.clear();
        self.bytes.clear();
    }
}

struct ShardWorker<'e> {
    session: Session<'e>,
    recipe: &'e Recipe,
    ids: Vec<u32>,
    encoded: EncodedBlock,
    /// Blocks that have been written.
    spares: &'e Spares<EncodedBlock>,
}

impl BlockWorker for ShardWorker<'_> {
    type Made = EncodedBlock;
    type Error = ShardError;

    fn document(&mut self, text: &str) -> Result<(), ShardError> {
        self.ids.clear();
        self.session.encode_ordinary(text, &mut self.ids)?;
        self.ids.extend(self.recipe.eot_token);
        let numbers = &mut self.encoded.numbers;
        let dtype = self.recipe.format.written(self.recipe.dtype);
        memory::reserve(numbers, self.ids.len() * dtype.size() as usize);
        match dtype {
            Dtype::Uint16 => {
                for &id in &self.ids {
                    let number = u16::try_from(id).map_err(|_| ShardError::IdTooLarge {
                        id,
                        dtype: Dtype::Uint16,
                    })?;
                    numbers.extend_from_slice(&number.to_le_bytes());
                }
            }
            Dtype::Int32 => {
                for &id in &self.ids {
                    let number = i32::try_from(id).map_err(|_| ShardError::IdTooLarge {
                        id,
                        dtype: Dtype::Int32,
                    })?;
                    numbers.extend_from_slice(&number.to_le_bytes());
                }
            }
            Dtype::Uint32 => numbers.extend(self.ids.iter().flat_map(|id| id.to_le_bytes())),
            Dtype::Uint64 => {
                numbers.extend(self.ids.iter().flat_map(|&id| u64::from(id).to_le_bytes()));
            }
        }
        self.encoded.lengths.push(self.ids.len() as u64);
        self.encoded.bytes.push(text.len() as u64);
        Ok(())
    }

    fn finish(&mut self) -> EncodedBlock {
        std::mem::replace(&mut self.encoded, self.spares.take())
    }
}
