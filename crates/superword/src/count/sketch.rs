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
use crate::threads;

/// A table of counters indexed by the hash of a bigram. Counters saturate.
#[derive(Clone, Debug)]
pub(crate) struct BigramSketch {
    counters: Vec<Counter>,
}

/// Two bytes, so that more counters fit in the cache. A bigram of a larger count is never rare.
type Counter = u16;

/// The largest sketch has two to the power of this many counters.
const MOST_BITS: u32 = 23;

/// The most counters that are added up at once. They fit into a second-level cache.
const MERGED_AT_ONCE: usize = 1 << 18;

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

    /// The memory of the largest sketch.
    #[cfg(feature = "files")]
    pub(crate) const MOST_BYTES: u64 = (size_of::<Counter>() as u64) << MOST_BITS;

    /// The number of counters for a text of about `bytes` bytes, so that a sketch takes at most
    /// `memory` bytes. There are never fewer than 4096.
    pub(crate) fn counters_for(bytes: u64, memory: usize) -> usize {
        // One counter per pretoken, at four bytes of text each. No more than 16 MB: larger tables
        // overestimate fewer bigrams, but cache misses make them slower.
        let bits = (64 - (bytes / 4).leading_zeros()).clamp(12, MOST_BITS);
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
        hash_bigram(left, right) & (self.counters.len() - 1)
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

    /// The bigrams that may occur this often. All others certainly do not.
    pub(crate) fn frequent(&self, count: u64) -> FrequentBigrams {
        // A counter that has saturated may stand for any count.
        let least = Counter::try_from(count).unwrap_or(Counter::MAX);
        FrequentBigrams::new(self.counters.iter().map(|&counter| counter >= least))
    }

    /// Adds the counters of other sketches of the same size, on several threads.
    pub(crate) fn merge(&mut self, others: Vec<BigramSketch>, threads: usize) {
        // Parts that stay in the cache until all others are added.
        let part = (self.counters.len() / threads.max(1)).clamp(1, MERGED_AT_ONCE);
        let parts = self.counters.chunks_mut(part).enumerate().collect();
        threads::map(threads, parts, |(number, sum): (usize, &mut [Counter])| {
            for other in &others {
                for (counter, &more) in sum.iter_mut().zip(&other.counters[number * part..]) {
                    *counter = counter.saturating_add(more);
                }
            }
        });
        threads::map(threads, others, drop);
    }

    /// Multiplies all counters.
    pub(crate) fn multiply(&mut self, times: u64) {
        let times = Counter::try_from(times).unwrap_or(Counter::MAX);
        for counter in &mut self.counters {
            *counter = counter.saturating_mul(times);
        }
    }
}

/// The hash of a bigram, given as the hashes of its pretokens.
#[inline(always)]
fn hash_bigram(left: u64, right: u64) -> usize {
    fold(left, right.rotate_left(32) | 1) as usize
}

/// One bit for every counter of a sketch: whether its bigrams may be frequent. It takes a sixteenth of the memory, so
/// it nearly fits into the second-level cache.
#[derive(Clone, Debug)]
pub(crate) struct FrequentBigrams {
    words: Vec<u64>,
}

impl FrequentBigrams {
    /// The number of bits must be a power of two, and at least 64.
    pub(super) fn new(mut bits: impl ExactSizeIterator<Item = bool>) -> FrequentBigrams {
        let mut words = memory::filled(0, bits.len() / 64);
        for word in &mut words {
            for (at, bit) in (0..64).zip(&mut bits) {
                *word |= u64::from(bit) << at;
            }
        }
        FrequentBigrams { words }
    }

    /// The number of bits.
    #[cfg(test)]
    fn size(&self) -> usize {
        self.words.len() * 64
    }

    /// The bit of a bigram, given as the hashes of its pretokens. Loads it into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, left: u64, right: u64) -> usize {
        let bit = hash_bigram(left, right) & (self.words.len() * 64 - 1);
        prefetch(&self.words[bit / 64]);
        bit
    }

    /// 1 if the bigrams of this bit may be frequent, 0 if they are certainly rare.
    #[inline(always)]
    pub(super) fn get(&self, bit: usize) -> u64 {
        self.words[bit / 64] >> (bit % 64) & 1
    }

    /// True if the bigram may be frequent.
    #[cfg(test)]
    pub(crate) fn may_be(&self, left: u64, right: u64) -> bool {
        self.get(self.prefetch(left, right)) == 1
    }
}

/// The number of bigrams that wait for their counters. The accesses to memory are under way at the same time.
const WAITING: usize = 32;

/// Counts bigrams in a sketch. Each counter is prefetched, and incremented a little later.
#[derive(Debug)]
pub(crate) struct SketchCounter {
    sketch: BigramSketch,
    waiting: [usize; WAITING],
    length: usize,
}

impl SketchCounter {
    pub(crate) fn new(sketch: BigramSketch) -> SketchCounter {
        SketchCounter {
            sketch,
            waiting: [0; WAITING],
            length: 0,
        }
    }

    /// Counts a bigram, given as the hashes of its pretokens, if `counts` is true. There is no branch, because nobody
    /// can predict it.
    #[inline(always)]
    pub(crate) fn add_if(&mut self, counts: bool, left: u64, right: u64) {
        let matters = u64::from(counts).wrapping_neg();
        let slot = self.sketch.slot(left & matters, right & matters);
        prefetch(&self.sketch.counters[slot]);
        self.waiting[self.length % WAITING] = slot;
        self.length += usize::from(counts);
        if self.length == WAITING {
            self.count_waiting();
        }
    }

    #[inline(never)]
    fn count_waiting(&mut self) {
        for at in 0..std::mem::take(&mut self.length) {
            self.sketch.increment(self.waiting[at % WAITING]);
        }
    }

    /// The sketch of everything that was counted.
    pub(crate) fn finish(mut self) -> BigramSketch {
        self.count_waiting();
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
        // Most counters are small. In one histogram, each addition would wait for the one before it.
        let mut histograms = vec![[0u32; 4]; 1 << 16];
        let (groups, rest) = self.counters.as_chunks::<4>();
        for group in groups {
            for (lane, &counter) in group.iter().enumerate() {
                histograms[usize::from(counter)][lane] += 1;
            }
        }
        for &counter in rest {
            histograms[usize::from(counter)][0] += 1;
        }
        let mut seen = 0;
        for (count, counters) in histograms.iter().enumerate().rev() {
            seen += counters
                .iter()
                .map(|&counters| counters as usize)
                .sum::<usize>();
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
            let counts = number % 3 != 0;
            if counts {
                expected.add(number % 70, number % 90);
            }
            counter.add_if(counts, number % 70, number % 90);
        }
        assert_eq!(counter.finish().counters, expected.counters);
    }

    #[test]
    fn bigrams_are_frequent_if_their_counters_reach_the_threshold() {
        let mut sketch = BigramSketch::new(1 << 12);
        for left in 0..300 {
            (0..left % 40).for_each(|_| sketch.add(left, 7));
        }
        (0..70_000).for_each(|_| sketch.add(8, 9));
        for threshold in [1, 2, 20, 39, 40, 1 << 40] {
            let frequent = sketch.frequent(threshold);
            assert_eq!(frequent.size(), sketch.size());
            for left in 0..300 {
                let counter = sketch.counters[sketch.slot(left, 7)];
                let reaches = counter == Counter::MAX || u64::from(counter) >= threshold;
                assert_eq!(frequent.may_be(left, 7), reaches, "{left} {threshold}");
            }
            assert!(frequent.may_be(8, 9));
        }
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
