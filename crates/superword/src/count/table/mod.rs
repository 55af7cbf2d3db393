//! The hash tables of the counters.
//!
//! A key is a string of items: the bytes of a pretoken, or the symbols of a candidate. Short keys are
//! stored inline as one 16-byte number, longer ones in an arena.
//!
//! - `slots`: the slots of a hash table that are ordered by hash
//! - `segment`: a part of a table, with short and long keys
//! - `front`: a small table in front of the large one, for the keys that come up all the time
//! - `long`: long keys on their way to the large table
//! - `set`: the entries of a small table that share a cache line
//! - `parts`: the keys in parts, for several threads
//! - `sum`: adding tables up, on several threads
//!
//! A [`CountTable`] is divided into segments by the highest bits of the hash. This has three benefits: tables are
//! added up segment by segment, on as many threads as there are; only one segment at a time exists twice
//! while it grows; and a table can be consumed and freed piecemeal.

mod front;
mod long;
mod parts;
mod segment;
mod set;
mod slots;
mod sum;

pub(crate) use front::Front;
pub(crate) use parts::Parts;
pub(crate) use set::Set;
pub(crate) use sum::sum;

use segment::Segment;

use super::CountOverflow;

/// The number of segments is 2 to this power.
const SEGMENT_BITS: u32 = 6;
pub(crate) const SEGMENTS: usize = 1 << SEGMENT_BITS;

/// What the keys of a table consist of.
pub(crate) trait Item: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    /// A short key, stored inline.
    type Inline: Copy + Eq + std::fmt::Debug + Send + Sync;

    /// An inline key without items, which marks a free slot.
    const FREE: Self::Inline;

    /// The key as an inline key, if it can be stored so.
    fn inline(key: &[Self]) -> Option<Self::Inline>;

    /// The items of an inline key. There are none in a free slot.
    fn items(key: &Self::Inline) -> &[Self];

    /// The hash of an inline key.
    fn hash_inline(key: &Self::Inline) -> u64;

    /// The hash of a key that is stored in an arena.
    fn hash_long(key: &[Self]) -> u64;
}

/// How often each key occurs. Keys are never empty and never removed.
#[derive(Clone, Debug)]
pub(crate) struct CountTable<T: Item> {
    segments: Vec<Segment<T>>,
}

impl<T: Item> Default for CountTable<T> {
    fn default() -> Self {
        CountTable {
            segments: (0..SEGMENTS).map(|_| Segment::default()).collect(),
        }
    }
}

/// The segment of a hash.
#[inline(always)]
fn segment_of(hash: u64) -> usize {
    (hash >> (64 - SEGMENT_BITS)) as usize
}

impl<T: Item> CountTable<T> {
    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    /// The memory that the table uses, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.segments.iter().map(Segment::memory).sum()
    }

    /// The most memory that a table with as many keys uses, in bytes.
    pub(crate) fn most_memory(&self) -> usize {
        self.segments.iter().map(Segment::most_memory).sum()
    }

    /// The share of [`CountTable::most_memory`] that a key of this length has.
    pub(crate) fn most_memory_of(length: usize, is_inline: bool) -> usize {
        Segment::<T>::most_memory_of(length, is_inline)
    }

    /// True if keys with this hash are among those of [`CountTable::for_some_keys`].
    #[inline(always)]
    pub(crate) fn is_one_of_some(hash: u64) -> bool {
        segment_of(hash) == 0
    }

    /// The number of items in all keys.
    pub(crate) fn items(&self) -> usize {
        self.segments.iter().map(Segment::items).sum()
    }

    /// Adds to the count of a key.
    pub(crate) fn add(&mut self, key: &[T], times: u64) -> Result<(), CountOverflow> {
        match T::inline(key) {
            Some(key) => self.add_inline(&key, T::hash_inline(&key), times),
            None => self.add_long(key, T::hash_long(key), times),
        }
    }

    /// Adds to the count of an inline key with this hash.
    #[inline(always)]
    pub(crate) fn add_inline(
        &mut self,
        key: &T::Inline,
        hash: u64,
        times: u64,
    ) -> Result<(), CountOverflow> {
        self.segments[segment_of(hash)].add_inline(key, hash, times)
    }

    /// Adds to the count of a key with this hash, which is too long to be stored inline.
    pub(crate) fn add_long(
        &mut self,
        key: &[T],
        hash: u64,
        times: u64,
    ) -> Result<(), CountOverflow> {
        self.segments[segment_of(hash)].add_long(key, hash, times)
    }

    /// Loads the place of an inline key into the cache.
    #[inline(always)]
    fn prefetch(&self, hash: u64) {
        self.segments[segment_of(hash)].prefetch(hash);
    }

    /// Loads the slot of a long key into the cache.
    #[inline(always)]
    fn prefetch_long(&self, hash: u64) {
        self.segments[segment_of(hash)].prefetch_long(hash);
    }

    /// Loads a long key into the cache, whose slot should be there by now.
    #[inline(always)]
    fn prefetch_items(&self, hash: u64) {
        self.segments[segment_of(hash)].prefetch_items(hash);
    }

    /// The count of a key; 0 if it was never counted.
    pub(crate) fn get(&self, key: &[T]) -> u64 {
        match T::inline(key) {
            Some(key) => {
                let hash = T::hash_inline(&key);
                self.segments[segment_of(hash)].get_inline(&key, hash)
            }
            None => {
                let hash = T::hash_long(key);
                self.segments[segment_of(hash)].get_long(key, hash)
            }
        }
    }

    /// All keys and their counts, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[T], u64)> {
        self.segments.iter().flat_map(Segment::iter)
    }

    /// Calls `visit` with the hash and the length of every key of one segment.
    pub(crate) fn for_some_keys(&self, mut visit: impl FnMut(u64, usize)) {
        for (key, _) in self.segments[0].iter() {
            let hash = T::inline(key).map(|key| T::hash_inline(&key));
            visit(hash.unwrap_or_else(|| T::hash_long(key)), key.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::threads::lock;
    use std::borrow::Cow;
    use std::collections::HashMap;

    fn random_keys(random: &mut Random, number: usize) -> Vec<Vec<u8>> {
        let mut key = || {
            let len = 1 + random.below(40) as usize;
            (0..len).map(|_| random.below(3) as u8).collect()
        };
        (0..number).map(|_| key()).collect()
    }

    fn collect(table: &CountTable<u8>) -> HashMap<Vec<u8>, u64> {
        let mut all = HashMap::new();
        for (key, count) in table.iter() {
            assert!(all.insert(key.to_vec(), count).is_none());
        }
        all
    }

    #[test]
    fn counts_are_those_of_a_map() {
        let mut random = Random(1);
        let mut table = CountTable::default();
        let mut expected: HashMap<Vec<u8>, u64> = HashMap::new();
        for key in random_keys(&mut random, 30_000) {
            let times = 1 + random.below(5);
            table.add(&key, times).unwrap();
            *expected.entry(key).or_default() += times;
        }
        assert_eq!(collect(&table), expected);
        assert_eq!(table.len(), expected.len());
        assert_eq!(table.items(), expected.keys().map(Vec::len).sum::<usize>());
        for (key, &count) in &expected {
            assert_eq!(table.get(key), count);
        }
        assert_eq!(table.get(&[9]), 0);
        assert_eq!(table.get(&[9; 30]), 0);
        let copy = table.clone();
        for parts in [
            Parts::new(Cow::Borrowed(&copy)),
            Parts::new(Cow::Owned(table)),
        ] {
            let mut consumed = HashMap::new();
            for part in 0..parts.len() {
                let mut seen = HashMap::new();
                parts.for_each(part, |(key, count)| {
                    assert!(seen.insert(key.to_vec(), count).is_none());
                });
                parts.consume(part, |(key, count)| {
                    assert_eq!(seen.remove(key), Some(count));
                    assert!(consumed.insert(key.to_vec(), count).is_none());
                });
                assert!(seen.is_empty());
            }
            assert_eq!(consumed, expected);
            if let Parts::Owned(segments) = &parts {
                assert!(segments.iter().all(|segment| lock(segment).len() == 0));
            }
        }
    }

    #[test]
    fn a_count_that_does_not_fit_is_an_error() {
        let mut table: CountTable<u8> = CountTable::default();
        for key in [&[1][..], &[1; 30]] {
            table.add(key, u64::MAX).unwrap();
            assert_eq!(table.add(key, 1), Err(CountOverflow));
            assert_eq!(table.get(key), u64::MAX);
        }
    }

    #[test]
    fn a_sum_is_the_same_for_any_number_of_threads() {
        let mut random = Random(2);
        let keys: Vec<_> = (0..5).map(|_| random_keys(&mut random, 5_000)).collect();
        let tables = || -> Vec<(CountTable<u8>, u64)> {
            let table = |(number, keys): (usize, &Vec<Vec<u8>>)| {
                let mut table = CountTable::default();
                keys.iter().for_each(|key| table.add(key, 1).unwrap());
                (table, 1 + number as u64 / 2)
            };
            keys.iter().enumerate().map(table).collect()
        };
        let mut expected: HashMap<Vec<u8>, u64> = HashMap::new();
        for (number, keys) in keys.iter().enumerate() {
            for key in keys {
                *expected.entry(key.clone()).or_default() += 1 + number as u64 / 2;
            }
        }
        for threads in [1, 2, 3, 16, 64] {
            let all = sum(tables(), threads, &crate::observe::Silent).unwrap();
            assert_eq!(collect(&all), expected);
        }
        let empty: CountTable<u8> = sum(Vec::new(), 2, &crate::observe::Silent).unwrap();
        assert_eq!(empty.len(), 0);
        let mut large: CountTable<u8> = CountTable::default();
        large.add(&[1], u64::MAX / 2 + 1).unwrap();
        let overflow = sum(
            vec![(large.clone(), 1), (large, 1)],
            2,
            &crate::observe::Silent,
        );
        assert!(overflow.is_err());
    }
}
