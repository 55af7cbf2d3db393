//! A corpus to shards of ids, for training a language model.
//!
//! A shard is two arrays: the ids of whole documents one after the other, and where each document
//! starts and ends. Shards, and what is in them, depend on the input, the model and the options
//! alone, never on threads or interruptions.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::npy::{Dtype, NpyWriter};
use super::{Encoder, SpecialFinder};
use crate::corpus::{
    BlockNumber, BlockWorker, CorpusError, MAX_SKIPS_SHOWN, OrderedBlock, ReadError, ReadOptions,
    Source, read_ordered,
};
use crate::observe::{Observer, Phase};
use crate::text::SplitError;

/// The file that says how far the work is, while it is under way.
pub const PROGRESS_FILE: &str = "progress.json";

/// What to write, and where.
#[derive(Clone, Debug)]
pub struct ShardOptions {
    /// The folder of the shards. It must be there.
    pub folder: PathBuf,
    /// What the ids are written as.
    pub dtype: Dtype,
    /// A shard ends with the document that brings it to this many tokens.
    pub shard_size: u64,
    /// The token that ends each document, if any.
    pub end_of_document: Option<u32>,
    /// What the shards are made of, kept with the progress so that the caller can tell whether
    /// it may go on from there.
    pub identity: Value,
    /// Shards that were finished before, in order; the work goes on behind the last.
    pub finished: Vec<Shard>,
}

/// A finished shard, and where the next one starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shard {
    /// The tokens in it.
    pub tokens: u64,
    /// The documents in it.
    pub documents: u64,
    /// The bytes of their text.
    pub bytes: u64,
    /// Documents left out up to the block that holds its end, that block not counted.
    pub skipped_before: u64,
    /// The block that holds its end.
    pub block: BlockNumber,
    /// Documents of that block that are in this shard or one before.
    pub documents_of_block: u64,
}

impl Shard {
    /// The file of the ids of a shard: `shard-00007.npy`.
    pub fn tokens_name(number: usize) -> String {
        format!("shard-{number:05}.npy")
    }

    /// The file of where its documents start and end: `shard-00007.documents.npy`.
    pub fn documents_name(number: usize) -> String {
        format!("shard-{number:05}.documents.npy")
    }

    /// As it is kept in the progress file.
    pub fn to_json(&self) -> Value {
        json!({
            "tokens": self.tokens,
            "documents": self.documents,
            "bytes": self.bytes,
            "skipped_before": self.skipped_before,
            "source": self.block.source,
            "block": self.block.block,
            "documents_of_block": self.documents_of_block,
        })
    }

    /// The inverse of [`Shard::to_json`]; `None` if it is something else.
    pub fn from_json(value: &Value) -> Option<Shard> {
        let number = |name: &str| value.get(name)?.as_u64();
        Some(Shard {
            tokens: number("tokens")?,
            documents: number("documents")?,
            bytes: number("bytes")?,
            skipped_before: number("skipped_before")?,
            block: BlockNumber {
                source: usize::try_from(number("source")?).ok()?,
                block: number("block")?,
            },
            documents_of_block: number("documents_of_block")?,
        })
    }
}

/// What was written, shards of earlier runs included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardReport {
    /// The shards.
    pub shards: Vec<Shard>,
    /// Documents that were left out.
    pub skipped: u64,
    /// The first of the errors, of this run.
    pub first_skips: Vec<CorpusError>,
}

/// Why a corpus was not encoded.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// A document cannot be split.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// An id does not fit the numbers of the shards.
    #[error("id {id} does not fit into {}", .dtype.name())]
    IdTooLarge {
        /// The id.
        id: u32,
        /// The numbers.
        dtype: Dtype,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl ShardError {
    /// What to do next, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            ShardError::Split(error) => error.hint(),
            ShardError::IdTooLarge { .. } => Some("use dtype uint32".into()),
            ShardError::Write { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                    Some("make room on the disk and run it again: finished shards are kept".into())
                }
                _ => None,
            },
        }
    }
}

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
        let mut shards = Shards::new(options);
        let from = shards.at.block;
        // At the start too: it marks the folder as ours.
        shards.keep_progress().map_err(ReadError::Sink)?;
        let make_worker = || ShardWorker {
            encoder: self,
            specials: self.special_finder(|_| false),
            options,
            ids: Vec::new(),
            made: EncodedBlock::default(),
        };
        read_ordered(
            sources,
            read,
            from,
            Phase::Encode,
            observer,
            make_worker,
            |block| shards.take(block),
        )?;
        let written = shards.report.shards.iter().chain([&shards.at]);
        if written.map(|shard| shard.bytes).sum::<u64>() == 0 && !read.allow_empty {
            return Err(shards.empty(sources).into());
        }
        shards.end(sources.len()).map_err(ReadError::Sink)?;
        Ok(shards.report)
    }
}

/// The documents of a block, ready to be written.
#[derive(Debug, Default)]
struct EncodedBlock {
    /// The ids in the numbers of the shards, little-endian.
    numbers: Vec<u8>,
    /// For each document: its tokens and the bytes of its text.
    documents: Vec<(u64, u64)>,
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

/// The shards as they grow.
struct Shards<'o> {
    options: &'o ShardOptions,
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
    fn new(options: &'o ShardOptions) -> Shards<'o> {
        let last = options.finished.last().cloned().unwrap_or_default();
        Shards {
            options,
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

    fn path(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    fn take(&mut self, block: OrderedBlock<EncodedBlock>) -> Result<(), ShardError> {
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
    fn end(&mut self, sources: usize) -> Result<(), ShardError> {
        self.at.block = BlockNumber {
            source: sources,
            block: 0,
        };
        self.at.documents_of_block = 0;
        self.at.skipped_before = self.report.skipped;
        self.finish_shard()
    }

    fn empty(&self, sources: &[Source]) -> CorpusError {
        let shards = self.report.shards.iter().chain([&self.at]);
        CorpusError::Empty {
            sources: sources.iter().take(5).map(Source::name).collect(),
            source_count: sources.len(),
            documents: shards.map(|shard| shard.documents).sum(),
            skipped: self.report.skipped,
            first_skip: self.report.first_skips.first().cloned().map(Box::new),
        }
    }

    fn keep_progress(&self) -> Result<(), ShardError> {
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
