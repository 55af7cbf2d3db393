//! Threads that share small pieces of work.
//!
//! A job takes microseconds, and waking a thread takes longer. So the threads of a crew look for the next job for a
//! while before they sleep. They take the tasks of a job from one shared number. A thread that comes late finds no task
//! left, and nobody waits for it.

use std::any::Any;
use std::cell::{OnceCell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::threads::Room;

/// How often a thread looks for the next job before it sleeps.
const LOOKS: usize = 2000;

/// How often a thread looks whether the others are done before it offers its core to other threads.
const PATIENCE: usize = 2000;

/// What is done for a task of a job: `work(task, thread)`. Thread 0 is the caller.
type Work<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// A number in a cache line of its own, so that threads that use it do not slow down those that use another.
#[repr(align(128))]
#[derive(Default)]
struct Apart<T>(T);

/// The job that the threads work on.
struct Board {
    /// The number of the job in the upper bits, and how many threads may take its tasks in the lower bits. Threads that wait
    /// look at this, and those that work use the next two.
    job: Apart<AtomicU64>,
    /// The number of tasks in the upper half, and the next task in the lower half.
    tasks: Apart<AtomicU64>,
    /// How many tasks are done.
    done: Apart<AtomicUsize>,
    work: UnsafeCell<Option<&'static Work<'static>>>,
    /// The first panic of a task.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    has_panicked: AtomicBool,
    ended: AtomicBool,
    /// By thread: whether it sleeps.
    sleeps: Vec<AtomicBool>,
}

// SAFETY: every field but `work` can be shared and sent. `work` holds a reference to a function that can be called by
// any thread. It is written only in `Board::run`, before that publishes the tasks with a `Release` store. It is read
// only by a thread that took a task, with `Acquire`, before it counts that task as done with `Release`. `run` returns,
// and may be called again, only when all tasks are counted, which it sees with `Acquire`. So a read and a write are
// never at the same time.
unsafe impl Sync for Board {}
// SAFETY: see above.
unsafe impl Send for Board {}

/// The number of bits of a job for the number of its threads.
const THREAD_BITS: u32 = 16;

impl Board {
    fn new(threads: usize) -> Board {
        Board {
            job: Apart::default(),
            tasks: Apart::default(),
            done: Apart::default(),
            work: UnsafeCell::new(None),
            panic: Mutex::new(None),
            has_panicked: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            sleeps: (0..threads).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// Does all tasks, with the help of these threads. Must not be called by two threads at once.
    fn run(&self, tasks: usize, helpers: &[JoinHandle<()>], work: &Work<'_>) {
        // SAFETY: only the lifetime changes. The reference is not used after this function returns: it is read only by
        // threads that have a task, and this function waits until all tasks are done.
        let work = unsafe { std::mem::transmute::<&Work<'_>, &'static Work<'static>>(work) };
        // SAFETY: no thread has a task now. See `Sync`.
        unsafe { *self.work.get() = Some(work) };
        self.done.0.store(0, Relaxed);
        self.tasks.0.store((tasks as u64) << 32, Release);
        let job = (self.job.0.load(Relaxed) >> THREAD_BITS) + 1;
        let job = job << THREAD_BITS | (helpers.len() as u64 + 1);
        self.job.0.store(job, SeqCst);
        for (sleeps, helper) in self.sleeps.iter().skip(1).zip(helpers) {
            if sleeps.load(SeqCst) {
                helper.thread().unpark();
            }
        }
        self.work_as(0);
        let mut looks = 0;
        while self.done.0.load(Acquire) < tasks {
            looks += 1;
            match looks < PATIENCE {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
        if self.has_panicked.swap(false, Relaxed) {
            let panic = self
                .panic
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            if let Some(panic) = panic {
                resume_unwind(panic);
            }
        }
    }

    /// True if a task is left.
    fn has_task(&self) -> bool {
        let tasks = self.tasks.0.load(Relaxed);
        tasks & u64::from(u32::MAX) < tasks >> 32
    }

    /// Does tasks until none is left.
    fn work_as(&self, thread: usize) {
        let mut done = 0;
        // Each thread counts at most one too far, so the count does not reach the upper half.
        while self.has_task() {
            let tasks = self.tasks.0.fetch_add(1, AcqRel);
            let (tasks, task) = (tasks >> 32, tasks & u64::from(u32::MAX));
            if task >= tasks {
                break;
            }
            // SAFETY: this thread has a task that is not counted as done. See `Sync`.
            let work = unsafe { *self.work.get() };
            let result = catch_unwind(AssertUnwindSafe(|| {
                if let Some(work) = work {
                    work(task as usize, thread);
                }
            }));
            if let Err(panic) = result {
                let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(panic);
                self.has_panicked.store(true, Relaxed);
            }
            done += 1;
        }
        if done > 0 {
            self.done.0.fetch_add(done, Release);
        }
    }

    /// Helps with all jobs until the end.
    fn help(&self, thread: usize) {
        let (mut looks, mut last) = (0, 0);
        while !self.ended.load(Relaxed) {
            let job = self.job.0.load(Acquire);
            if job != last && thread < (job & ((1 << THREAD_BITS) - 1)) as usize {
                self.work_as(thread);
                looks = 0;
            } else if looks < LOOKS {
                looks += 1;
                std::hint::spin_loop();
            } else {
                self.sleep(thread, job);
                looks = 0;
            }
            last = job;
        }
    }

    /// Sleeps until there is another job than this one, or the end. A thread that may not help with that job sleeps on.
    fn sleep(&self, thread: usize, job: u64) {
        self.sleeps[thread].store(true, SeqCst);
        while self.job.0.load(SeqCst) == job && !self.ended.load(SeqCst) {
            std::thread::park();
        }
        self.sleeps[thread].store(false, SeqCst);
    }
}

/// Threads that share jobs, including the calling thread.
pub(super) struct Crew {
    threads: usize,
    board: Arc<Board>,
    /// Started for the first job.
    helpers: OnceCell<Vec<JoinHandle<()>>>,
}

impl std::fmt::Debug for Crew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Crew {
    pub(super) fn new(threads: usize) -> Crew {
        Crew {
            threads,
            board: Arc::new(Board::new(threads)),
            helpers: OnceCell::new(),
        }
    }

    /// Calls `work(task, thread)` for each task below `tasks`, on at most `threads` threads, and returns when all are done.
    /// The calling thread is thread 0. Other threads have numbers below that given to [`Crew::new`].
    pub(super) fn run(&self, tasks: usize, threads: usize, work: impl Fn(usize, usize) + Sync) {
        let helpers = self.helpers.get_or_init(|| self.start());
        let count = threads.saturating_sub(1).min(helpers.len());
        // No other thread can call this, because a `OnceCell` cannot be shared, and neither can a task.
        self.board.run(tasks, &helpers[..count], &work);
    }

    /// Starts the threads, or as many as the system allows.
    fn start(&self) -> Vec<JoinHandle<()>> {
        let start = |number| {
            let board = Arc::clone(&self.board);
            std::thread::Builder::new()
                .name("superword merge".into())
                .spawn(move || board.help(number))
                .ok()
        };
        let room = Room::new();
        let helpers = (1..self.threads).map_while(start).collect();
        drop(room);
        helpers
    }

    /// True if there was a job.
    #[cfg(test)]
    pub(super) fn has_worked(&self) -> bool {
        self.helpers.get().is_some()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.board.ended.store(true, SeqCst);
        for helper in self.helpers.take().into_iter().flatten() {
            helper.thread().unpark();
            // Panics of tasks were caught.
            let _ = helper.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_is_done_once() {
        let crew = Crew::new(4);
        for tasks in (0..200).chain([5000]) {
            if tasks % 50 == 0 {
                // Long enough for the others to fall asleep.
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let done: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            crew.run(tasks, 1 + tasks % 5, |task, thread| {
                assert!(thread < 4);
                done[task].fetch_add(1, Relaxed);
            });
            assert!(done.iter().all(|done| done.load(Relaxed) == 1));
        }
    }

    #[test]
    fn a_panic_continues_after_all_tasks_are_done() {
        let crew = Crew::new(3);
        for _ in 0..20 {
            let done = AtomicUsize::new(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                crew.run(50, 3, |task, _| {
                    if task % 20 == 7 {
                        resume_unwind(Box::new("payload"));
                    }
                    done.fetch_add(1, Relaxed);
                });
            }));
            assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"payload"));
            assert_eq!(done.load(Relaxed), 47);
        }
        crew.run(1, 3, |_, _| {});
    }
}
