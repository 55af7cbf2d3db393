//! Shards as they grow on the disk: whole or not there, and with a note of how far they are.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::EncodedBlock;
use super::npy::{Dtype, NpyWriter};
use super::shard::{PROGRESS_FILE, Shard, ShardError, ShardOptions, ShardReport};
use crate::corpus::{BlockNumber, CorpusError, MAX_SKIPS_SHOWN, OrderedBlock, Source};
use crate::observe::{Observer, check_stop};

/// The shards as they grow.
pub(super) struct Shards<'o> {
    options: &'o ShardOptions,
    observer: &'o dyn Observer,
    report: ShardReport,
    open: Option<OpenShard>,
    /// Where the work stands, and the counts of the open shard.
    at: Shard,
    /// Documents of the block at the start that earlier runs have dealt with.
    passed: u64,
}

struct OpenShard {
    tokens: NpyWriter,
    documents: NpyWriter,
}

impl<'o> Shards<'o> {
    /// Behind the shards that were finished before.
    pub(super) fn new(options: &'o ShardOptions, observer: &'o dyn Observer) -> Shards<'o> {
        let last = options.finished.last().cloned().unwrap_or_default();
        Shards {
            options,
            observer,
            report: ShardReport {
                shards: options.finished.clone(),
                skipped: last.skipped_before,
                first_skips: Vec::new(),
            },
            open: None,
            passed: last.documents_of_block,
            at: Shard {
                block: last.block,
                skipped_before: last.skipped_before,
                documents_of_block: last.documents_of_block,
                ..Shard::default()
            },
        }
    }

    /// The block to go on with.
    pub(super) fn from(&self) -> BlockNumber {
        self.at.block
    }

    /// The bytes of all text so far.
    pub(super) fn bytes(&self) -> u64 {
        let shards = self.report.shards.iter().chain([&self.at]);
        shards.map(|shard| shard.bytes).sum()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// Writes the documents of the next block.
    pub(super) fn take(&mut self, block: OrderedBlock<EncodedBlock>) -> Result<(), ShardError> {
        self.at.block = block.number;
        self.at.skipped_before = self.report.skipped;
        self.at.documents_of_block = 0;
        let mut numbers = &block.made.numbers[..];
        for (tokens, bytes) in block.made.documents {
            let (document, rest) = numbers.split_at((tokens * self.options.dtype.size()) as usize);
            numbers = rest;
            self.at.documents_of_block += 1;
            if self.passed > 0 {
                self.passed -= 1;
                continue;
            }
            self.append(document, tokens, bytes)?;
        }
        // All of the first block has been seen.
        self.passed = 0;
        self.report.skipped += block.skipped;
        let room = MAX_SKIPS_SHOWN - self.report.first_skips.len();
        let skips = block.first_skips.into_iter().take(room);
        self.report.first_skips.extend(skips);
        Ok(())
    }

    fn append(&mut self, document: &[u8], tokens: u64, bytes: u64) -> Result<(), ShardError> {
        // Who asked for a stop may have gone already: nothing new is begun.
        check_stop(self.observer)?;
        let number = self.report.shards.len();
        let tokens_path = self.path(&Shard::tokens_name(number));
        let documents_path = self.path(&Shard::documents_name(number));
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let create = |path: &Path, dtype| {
                    NpyWriter::create(path, dtype).map_err(|error| write_error(path, error))
                };
                let mut documents = create(&documents_path, Dtype::Uint64)?;
                let first = documents.put(&0u64.to_le_bytes());
                first.map_err(|error| write_error(&documents_path, error))?;
                let tokens = create(&tokens_path, self.options.dtype)?;
                none.insert(OpenShard { tokens, documents })
            }
        };
        self.at.tokens += tokens;
        self.at.documents += 1;
        self.at.bytes += bytes;
        let put = open.tokens.put(document);
        put.map_err(|error| write_error(&tokens_path, error))?;
        let put = open.documents.put(&self.at.tokens.to_le_bytes());
        put.map_err(|error| write_error(&documents_path, error))?;
        if self.at.tokens >= self.options.shard_size {
            self.finish_shard()?;
        }
        Ok(())
    }

    fn finish_shard(&mut self) -> Result<(), ShardError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let number = self.report.shards.len();
        let path = self.path(&Shard::documents_name(number));
        let finished = open.documents.finish();
        finished.map_err(|error| write_error(&path, error))?;
        let path = self.path(&Shard::tokens_name(number));
        let finished = open.tokens.finish();
        finished.map_err(|error| write_error(&path, error))?;
        self.report.shards.push(self.at.clone());
        self.at.tokens = 0;
        self.at.documents = 0;
        self.at.bytes = 0;
        self.keep_progress()
    }

    /// Ends the last shard. Nothing comes behind it: should the caller be stopped before it has
    /// said that all is done, the next run starts at the end.
    pub(super) fn end(mut self, sources: usize) -> Result<ShardReport, ShardError> {
        self.at.block = BlockNumber {
            source: sources,
            block: 0,
        };
        self.at.documents_of_block = 0;
        self.at.skipped_before = self.report.skipped;
        self.finish_shard()?;
        Ok(self.report)
    }

    /// The error for sources without text.
    pub(super) fn empty(&self, sources: &[Source]) -> CorpusError {
        let shards = self.report.shards.iter().chain([&self.at]);
        CorpusError::Empty {
            sources: sources.iter().take(5).map(Source::name).collect(),
            source_count: sources.len(),
            documents: shards.map(|shard| shard.documents).sum(),
            skipped: self.report.skipped,
            first_skip: self.report.first_skips.first().cloned().map(Box::new),
        }
    }

    /// Notes which shards are finished.
    pub(super) fn keep_progress(&self) -> Result<(), ShardError> {
        let shards: Vec<Value> = self.report.shards.iter().map(Shard::to_json).collect();
        let progress = json!({ "identity": self.options.identity, "shards": shards });
        let path = self.path(PROGRESS_FILE);
        let write = || {
            // Of a fixed name: what a killed run leaves behind is found and removed.
            let partial = self.path(&format!("{PROGRESS_FILE}.partial"));
            let mut file = std::fs::File::create(&partial)?;
            file.write_all(progress.to_string().as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&partial, &path)?;
            sync_folder(&self.options.folder)
        };
        write().map_err(|error| write_error(&path, error))
    }
}

/// Makes sure that renames in a folder are on the disk, where the system can do so.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

fn write_error(path: &Path, source: io::Error) -> ShardError {
    ShardError::Write {
        path: path.to_owned(),
        source,
    }
}
