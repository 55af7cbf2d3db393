//! How a worker of [`super::read_ordered`] processes one block.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::BYTES_PER_CHECK;
use crate::corpus::parse::documents::{Block, Visitor};
use crate::corpus::stream::blocks::BlockStart;
use crate::corpus::{
    BlockNumber, BlockWorker, CorpusError, MAX_SKIPS_SHOWN, OnError, OrderedBlock, ReadError,
    ReadOptions, Source,
};
use crate::observe::{Observer, Phase, Step, check_stop};

/// The caller's observer, and whether the work ended for another reason.
pub(in crate::corpus) struct Watch<'a> {
    pub(in crate::corpus) observer: &'a dyn Observer,
    pub(in crate::corpus) ended: AtomicBool,
}

impl Observer for Watch<'_> {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        self.observer.progress(phase, done, total);
    }

    fn step(&self, phase: Phase, step: Step, share: f64) {
        self.observer.step(phase, step, share);
    }

    fn expect(&self, phase: Phase, tokens: Option<u64>, merges: Option<u64>) {
        self.observer.expect(phase, tokens, merges);
    }

    fn stop_requested(&self) -> bool {
        self.ended.load(Relaxed) || self.observer.stop_requested()
    }
}

/// A processed block, and the bytes of the input up to its end.
pub(in crate::corpus) type Done<W> =
    Result<(OrderedBlock<<W as BlockWorker>::Made>, u64), ReadError<<W as BlockWorker>::Error>>;

/// A block to process.
pub(in crate::corpus) struct Task {
    /// Its index among all blocks.
    pub(in crate::corpus) count: u64,
    pub(in crate::corpus) number: BlockNumber,
    pub(in crate::corpus) source_name: Arc<str>,
    pub(in crate::corpus) start: BlockStart,
    pub(in crate::corpus) bytes: Vec<u8>,
    pub(in crate::corpus) read: u64,
    /// The source ends here because of this error, which skips the rest.
    pub(in crate::corpus) damage: Option<CorpusError>,
}

impl Task {
    /// Processes the block. Returns the buffer that held it, too.
    pub(in crate::corpus) fn work<W: BlockWorker>(
        self,
        worker: &mut W,
        options: &ReadOptions,
        sources: &[Source],
        watch: &Watch<'_>,
        scratch: &mut String,
    ) -> (Done<W>, Vec<u8>) {
        let block = Block {
            source_name: &self.source_name,
            format: sources[self.number.source].format,
            start: self.start,
            bytes: &self.bytes,
        };
        let mut visit = Visit {
            worker,
            on_error: options.on_error,
            watch,
            unchecked: 0,
            skipped: 0,
            first_skips: Vec::new(),
        };
        let visited = block.visit(&options.text_field, scratch, &mut visit);
        if let Some(error) = self.damage {
            visit.skip(error);
        }
        let (skipped, first_skips) = (visit.skipped, visit.first_skips);
        // Also after an error, so that no document of this block gets into the next one.
        let made = worker.finish();
        let block = OrderedBlock {
            number: self.number,
            made,
            skipped,
            first_skips,
        };
        (visited.map(|()| (block, self.read)), self.bytes)
    }
}

/// A worker while it visits the documents of a block.
struct Visit<'w, W: BlockWorker> {
    worker: &'w mut W,
    on_error: OnError,
    watch: &'w Watch<'w>,
    unchecked: usize,
    skipped: u64,
    first_skips: Vec<CorpusError>,
}

impl<W: BlockWorker> Visit<'_, W> {
    fn skip(&mut self, error: CorpusError) {
        self.skipped += 1;
        if self.first_skips.len() < MAX_SKIPS_SHOWN {
            self.first_skips.push(error);
        }
    }
}

impl<W: BlockWorker> Visitor for Visit<'_, W> {
    type Halt = ReadError<W::Error>;

    fn document(&mut self, _line: u64, text: &str) -> Result<(), Self::Halt> {
        // Empty documents take time too.
        self.unchecked += text.len() + 16;
        if self.unchecked > BYTES_PER_CHECK {
            self.unchecked = 0;
            check_stop(self.watch)?;
        }
        self.worker.document(text).map_err(ReadError::Sink)
    }

    fn fault(&mut self, _line: u64, error: impl FnOnce() -> CorpusError) -> Result<(), Self::Halt> {
        match self.on_error {
            OnError::Stop => Err(error().into()),
            OnError::Skip => {
                self.skip(error());
                Ok(())
            }
        }
    }
}
