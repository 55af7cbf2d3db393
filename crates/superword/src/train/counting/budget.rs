//! How a memory limit is divided.

use super::super::TrainError;
use crate::corpus::ReadOptions;

/// Memory of a process that has not counted anything yet.
const BASE_BYTES: u64 = 64 << 20;
/// Memory that a worker needs for reading.
const READING_BYTES: u64 = 8 << 20;
/// The smallest useful table of counts.
const MIN_TABLE_BYTES: u64 = 8 << 20;

/// A memory limit, divided among workers and tables.
#[derive(Clone, Copy, Debug)]
pub(in crate::train) struct Budget {
    /// The limit as given.
    limit: u64,
    /// For the counts of all workers together, and later for the counts of the whole text.
    counts: u64,
    /// For one table of one worker.
    pub(super) table: usize,
    /// For one bigram sketch.
    pub(super) sketch: usize,
}

impl Budget {
    /// Divides `limit` bytes. [`TrainError::MemoryTooSmall`] says how much is needed.
    pub(in crate::train) fn new(limit: u64, read: &ReadOptions) -> Result<Budget, TrainError> {
        let workers = crate::threads::resolve(read.threads) as u64;
        let needed = BASE_BYTES + workers * (READING_BYTES + MIN_TABLE_BYTES);
        if limit < needed {
            return Err(TrainError::MemoryTooSmall {
                given: limit,
                needed,
                workers,
            });
        }
        let left = limit - BASE_BYTES - workers * READING_BYTES;
        // Each worker has a sketch, and one more holds their sum.
        let sketch = left / 4 / (workers + 1);
        let counts = left - left / 4;
        // Documents that count a different number of times go to different tables. A group has at
        // most two such numbers.
        let tables = read
            .groups
            .as_ref()
            .map_or(1, |groups| 1 + 2 * groups.groups.len());
        // Divided by 4: while a table grows, the old and the new one exist side by side, and while
        // it is written, so does a sorted copy.
        let table = counts / workers / 4 / tables as u64;
        Ok(Budget {
            limit,
            counts,
            table: table as usize,
            sketch: sketch as usize,
        })
    }

    /// Returns an error if the counts of the whole text, which take `memory` bytes now, leave no
    /// room to grow.
    pub(super) fn check(&self, name: &'static str, memory: usize) -> Result<(), TrainError> {
        let needed = memory as u64 * 3;
        if needed <= self.counts {
            return Ok(());
        }
        Err(TrainError::MemoryExceeded {
            what: name,
            given: self.limit,
            needed: self.limit + (needed - self.counts),
        })
    }
}
