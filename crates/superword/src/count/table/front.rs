//! A small table in front of the large one.
//!
//! A large table does not fit into the caches of the processor, so every access to it waits for the memory. Most
//! pretokens of a text are among a few thousand that come up all the time. These are counted in
//! a table that fits into the second-level cache. A key that has to make room is added to the large table, but
//! not at once: its place there is prefetched first, and it waits in a queue until the place has arrived.

use super::{CountTable, Item};
use crate::memory;

/// The number of sets. Each has two entries and is one cache line, so the whole table takes 512 kB.
const SETS: usize = 1 << 13;

/// The number of keys in the queue. Its accesses to memory are under way at the same time.
const QUEUE: usize = 32;

#[derive(Clone, Copy, Debug)]
struct Entry<T: Item> {
    key: T::Inline,
    hash: u64,
    /// 0 if the entry is free.
    count: u64,
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

/// Two entries for keys with the same low bits of the hash. The first one holds the more
/// frequent key. The second one holds the last key that was not found.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Set<T: Item>([Entry<T>; 2]);

/// Counts inline keys. They reach the large table sooner or later, at the latest in [`Front::flush`].
#[derive(Clone, Debug)]
pub(crate) struct Front<T: Item> {
    sets: Vec<Set<T>>,
    queue: [Entry<T>; QUEUE],
    next: usize,
}

impl<T: Item> Front<T> {
    pub(crate) fn new() -> Front<T> {
        Front {
            sets: Vec::new(),
            queue: [Entry::default(); QUEUE],
            next: 0,
        }
    }

    /// Takes the memory that [`Front::add`] needs. A thread that never gets a document does without.
    pub(crate) fn prepare(&mut self) {
        if self.sets.is_empty() {
            self.sets = memory::filled(Set([Entry::default(); 2]), SETS);
        }
    }

    /// Counts an inline key once, after [`Front::prepare`].
    #[inline(always)]
    pub(crate) fn add(&mut self, key: &T::Inline, hash: u64, table: &mut CountTable<T>) {
        let [first, second] = &mut self.sets[hash as usize & (SETS - 1)].0;
        if first.key == *key {
            first.count += 1;
            return;
        }
        if second.key == *key {
            second.count += 1;
            if second.count > first.count {
                std::mem::swap(first, second);
            }
            return;
        }
        let new = Entry {
            key: *key,
            hash,
            count: 1,
        };
        let evicted = std::mem::replace(second, new);
        if evicted.count != 0 {
            self.enqueue(evicted, table);
        }
    }

    #[inline(always)]
    fn enqueue(&mut self, entry: Entry<T>, table: &mut CountTable<T>) {
        table.prefetch(entry.hash);
        let ready = std::mem::replace(&mut self.queue[self.next], entry);
        self.next = (self.next + 1) % QUEUE;
        pass_on(&ready, table);
    }

    /// Adds everything to the large table.
    pub(crate) fn flush(&mut self, table: &mut CountTable<T>) {
        for set in 0..self.sets.len() {
            let set = std::mem::replace(&mut self.sets[set], Set([Entry::default(); 2]));
            for entry in set.0 {
                if entry.count != 0 {
                    self.enqueue(entry, table);
                }
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
        let _ = table.add_inline(&entry.key, entry.hash, entry.count);
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
}
