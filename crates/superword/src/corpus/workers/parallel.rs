//! Documents in any order: workers that share the sources.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::BYTES_PER_CHECK;
use super::pool::{Pool, Position};
use crate::corpus::parse::documents::{Block, Visitor};
use crate::corpus::stream::blocks::{BlockError, BlockReader};
use crate::corpus::stream::input;
use crate::corpus::stream::large::Room;
use crate::corpus::stream::sections::{Before, Section};
use crate::corpus::{
    CorpusError, DocumentSink, MAX_SKIPS_SHOWN, OnError, ReadError, ReadOptions, ReadReport,
    Source, SourceReport,
};
use crate::observe::{Observer, Phase, Stopped, check_stop};
use crate::threads;

/// A worker gets at least about this many blocks.
const BLOCKS_PER_WORKER: usize = 16;

/// Smaller blocks are not worth the exchange between workers.
const SMALLEST_BLOCK: usize = 1 << 17;

/// Passes every document of the sources to a sink. Each worker has one, which `make_sink` creates
/// from the worker's number. Returns the sinks in that order.
///
/// With [`OnError::Stop`] the error is the one that comes first in input order (source, then line),
/// for any number of threads. Progress counts bytes as they are stored; the total is unknown if one
/// of the sources is a pipe. Workers report progress concurrently, so calls may arrive out of order.
/// A request to stop takes effect within about 100 ms plus the time of one call of a sink.
pub fn read_parallel<S: DocumentSink>(
    sources: &[Source],
    options: &ReadOptions,
    phase: Phase,
    observer: &dyn Observer,
    make_sink: impl Fn(usize) -> S + Sync,
) -> Result<(Vec<S>, ReadReport), ReadError<S::Error>> {
    let (sinks, report, _) = read(sources, None, options, phase, observer, make_sink)?;
    Ok((sinks, report))
}

/// What was read of a section: the sinks, the report, and what comes before the next section. `None`
/// if there is no next one, because the source could not be read further.
pub(crate) type SectionRead<S> = (Vec<S>, ReadReport, Option<Before>);

/// The same for a part of one source.
pub(crate) fn read_section<S: DocumentSink>(
    source: &Source,
    section: &Section,
    options: &ReadOptions,
    phase: Phase,
    observer: &dyn Observer,
    make_sink: impl Fn(usize) -> S + Sync,
) -> Result<SectionRead<S>, ReadError<S::Error>> {
    let sources = std::slice::from_ref(source);
    read(sources, Some(section), options, phase, observer, make_sink)
}

fn read<S: DocumentSink>(
    sources: &[Source],
    section: Option<&Section>,
    options: &ReadOptions,
    phase: Phase,
    observer: &dyn Observer,
    make_sink: impl Fn(usize) -> S + Sync,
) -> Result<SectionRead<S>, ReadError<S::Error>> {
    check_weights(options)?;
    let stored = input::inspect(sources)?;
    let total = match section {
        None => stored,
        Some(section) => Some(section.bytes.end - section.bytes.start),
    };
    let threads = threads::resolve(options.threads);
    let shared = Shared {
        sources,
        options,
        phase,
        observer,
        total,
        block_size: block_size(options, total, threads),
        done: AtomicU64::new(0),
        counters: sources.iter().map(|_| Counters::default()).collect(),
        pool: Pool::new(sources, section, threads),
        first_error: Mutex::new(None),
        turns: Mutex::new(()),
        end: Mutex::new(None),
    };
    observer.progress(phase, 0, total);
    let workers: Vec<Worker<'_, '_, S>> = std::thread::scope(|scope| {
        let (shared, make_sink) = (&shared, &make_sink);
        let work = move |number| {
            let _guard = AbortOnPanic(&shared.pool);
            let mut worker = Worker::new(shared, make_sink(number));
            worker.run();
            worker
        };
        threads::start(scope, threads, work).map(threads::join)
    })
    .map_err(|error| CorpusError::NoThread {
        reason: error.to_string(),
    })?;
    check_stop(observer)?;
    if workers.iter().any(|worker| worker.stopped) {
        return Err(Stopped.into());
    }
    let mut report = shared.report();
    let mut skips = Vec::new();
    let mut sinks = Vec::with_capacity(workers.len());
    for worker in workers {
        skips.extend(worker.skips);
        sinks.push(worker.sink);
    }
    skips.sort_by_key(|&(position, _)| position);
    skips.truncate(MAX_SKIPS_SHOWN);
    report.first_skips = skips.into_iter().map(|(_, error)| error).collect();
    if let Some((_, error)) = shared
        .first_error
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        return Err(error);
    }
    if report.bytes == 0 && !options.allow_empty {
        return Err(empty(sources, &report).into());
    }
    if let Some(total) = total {
        observer.progress(phase, total, Some(total));
    }
    let end = shared
        .end
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    Ok((sinks, report, end))
}

/// The blocks of a small text are smaller, so that all workers end at about the same time.
fn block_size(options: &ReadOptions, total: Option<u64>, threads: usize) -> usize {
    let most = options.block_size.max(1);
    let share = total.map_or(u64::MAX, |total| {
        total / (threads * BLOCKS_PER_WORKER) as u64
    });
    let share = usize::try_from(share).unwrap_or(usize::MAX);
    share.clamp(most.min(SMALLEST_BLOCK), most)
}

/// Weights that are all 0 exclude every document, which is surely a mistake.
fn check_weights(options: &ReadOptions) -> Result<(), CorpusError> {
    match &options.groups {
        Some(groups) if groups.groups.iter().all(|&(_, weight)| weight == 0.0) => {
            Err(CorpusError::ZeroWeights)
        }
        _ => Ok(()),
    }
}

/// The error for a corpus without any text.
pub(crate) fn empty(sources: &[Source], report: &ReadReport) -> CorpusError {
    CorpusError::Empty {
        sources: sources.iter().take(5).map(Source::name).collect(),
        source_count: sources.len(),
        documents: report.documents,
        skipped: report.skipped,
        first_skip: report.first_skips.first().cloned().map(Box::new),
    }
}

/// What all workers share.
struct Shared<'a, E> {
    sources: &'a [Source],
    options: &'a ReadOptions,
    phase: Phase,
    observer: &'a dyn Observer,
    total: Option<u64>,
    /// About how many bytes a worker takes at once.
    block_size: usize,
    done: AtomicU64,
    counters: Vec<Counters>,
    pool: Pool<'a>,
    first_error: Mutex<Option<(Position, ReadError<E>)>>,
    /// Whose turn it is to have a large document in memory, if that is limited.
    turns: Mutex<()>,
    /// What comes before the end of the source that was last read to its end.
    end: Mutex<Option<Before>>,
}

/// The counts of a [`SourceReport`], updated once per block.
#[derive(Default)]
struct Counters {
    documents: AtomicU64,
    bytes: AtomicU64,
    skipped: AtomicU64,
    raw_bytes: AtomicU64,
}

impl<E> Shared<'_, E> {
    /// Reports raw bytes that were read as progress.
    fn advanced(&self, source: usize, raw_bytes: u64) {
        self.counters[source]
            .raw_bytes
            .fetch_add(raw_bytes, Relaxed);
        let done = self.done.fetch_add(raw_bytes, Relaxed) + raw_bytes;
        // The size of a table is an estimate, so reading may go past it.
        let done = self.total.map_or(done, |total| done.min(total));
        self.observer.progress(self.phase, done, self.total);
    }

    fn ended(&self, end: Before) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }

    /// Records the error unless an earlier one is known. Everything before it is still read, because
    /// it may hold an earlier error.
    fn fail(&self, position: Position, error: ReadError<E>) {
        let mut first = self
            .first_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(known, _)| position < *known) {
            *first = Some((position, error));
        }
        drop(first);
        self.pool.cut_off(position.0);
    }

    fn report(&self) -> ReadReport {
        let mut report = ReadReport::default();
        for counters in &self.counters {
            let source = SourceReport {
                documents: counters.documents.load(Relaxed),
                bytes: counters.bytes.load(Relaxed),
                skipped: counters.skipped.load(Relaxed),
                raw_bytes: counters.raw_bytes.load(Relaxed),
            };
            report.documents += source.documents;
            report.bytes += source.bytes;
            report.skipped += source.skipped;
            report.per_source.push(source);
        }
        report
    }
}

/// Makes the other workers return if a sink panics.
struct AbortOnPanic<'p, 'a>(&'p Pool<'a>);

impl Drop for AbortOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abort();
        }
    }
}

struct Worker<'s, 'a, S: DocumentSink> {
    shared: &'s Shared<'a, S::Error>,
    sink: S,
    skips: Vec<(Position, CorpusError)>,
    stopped: bool,
}

impl<'s, 'a, S: DocumentSink> Worker<'s, 'a, S> {
    fn new(shared: &'s Shared<'a, S::Error>, sink: S) -> Self {
        Worker {
            shared,
            sink,
            skips: Vec::new(),
            stopped: false,
        }
    }

    fn run(&mut self) {
        let shared = self.shared;
        let block_size = shared.block_size;
        let mut bytes = Vec::new();
        let mut scratch = String::new();
        let mut room = Room::new(shared.options.document_memory, &shared.turns);
        while let Some((source, reader)) = shared.pool.acquire(shared.observer) {
            let mut reader: BlockReader = match reader {
                Ok(reader) => reader,
                Err(error) => {
                    shared.fail((source, 0), error.into());
                    shared.pool.finish();
                    continue;
                }
            };
            let mut advanced = |raw_bytes| shared.advanced(source, raw_bytes);
            let next = reader.next_block(
                &mut bytes,
                block_size,
                &mut room,
                shared.observer,
                &mut advanced,
            );
            let source_name = reader.source_name().clone();
            let start = match next {
                Ok(Some(start)) => start,
                Ok(None) => {
                    shared.ended(Before::of(reader.position()));
                    shared.pool.finish();
                    continue;
                }
                Err(BlockError::Stopped(_)) => {
                    self.stop();
                    return;
                }
                Err(BlockError::Corpus(error)) => {
                    let position = (source, reader.position().line);
                    // Nothing is wrong with a document that is too large. What is learned must not depend on the memory.
                    let is_fault = !matches!(error, CorpusError::DocumentTooLarge { .. });
                    if shared.options.on_error == OnError::Stop || !is_fault {
                        shared.fail(position, error.into());
                    } else {
                        shared.counters[source].skipped.fetch_add(1, Relaxed);
                        self.keep_skip(position, || error);
                    }
                    shared.pool.finish();
                    room.leave();
                    continue;
                }
            };
            shared.pool.release(source, reader);
            let format = shared.sources[source].format;
            let block = Block {
                source_name: &source_name,
                format,
                start,
                bytes: &bytes,
            };
            self.sink.source(source);
            let mut visit = Visit {
                worker: self,
                source,
                unchecked: 0,
                counts: Default::default(),
            };
            let result = block.visit(&shared.options.text_field, &mut scratch, &mut visit);
            visit.count();
            match result {
                Ok(()) => {}
                Err(Halt::Stopped) => {
                    self.stop();
                    return;
                }
                Err(Halt::Failed(position, error)) => shared.fail(position, error),
            }
            // Free the memory of a single very long document.
            if bytes.capacity() > 4 * block_size.max(input::CHUNK) {
                bytes = Vec::new();
            }
            if scratch.capacity() > 4 * block_size.max(input::CHUNK) {
                scratch = String::new();
            }
            room.leave();
        }
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.shared.pool.abort();
    }

    /// Keeps the first skips of this worker, in input order.
    fn keep_skip(&mut self, position: Position, error: impl FnOnce() -> CorpusError) {
        let place = self.skips.partition_point(|(kept, _)| *kept <= position);
        if place < MAX_SKIPS_SHOWN {
            self.skips.insert(place, (position, error()));
            self.skips.truncate(MAX_SKIPS_SHOWN);
        }
    }
}

/// A worker while it visits the documents of a block.
struct Visit<'w, 's, 'a, S: DocumentSink> {
    worker: &'w mut Worker<'s, 'a, S>,
    source: usize,
    /// Text bytes since the last check whether to stop.
    unchecked: usize,
    counts: SourceReport,
}

enum Halt<E> {
    Stopped,
    Failed(Position, ReadError<E>),
}

impl<S: DocumentSink> Visit<'_, '_, '_, S> {
    fn count(&self) {
        let counters = &self.worker.shared.counters[self.source];
        counters.documents.fetch_add(self.counts.documents, Relaxed);
        counters.bytes.fetch_add(self.counts.bytes, Relaxed);
        counters.skipped.fetch_add(self.counts.skipped, Relaxed);
    }
}

impl<S: DocumentSink> Visitor for Visit<'_, '_, '_, S> {
    type Halt = Halt<S::Error>;

    fn document(&mut self, line: u64, text: &str) -> Result<(), Self::Halt> {
        // Empty documents take time too.
        self.unchecked += text.len() + 16;
        if self.unchecked > BYTES_PER_CHECK {
            self.unchecked = 0;
            if self.worker.shared.observer.stop_requested() {
                return Err(Halt::Stopped);
            }
        }
        if let Some(plan) = &self.worker.shared.options.sample
            && !plan.contains(text)
        {
            return Ok(());
        }
        let times = match &self.worker.shared.options.groups {
            None => 1,
            Some(groups) => groups.weight_of(self.source).times(text),
        };
        if times == 0 {
            return Ok(());
        }
        self.counts.documents += 1;
        self.counts.bytes += text.len() as u64;
        let sink = &mut self.worker.sink;
        match times {
            1 => sink.document(text),
            _ => sink.document_times(text, times),
        }
        .map_err(|error| Halt::Failed((self.source, line), ReadError::Sink(error)))
    }

    fn fault(&mut self, line: u64, error: impl FnOnce() -> CorpusError) -> Result<(), Self::Halt> {
        let position = (self.source, line);
        if self.worker.shared.options.on_error == OnError::Stop {
            return Err(Halt::Failed(position, error().into()));
        }
        self.counts.skipped += 1;
        self.worker.keep_skip(position, error);
        Ok(())
    }
}
