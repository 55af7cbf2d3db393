//! The open sources that the workers share.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::corpus::stream::blocks::BlockReader;
use crate::corpus::stream::sections::Section;
use crate::corpus::{CorpusError, Source};
use crate::observe::Observer;

/// How often an idle worker checks whether to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// A place in the input: the index of the source, then the line.
pub(in crate::corpus) type Position = (usize, u64);

/// Lends sources to workers: the first free one in input order. A new source is opened only if all
/// open ones are lent, so at most one per worker is open, and an error is found after reading
/// little more than what comes before it.
pub(in crate::corpus) struct Pool<'a> {
    sources: &'a [Source],
    /// Read only this part of the only source.
    section: Option<&'a Section>,
    max_open: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: BTreeMap<usize, BlockReader>,
    taken: usize,
    unopened: usize,
    /// Sources from this index on are not read any more, because an error at or before it is known.
    limit: usize,
    aborted: bool,
}

impl<'a> Pool<'a> {
    pub(in crate::corpus) fn new(
        sources: &'a [Source],
        section: Option<&'a Section>,
        workers: usize,
    ) -> Pool<'a> {
        let state = State {
            free: BTreeMap::new(),
            taken: 0,
            unopened: 0,
            limit: sources.len(),
            aborted: false,
        };
        Pool {
            sources,
            section,
            max_open: workers,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held, so the state is always consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a free source. Returns `None` if nothing is left to read. The caller must return the
    /// source with [`Pool::release`] or [`Pool::finish`], even if it could not be opened.
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
                return Some((index, self.open(&self.sources[index])));
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

    fn open(&self, source: &Source) -> Result<BlockReader, CorpusError> {
        match self.section {
            None => BlockReader::open(source),
            Some(section) => BlockReader::open_section(source, section),
        }
    }

    /// Returns a source that has more blocks.
    pub(in crate::corpus) fn release(&self, index: usize, reader: BlockReader) {
        let mut state = self.lock();
        state.taken -= 1;
        if index < state.limit {
            state.free.insert(index, reader);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Returns a source that has been read to its end.
    pub(in crate::corpus) fn finish(&self) {
        self.lock().taken -= 1;
        self.changed.notify_all();
    }

    /// Stops reading this source and all after it.
    pub(in crate::corpus) fn cut_off(&self, index: usize) {
        let mut state = self.lock();
        state.limit = state.limit.min(index);
        let dropped = state.free.split_off(&index);
        drop(state);
        drop(dropped);
        self.changed.notify_all();
    }

    /// Makes all workers return as soon as possible.
    pub(in crate::corpus) fn abort(&self) {
        self.lock().aborted = true;
        self.changed.notify_all();
    }
}
