//! How a memory limit is divided, and what a run needs at least.

use super::super::TrainError;
use crate::corpus::{CorpusError, ReadOptions};
use crate::count::{BigramSketch, Counts};

/// Memory of a process that has not counted anything yet.
const BASE_BYTES: u64 = 64 << 20;
/// Memory that a worker needs for reading.
const READING_BYTES: u64 = 8 << 20;
/// The smallest useful table of counts.
const MIN_TABLE_BYTES: u64 = 8 << 20;
/// The smallest useful index of pairs.
const MIN_INDEX_BYTES: u64 = 16 << 20;
/// One in this many parts of what is left is for a large document.
const DOCUMENT_SHARE: u64 = 4;
/// At most one in this many parts of what is left is for bigram sketches. A sketch of the best size makes far more difference
/// than larger tables: with a smaller one, there are more candidates, and they have to be cut when all of them are counted.
const SKETCH_SHARE: u64 = 2;
/// The index of pairs starts with at least one in this many places.
const FEWEST_PLACES: u64 = 8;
/// What the pairs take for each place of the sequences.
const PAIR_BYTES: u64 = 1;
/// What a place in the index takes, with the slack that is left until the index is tidied up, and with its share of the
/// queue.
const PLACE_BYTES: u64 = 9;

/// A memory limit, divided among workers and tables.
#[derive(Clone, Copy, Debug)]
pub(in crate::train) struct Budget {
    /// The limit as given.
    limit: u64,
    /// For one table of one worker.
    pub(super) table: usize,
    /// For one large document.
    document: u64,
    /// For one bigram sketch.
    pub(super) sketch: usize,
}

/// The size of all distinct keys of a text: pretokens or candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::train) struct Size {
    /// The number of keys.
    pub(in crate::train) keys: u64,
    /// The number of bytes or symbols in them.
    pub(in crate::train) items: u64,
    /// The most cells that these take in the sequences in which merges are made.
    pub(in crate::train) cells: u64,
    /// The memory of a table of them.
    pub(in crate::train) table: u64,
}

/// What follows once everything is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::train) enum Purpose {
    /// Nothing: the counts are the result.
    Counting,
    /// Candidates are cut.
    Cutting,
    /// Merges are learned from the counts.
    Learning,
}

impl Size {
    /// The size of counts.
    pub(in crate::train) fn of<C: Counts>(counts: &C) -> Size {
        Size {
            keys: counts.len() as u64,
            items: counts.items() as u64,
            cells: (counts.items() * C::CELLS) as u64,
            table: counts.most_memory() as u64,
        }
    }

    /// The size of keys of these lengths.
    pub(super) fn of_keys<C: Counts>(lengths: impl Iterator<Item = usize>) -> Size {
        let mut size = Size::default();
        for length in lengths {
            size.keys += 1;
            size.items += length as u64;
            size.cells += (length * C::CELLS) as u64;
            size.table += C::most_memory_of(length) as u64;
        }
        size
    }

    /// The size of a text with this many times as many keys.
    pub(super) fn times(self, factor: f64) -> Size {
        let times = |number: u64| (number as f64 * factor) as u64;
        Size {
            keys: times(self.keys),
            items: times(self.items),
            cells: times(self.cells),
            table: times(self.table),
        }
    }

    /// The memory of the sequences that the keys become.
    fn sequences(self) -> u64 {
        // Two bytes for each cell, four for the border after each key, and a sixteenth for finding borders. As much again for
        // memory that the allocator cannot return.
        (self.cells * 2 + self.keys * 4) * 9 / 8
    }

    /// The memory of the pairs of the sequences.
    fn pairs(self) -> u64 {
        self.items.saturating_sub(self.keys) * PAIR_BYTES
    }

    /// The memory for learning from the keys, apart from the process itself.
    fn learning(self) -> u64 {
        let places = self.items.saturating_sub(self.keys) / FEWEST_PLACES;
        let index = (places * PLACE_BYTES).max(MIN_INDEX_BYTES);
        // A table of counts grows in parts, and the allocator cannot use all that is left behind. It is freed bit by bit while
        // the sequences are laid out.
        (self.sequences() + self.pairs() + index).max(self.table + self.table * 3 / 16)
    }
}

/// The number of sketches: each worker has one, and one more holds their sum.
fn sketches(workers: u64) -> u64 {
    workers + 1
}

impl Budget {
    /// Divides `limit` bytes. [`TrainError::MemoryTooSmall`] says how much is needed. Without sketches, there is more memory
    /// for tables.
    pub(in crate::train) fn new(
        limit: u64,
        read: &ReadOptions,
        has_sketch: bool,
    ) -> Result<Budget, TrainError> {
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
        let document = left / DOCUMENT_SHARE;
        let sketch = (left / SKETCH_SHARE / sketches(workers)).min(BigramSketch::MOST_BYTES);
        let counts = match has_sketch {
            true => left - document - sketch * sketches(workers),
            false => left - document,
        };
        // Documents that count a different number of times go to different tables. A group has at
        // most two such numbers.
        let tables = read
            .groups
            .as_ref()
            .map_or(1, |groups| 1 + 2 * groups.groups.len());
        // Halved: while a table is written, there is a sorted copy of it.
        let table = counts / workers / 2 / tables as u64;
        Ok(Budget {
            limit,
            table: table as usize,
            document,
            sketch: sketch as usize,
        })
    }

    /// The same reading within the limit.
    pub(in crate::train) fn reading(&self, read: &ReadOptions) -> ReadOptions {
        ReadOptions {
            document_memory: Some(self.document),
            ..read.clone()
        }
    }

    /// Says which limit is enough, if the error is that a document is too large.
    pub(in crate::train) fn explain(&self, error: TrainError, read: &ReadOptions) -> TrainError {
        match error {
            TrainError::Corpus(CorpusError::DocumentTooLarge {
                source_name,
                line,
                bytes,
                memory,
            }) => {
                let workers = crate::threads::resolve(read.threads) as u64;
                let left = memory.saturating_add(1).saturating_mul(DOCUMENT_SHARE);
                let needed = left.saturating_add(BASE_BYTES + workers * READING_BYTES);
                TrainError::DocumentTooLarge {
                    source_name,
                    line,
                    bytes,
                    given: self.limit,
                    needed: needed.checked_next_multiple_of(1_000_000).unwrap_or(needed),
                }
            }
            other => other,
        }
    }

    /// The smallest limit that has room for sketches of this many bytes.
    pub(super) fn with_sketches(bytes: u64, read: &ReadOptions) -> u64 {
        let workers = crate::threads::resolve(read.threads) as u64;
        let left = bytes * sketches(workers) * SKETCH_SHARE;
        BASE_BYTES + workers * READING_BYTES + left
    }

    /// The memory that a text of this size needs for `purpose`, next to `other` bytes.
    pub(super) fn needed(size: Size, purpose: Purpose, other: u64) -> u64 {
        BASE_BYTES
            + other
            + match purpose {
                Purpose::Learning => size.learning(),
                Purpose::Counting => size.table + size.table / 16,
                // The cut ones, and the bigrams.
                Purpose::Cutting => size.table * 5 / 2,
            }
    }

    /// True if the limit is below this.
    pub(super) fn is_below(&self, needed: u64) -> bool {
        self.limit < needed
    }

    /// True if the limit is far below this: `times` the limit is less.
    pub(super) fn is_clearly_below(&self, needed: u64, times: f64) -> bool {
        (self.limit as f64) * times < needed as f64
    }

    /// The error for a text that needs this much memory.
    pub(super) fn exceeded(&self, what: &'static str, needed: u64) -> TrainError {
        // The sizes are estimates, and a larger limit leaves a larger share to other things. Whoever follows the hint must not be
        // refused again.
        let needed = needed + needed / 16;
        TrainError::MemoryExceeded {
            what,
            given: self.limit,
            needed: needed.next_multiple_of(1_000_000),
        }
    }

    /// The most places for the index of pairs of a text of this size, next to `other` bytes.
    pub(in crate::train) fn places(&self, size: Size, other: u64) -> usize {
        let taken = BASE_BYTES + other + size.sequences() + size.pairs();
        let left = self.limit.saturating_sub(taken).max(MIN_INDEX_BYTES);
        (left / PLACE_BYTES) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_an_error_names_is_enough() {
        let read = ReadOptions {
            threads: 2,
            ..ReadOptions::default()
        };
        for keys in [1_000, 1_000_000, 50_000_000, 3_000_000_000] {
            let size = Size {
                keys,
                items: keys * 9,
                cells: keys * 9,
                table: keys * 38,
            };
            let small = Budget::new(100 << 20, &read, true).unwrap();
            let needed = Budget::needed(size, Purpose::Learning, 1 << 20);
            if !small.is_below(needed) {
                assert!(keys < 1_000_000);
                continue;
            }
            let TrainError::MemoryExceeded { needed, .. } = small.exceeded("pretokens", needed)
            else {
                panic!("another error");
            };
            let enough = Budget::new(needed, &read, true).unwrap();
            assert!(!enough.is_below(Budget::needed(size, Purpose::Learning, 1 << 20)));
            let places = enough.places(size, 1 << 20) as u64;
            assert!(places >= (size.items - size.keys) / FEWEST_PLACES);
        }
    }

    #[test]
    fn sketches_get_what_is_best_for_them_if_the_limit_allows_it() {
        for threads in [1, 2, 16] {
            let read = ReadOptions {
                threads,
                ..ReadOptions::default()
            };
            for bytes in [1 << 20, 5 << 20, BigramSketch::MOST_BYTES] {
                let limit = Budget::with_sketches(bytes, &read);
                let budget = |limit| Budget::new(limit, &read, true).unwrap();
                assert!(budget(limit.max(512 << 20)).sketch as u64 >= bytes);
                if bytes == BigramSketch::MOST_BYTES {
                    assert_eq!(budget(limit).sketch as u64, bytes);
                    assert!((budget(limit - 1).sketch as u64) < bytes);
                    assert_eq!(budget(2 * limit).sketch as u64, bytes);
                }
                let with = budget(limit.max(512 << 20));
                let without = Budget::new(limit.max(512 << 20), &read, false).unwrap();
                assert!(with.table < without.table);
            }
        }
    }
}
