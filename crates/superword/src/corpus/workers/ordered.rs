//! Documents in input order, processed by several threads.
//!
//! One thread cuts the sources into numbered blocks, workers process the blocks, and the calling
//! thread receives the results in the order of the blocks. The reader may only be a limited number
//! of blocks ahead, which bounds the memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Spares;
use super::task::{Done, Task, Watch};
use crate::corpus::stream::blocks::{BlockError, BlockReader};
use crate::corpus::stream::input;
use crate::corpus::stream::large::Room;
use crate::corpus::{CorpusError, OnError, ReadError, ReadOptions, Source};
use crate::memory;
use crate::observe::{Observer, Phase, check_stop};
use crate::threads;

/// Blocks for each thread that the reader may be ahead. A long document holds up all blocks after it,
/// and the other threads should have enough to do until it is encoded.
const BLOCKS_AHEAD: usize = 8;

/// How often the reader checks whether to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// Identifies a block of a source. The blocks do not depend on the number of threads: the same
/// sources and options always give the same blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockNumber {
    /// Index of the source.
    pub source: usize,
    /// The number of the block in it, from 0.
    pub block: u64,
}

/// Processes the documents of one block after another.
pub(crate) trait BlockWorker: Send {
    /// The result for a block.
    type Made: Send;
    /// Why a document was rejected, which ends the reading.
    type Error: Send;

    /// Processes the next document of the block.
    fn document(&mut self, text: &str) -> Result<(), Self::Error>;

    /// Ends the block and returns its result.
    fn finish(&mut self) -> Self::Made;
}

/// A processed block.
#[derive(Debug)]
pub(crate) struct OrderedBlock<T> {
    /// Which block.
    pub number: BlockNumber,
    /// The result of the worker.
    pub made: T,
    /// Documents skipped because of errors.
    pub skipped: u64,
    /// The first of these errors.
    pub first_skips: Vec<CorpusError>,
}

/// Reads the sources from block `from` on and passes the result for each block to `take`, in input
/// order. With [`OnError::Stop`] the error is the one that comes first in the input, and all blocks
/// before it have been passed to `take`.
pub(crate) fn read_ordered<W: BlockWorker>(
    sources: &[Source],
    options: &ReadOptions,
    from: BlockNumber,
    phase: Phase,
    observer: &dyn Observer,
    make_worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(OrderedBlock<W::Made>) -> Result<(), W::Error>,
) -> Result<(), ReadError<W::Error>> {
    let total = input::inspect(sources)?;
    let before = input::inspect(&sources[..from.source.min(sources.len())])?.unwrap_or(0);
    let threads = threads::resolve(options.threads);
    let watch = &Watch {
        observer,
        ended: AtomicBool::new(false),
    };
    let ahead = BLOCKS_AHEAD * (threads + 1);
    let spares = &Spares::default();
    observer.progress(phase, before, total);
    let result = std::thread::scope(|scope| {
        let (permit, permits) = sync_channel(ahead);
        let (give, tasks) = sync_channel(ahead);
        let (tell, told) = channel();
        for _ in 0..ahead {
            // The channel has room for all of them.
            let _ = permit.send(());
        }
        let reader: Reader<'_, W> = Reader {
            sources,
            options,
            watch,
            permits,
            give,
            spares,
            tell: tell.clone(),
            count: 0,
            read: before,
        };
        let no_thread = |error: std::io::Error| {
            watch.ended.store(true, Relaxed);
            CorpusError::NoThread {
                reason: error.to_string(),
            }
        };
        let read = move || {
            let _guard = EndOnPanic(watch);
            reader.run(from);
        };
        let reading = std::thread::Builder::new()
            .spawn_scoped(scope, read)
            .map_err(no_thread)?;
        let tasks = Arc::new(Mutex::new(tasks));
        let make_worker = &make_worker;
        let work = move |_| {
            let _guard = EndOnPanic(watch);
            let mut worker = make_worker();
            let mut scratch = String::new();
            while let Some(task) = next_task(&tasks) {
                let count = task.count;
                let (done, mut bytes) =
                    task.work(&mut worker, options, sources, watch, &mut scratch);
                if tell.send((count, done)).is_err() {
                    return;
                }
                let most = 4 * options.block_size.max(input::CHUNK);
                if scratch.capacity() > most {
                    scratch = String::new();
                }
                if bytes.capacity() <= most {
                    bytes.clear();
                    spares.put(bytes);
                }
            }
        };
        // The threads own the only senders, so the loop below ends when they do.
        let working = threads::start(scope, threads, work).map_err(no_thread)?;
        let mut take_in_order = |told: Receiver<(u64, Done<W>)>| {
            let mut waiting = BTreeMap::new();
            let mut next = 0;
            for (count, done) in told {
                waiting.insert(count, done);
                while let Some(done) = waiting.remove(&next) {
                    next += 1;
                    let (block, read) = done?;
                    take(block).map_err(ReadError::Sink)?;
                    observer.progress(phase, read, total);
                    // Fails if the reader has already finished.
                    let _ = permit.try_send(());
                }
            }
            Ok(())
        };
        let result: Result<(), ReadError<W::Error>> = take_in_order(told);
        if result.is_err() {
            watch.ended.store(true, Relaxed);
        }
        // A panic in a thread is the cause of any error here, so it comes first.
        threads::join(working);
        threads::join(vec![reading]);
        result
    });
    // Work that was stopped early must not look finished.
    check_stop(observer)?;
    result?;
    if let Some(total) = total {
        observer.progress(phase, total, Some(total));
    }
    Ok(())
}

/// Makes the other threads return if one panics.
struct EndOnPanic<'w>(&'w Watch<'w>);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.ended.store(true, Relaxed);
        }
    }
}

fn next_task(tasks: &Mutex<Receiver<Task>>) -> Option<Task> {
    let tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
    tasks.recv().ok()
}

/// Cuts the sources into blocks.
struct Reader<'a, W: BlockWorker> {
    sources: &'a [Source],
    options: &'a ReadOptions,
    watch: &'a Watch<'a>,
    permits: Receiver<()>,
    give: SyncSender<Task>,
    /// Buffers of blocks that have been processed.
    spares: &'a Spares<Vec<u8>>,
    tell: Sender<(u64, Done<W>)>,
    count: u64,
    read: u64,
}

impl<W: BlockWorker> Reader<'_, W> {
    fn run(mut self, from: BlockNumber) {
        for source in from.source..self.sources.len() {
            let first = if source == from.source { from.block } else { 0 };
            match self.read_source(source, first) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    // The error takes its place after all blocks before it.
                    let _ = self.tell.send((self.count, Err(error.into())));
                    return;
                }
            }
        }
    }

    /// Returns false if no more blocks are wanted.
    fn read_source(&mut self, source: usize, first: u64) -> Result<bool, CorpusError> {
        let mut reader = BlockReader::open(&self.sources[source])?;
        let block_size = self.options.block_size.max(1);
        for block in 0.. {
            let mut bytes = self.spares.take();
            // All at once: a buffer that grows in steps is copied.
            memory::reserve(&mut bytes, block_size.saturating_add(2 * input::CHUNK));
            let read = &mut self.read;
            let mut advanced = |raw_bytes| *read += raw_bytes;
            let next = reader.next_block(
                &mut bytes,
                block_size,
                &mut Room::unlimited(),
                self.watch,
                &mut advanced,
            );
            let (start, damage) = match next {
                Ok(Some(start)) => (start, None),
                Ok(None) => return Ok(true),
                Err(BlockError::Stopped(_)) => return Ok(false),
                Err(BlockError::Corpus(error)) if self.options.on_error == OnError::Stop => {
                    return Err(error);
                }
                Err(BlockError::Corpus(error)) => (reader.position(), Some(error)),
            };
            let at_end = damage.is_some();
            if block >= first {
                let task = Task {
                    count: self.count,
                    number: BlockNumber { source, block },
                    source_name: reader.source_name().clone(),
                    start,
                    bytes,
                    read: self.read,
                    damage,
                };
                if !self.permitted() || self.give.send(task).is_err() {
                    return Ok(false);
                }
                self.count += 1;
            }
            if at_end {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Waits until another block may be read.
    fn permitted(&self) -> bool {
        loop {
            if self.watch.stop_requested() {
                return false;
            }
            match self.permits.recv_timeout(PATIENCE) {
                Ok(()) => return true,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Format;
    use crate::observe::Silent;

    /// Keeps the documents of a block; rejects those that start with `refuse`.
    struct Keep(Vec<String>);

    impl BlockWorker for Keep {
        type Made = Vec<String>;
        type Error = String;

        fn document(&mut self, text: &str) -> Result<(), String> {
            if text.starts_with("refuse") {
                return Err(text.into());
            }
            self.0.push(text.into());
            Ok(())
        }

        fn finish(&mut self) -> Vec<String> {
            std::mem::take(&mut self.0)
        }
    }

    fn lines(name: &str, text: String) -> Source {
        Source::memory(name, text.into_bytes(), Format::Lines)
    }

    fn options(threads: usize) -> ReadOptions {
        ReadOptions {
            threads,
            block_size: 50,
            ..ReadOptions::default()
        }
    }

    type Read = (
        Vec<(BlockNumber, Vec<String>)>,
        Result<(), ReadError<String>>,
    );

    fn read(sources: &[Source], options: &ReadOptions, from: BlockNumber) -> Read {
        let mut blocks = Vec::new();
        let make = || Keep(Vec::new());
        let take = |block: OrderedBlock<Vec<String>>| {
            blocks.push((block.number, block.made));
            Ok(())
        };
        let result = read_ordered(sources, options, from, Phase::Encode, &Silent, make, take);
        (blocks, result)
    }

    #[test]
    fn documents_come_in_order_for_any_number_of_threads() {
        let sources: Vec<Source> = (0..5)
            .map(|file| {
                let text = (0..100).map(|line| format!("{file} {line}\n")).collect();
                lines("memory", text)
            })
            .collect();
        let expected: Vec<String> = (0..5)
            .flat_map(|file| (0..100).map(move |line| format!("{file} {line}")))
            .collect();
        let (blocks, _) = read(&sources, &options(1), BlockNumber::default());
        assert!(blocks.len() > 40);
        for threads in [1, 2, 3, 8] {
            let again = read(&sources, &options(threads), BlockNumber::default());
            assert_eq!(again, (blocks.clone(), Ok(())));
        }
        // From any block on, the rest is the same.
        for skip in [0, 1, 7, 30, blocks.len() - 1] {
            let (rest, _) = read(&sources, &options(2), blocks[skip].0);
            assert_eq!(rest, blocks[skip..]);
        }
        let documents: Vec<String> = blocks.into_iter().flat_map(|(_, texts)| texts).collect();
        assert_eq!(documents, expected);
    }

    #[test]
    fn the_first_error_comes_after_all_before_it() {
        let text: String = (0..100)
            .map(|line| match line {
                60 | 90 => format!("refuse {line}\n"),
                _ => format!("line {line}\n"),
            })
            .collect();
        for threads in [1, 4] {
            let (blocks, result) = read(
                &[lines("memory", text.clone())],
                &options(threads),
                BlockNumber::default(),
            );
            assert_eq!(result, Err(ReadError::Sink("refuse 60".into())));
            let taken: usize = blocks.iter().map(|(_, texts)| texts.len()).sum();
            assert!((50..=60).contains(&taken));
        }
    }

    #[test]
    fn a_refusal_of_the_taker_ends_all() {
        let text: String = (0..10_000).map(|line| format!("line {line}\n")).collect();
        let mut taken = 0;
        let take = |_| {
            taken += 1;
            if taken < 3 {
                Ok(())
            } else {
                Err("full".to_string())
            }
        };
        let sources = [lines("memory", text)];
        let (options, from) = (options(3), BlockNumber::default());
        let make = || Keep(Vec::new());
        let result = read_ordered(&sources, &options, from, Phase::Encode, &Silent, make, take);
        assert_eq!(result, Err(ReadError::Sink("full".into())));
        assert_eq!(taken, 3);
    }
}
