//! Draws a sample and keeps its documents, so that later passes need not read the input again.

use std::convert::Infallible;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::keep::Keep;
use super::texts::{Collected, KeepError, Texts, Writer, documents};
use super::{Measure, Sample, SamplePlan, new_sizes, plan};
use crate::corpus::workers::BYTES_PER_CHECK;
use crate::corpus::{
    CorpusError, DocumentSink, Groups, ReadError, ReadOptions, ReadReport, Source, SourceReport,
    read_parallel,
};
use crate::observe::{Observer, Phase, check_stop};
use crate::threads;

/// A sample that was drawn.
pub(crate) struct DrawnSample {
    /// Which documents are in it.
    pub plan: SamplePlan,
    /// What the pass over the input read. Nothing was sampled in it.
    pub report: ReadReport,
    /// The documents of the sample. `None` if all documents are in it, or if some were not kept.
    pub texts: Option<Texts>,
}

/// Like [`super::plan_sample`], and keeps the documents of the sample. Those that do not fit in memory
/// go to a file without a name in `directory`.
pub(crate) fn draw_sample(
    sources: &[Source],
    options: &ReadOptions,
    sample: Sample,
    directory: &Path,
    observer: &dyn Observer,
) -> Result<DrawnSample, ReadError<KeepError>> {
    let sizes = new_sizes();
    let reading = super::reading(sources, options)?;
    if surely_fits(sources, sample.max_bytes) {
        let (_, report) = read_parallel(sources, &reading, Phase::Sample, observer, |_| {
            Measure::new(sample.seed, &sizes)
        })
        .map_err(without_sink)?;
        return Ok(DrawnSample {
            plan: plan(sample, &report, &sizes)?,
            report,
            texts: None,
        });
    }
    let keep = Keep::new(&sizes, sample.max_bytes);
    let collected = Collected::new(directory);
    let (sinks, report) = read_parallel(sources, &reading, Phase::Sample, observer, |_| {
        MeasureAndKeep {
            measure: Measure::new(sample.seed, &sizes),
            keep: &keep,
            writer: Writer::new(&collected),
            source: 0,
            unreported: 0,
        }
    })?;
    for mut sink in sinks {
        sink.writer.flush().map_err(ReadError::Sink)?;
    }
    let plan = plan(sample, &report, &sizes)?;
    let kept = collected.finish();
    let is_complete = plan.buckets.as_ref().is_some_and(|_| {
        (0..sizes.len()).all(|bucket| !plan.has_bucket(bucket) || keep.is_complete(bucket))
    });
    let texts = match is_complete {
        true => Some(select(&kept, &plan, &reading, directory, observer)?),
        false => None,
    };
    Ok(DrawnSample {
        plan,
        report,
        texts,
    })
}

/// True if the sources cannot have more text than this. Text is never longer than its JSON.
fn surely_fits(sources: &[Source], max_bytes: u64) -> bool {
    let mut total = 0u64;
    sources.iter().all(|source| {
        let guess = source.size_guess();
        total = total.saturating_add(guess);
        guess > 0 && total <= max_bytes
    })
}

fn without_sink(error: ReadError<Infallible>) -> ReadError<KeepError> {
    match error {
        ReadError::Corpus(error) => ReadError::Corpus(error),
        ReadError::Stopped(stopped) => ReadError::Stopped(stopped),
        ReadError::Sink(never) => match never {},
    }
}

/// Keeps only the documents of the sample.
fn select(
    kept: &Texts,
    plan: &SamplePlan,
    options: &ReadOptions,
    directory: &Path,
    observer: &dyn Observer,
) -> Result<Texts, ReadError<KeepError>> {
    let collected = Collected::new(directory);
    let options = ReadOptions {
        sample: Some(plan.clone()),
        groups: None,
        ..options.clone()
    };
    let all = 0..kept.chunks().len();
    // No progress: the pass over the input has already told that it is done.
    let observer = &Quiet(observer);
    let read = read_texts(kept, all, 0, &options, Phase::Sample, observer, |_| {
        Select {
            writer: Writer::new(&collected),
            source: 0,
        }
    });
    let (sinks, _) = read.map_err(|error| match error {
        ReadError::Corpus(error) => ReadError::Corpus(error),
        ReadError::Stopped(stopped) => ReadError::Stopped(stopped),
        ReadError::Sink(TextsError::Keep(error) | TextsError::Sink(error)) => {
            ReadError::Sink(error)
        }
    })?;
    for mut sink in sinks {
        sink.writer.flush().map_err(ReadError::Sink)?;
    }
    Ok(collected.finish())
}

struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn progress(&self, _: Phase, _: u64, _: Option<u64>) {}

    fn stop_requested(&self) -> bool {
        self.0.stop_requested()
    }
}

/// Text bytes after which a worker tells how much it has measured.
const REPORT_BYTES: u64 = 1 << 18;

struct MeasureAndKeep<'a> {
    measure: Measure<'a>,
    keep: &'a Keep<'a>,
    writer: Writer<'a>,
    source: usize,
    unreported: u64,
}

impl DocumentSink for MeasureAndKeep<'_> {
    type Error = KeepError;

    fn source(&mut self, source: usize) {
        self.source = source;
    }

    fn document(&mut self, text: &str) -> Result<(), KeepError> {
        let (bucket, size) = self.measure.add(text);
        if self.keep.wants(bucket, size) {
            self.writer.write(self.source, text)?;
        }
        self.unreported += text.len() as u64;
        if self.unreported >= REPORT_BYTES {
            self.keep.advance(self.unreported);
            self.unreported = 0;
        }
        Ok(())
    }
}

struct Select<'a> {
    writer: Writer<'a>,
    source: usize,
}

impl DocumentSink for Select<'_> {
    type Error = KeepError;

    fn source(&mut self, source: usize) {
        self.source = source;
    }

    fn document(&mut self, text: &str) -> Result<(), KeepError> {
        self.writer.write(self.source, text)
    }
}

/// Why kept texts could not be read.
#[derive(Debug)]
pub(crate) enum TextsError<E> {
    /// They could not be read back.
    Keep(KeepError),
    /// A sink rejected a document.
    Sink(E),
}

/// Passes the documents in some chunks of `texts` to a sink for each worker, as
/// [`read_parallel`] passes those of sources. `sources` is the number of sources that the documents
/// come from, for the report; 0 for no report.
pub(crate) fn read_texts<S: DocumentSink>(
    texts: &Texts,
    range: Range<usize>,
    sources: usize,
    options: &ReadOptions,
    phase: Phase,
    observer: &dyn Observer,
    make_sink: impl Fn(usize) -> S + Sync,
) -> Result<(Vec<S>, ReadReport), Failure<S::Error>> {
    let chunks = &texts.chunks()[range];
    let shared = Shared {
        texts,
        options,
        phase,
        observer,
        total: chunks.iter().map(|chunk| chunk.stored).sum(),
        next: AtomicUsize::new(0),
        done: AtomicU64::new(0),
        ended: AtomicBool::new(false),
        error: Mutex::new(None),
    };
    observer.progress(phase, 0, Some(shared.total));
    let read = std::thread::scope(|scope| {
        let (shared, make_sink) = (&shared, &make_sink);
        let work = move |number| {
            let _guard = EndOnPanic(&shared.ended);
            let mut worker = Worker {
                sink: make_sink(number),
                read: vec![SourceReport::default(); sources],
            };
            if let Err(error) = shared.work(chunks, &mut worker) {
                shared.fail(error);
            }
            worker
        };
        threads::start(scope, threads::resolve(options.threads), work).map(threads::join)
    });
    let workers = read.map_err(|error| CorpusError::NoThread {
        reason: error.to_string(),
    })?;
    check_stop(observer)?;
    let error = shared.error.into_inner();
    if let Some(error) = error.unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut report = ReadReport {
        per_source: vec![SourceReport::default(); sources],
        ..ReadReport::default()
    };
    let mut sinks = Vec::with_capacity(workers.len());
    for worker in workers {
        for (sum, read) in report.per_source.iter_mut().zip(&worker.read) {
            sum.documents += read.documents;
            sum.bytes += read.bytes;
            report.documents += read.documents;
            report.bytes += read.bytes;
        }
        sinks.push(worker.sink);
    }
    observer.progress(phase, shared.total, Some(shared.total));
    Ok((sinks, report))
}

type Failure<E> = ReadError<TextsError<E>>;

struct Shared<'a, E> {
    texts: &'a Texts,
    options: &'a ReadOptions,
    phase: Phase,
    observer: &'a dyn Observer,
    total: u64,
    /// The next chunk that no worker has taken.
    next: AtomicUsize,
    done: AtomicU64,
    ended: AtomicBool,
    error: Mutex<Option<Failure<E>>>,
}

struct Worker<S> {
    sink: S,
    read: Vec<SourceReport>,
}

/// Makes the other workers return if a sink panics.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

impl<E> Shared<'_, E> {
    fn fail(&self, error: Failure<E>) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        self.ended.store(true, Relaxed);
    }

    fn work<S: DocumentSink<Error = E>>(
        &self,
        chunks: &[super::texts::Chunk],
        worker: &mut Worker<S>,
    ) -> Result<(), Failure<E>> {
        let (mut scratch, mut bytes) = (Vec::new(), Vec::new());
        let mut unchecked = usize::MAX;
        while let Some(chunk) = chunks.get(self.next.fetch_add(1, Relaxed)) {
            let read = self.texts.read(chunk, &mut scratch, &mut bytes);
            read.map_err(|error| ReadError::Sink(TextsError::Keep(error)))?;
            for document in documents(&bytes) {
                let damaged = || ReadError::Sink(TextsError::Keep(KeepError::Damaged));
                let (source, text) = document.ok_or_else(damaged)?;
                // Empty documents take time too.
                unchecked = unchecked.saturating_add(text.len() + 16);
                if unchecked > BYTES_PER_CHECK {
                    unchecked = 0;
                    check_stop(self.observer)?;
                    if self.ended.load(Relaxed) {
                        return Ok(());
                    }
                }
                self.pass_on(source, text, worker)?;
            }
            let done = self.done.fetch_add(chunk.stored, Relaxed) + chunk.stored;
            self.observer.progress(self.phase, done, Some(self.total));
        }
        Ok(())
    }

    fn pass_on<S: DocumentSink<Error = E>>(
        &self,
        source: usize,
        text: &str,
        worker: &mut Worker<S>,
    ) -> Result<(), Failure<E>> {
        if let Some(plan) = &self.options.sample
            && !plan.contains(text)
        {
            return Ok(());
        }
        let weight = |groups: &Groups| groups.weight_of(source).times(text);
        let times = self.options.groups.as_ref().map_or(1, weight);
        if times == 0 {
            return Ok(());
        }
        if let Some(read) = worker.read.get_mut(source) {
            read.documents += 1;
            read.bytes += text.len() as u64;
        }
        worker.sink.source(source);
        match times {
            1 => worker.sink.document(text),
            _ => worker.sink.document_times(text, times),
        }
        .map_err(|error| ReadError::Sink(TextsError::Sink(error)))
    }
}
