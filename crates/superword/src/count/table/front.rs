//! A small table in front of the large one.
//!
//! A large table does not fit into the caches of the processor, so every access to it waits for the memory. Most
//! pretokens of a text are among a few thousand that come up all the time. These are counted in
//! a table that fits into the second-level cache. A key that has to make room is added to the large table, but
//! not at once: its place there is prefetched first, and it waits in a queue until the place has arrived.

use super::long::LongKeys;
use super::{CountTable, Item, Set};
use crate::memory;
use crate::prefetch::prefetch;

/// The number of sets. Each is one cache line, so the whole table takes 512 kB.
const SETS: usize = 1 << 13;

/// The number of keys that wait until their sets have arrived in the first-level cache.
const WAITING: usize = 64;

/// The number of keys in the queue. Its accesses to memory are under way at the same time.
const QUEUE: usize = 32;

#[derive(Clone, Copy, Debug)]
struct Entry<T: Item> {
    key: T::Inline,
    hash: u64,
    /// 0 if the entry is free.
    count: u32,
}

impl<T: Item> Default for Entry<T> {
    fn default() -> Self {
        Entry {
            key: T::FREE,
            hash: 0,
            count: 0,
        }
    }
}

/// Counts keys. They reach the large table sooner or later, at the latest in [`Front::flush`].
#[derive(Clone, Debug)]
pub(crate) struct Front<T: Item> {
    sets: Vec<Set<T>>,
    /// Keys and the numbers of their sets.
    waiting: [(T::Inline, u16); WAITING],
    /// The number of keys that wait.
    length: usize,
    queue: [Entry<T>; QUEUE],
    next: usize,
    long: LongKeys<T>,
}

impl<T: Item> Front<T> {
    pub(crate) fn new() -> Front<T> {
        Front {
            sets: Vec::new(),
            waiting: [(T::FREE, 0); WAITING],
            length: 0,
            queue: [Entry::default(); QUEUE],
            next: 0,
            long: LongKeys::new(),
        }
    }

    /// Takes the memory that [`Front::add`] needs. A thread that never gets a document does without.
    pub(crate) fn prepare(&mut self) {
        if self.sets.is_empty() {
            self.sets = memory::filled(Set::EMPTY, SETS);
        }
    }

    /// Counts an inline key once, after [`Front::prepare`].
    #[inline(always)]
    pub(crate) fn add(&mut self, key: &T::Inline, hash: u64, table: &mut CountTable<T>) {
        let set = hash as usize & (SETS - 1);
        prefetch(&self.sets[set]);
        self.waiting[self.length % WAITING] = (*key, set as u16);
        self.length += 1;
        if self.length == WAITING {
            self.count_waiting(table);
        }
    }

    /// Counts a key once that is too long to be stored inline.
    pub(crate) fn add_long(&mut self, key: &[T], hash: u64, table: &mut CountTable<T>) {
        self.long.add(key, hash, table);
    }

    /// Counts the keys that wait. They are not counted one by one as they come, because finding a key takes branches
    /// that are hard to predict. Here hardly anything has to be done again after a wrong prediction.
    #[inline(never)]
    fn count_waiting(&mut self, table: &mut CountTable<T>) {
        let length = std::mem::take(&mut self.length);
        for at in 0..length {
            let (key, set) = self.waiting[at % WAITING];
            let set = &mut self.sets[usize::from(set)];
            let evicted = match set.find(&key) {
                Some(count) if *count < u32::MAX => {
                    *count += 1;
                    continue;
                }
                Some(count) => (key, std::mem::replace(count, 1)),
                None => set.insert(&key, 1),
            };
            self.enqueue(evicted, table);
        }
    }

    #[inline(always)]
    fn enqueue(&mut self, (key, count): (T::Inline, u32), table: &mut CountTable<T>) {
        if count == 0 {
            return;
        }
        let hash = T::hash_inline(&key);
        table.prefetch(hash);
        let entry = Entry { key, hash, count };
        let ready = std::mem::replace(&mut self.queue[self.next], entry);
        self.next = (self.next + 1) % QUEUE;
        pass_on(&ready, table);
    }

    /// Adds everything to the large table.
    pub(crate) fn flush(&mut self, table: &mut CountTable<T>) {
        self.long.flush(table);
        self.count_waiting(table);
        for set in 0..self.sets.len() {
            let set = std::mem::replace(&mut self.sets[set], Set::EMPTY);
            for entry in set.entries() {
                self.enqueue(entry, table);
            }
        }
        for entry in std::mem::replace(&mut self.queue, [Entry::default(); QUEUE]) {
            pass_on(&entry, table);
        }
    }
}

#[inline(always)]
fn pass_on<T: Item>(entry: &Entry<T>, table: &mut CountTable<T>) {
    if entry.count != 0 {
        // Cannot overflow: no text has 2^64 pretokens.
        let _ = table.add_inline(&entry.key, entry.hash, u64::from(entry.count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn counts_are_the_same_with_and_without_it() {
        let mut random = Random(3);
        let (mut front, mut with) = (Front::<u8>::new(), CountTable::default());
        let mut without = CountTable::<u8>::default();
        front.flush(&mut with);
        front.prepare();
        for round in 0..3 {
            for _ in 0..200_000 {
                // A few frequent numbers and many rare ones.
                let bits = random.below(20);
                let number = random.below(1 << bits) | 1 << 24;
                let key = u8::inline(&number.to_le_bytes()).unwrap();
                let hash = u8::hash_inline(&key);
                front.add(&key, hash, &mut with);
                without.add_inline(&key, hash, 1).unwrap();
            }
            front.flush(&mut with);
            assert_eq!(with.len(), without.len(), "round {round}");
            for (key, count) in without.iter() {
                assert_eq!(with.get(key), count);
            }
        }
    }

    #[test]
    fn a_count_that_gets_too_large_for_it_is_passed_on() {
        let (mut front, mut table) = (Front::<u8>::new(), CountTable::default());
        front.prepare();
        let key = u8::inline(b" the").unwrap();
        let hash = u8::hash_inline(&key);
        front.sets[hash as usize & (SETS - 1)].insert(&key, u32::MAX - 1);
        for _ in 0..3 {
            front.add(&key, hash, &mut table);
        }
        front.flush(&mut table);
        assert_eq!(table.get(b" the"), u64::from(u32::MAX) + 2);
    }
}
