//! A hash table that finds each pair with a single look at its slots.
//!
//! Encoding looks up every two neighbours that may be joined. The processor cannot predict which of
//! them are in the table, so a search from slot to slot would also cost wrong predictions. Here no
//! two keys share a slot. Keys are divided into small buckets. Each bucket has a number, its *pilot*,
//! that sends its keys to slots of their own. The pilots of all buckets fit into the processor's
//! first or second cache.

use crate::hash::{fold, hash_u64};

/// Keys and values, each packed into one number.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    pilots: Vec<u8>,
    slots: Vec<u64>,
}

/// Keys have this many bits, not all of which are set.
pub(super) const KEY_BITS: u32 = 42;

const VALUE_BITS: u32 = 64 - KEY_BITS;

/// The value of keys that have none. It is larger than all others.
pub(super) const NO_VALUE: u32 = (1 << VALUE_BITS) - 1;

/// A free slot. No key has all bits.
const FREE: u64 = u64::MAX;

/// The average number of keys in a bucket.
const BUCKET: usize = 4;

/// More keys than this in a bucket are not by chance.
const LARGEST_BUCKET: usize = 40;

impl Slots {
    /// A table of keys that are all different, with values up to [`NO_VALUE`]. `None` if the keys
    /// cannot be divided, because very many of them get the same bucket. Hostile models have such keys, and some with very
    /// regular pairs may have them.
    ///
    /// What the table holds does not depend on the order of the entries, but the slots do.
    pub(super) fn new(entries: &[(u64, u32)]) -> Option<Slots> {
        let count = entries.len();
        // With a third of the slots free, there is nearly always a pilot for each bucket. With a fifth,
        // large tables would lack some. With half of them free, only crowded keys fail.
        let attempt = |free: usize| Slots::with_slots(entries, count + free + 1);
        attempt(count / 2).or_else(|| attempt(count))
    }

    fn with_slots(entries: &[(u64, u32)], slots: usize) -> Option<Slots> {
        let mut slots = Slots {
            pilots: vec![0; entries.len() / BUCKET + 1],
            slots: vec![FREE; slots],
        };
        // Bucket `i` has the entries `starts[i]..starts[i + 1]` of `by_bucket`.
        let mut starts = vec![0; slots.pilots.len() + 1];
        for &(key, _) in entries {
            starts[slots.bucket(key) + 1] += 1;
        }
        let largest = starts.iter().copied().max().unwrap_or(0);
        if largest > LARGEST_BUCKET {
            return None;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut by_bucket = vec![(0, 0); entries.len()];
        let mut next = starts.clone();
        for &entry in entries {
            let next = &mut next[slots.bucket(entry.0)];
            by_bucket[*next] = entry;
            *next += 1;
        }
        // Large buckets come first, while there is much room.
        for size in (1..=largest).rev() {
            for bucket in 0..slots.pilots.len() {
                let entries = &by_bucket[starts[bucket]..starts[bucket + 1]];
                if entries.len() == size {
                    slots.insert(bucket, entries)?;
                }
            }
        }
        Some(slots)
    }

    /// Finds a pilot for a bucket and stores its entries. `None` if no pilot sends them to free slots.
    fn insert(&mut self, bucket: usize, entries: &[(u64, u32)]) -> Option<()> {
        let mut taken = [0; LARGEST_BUCKET];
        'pilots: for pilot in 0..=u8::MAX {
            for (number, &(key, value)) in entries.iter().enumerate() {
                let at = self.slot(key, pilot);
                if self.slots[at] != FREE {
                    for &taken in &taken[..number] {
                        self.slots[taken] = FREE;
                    }
                    continue 'pilots;
                }
                self.slots[at] = key << VALUE_BITS | u64::from(value);
                taken[number] = at;
            }
            self.pilots[bucket] = pilot;
            return Some(());
        }
        None
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> usize {
        scaled(hash_u64(key), self.pilots.len())
    }

    #[inline(always)]
    fn slot(&self, key: u64, pilot: u8) -> usize {
        // Not the hash of the key, because two keys could have the same one.
        let pilot = u64::from(pilot).wrapping_mul(0xA076_1D64_78BD_642F);
        scaled(fold(key ^ pilot, 0xE703_7ED1_A0B4_28DB), self.slots.len())
    }

    /// Whether the key is there, and its value or [`NO_VALUE`].
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> (bool, u32) {
        let pilot = self.pilots[self.bucket(key)];
        let slot = self.slots[self.slot(key, pilot)];
        let found = slot >> VALUE_BITS == key;
        let value = slot as u32 & NO_VALUE;
        (found, if found { value } else { NO_VALUE })
    }
}

/// Scales a hash to a length, which need not be a power of two.
#[inline(always)]
fn scaled(hash: u64, length: usize) -> usize {
    ((u128::from(hash) * length as u128) >> 64) as usize
}

/// Keys that all have the same bucket in a table of this many keys.
#[cfg(test)]
pub(super) fn keys_of_one_bucket(count: usize) -> Vec<u64> {
    let buckets = count / BUCKET + 1;
    let same = (0..).filter(|&key| scaled(hash_u64(key), buckets) == 7);
    same.take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::BTreeMap;

    #[test]
    fn all_keys_are_found_and_no_others() {
        let mut random = Random(31);
        let large = if cfg!(miri) { 300 } else { 30_000 };
        for count in (0..40).chain([1000, large]) {
            let mut expected = BTreeMap::new();
            while expected.len() < count {
                let key = random.below((1 << KEY_BITS) - 1) >> (random.below(2) * 20);
                expected.insert(key, random.below(u64::from(NO_VALUE) + 1) as u32);
            }
            let entries: Vec<(u64, u32)> = expected.iter().map(|(&k, &v)| (k, v)).collect();
            let slots = Slots::new(&entries).expect("random keys can be divided");
            for (&key, &value) in &expected {
                assert_eq!(slots.get(key), (true, value));
                // Keys that differ from one in the table by a single bit.
                let other = key ^ 1 << random.below(KEY_BITS.into());
                let value = expected.get(&other).copied();
                if other != (1 << KEY_BITS) - 1 {
                    let expected = (value.is_some(), value.unwrap_or(NO_VALUE));
                    assert_eq!(slots.get(other), expected);
                }
            }
            for _ in 0..1000 {
                let key = random.below((1 << KEY_BITS) - 1);
                if !expected.contains_key(&key) {
                    assert_eq!(slots.get(key), (false, NO_VALUE));
                }
            }
        }
    }

    /// As many pairs as a large model has, at random and as a dense square.
    #[test]
    fn large_tables_can_be_built() {
        let count = if cfg!(miri) { 400 } else { 160_000 };
        let mut random = Random(32);
        let mut anywhere: Vec<u64> = (0..count).map(|_| random.below(1 << 41)).collect();
        anywhere.sort_unstable();
        anywhere.dedup();
        let square = (0..count).map(|at| ((at / 400) << (KEY_BITS / 2)) | (at % 400));
        for keys in [anywhere, square.collect()] {
            let entries: Vec<(u64, u32)> = keys.into_iter().zip(0..).collect();
            let slots = Slots::new(&entries).expect("can be divided");
            assert!(entries.iter().all(|&(k, v)| slots.get(k) == (true, v)));
        }
    }

    #[test]
    fn keys_of_one_bucket_are_refused() {
        let count = LARGEST_BUCKET + 1;
        let entries: Vec<(u64, u32)> = keys_of_one_bucket(count).into_iter().zip(0..).collect();
        assert!(Slots::new(&entries).is_none());
    }
}
