//! Documents that take a lot of memory.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use crate::corpus::Format;
use crate::observe::{Observer, Stopped, check_stop};

/// A block of this size waits until no other large one is in memory.
const LARGE: usize = 2 << 20;

/// How often a waiting worker checks whether it is its turn.
const PATIENCE: Duration = Duration::from_millis(2);

/// The size of a document that is too large is found out by reading on, but not beyond this many times the memory for it.
/// The input may never end.
const READ_ON: u64 = 64;

/// What a worker may keep in memory of a large document.
pub(in crate::corpus) struct Room<'a> {
    /// The memory for large documents of all workers together, and whose turn it is. `None`: no limit.
    limit: Option<(u64, &'a Mutex<()>)>,
    turn: Option<MutexGuard<'a, ()>>,
}

impl<'a> Room<'a> {
    /// Room for documents of any size.
    pub(in crate::corpus) fn unlimited() -> Room<'a> {
        Room {
            limit: None,
            turn: None,
        }
    }

    /// `memory` bytes, for one of all workers with the same `turns`. `None`: no limit.
    pub(in crate::corpus) fn new(memory: Option<u64>, turns: &'a Mutex<()>) -> Room<'a> {
        Room {
            limit: memory.map(|memory| (memory, turns)),
            turn: None,
        }
    }

    /// Waits until a block of this size may be in memory.
    pub(super) fn wait(&mut self, size: usize, observer: &dyn Observer) -> Result<(), Stopped> {
        let Some((_, turns)) = self.limit else {
            return Ok(());
        };
        while self.turn.is_none() && size > LARGE {
            check_stop(observer)?;
            self.turn = match turns.try_lock() {
                Ok(turn) => Some(turn),
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(PATIENCE);
                    None
                }
            };
        }
        Ok(())
    }

    /// The block of the worker is no longer in memory.
    pub(in crate::corpus) fn leave(&mut self) {
        self.turn = None;
    }

    /// True if a record of this size does not fit.
    pub(super) fn is_exceeded(&self, format: Format, size: usize) -> bool {
        self.limit
            .is_some_and(|(memory, _)| memory_of(format, size as u64) > memory)
    }

    /// Nobody wants to know the size of a record that is even larger.
    pub(super) fn most(&self) -> u64 {
        self.limit
            .map_or(u64::MAX, |(memory, _)| memory.saturating_mul(READ_ON))
    }
}

/// The memory that a record of this size takes: its text is copied if it has to be unescaped, or if it comes from a
/// batch of texts.
pub(super) fn memory_of(format: Format, size: u64) -> u64 {
    match format {
        Format::Jsonl | Format::Framed => size.saturating_mul(2),
        Format::Lines | Format::Paragraphs | Format::Text => size,
    }
}
