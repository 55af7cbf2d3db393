//! Runs long work without the GIL, reports its progress, and stops it on Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use superword::errors::OutOfMemory;
use superword::observe::{Observer, Phase};

use crate::{allocator, errors};

/// How often Python handles progress and signals.
pub(crate) const TICK: Duration = Duration::from_millis(100);

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
    /// The latest progress of each phase since Python last looked, in order.
    progress: Vec<(Phase, u64, Option<u64>)>,
    finished: bool,
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

    /// Waits for one tick, or for the end of the work, and returns what is new.
    fn wait(&self) -> News {
        let (mut news, _) = self
            .wake
            .wait_timeout_while(self.news(), TICK, |news| !news.finished)
            .unwrap_or_else(PoisonError::into_inner);
        News {
            progress: std::mem::take(&mut news.progress),
            finished: news.finished,
        }
    }
}

impl Observer for Watch {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        let mut news = self.news();
        match news.progress.last_mut() {
            // Workers may overtake each other; progress must not go backwards.
            Some(last) if last.0 == phase => *last = (phase, done.max(last.1), total),
            _ => news.progress.push((phase, done, total)),
        }
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.memory.is_exhausted()
    }
}

/// Runs `work` on another thread. The calling thread reports progress to
/// `progress(phase, unit, done, total)`. An exception there, or Ctrl-C, stops the work and is raised
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
    let watch = Arc::new(Watch::new());
    let worker = Builder::new()
        .spawn({
            let watch = watch.clone();
            move || run(&watch, work)
        })
        .map_err(|error| errors::no_thread(&error))?;
    follow(py, progress, &watch)?;
    watch.memory.check(outcome(py.detach(|| worker.join())))
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
    loop {
        let news = py.detach(|| watch.wait());
        if interrupted.is_none() {
            let told = py.check_signals().and_then(|()| tell(progress, &news));
            if let Err(error) = told {
                watch.stop.store(true, Ordering::Relaxed);
                interrupted = Some((error, Instant::now()));
            }
        }
        match interrupted {
            Some((error, since)) if news.finished || since.elapsed() > GRACE => return Err(error),
            None if news.finished => return Ok(()),
            _ => {}
        }
    }
}

fn tell(progress: Option<&Bound<'_, PyAny>>, news: &News) -> PyResult<()> {
    let Some(callback) = progress else {
        return Ok(());
    };
    for &(phase, done, total) in &news.progress {
        callback.call1((phase.name(), phase.unit(), done, total))?;
    }
    Ok(())
}

/// Runs short work without the GIL. A panic becomes an error.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let memory = Memory::new();
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    memory.check(result.map_err(|panic| errors::panicked(&*panic)))
}
