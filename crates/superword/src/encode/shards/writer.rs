//! Writes encoded documents into one shard after another.

use super::formats::{NewShard, ShardFiles, Tables};
use super::{EncodedBlock, Shard, ShardError, ShardReport, ShardRun};
use crate::corpus::{BlockNumber, CorpusError, MAX_SKIPS_SHOWN, OrderedBlock, Source};
use crate::observe::{Observer, check_stop};

pub(super) struct ShardWriter<'r> {
    run: &'r ShardRun,
    tables: &'r dyn Tables,
    observer: &'r dyn Observer,
    report: ShardReport,
    open: Option<Box<dyn ShardFiles>>,
    /// The counts of the open shard and the position in the input.
    current: Shard,
    /// Documents at the start of the first block that earlier runs have written.
    already_written: u64,
}

impl<'r> ShardWriter<'r> {
    /// Continues after the shards that an earlier run finished.
    pub(super) fn new(
        run: &'r ShardRun,
        tables: &'r dyn Tables,
        observer: &'r dyn Observer,
    ) -> ShardWriter<'r> {
        let last = run.finished.last().cloned().unwrap_or_default();
        ShardWriter {
            run,
            tables,
            observer,
            report: ShardReport {
                shards: run.finished.clone(),
                resumed: run.finished.len(),
                skipped: last.skipped_before,
                first_skips: Vec::new(),
            },
            open: None,
            already_written: last.documents_of_block,
            current: Shard {
                files: Vec::new(),
                tokens: 0,
                documents: 0,
                bytes: 0,
                ..last
            },
        }
    }

    /// The block to continue with.
    pub(super) fn position(&self) -> BlockNumber {
        self.current.block
    }

    /// The bytes of all text so far.
    pub(super) fn bytes(&self) -> u64 {
        self.sum(|shard| shard.bytes)
    }

    fn sum(&self, count: fn(&Shard) -> u64) -> u64 {
        let shards = self.report.shards.iter().chain([&self.current]);
        shards.map(count).sum()
    }

    /// Writes the documents of the next block.
    pub(super) fn write_block(
        &mut self,
        block: &mut OrderedBlock<EncodedBlock>,
    ) -> Result<(), ShardError> {
        self.current.block = block.number;
        self.current.skipped_before = self.report.skipped;
        let recipe = &self.run.recipe;
        let size = recipe.format.written(recipe.dtype).size();
        let EncodedBlock {
            numbers,
            lengths,
            bytes,
        } = &block.made;
        let ids_of = |lengths: &[u64]| (lengths.iter().sum::<u64>() * size) as usize;
        let mut document = (self.already_written as usize).min(lengths.len());
        let mut numbers = &numbers[ids_of(&lengths[..document])..];
        self.already_written = 0;
        self.current.documents_of_block = document as u64;
        while document < lengths.len() {
            let end = document + self.documents_that_fit(&lengths[document..]);
            let now = &lengths[document..end];
            let (ids, rest) = numbers.split_at(ids_of(now));
            self.current.documents_of_block = end as u64;
            self.append(ids, now, &bytes[document..end], size)?;
            (document, numbers) = (end, rest);
        }
        self.report.skipped += block.skipped;
        let room = MAX_SKIPS_SHOWN - self.report.first_skips.len();
        let skips = block.first_skips.drain(..).take(room);
        self.report.first_skips.extend(skips);
        Ok(())
    }

    /// How many of the documents go to the open shard, at least one: it ends with the document that
    /// fills it.
    fn documents_that_fit(&self, lengths: &[u64]) -> usize {
        let mut tokens = self.current.tokens;
        let fills = lengths.iter().position(|length| {
            tokens += length;
            tokens >= self.run.recipe.shard_size
        });
        fills.map_or(lengths.len(), |last| last + 1)
    }

    /// Appends documents to the open shard, which is finished if they fill it.
    fn append(
        &mut self,
        ids: &[u8],
        lengths: &[u64],
        bytes: &[u64],
        size: u64,
    ) -> Result<(), ShardError> {
        // The caller may no longer be waiting, so no shard is started after a request to stop.
        check_stop(self.observer)?;
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let recipe = &self.run.recipe;
                none.insert(recipe.format.create(&NewShard {
                    directory: self.run.directory(),
                    number: self.report.shards.len(),
                    dtype: recipe.dtype,
                    bits: recipe.bits(),
                    model_sha256: &recipe.model_sha256,
                    tables: self.tables,
                })?)
            }
        };
        self.current.tokens += lengths.iter().sum::<u64>();
        self.current.documents += lengths.len() as u64;
        self.current.bytes += bytes.iter().sum::<u64>();
        open.append_all(ids, lengths, size)?;
        if self.current.tokens >= self.run.recipe.shard_size {
            self.finish_shard()?;
        }
        Ok(())
    }

    fn finish_shard(&mut self) -> Result<(), ShardError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let number = self.report.shards.len();
        self.current.files = self.run.put_in_place(number, open.finish()?)?;
        self.report.shards.push(self.current.clone());
        self.current.files.clear();
        self.current.tokens = 0;
        self.current.documents = 0;
        self.current.bytes = 0;
        self.write_progress()
    }

    /// Finishes the last shard. If the run is killed before it has written the manifest, the next
    /// run starts after the last source and has nothing to read.
    pub(super) fn finish(mut self, sources: usize) -> Result<ShardReport, ShardError> {
        self.current.block = BlockNumber {
            source: sources,
            block: 0,
        };
        self.current.documents_of_block = 0;
        self.current.skipped_before = self.report.skipped;
        self.finish_shard()?;
        Ok(self.report)
    }

    /// The error for sources without text.
    pub(super) fn empty(&self, sources: &[Source]) -> CorpusError {
        CorpusError::Empty {
            sources: sources.iter().take(5).map(Source::name).collect(),
            source_count: sources.len(),
            documents: self.sum(|shard| shard.documents),
            skipped: self.report.skipped,
            first_skip: self.report.first_skips.first().cloned().map(Box::new),
        }
    }

    /// Records which shards are finished.
    pub(super) fn write_progress(&self) -> Result<(), ShardError> {
        self.run.write_progress(&self.report.shards)
    }
}
