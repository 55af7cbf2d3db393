//! Upper bounds on how often two pretokens stand side by side, in fixed memory.
//!
//! Cutting (see [`super::cut`]) needs to know which bigrams are rare before any candidate is kept.
//! Counting all bigrams exactly would take more memory than the candidates do. A table of counters
//! indexed by a hash gives, for every bigram, a number that is never too small: a bigram shares its
//! counter with others, so it can only be overrated, and an overrated bigram is merely not cut yet.

use crate::hash::fold;
use crate::memory;

/// A table of counters indexed by the hash of a bigram. Counters stop at the largest number.
#[derive(Clone, Debug)]
pub struct BigramSketch {
    counters: Vec<Counter>,
}

/// Two bytes: half the lines of the cache, and counts beyond them are never rare.
type Counter = u16;

impl BigramSketch {
    /// A sketch for a text of about this many bytes.
    pub fn for_text_of(bytes: u64) -> BigramSketch {
        // Four bytes of text a pretoken, a counter for each: but at most 16 MB of counters. More
        // would rate fewer bigrams too high, and be slower to reach.
        let bits = (64 - (bytes / 4).leading_zeros()).clamp(12, 23);
        BigramSketch {
            counters: memory::filled(0, 1 << bits),
        }
    }

    /// The same with at most this many bytes of memory.
    pub fn for_text_within(bytes: u64, memory: usize) -> BigramSketch {
        let mut sketch = BigramSketch::for_text_of(bytes);
        while sketch.counters.len() > 1 << 12
            && sketch.counters.len() * size_of::<Counter>() > memory
        {
            sketch.counters.truncate(sketch.counters.len() / 2);
        }
        sketch.counters.shrink_to_fit();
        sketch
    }

    /// The number of counters.
    pub fn len(&self) -> usize {
        self.counters.len()
    }

    /// Never true.
    pub fn is_empty(&self) -> bool {
        self.counters.is_empty()
    }

    /// The counters, for a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.counters
            .iter()
            .flat_map(|counter| counter.to_le_bytes())
            .collect()
    }

    /// The inverse of [`BigramSketch::to_bytes`]; `None` if that did not write it.
    pub fn from_bytes(bytes: &[u8]) -> Option<BigramSketch> {
        const SIZE: usize = size_of::<Counter>();
        let counters: Vec<Counter> = bytes
            .chunks_exact(SIZE)
            .map(|chunk| {
                let mut counter = [0; SIZE];
                counter.copy_from_slice(chunk);
                Counter::from_le_bytes(counter)
            })
            .collect();
        let whole = bytes.len() == counters.len() * SIZE && counters.len().is_power_of_two();
        whole.then_some(BigramSketch { counters })
    }

    #[inline(always)]
    fn slot(&self, left: u64, right: u64) -> usize {
        fold(left, right.rotate_left(32) | 1) as usize & (self.counters.len() - 1)
    }

    /// Counts a bigram, given by the hashes of its pretokens.
    #[inline(always)]
    pub fn add(&mut self, left: u64, right: u64) {
        let slot = self.slot(left, right);
        let counter = &mut self.counters[slot];
        *counter = counter.saturating_add(1);
    }

    /// True if the bigram may occur this often; false if it certainly does not.
    #[inline(always)]
    pub fn may_reach(&self, left: u64, right: u64, count: u64) -> bool {
        let counter = self.counters[self.slot(left, right)];
        counter == Counter::MAX || u64::from(counter) >= count
    }

    /// Adds the counts of another sketch of the same size.
    pub fn merge(&mut self, other: &BigramSketch) {
        for (counter, &more) in self.counters.iter_mut().zip(&other.counters) {
            *counter = counter.saturating_add(more);
        }
    }

    /// Multiplies all counts.
    pub fn multiply(&mut self, times: u64) {
        let times = Counter::try_from(times).unwrap_or(Counter::MAX);
        for counter in &mut self.counters {
            *counter = counter.saturating_mul(times);
        }
    }

    /// The `rank`-th largest counter (from 1): a guess at the count of the `rank`-th bigram.
    pub fn ranked(&self, rank: usize) -> u64 {
        self.ranked_among(rank, &[])
    }

    /// The same among the counters and some more counts, which are sorted, the largest first.
    pub fn ranked_among(&self, rank: usize, more: &[u64]) -> u64 {
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
