//! The open sources that workers share.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::corpus::stream::blocks::BlockReader;
use crate::corpus::{CorpusError, Source};
use crate::observe::Observer;

/// How often an idle worker looks whether it should stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// A place in the input: index of the source, then line.
pub(in crate::corpus) type Position = (usize, u64);

/// Hands out sources to workers, the first in input order that is free. A source that is not open
/// yet is opened only if all open ones are taken, so at most one per worker is open, and an error
/// is met after little more than what comes before it.
pub(in crate::corpus) struct Pool<'a> {
    sources: &'a [Source],
    max_open: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: BTreeMap<usize, BlockReader>,
    taken: usize,
    unopened: usize,
    /// Sources from here on are not read any more, because an error there or before is known.
    limit: usize,
    aborted: bool,
}

impl<'a> Pool<'a> {
    pub(in crate::corpus) fn new(sources: &'a [Source], workers: usize) -> Pool<'a> {
        let state = State {
            free: BTreeMap::new(),
            taken: 0,
            unopened: 0,
            limit: sources.len(),
            aborted: false,
        };
        Pool {
            sources,
            max_open: workers,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock, so the state is whole in any case.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a free source. `None` if there is nothing left to read. A source that was taken
    /// must be given back by [`Pool::release`] or [`Pool::finish`], also if it could not be opened.
    pub(in crate::corpus) fn acquire(
        &self,
        observer: &dyn Observer,
    ) -> Option<(usize, Result<BlockReader, CorpusError>)> {
        let mut state = self.lock();
        loop {
            if state.aborted || observer.stop_requested() {
                return None;
            }
            if let Some((index, reader)) = state.free.pop_first() {
                state.taken += 1;
                return Some((index, Ok(reader)));
            }
            if state.unopened < state.limit && state.taken < self.max_open {
                let index = state.unopened;
                state.unopened += 1;
                state.taken += 1;
                drop(state);
                return Some((index, BlockReader::open(&self.sources[index])));
            }
            if state.taken == 0 {
                return None;
            }
            state = self
                .changed
                .wait_timeout(state, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Gives back a source that has more.
    pub(in crate::corpus) fn release(&self, index: usize, reader: BlockReader) {
        let mut state = self.lock();
        state.taken -= 1;
        if index < state.limit {
            state.free.insert(index, reader);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Gives back a source that is at its end.
    pub(in crate::corpus) fn finish(&self) {
        self.lock().taken -= 1;
        self.changed.notify_all();
    }

    /// Nothing of this source and those behind it will be needed.
    pub(in crate::corpus) fn cut_off(&self, index: usize) {
        let mut state = self.lock();
        state.limit = state.limit.min(index);
        let dropped = state.free.split_off(&index);
        drop(state);
        drop(dropped);
        self.changed.notify_all();
    }

    /// All workers come home as soon as they can.
    pub(in crate::corpus) fn abort(&self) {
        self.lock().aborted = true;
        self.changed.notify_all();
    }
}
