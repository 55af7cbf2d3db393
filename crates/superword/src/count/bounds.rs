//! Upper bounds on the counts of bigrams in a text that is counted in parts.
//!
//! Every part has a [`BigramSketch`]. Bounds add them up in wider counters, so that they also hold
//! for terabytes. The number of counters is fixed: the error of a bound is a share of the text, and
//! so are the counts of the superwords, so it need not grow with the text.

use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::{BigramSketch, FrequentBigrams, Ranked};
use crate::memory;

/// The number of counters: as many as the largest sketch has.
const COUNTERS: usize = 1 << 23;

/// The first byte of a slice. It changes when the hashes of bigrams change, so that slices of
/// different versions are never added up.
const FORMAT: u8 = 1;

/// The bound of a counter that overflowed somewhere.
const UNKNOWN: u32 = u32::MAX;

/// A slice of bounds that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bounds of bigrams are damaged, or were made with another number of partitions")]
pub struct DamagedBounds;

/// The sum of the sketches of all parts of a text.
#[derive(Clone, Debug)]
pub struct BigramBounds {
    counters: Vec<u32>,
}

impl Default for BigramBounds {
    fn default() -> BigramBounds {
        BigramBounds {
            counters: memory::filled(0, COUNTERS),
        }
    }
}

impl From<&BigramSketch> for BigramBounds {
    fn from(sketch: &BigramSketch) -> BigramBounds {
        let mut bounds = BigramBounds::default();
        // A smaller sketch uses fewer bits of the same hash, so its counter is a bound for all of
        // the counters that it stands for.
        for (index, counter) in bounds.counters.iter_mut().enumerate() {
            *counter = sketch.counter(index).map_or(UNKNOWN, u32::from);
        }
        bounds
    }
}

impl BigramBounds {
    /// Adds the bounds of another part.
    pub fn merge(&mut self, other: &BigramBounds) {
        add(&mut self.counters, other.counters.iter().copied());
    }

    /// A hash of all bounds.
    pub fn digest(&self) -> u64 {
        let mut hash = Xxh3::new();
        for counters in self.counters.chunks(1 << 12) {
            let bytes: Vec<u8> = counters.iter().flat_map(|c| c.to_le_bytes()).collect();
            hash.update(&bytes);
        }
        hash.digest()
    }

    /// One of several slices, compressed, so that slices can be added up separately. A number that
    /// is too large gives an empty slice.
    pub fn slice(&self, number: u32, of: u32) -> std::io::Result<Vec<u8>> {
        let counters = &self.counters[range(number, of)];
        let bytes: Vec<u8> = counters.iter().flat_map(|c| c.to_le_bytes()).collect();
        let mut slice = vec![FORMAT];
        slice.append(&mut zstd::bulk::compress(&bytes, 1)?);
        Ok(slice)
    }

    /// Adds a slice of other bounds.
    pub fn add_slice(&mut self, number: u32, of: u32, slice: &[u8]) -> Result<(), DamagedBounds> {
        let range = range(number, of);
        let Some((&FORMAT, slice)) = slice.split_first() else {
            return Err(DamagedBounds);
        };
        let bytes = zstd::bulk::decompress(slice, range.len() * 4).map_err(|_| DamagedBounds)?;
        let (chunks, []) = bytes.as_chunks() else {
            return Err(DamagedBounds);
        };
        if chunks.len() != range.len() {
            return Err(DamagedBounds);
        }
        let more = chunks.iter().map(|&chunk| u32::from_le_bytes(chunk));
        add(&mut self.counters[range], more);
        Ok(())
    }

    /// Bounds that are as good as these for `threshold`, but for no other. They compress well.
    pub fn above(&self, threshold: u64) -> BigramBounds {
        let counters = self.counters.iter();
        BigramBounds {
            counters: counters
                .map(|&bound| {
                    if reaches(bound, threshold) {
                        UNKNOWN
                    } else {
                        0
                    }
                })
                .collect(),
        }
    }

    /// The bigrams that may occur `threshold` times.
    pub(crate) fn at_least(&self, threshold: u64) -> FrequentBigrams {
        let counters = self.counters.iter();
        FrequentBigrams::new(counters.map(|&bound| reaches(bound, threshold)))
    }
}

impl Ranked for BigramBounds {
    fn ranked_among(&self, rank: usize, more: &[u64]) -> u64 {
        let mut all: Vec<u64> = self.counters.iter().map(|&c| u64::from(c)).collect();
        all.extend_from_slice(more);
        match rank {
            0 => u64::MAX,
            _ if rank > all.len() => 0,
            _ => *all.select_nth_unstable_by(rank - 1, |a, b| b.cmp(a)).1,
        }
    }
}

fn reaches(bound: u32, threshold: u64) -> bool {
    bound == UNKNOWN || u64::from(bound) >= threshold
}

fn range(number: u32, of: u32) -> Range<usize> {
    let at = |number: u32| {
        let share = COUNTERS as u64 * u64::from(number) / u64::from(of.max(1));
        (share as usize).min(COUNTERS)
    };
    at(number)..at(number.saturating_add(1))
}

fn add(counters: &mut [u32], more: impl Iterator<Item = u32>) {
    for (counter, more) in counters.iter_mut().zip(more) {
        *counter = counter.saturating_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::BytesTable;
    use crate::testing::Random;

    fn sketch(random: &mut Random, counters: usize, bigrams: u64) -> (BigramSketch, Vec<u64>) {
        let mut sketch = BigramSketch::new(counters);
        let mut counts = vec![0; 50];
        for _ in 0..bigrams {
            // Frequent ones and rare ones.
            let at = random.index(50).min(random.index(50));
            counts[at] += 1;
            sketch.add(hash(at), hash(at + 1));
        }
        (sketch, counts)
    }

    fn hash(number: usize) -> u64 {
        (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    #[test]
    fn bounds_of_parts_of_any_size_are_never_too_small() {
        let mut random = Random(5);
        let mut bounds = BigramBounds::default();
        let mut counts = vec![0u64; 50];
        for counters in [1 << 12, 1 << 16, 1 << 23] {
            let (part, counted) = sketch(&mut random, counters, 200_000);
            bounds.merge(&BigramBounds::from(&part));
            for (sum, count) in counts.iter_mut().zip(counted) {
                *sum += count;
            }
        }
        for threshold in [1, 100, 1000, 10_000, 20_000] {
            let frequent = bounds.at_least(threshold);
            for (at, &count) in counts.iter().enumerate() {
                let may = frequent.may_be(hash(at), hash(at + 1));
                assert!(may || count < threshold, "{at}: {count} of {threshold}");
            }
        }
        let threshold = 10_000;
        let same = bounds.above(threshold).at_least(threshold);
        let frequent = bounds.at_least(threshold);
        for at in 0..200 {
            let may = |frequent: &FrequentBigrams| frequent.may_be(hash(at), hash(at + 1));
            assert_eq!(may(&same), may(&frequent));
        }
        // They do rule bigrams out.
        let frequent = bounds.at_least(10_000);
        let may = |at: usize| frequent.may_be(hash(at), hash(at + 1));
        assert!((0..50).filter(|&at| !may(at)).count() > 10);
    }

    #[test]
    fn a_counter_that_overflowed_bounds_nothing() {
        let mut sketch = BigramSketch::new(1 << 12);
        for _ in 0..70_000 {
            sketch.add(3, 4);
        }
        let bounds = BigramBounds::from(&sketch);
        let huge = 1 << 40;
        assert!(bounds.at_least(huge).may_be(3, 4));
        assert!(!bounds.at_least(1).may_be(5, 6));
    }

    #[test]
    fn slices_add_up_to_the_whole() {
        let mut random = Random(9);
        let parts = [1 << 14, 1 << 23].map(|size| {
            let (sketch, _) = sketch(&mut random, size, 10_000);
            BigramBounds::from(&sketch)
        });
        let mut whole = parts[0].clone();
        whole.merge(&parts[1]);
        for of in [1, 3, 17] {
            let mut sum = BigramBounds::default();
            for number in 0..of {
                for part in &parts {
                    let slice = part.slice(number, of).unwrap();
                    sum.add_slice(number, of, &slice).unwrap();
                }
            }
            assert_eq!(sum.counters, whole.counters);
        }
        let slice = parts[0].slice(0, 3).unwrap();
        let mut sum = BigramBounds::default();
        assert_eq!(sum.add_slice(0, 4, &slice), Err(DamagedBounds));
        assert_eq!(sum.add_slice(0, 3, &slice[1..]), Err(DamagedBounds));
    }

    #[test]
    fn the_counter_of_a_bigram_stays_where_it_is() {
        // If this fails, change FORMAT: parts that other versions counted no longer match.
        let hash = |text: &str| BytesTable::<u64>::hash(text.as_bytes(), 0, text.len());
        let mut sketch = BigramSketch::new(COUNTERS);
        sketch.add(hash(" of"), hash(" the"));
        sketch.add(hash(" extraordinarily"), hash(" unforgettable evening"));
        let bounds = BigramBounds::from(&sketch);
        let found = bounds.counters.iter().enumerate().filter(|(_, c)| **c > 0);
        let found: Vec<usize> = found.map(|(index, _)| index).collect();
        assert_eq!(found, [3_114_502, 5_978_164]);
    }

    #[test]
    fn ranks_are_those_of_the_counters() {
        let mut bounds = BigramBounds::default();
        bounds.counters[..3].copy_from_slice(&[7, 90_000, 5]);
        assert_eq!(bounds.ranked_among(1, &[]), 90_000);
        assert_eq!(bounds.ranked_among(2, &[100, 6]), 100);
        assert_eq!(bounds.ranked_among(3, &[100, 6]), 7);
        assert_eq!(bounds.ranked_among(6, &[]), 0);
    }
}
