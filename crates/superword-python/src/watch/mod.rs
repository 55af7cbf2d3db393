//! Runs long work without the GIL, reports its progress, and stops it on Ctrl-C.

mod resident;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superword::errors::OutOfMemory;
use superword::observe::{Observer, Phase, Step};

use self::resident::Peaks;
use crate::{allocator, errors};

/// How often Python handles progress and signals.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// How often the latest progress is repeated if there is nothing new, so that the time left can be
/// estimated again.
const REPEAT: Duration = Duration::from_secs(1);

/// How long to wait for work that was asked to stop.
pub(crate) const GRACE: Duration = Duration::from_millis(400);

struct Watch {
    stop: AtomicBool,
    memory: Memory,
    news: Mutex<News>,
    wake: Condvar,
}

#[derive(Default)]
struct News {
    /// The latest progress of each step since Python last looked, in order.
    progress: Vec<Progress>,
    /// The latest progress of all.
    last: Option<Progress>,
    peaks: Peaks,
    expected: Vec<Expected>,
    finished: bool,
}

/// What is known in advance about a phase: the tokens it works on, and its merges.
#[derive(Clone, Copy)]
struct Expected {
    phase: Phase,
    tokens: Option<u64>,
    merges: Option<u64>,
}

/// How far a phase has come.
#[derive(Clone, Copy)]
struct Progress {
    phase: Phase,
    done: u64,
    total: Option<u64>,
    step: Step,
    /// How much of the step is done. `None` if the total is unknown.
    share: Option<f64>,
}

impl Progress {
    fn start(phase: Phase) -> Progress {
        Progress {
            phase,
            done: 0,
            total: None,
            step: Step::Read,
            share: None,
        }
    }
}

impl News {
    /// Updates the progress of a phase.
    fn update(&mut self, phase: Phase, change: impl FnOnce(&mut Progress)) {
        self.peaks.enter(phase);
        let last = self.last.filter(|last| last.phase == phase);
        let mut now = last.unwrap_or_else(|| Progress::start(phase));
        change(&mut now);
        self.last = Some(now);
        match self.progress.last_mut() {
            Some(last) if (last.phase, last.step) == (phase, now.step) => *last = now,
            _ => self.progress.push(now),
        }
    }
}

/// Notices if the process runs out of memory while some work runs.
struct Memory {
    failures_before: usize,
}

impl Memory {
    fn new() -> Memory {
        allocator::restore();
        Memory {
            failures_before: allocator::failures(),
        }
    }

    fn is_exhausted(&self) -> bool {
        allocator::failures() != self.failures_before
    }

    /// Raises an error if memory ran out, whatever the work made of it. The result of the work is
    /// dropped first, because the error needs memory too.
    fn check<T>(&self, result: PyResult<T>) -> PyResult<T> {
        if self.is_exhausted() {
            drop(result);
            return Err(errors::out_of_memory(OutOfMemory));
        }
        result
    }
}

impl Watch {
    fn new() -> Watch {
        Watch {
            stop: AtomicBool::new(false),
            memory: Memory::new(),
            news: Mutex::default(),
            wake: Condvar::new(),
        }
    }

    fn news(&self) -> std::sync::MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self) {
        self.news().finished = true;
        self.wake.notify_all();
    }

    /// Waits for one tick, or for the end of the work, and returns what is new, and whether the work
    /// is over.
    fn wait(&self) -> (Vec<Progress>, bool) {
        let (mut news, _) = self
            .wake
            .wait_timeout_while(self.news(), TICK, |news| !news.finished)
            .unwrap_or_else(PoisonError::into_inner);
        news.peaks.sample();
        (std::mem::take(&mut news.progress), news.finished)
    }
}

impl Observer for Watch {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        self.news().update(phase, |now| {
            // Workers may overtake each other; progress must not go backwards.
            now.done = done.max(now.done);
            now.total = total;
            if phase.unit() == "bytes" {
                now.step = Step::Read;
                now.share = total.map(|total| now.done as f64 / total.max(1) as f64);
            }
        });
    }

    fn step(&self, phase: Phase, step: Step, share: f64) {
        self.news().update(phase, |now| {
            now.step = step;
            now.share = Some(share);
        });
    }

    fn expect(&self, phase: Phase, tokens: Option<u64>, merges: Option<u64>) {
        let known = &mut self.news().expected;
        match known.iter_mut().find(|known| known.phase == phase) {
            Some(known) => {
                known.tokens = tokens.or(known.tokens);
                known.merges = merges.or(known.merges);
            }
            None => known.push(Expected {
                phase,
                tokens,
                merges,
            }),
        }
    }

    fn freed(&self) {
        allocator::give_back();
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.memory.is_exhausted()
    }
}

/// Runs `work` on another thread. The calling thread reports progress to
/// `progress(phase, unit, done, total, step, share, expected)`. An exception there, or Ctrl-C, stops the work and is raised
/// once it has stopped. A panic becomes an error.
///
/// The work owns everything it needs. If it does not stop soon, as in the middle of a document of
/// a gigabyte, it continues on its thread and its result is dropped. So Ctrl-C takes effect within
/// a second, whatever the work is doing.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Observer) -> T + Send + 'static,
) -> PyResult<T> {
    measured(py, progress, work).map(|(result, _)| result)
}

/// The same. Also returns the most memory that was used in each phase, in bytes.
pub(crate) fn measured<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Observer) -> T + Send + 'static,
) -> PyResult<(T, Vec<(Phase, u64)>)> {
    let watch = Arc::new(Watch::new());
    let worker = Builder::new()
        .spawn({
            let watch = watch.clone();
            move || run(&watch, work)
        })
        .map_err(|error| errors::no_thread(&error))?;
    follow(py, progress, &watch)?;
    let peaks = std::mem::take(&mut watch.news().peaks).finish();
    let result = watch.memory.check(outcome(py.detach(|| worker.join())));
    result.map(|result| (result, peaks))
}

fn run<T>(watch: &Watch, work: impl FnOnce(&dyn Observer) -> T) -> std::thread::Result<T> {
    let result = catch_unwind(AssertUnwindSafe(|| work(watch)));
    watch.finish();
    result
}

fn outcome<T>(result: std::thread::Result<std::thread::Result<T>>) -> PyResult<T> {
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(panic)) | Err(panic) => Err(errors::panicked(&*panic)),
    }
}

/// Reports progress to Python until the work ends. An exception asks the work to stop and is raised
/// when it has stopped, or when [`GRACE`] is over.
fn follow(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, watch: &Watch) -> PyResult<()> {
    let mut interrupted: Option<(PyErr, Instant)> = None;
    let (mut last, mut told_at) = (None, Instant::now());
    loop {
        let (mut news, finished) = py.detach(|| watch.wait());
        if news.is_empty() && told_at.elapsed() >= REPEAT {
            news.extend(last);
        }
        if let Some(&latest) = news.last() {
            (last, told_at) = (Some(latest), Instant::now());
        }
        if interrupted.is_none() {
            let told = py
                .check_signals()
                .and_then(|()| tell(py, progress, &news, watch));
            if let Err(error) = told {
                watch.stop.store(true, Ordering::Relaxed);
                interrupted = Some((error, Instant::now()));
            }
        }
        match interrupted {
            Some((error, since)) if finished || since.elapsed() > GRACE => return Err(error),
            None if finished => return Ok(()),
            _ => {}
        }
    }
}

fn tell(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    news: &[Progress],
    watch: &Watch,
) -> PyResult<()> {
    let Some(callback) = progress.filter(|_| !news.is_empty()) else {
        return Ok(());
    };
    // The callback may take its time, so the lock is released first.
    let known = watch.news().expected.clone();
    let expected = PyDict::new(py);
    for known in known {
        expected.set_item(known.phase.name(), (known.tokens, known.merges))?;
    }
    for now in news {
        let (phase, step) = (now.phase, now.step.name());
        let (done, total, share) = (now.done, now.total, now.share);
        callback.call1((
            phase.name(),
            phase.unit(),
            done,
            total,
            step,
            share,
            &expected,
        ))?;
    }
    Ok(())
}

/// Runs short work without the GIL. A panic becomes an error.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let memory = Memory::new();
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    memory.check(result.map_err(|panic| errors::panicked(&*panic)))
}
