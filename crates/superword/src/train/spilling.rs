//! Sinks that stay within a share of the memory: what does not fit goes to disk.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::TrainError;
use super::scratch::Scratch;
use crate::corpus::{DocumentSink, ReadOptions};
use crate::count::{CandidateCounter, PretokenCounter};
use crate::observe::{Observer, Phase};
use crate::text::SplitError;

/// What a process holds before it has counted anything, and what a worker holds to read.
const BASE_MEMORY: u64 = 64 << 20;
const READING_MEMORY: u64 = 8 << 20;
const LEAST_TABLE: u64 = 8 << 20;

/// How a limit on memory is shared out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// For the counts of all workers together, and later for those of the whole text.
    counts: u64,
    /// For one table of one worker.
    pub(super) table: usize,
    /// For one sketch.
    pub(super) sketch: usize,
    given: u64,
}

impl Budget {
    /// An error says what is needed before any work is done.
    pub(super) fn new(memory: u64, read: &ReadOptions) -> Result<Budget, TrainError> {
        let workers = crate::threads::resolve(read.threads) as u64;
        let least = BASE_MEMORY + workers * (READING_MEMORY + LEAST_TABLE);
        if memory < least {
            return Err(TrainError::MemoryTooSmall {
                given: memory,
                needed: least,
                workers,
            });
        }
        let left = memory - BASE_MEMORY - workers * READING_MEMORY;
        // A worker has a sketch, and there is the sum of them.
        let sketch = left / 4 / (workers + 1);
        let counts = left - left / 4;
        // A table that grows is there twice, half full; one that is written is there once more.
        let kinds = read
            .groups
            .as_ref()
            .map_or(1, |groups| 1 + 2 * groups.groups.len());
        let table = counts / workers / 4 / kinds as u64;
        Ok(Budget {
            counts,
            table: table as usize,
            sketch: sketch as usize,
            given: memory,
        })
    }

    /// Whether the counts of the whole text fit, with room to grow.
    pub(super) fn check(&self, what: &'static str, memory: usize) -> Result<(), TrainError> {
        let needed = memory as u64 * 3;
        if needed <= self.counts {
            return Ok(());
        }
        Err(TrainError::MemoryExceeded {
            what,
            given: self.given,
            needed: self.given + (needed - self.counts),
        })
    }
}

/// Why a document was not counted.
#[derive(Debug)]
pub(super) enum CountError {
    Split(SplitError),
    Scratch(Box<TrainError>),
}

/// Counts that can be put aside.
pub(super) trait Spills: DocumentSink<Error = SplitError> {
    fn memory(&self) -> usize;
    fn spill(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

impl Spills for PretokenCounter {
    fn memory(&self) -> usize {
        PretokenCounter::memory(self)
    }

    fn spill(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.take_counts().write_to(out)
    }
}

impl Spills for CandidateCounter<'_> {
    fn memory(&self) -> usize {
        CandidateCounter::memory(self)
    }

    fn spill(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.take_counts().write_to(out)
    }
}

/// A sink that writes its counts to a file when they take too much memory.
pub(super) struct Spilling<'s, S> {
    pub(super) inner: S,
    pub(super) limit: usize,
    pub(super) scratch: &'s Scratch,
    pub(super) prefix: &'s str,
    pub(super) number: &'s AtomicU64,
    pub(super) parts: Vec<String>,
}

impl<S: Spills> Spilling<'_, S> {
    pub(super) fn spill(&mut self) -> Result<(), TrainError> {
        let number = self.number.fetch_add(1, Relaxed);
        let name = format!("{}-{number}.part", self.prefix);
        let inner = &mut self.inner;
        self.scratch.write(&name, |out| inner.spill(out))?;
        self.parts.push(name);
        Ok(())
    }
}

impl<S: Spills> DocumentSink for Spilling<'_, S> {
    type Error = CountError;

    fn document(&mut self, text: &str) -> Result<(), CountError> {
        self.inner.document(text).map_err(CountError::Split)?;
        if self.inner.memory() > self.limit {
            self.spill()
                .map_err(|error| CountError::Scratch(Box::new(error)))?;
        }
        Ok(())
    }
}

/// Progress of a piece as progress of the whole.
pub(super) struct Shifted<'a> {
    pub(super) observer: &'a dyn Observer,
    pub(super) before: u64,
    pub(super) total: u64,
}

impl Observer for Shifted<'_> {
    fn progress(&self, phase: Phase, done: u64, _total: Option<u64>) {
        let done = (self.before + done).min(self.total);
        self.observer.progress(phase, done, Some(self.total));
    }

    fn stop_requested(&self) -> bool {
        self.observer.stop_requested()
    }
}
