//! Upper bounds on the counts of bigrams, in fixed memory.
//!
//! Cutting (see [`super::cut`]) needs to know which bigrams are rare before candidates are counted.
//! Exact counts of all bigrams would take more memory than the candidates. A table of counters
//! indexed by a hash gives every bigram a number that is never too small: a bigram may share its
//! counter with others, so it can only be overestimated. An overestimated bigram is not cut, which
//! costs memory but never changes the result.

use crate::hash::fold;
use crate::memory;
use crate::prefetch::prefetch;

/// A table of counters indexed by the hash of a bigram. Counters saturate.
#[derive(Clone, Debug)]
pub(crate) struct BigramSketch {
    counters: Vec<Counter>,
}

/// Two bytes, so that more counters fit in the cache. A bigram of a larger count is never rare.
type Counter = u16;

impl BigramSketch {
    /// A sketch of `counters` counters, a power of two; see [`BigramSketch::counters_for`].
    pub(crate) fn new(counters: usize) -> BigramSketch {
        BigramSketch {
            counters: memory::filled(0, counters),
        }
    }

    /// The memory of a counter.
    #[cfg(feature = "files")]
    pub(crate) const COUNTER_BYTES: usize = size_of::<Counter>();

    /// The number of counters for a text of about `bytes` bytes, so that a sketch takes at most
    /// `memory` bytes. There are never fewer than 4096.
    pub(crate) fn counters_for(bytes: u64, memory: usize) -> usize {
        // One counter per pretoken, at four bytes of text each. No more than 16 MB: larger tables
        // overestimate fewer bigrams, but cache misses make them slower.
        let bits = (64 - (bytes / 4).leading_zeros()).clamp(12, 23);
        let mut counters = 1 << bits;
        while counters > 1 << 12 && counters * size_of::<Counter>() > memory {
            counters /= 2;
        }
        counters
    }

    /// The number of counters.
    pub(crate) fn size(&self) -> usize {
        self.counters.len()
    }

    #[inline(always)]
    fn slot(&self, left: u64, right: u64) -> usize {
        fold(left, right.rotate_left(32) | 1) as usize & (self.counters.len() - 1)
    }

    /// Counts a bigram, given as the hashes of its pretokens.
    #[cfg(test)]
    pub(crate) fn add(&mut self, left: u64, right: u64) {
        let slot = self.slot(left, right);
        self.increment(slot);
    }

    #[inline(always)]
    fn increment(&mut self, slot: usize) {
        let counter = &mut self.counters[slot];
        *counter = counter.saturating_add(1);
    }

    /// Loads the counter of a bigram into the cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, left: u64, right: u64) {
        prefetch(&self.counters[self.slot(left, right)]);
    }

    /// True if the bigram may occur this often; false if it certainly does not.
    #[inline(always)]
    pub(crate) fn may_reach(&self, left: u64, right: u64, count: u64) -> bool {
        let counter = self.counters[self.slot(left, right)];
        counter == Counter::MAX || u64::from(counter) >= count
    }

    /// Adds the counters of another sketch of the same size.
    pub(crate) fn merge(&mut self, other: &BigramSketch) {
        for (counter, &more) in self.counters.iter_mut().zip(&other.counters) {
            *counter = counter.saturating_add(more);
        }
    }

    /// Multiplies all counters.
    pub(crate) fn multiply(&mut self, times: u64) {
        let times = Counter::try_from(times).unwrap_or(Counter::MAX);
        for counter in &mut self.counters {
            *counter = counter.saturating_mul(times);
        }
    }
}

/// The number of bigrams that wait for their counters. The accesses to memory are under way at the same time.
const WAITING: usize = 16;

/// Counts bigrams in a sketch. Each counter is prefetched, and incremented a little later.
#[derive(Debug)]
pub(crate) struct SketchCounter {
    sketch: BigramSketch,
    waiting: [Option<usize>; WAITING],
    next: usize,
}

impl SketchCounter {
    pub(crate) fn new(sketch: BigramSketch) -> SketchCounter {
        SketchCounter {
            sketch,
            waiting: [None; WAITING],
            next: 0,
        }
    }

    /// Counts a bigram, given as the hashes of its pretokens.
    #[inline(always)]
    pub(crate) fn add(&mut self, left: u64, right: u64) {
        let slot = self.sketch.slot(left, right);
        prefetch(&self.sketch.counters[slot]);
        if let Some(ready) = self.waiting[self.next].replace(slot) {
            self.sketch.increment(ready);
        }
        self.next = (self.next + 1) % WAITING;
    }

    /// The sketch of everything that was counted.
    pub(crate) fn finish(mut self) -> BigramSketch {
        for slot in self.waiting.into_iter().flatten() {
            self.sketch.increment(slot);
        }
        self.sketch
    }
}

/// Sketches in files, and sums of sketches.
#[cfg(feature = "files")]
impl BigramSketch {
    /// The counter of a hash of which at least the lower bits are given. `None` if it saturated.
    pub(super) fn counter(&self, hash: usize) -> Option<Counter> {
        let counter = self.counters[hash & (self.counters.len() - 1)];
        (counter != Counter::MAX).then_some(counter)
    }

    /// A sketch with the largest count where `is_frequent` is true, and 0 elsewhere. Their number
    /// must be a power of two.
    pub(super) fn of_frequent(is_frequent: impl Iterator<Item = bool>) -> BigramSketch {
        let counter = |frequent| if frequent { Counter::MAX } else { 0 };
        BigramSketch {
            counters: is_frequent.map(counter).collect(),
        }
    }

    /// The counters, compressed.
    pub(crate) fn to_compressed(&self) -> std::io::Result<Vec<u8>> {
        let bytes: Vec<u8> = self
            .counters
            .iter()
            .flat_map(|counter| counter.to_le_bytes())
            .collect();
        zstd::bulk::compress(&bytes, 1)
    }

    /// The inverse of [`BigramSketch::to_compressed`] for a sketch of `counters` counters; `None`
    /// for anything else.
    pub(crate) fn from_compressed(bytes: &[u8], counters: usize) -> Option<BigramSketch> {
        let bytes = zstd::bulk::decompress(bytes, counters * size_of::<Counter>()).ok()?;
        let (chunks, []) = bytes.as_chunks() else {
            return None;
        };
        (chunks.len() == counters).then(|| BigramSketch {
            counters: chunks.iter().map(|&c| Counter::from_le_bytes(c)).collect(),
        })
    }
}

/// Estimates of the counts of bigrams, the largest first.
pub(crate) trait Ranked {
    /// The largest counter (`rank` 1), the second largest (2), and so on, among the counters and
    /// `more` counts, which are sorted, the largest first.
    fn ranked_among(&self, rank: usize, more: &[u64]) -> u64;
}

impl Ranked for BigramSketch {
    fn ranked_among(&self, rank: usize, more: &[u64]) -> u64 {
        let mut histogram = vec![0usize; 1 << 16];
        let top = histogram.len() - 1;
        for &counter in &self.counters {
            histogram[(counter as usize).min(top)] += 1;
        }
        let mut seen = 0;
        for (count, &counters) in histogram.iter().enumerate().rev() {
            seen += counters;
            let of_more = more.partition_point(|&other| other >= count as u64);
            if seen + of_more >= rank {
                return count as u64;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_fit_in_the_memory_that_is_given() {
        assert_eq!(BigramSketch::counters_for(1 << 40, usize::MAX), 1 << 23);
        assert_eq!(BigramSketch::counters_for(1 << 40, 1 << 20), 1 << 19);
        assert_eq!(BigramSketch::counters_for(0, usize::MAX), 1 << 12);
        assert_eq!(BigramSketch::counters_for(1 << 40, 0), 1 << 12);
    }

    #[test]
    fn counting_later_gives_the_same_sketch() {
        let mut expected = BigramSketch::new(1 << 12);
        let mut counter = SketchCounter::new(BigramSketch::new(1 << 12));
        for number in 0..1000 {
            expected.add(number % 70, number % 90);
            counter.add(number % 70, number % 90);
        }
        assert_eq!(counter.finish().counters, expected.counters);
    }

    #[test]
    fn only_a_sketch_of_the_same_size_is_read_back() {
        let mut sketch = BigramSketch::new(1 << 12);
        for number in 0..1000 {
            sketch.add(number, number * 31);
        }
        let bytes = sketch.to_compressed().unwrap();
        let again = BigramSketch::from_compressed(&bytes, 1 << 12).unwrap();
        assert_eq!(again.counters, sketch.counters);
        for wrong in [1 << 11, 1 << 13] {
            assert!(BigramSketch::from_compressed(&bytes, wrong).is_none());
        }
        assert!(BigramSketch::from_compressed(&bytes[..bytes.len() - 1], 1 << 12).is_none());
    }
}
