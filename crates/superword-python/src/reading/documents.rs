//! Documents for Python, in order. A thread of the engine reads a little ahead of the caller.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword::corpus::{
    DocumentSink, ReadError, ReadOptions, ReadReport, Sample, Source, plan_sample, read_parallel,
};
use superword::observe::{Observer, Phase};
use superword::train::TrainError;

use crate::arguments::{self, Input, Options};
use crate::errors;
use crate::training::read_dict;
use crate::watch::{GRACE, TICK};

/// Bytes of text in a batch.
const BATCH_BYTES: usize = 1 << 20;

/// Batches that may wait for the caller.
const BATCHES_AHEAD: usize = 2;

/// Documents of sources, in batches. See the stub for the contract.
#[pyclass(name = "DocumentReader", module = "superword._core", frozen)]
pub(crate) struct PyDocumentReader {
    state: Mutex<State>,
    stop: Arc<Stop>,
}

struct State {
    /// None once the reader is closed or has reached the end.
    batches: Option<Receiver<Vec<String>>>,
    worker: Option<JoinHandle<Result<ReadReport, TrainError>>>,
    report: ReadReport,
}

/// Asks the worker to stop.
#[derive(Default)]
struct Stop(AtomicBool);

impl Observer for Stop {
    fn progress(&self, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The reader was closed.
struct Closed;

/// Collects documents into batches and sends them to the caller.
struct Sender {
    batches: SyncSender<Vec<String>>,
    texts: Vec<String>,
    bytes: usize,
}

impl Sender {
    fn send(&mut self) -> Result<(), Closed> {
        self.bytes = 0;
        let texts = std::mem::take(&mut self.texts);
        if texts.is_empty() {
            return Ok(());
        }
        self.batches.send(texts).map_err(|_| Closed)
    }
}

impl DocumentSink for Sender {
    type Error = Closed;

    fn document(&mut self, text: &str) -> Result<(), Closed> {
        self.texts.push(text.to_owned());
        self.bytes += text.len();
        if self.bytes >= BATCH_BYTES {
            self.send()?;
        }
        Ok(())
    }
}

/// Documents that precede an error are sent before the error is raised.
impl Drop for Sender {
    fn drop(&mut self) {
        // An error here means that nobody is waiting.
        let _ = self.send();
    }
}

fn read(
    mut sources: Vec<Source>,
    mut options: ReadOptions,
    sample: Option<Sample>,
    observer: &dyn Observer,
    batches: SyncSender<Vec<String>>,
) -> Result<ReadReport, TrainError> {
    if let Some(sample) = sample {
        // A sample is drawn in a pass before the one that returns documents.
        let kept = sources.into_iter().map(|source| source.buffer(observer));
        sources = kept.collect::<Result<_, _>>()?;
        options.sample = Some(plan_sample(&sources, &options, sample, observer)?);
    }
    options.threads = 1; // A single worker reads in order.
    let read = read_parallel(&sources, &options, Phase::Count, observer, |_| Sender {
        batches: batches.clone(),
        texts: Vec::new(),
        bytes: 0,
    });
    match read {
        Ok((_, report)) => Ok(report),
        Err(ReadError::Corpus(error)) => Err(error.into()),
        Err(ReadError::Stopped(stopped)) => Err(stopped.into()),
        // The caller closed the reader: nobody is interested in the result.
        Err(ReadError::Sink(Closed)) => Ok(ReadReport::default()),
    }
}

impl PyDocumentReader {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a moment for the next batch. `None` at the end.
    fn wait(&self) -> Result<Option<Vec<String>>, RecvTimeoutError> {
        match &self.state().batches {
            None => Ok(None),
            Some(batches) => match batches.recv_timeout(TICK) {
                Ok(batch) => Ok(Some(batch)),
                Err(RecvTimeoutError::Disconnected) => Ok(None),
                Err(error) => Err(error),
            },
        }
    }

    /// Collects the result of a worker that has sent everything.
    fn finish(&self) -> PyResult<()> {
        let mut state = self.state();
        state.batches = None;
        let Some(worker) = state.worker.take() else {
            return Ok(());
        };
        match worker.join() {
            Ok(Ok(report)) => {
                state.report = report;
                Ok(())
            }
            Ok(Err(error)) => Err(errors::train(&error)),
            Err(panic) => Err(errors::panicked(&*panic)),
        }
    }
}

#[pymethods]
impl PyDocumentReader {
    #[new]
    fn new(
        sources: Vec<(Input<'_>, Option<String>)>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<PyDocumentReader> {
        let options = Options::new(options)?;
        let (read_options, sample) = arguments::read_options(&options)?;
        // Reading one document at a time needs no memory limit.
        let _: Option<u64> = options.take("max_memory")?;
        options.finish()?;
        let sources = arguments::sources(sources)?;
        let stop = Arc::new(Stop::default());
        let (sender, batches) = sync_channel(BATCHES_AHEAD);
        let worker = std::thread::Builder::new()
            .name("superword-documents".into())
            .spawn({
                let stop = stop.clone();
                move || read(sources, read_options, sample, &*stop, sender)
            })?;
        Ok(PyDocumentReader {
            state: Mutex::new(State {
                batches: Some(batches),
                worker: Some(worker),
                report: ReadReport::default(),
            }),
            stop,
        })
    }

    /// The next documents, or None at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        loop {
            match py.detach(|| self.wait()) {
                Ok(Some(batch)) => return Ok(Some(batch)),
                // The worker has dropped its sender and is about to end.
                Ok(None) => return py.detach(|| self.finish()).map(|()| None),
                Err(_) => py.check_signals()?,
            }
        }
    }

    /// Stops reading. Files are closed before this returns, unless a single document takes long.
    fn close(&self, py: Python<'_>) {
        self.stop.0.store(true, Ordering::Relaxed);
        py.detach(|| {
            let mut state = self.state();
            state.batches = None;
            let start = Instant::now();
            while let Some(worker) = &state.worker {
                if worker.is_finished() || start.elapsed() > GRACE {
                    state.worker = None;
                } else {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            }
        });
    }

    /// What was read. Complete once `next` has returned None.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = py.detach(|| self.state().report.clone());
        read_dict(py, &report, &[], &[])
    }
}

impl Drop for PyDocumentReader {
    fn drop(&mut self) {
        // The worker ends when it next checks the flag or sends a batch.
        self.stop.0.store(true, Ordering::Relaxed);
    }
}
