//! Partitions of counts, and a checksum that adds up.
//!
//! A partition is chosen by the xxh3 hash of a *key*: the bytes of a pretoken, or the tokens of a
//! candidate, each preceded by its length in four bytes, little-endian. The hash is part of the file
//! format: all machines must agree on it, so it must never change.

use std::num::NonZeroU32;

use xxhash_rust::xxh3::xxh3_64;

use super::named::NamedCandidates;
use super::{CandidateCounts, PretokenCounts};
use crate::token::Symbol;

/// One of several disjoint parts of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The number of this partition, from 0.
    pub number: u32,
    /// How many partitions there are.
    pub of: NonZeroU32,
}

impl Partition {
    /// True if a key with this hash belongs to the partition.
    pub fn contains(self, hash: u64) -> bool {
        partition_of(hash, self.of) == self.number
    }
}

/// The partition of a key with this hash.
pub fn partition_of(hash: u64, partitions: NonZeroU32) -> u32 {
    (hash % u64::from(partitions.get())) as u32
}

/// The hash of a pretoken.
pub fn pretoken_hash(token: &[u8]) -> u64 {
    xxh3_64(token)
}

/// The hash of a candidate. `key` is memory for its key, so that many hashes share it.
pub(crate) fn candidate_hash<'b>(tokens: impl Iterator<Item = &'b [u8]>, key: &mut Vec<u8>) -> u64 {
    key.clear();
    for token in tokens {
        key.extend_from_slice(&(token.len() as u32).to_le_bytes());
        key.extend_from_slice(token);
    }
    xxh3_64(key)
}

/// A checksum of counts: the sum of `count * hash(key)` over all rows, modulo 2^64. The checksum of
/// added counts is the sum of their checksums, whatever the order and the partitions are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum(pub u64);

impl Checksum {
    /// Adds a row.
    pub fn add(&mut self, hash: u64, count: u64) {
        self.0 = self.0.wrapping_add(hash.wrapping_mul(count));
    }
}

/// What [`PretokenCounts::without_rare`] and [`NamedCandidates::without_rare`] leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Rows.
    pub rows: u64,
    /// The sum of their counts.
    pub count: u64,
    /// Their checksum.
    pub checksum: Checksum,
}

impl Dropped {
    fn add(&mut self, hash: u64, count: u64) {
        self.rows += 1;
        self.count = self.count.saturating_add(count);
        self.checksum.add(hash, count);
    }
}

impl PretokenCounts {
    /// The pretokens of one partition.
    #[doc(hidden)]
    pub fn partition(&self, partition: Partition) -> PretokenCounts {
        let mut part = PretokenCounts::default();
        self.for_each(|token, count| {
            if partition.contains(pretoken_hash(token)) {
                // Cannot overflow: every token is added once.
                let _ = part.add(token, count);
            }
        });
        part
    }

    /// The pretokens that occur at least `min_count` times, and a record of the others.
    #[doc(hidden)]
    pub fn without_rare(&self, min_count: u64) -> (PretokenCounts, Dropped) {
        let (mut kept, mut dropped) = (PretokenCounts::default(), Dropped::default());
        self.for_each(|token, count| {
            if count < min_count {
                dropped.add(pretoken_hash(token), count);
            } else {
                let _ = kept.add(token, count);
            }
        });
        (kept, dropped)
    }

    /// The checksum of all counts.
    #[doc(hidden)]
    pub fn checksum(&self) -> Checksum {
        let mut checksum = Checksum::default();
        self.for_each(|token, count| checksum.add(pretoken_hash(token), count));
        checksum
    }
}

impl NamedCandidates {
    /// The hash of a candidate of this table. `key` is memory for its key.
    pub fn hash(&self, run: &[Symbol], key: &mut Vec<u8>) -> u64 {
        candidate_hash(self.bytes(run), key)
    }

    /// The candidates for which `keep(hash, count)` is true.
    fn filtered(&self, mut keep: impl FnMut(u64, u64) -> bool) -> NamedCandidates {
        let (mut counts, mut key) = (CandidateCounts::default(), Vec::new());
        for (run, count) in self.iter() {
            if keep(self.hash(run, &mut key), count) {
                // Cannot overflow: every candidate is added once.
                let _ = counts.add(run, count);
            }
        }
        self.with_counts(counts)
    }

    /// The candidates of one partition.
    pub fn partition(&self, partition: Partition) -> NamedCandidates {
        self.filtered(|hash, _| partition.contains(hash))
    }

    /// The candidates that occur at least `min_count` times, and a record of the others.
    pub fn without_rare(&self, min_count: u64) -> (NamedCandidates, Dropped) {
        let mut dropped = Dropped::default();
        let kept = self.filtered(|hash, count| {
            if count < min_count {
                dropped.add(hash, count);
            }
            count >= min_count
        });
        (kept, dropped)
    }

    /// The checksum of all counts.
    pub fn checksum(&self) -> Checksum {
        let (mut checksum, mut key) = (Checksum::default(), Vec::new());
        for (run, count) in self.iter() {
            checksum.add(self.hash(run, &mut key), count);
        }
        checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: NonZeroU32 = NonZeroU32::new(3).unwrap();

    fn counts(from: u32, to: u32) -> PretokenCounts {
        let mut counts = PretokenCounts::default();
        for number in from..to {
            let token = format!("word {}", number % 700);
            counts.add(token.as_bytes(), u64::from(number)).unwrap();
        }
        counts
    }

    #[test]
    fn hashes_stay_as_they_are() {
        // Files of earlier versions rely on these numbers.
        assert_eq!(pretoken_hash(b" the"), 0x9080_330e_9062_fab0);
        let hash = |run: [&[u8]; 2]| candidate_hash(run.into_iter(), &mut vec![7]);
        let run = [b"of".as_slice(), b" the"];
        assert_eq!(hash(run), 0xbc47_a2a4_6afe_4fcc);
        let shifted = [b"of ".as_slice(), b"the"];
        assert_ne!(hash(shifted), hash(run));
    }

    #[test]
    fn partitions_are_disjoint_and_complete() {
        let all = counts(1, 2000);
        let parts = [0, 1, 2].map(|number| all.partition(Partition { number, of: THREE }));
        assert!(parts.iter().all(|part| part.len() > 150));
        assert_eq!(parts.iter().map(PretokenCounts::len).sum::<usize>(), 700);
        let mut sum = PretokenCounts::default();
        for part in &parts {
            sum.merge(part).unwrap();
        }
        assert_eq!(sum.checksum(), all.checksum());
        all.for_each(|token, count| assert_eq!(sum.get(token), count));
    }

    #[test]
    fn checksums_add_up() {
        let (a, b) = (counts(1, 1000), counts(1000, 2000));
        let expected = a.checksum().0.wrapping_add(b.checksum().0);
        let mut sum = a;
        sum.merge(&b).unwrap();
        assert_eq!(sum.checksum().0, expected);
        assert_eq!(counts(1, 2000).checksum().0, expected);
    }

    #[test]
    fn what_is_dropped_is_recorded() {
        let all = counts(1, 2000);
        let (kept, dropped) = all.without_rare(1500);
        assert_eq!(kept.len() as u64 + dropped.rows, 700);
        let mass = |counts: &PretokenCounts| {
            let mut mass = 0;
            counts.for_each(|_, count| mass += count);
            mass
        };
        assert_eq!(mass(&kept) + dropped.count, mass(&all));
        let sum = kept.checksum().0.wrapping_add(dropped.checksum.0);
        assert_eq!(sum, all.checksum().0);
        kept.for_each(|_, count| assert!(count >= 1500));
    }

    #[test]
    fn candidates_have_partitions_too() {
        let mut all = NamedCandidates::default();
        for number in 0u32..500 {
            let word = format!(" {number}");
            let run = [b"of".as_slice(), word.as_bytes()];
            all.add(run.into_iter(), u64::from(number % 7 + 1)).unwrap();
        }
        let parts = [0, 1, 2].map(|number| all.partition(Partition { number, of: THREE }));
        assert_eq!(parts.iter().map(NamedCandidates::len).sum::<usize>(), 500);
        let sum = parts.iter().map(|part| part.checksum().0);
        assert_eq!(sum.fold(0, u64::wrapping_add), all.checksum().0);
        let (kept, dropped) = all.without_rare(3);
        assert_eq!(kept.len() as u64 + dropped.rows, 500);
        let sum = kept.checksum().0.wrapping_add(dropped.checksum.0);
        assert_eq!(sum, all.checksum().0);
    }
}
