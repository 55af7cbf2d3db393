//! Joining a pair at all its places, on several threads if there are many.
//!
//! The places of a pair are in order, so they can be divided into ranges of whole sequences. Each
//! thread joins the pair in its range and sums up the neighbours there. The sums are added in the
//! order of the ranges, which gives exactly the result of one thread. The threads are started for the
//! first merge that is large enough, and wait between merges. Small merges do not use them, because
//! waking a thread takes longer than such a merge.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use super::cells::{Cells, Place};
use super::share::{Joining, Share};

impl Share {
    /// Adds the result of later places and clears it there.
    fn absorb(&mut self, later: &mut Share) {
        self.merged.append(&mut later.merged);
        self.survey.absorb(&mut later.survey);
    }
}

struct Job {
    joining: Joining,
    places: Vec<Place>,
    share: Share,
}

#[derive(Debug)]
struct Worker {
    jobs: Sender<Job>,
    done: Receiver<Job>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// `None` if the system cannot start a thread.
    fn start(cells: Arc<Cells>) -> Option<Worker> {
        let (jobs, todo) = channel::<Job>();
        let (finished, done) = channel();
        let work = move || {
            while let Some(mut job) = next_of(&todo) {
                job.share.join(&cells, &job.places, job.joining);
                if finished.send(job).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("superword merge".into())
            .spawn(work)
            .ok()?;
        Some(Worker { jobs, done, thread })
    }
}

/// How often a thread looks for the next job before it sleeps. Large merges follow each other within microseconds, and
/// waking a thread takes longer than that.
const LOOKS: usize = 2000;

/// The next job; `None` if there will be no more.
fn next_of(jobs: &Receiver<Job>) -> Option<Job> {
    for _ in 0..LOOKS {
        match jobs.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
    jobs.recv().ok()
}

/// Threads that share large merges, including the calling thread.
#[derive(Debug)]
pub(super) struct Crew {
    threads: usize,
    /// Threads are started when first needed.
    workers: Vec<Worker>,
    /// Buffers to reuse.
    spare: Vec<(Vec<Place>, Share)>,
}

impl Crew {
    pub(super) fn new(threads: usize) -> Crew {
        Crew {
            threads,
            workers: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Joins the pair at all places, with at least `grain` of them for each thread.
    pub(super) fn join(
        &mut self,
        cells: &Arc<Cells>,
        places: &[Place],
        joining: Joining,
        grain: usize,
        own: &mut Share,
    ) {
        let parts = self.threads.min(places.len() / grain.max(1));
        if parts < 2 {
            return own.join(cells, places, joining);
        }
        while self.workers.len() + 1 < parts.min(self.threads) {
            match Worker::start(Arc::clone(cells)) {
                Some(worker) => self.workers.push(worker),
                None => self.threads = self.workers.len() + 1,
            }
        }
        let parts = parts.min(self.workers.len() + 1);
        let mut ranges = ranges(cells, places, parts).into_iter();
        let first = ranges.next().unwrap_or(0..0);
        let mut busy = Vec::with_capacity(parts);
        for (range, worker) in ranges.zip(&self.workers) {
            let (mut own_places, share) = self.spare.pop().unwrap_or_default();
            own_places.clear();
            own_places.extend_from_slice(&places[range]);
            let job = Job {
                joining,
                places: own_places,
                share,
            };
            // If sending fails, the worker has panicked. The panic is passed on below.
            let _ = worker.jobs.send(job);
            busy.push(worker);
        }
        own.join(cells, &places[first], joining);
        let mut lost = false;
        for worker in busy {
            match next_of(&worker.done) {
                Some(mut job) => {
                    own.absorb(&mut job.share);
                    self.spare.push((job.places, job.share));
                }
                None => lost = true,
            }
        }
        if lost {
            self.pass_on_panic();
        }
    }

    /// True if a merge was divided between threads.
    #[cfg(test)]
    pub(super) fn has_worked(&self) -> bool {
        !self.spare.is_empty()
    }

    #[cold]
    fn pass_on_panic(&mut self) {
        for worker in self.workers.drain(..) {
            drop((worker.jobs, worker.done));
            if let Err(panic) = worker.thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for worker in self.workers.drain(..) {
            drop(worker.jobs);
            // A panic of the worker has already been passed on.
            let _ = worker.thread.join();
        }
    }
}

/// Divides the places into at most `parts` ranges of about equal size, without dividing a sequence.
fn ranges(cells: &Cells, places: &[Place], parts: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(parts);
    let mut start = 0;
    for part in 1..=parts {
        let mut end = (places.len() * part / parts).max(start);
        while end > start && end < places.len() && !cells.are_apart(places[end - 1], places[end]) {
            end += 1;
        }
        if end > start {
            ranges.push(start..end);
        }
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_divide_sequences() {
        let mut cells = Cells::default();
        for length in [3, 1, 9, 2, 2, 30, 1] {
            assert!(cells.push(std::iter::repeat_n(1, length), 1));
        }
        let places: Vec<Place> = (1..cells.end()).filter(|&at| cells.is_start(at)).collect();
        for parts in 1..60 {
            let ranges = ranges(&cells, &places, parts);
            assert!(ranges.len() <= parts);
            let all: Vec<usize> = ranges.iter().cloned().flatten().collect();
            assert!(all.iter().copied().eq(0..places.len()));
            for pair in ranges.windows(2) {
                let (a, b) = (places[pair[0].end - 1], places[pair[1].start]);
                assert_ne!(cells.border_after(a), cells.border_after(b));
            }
        }
    }
}
