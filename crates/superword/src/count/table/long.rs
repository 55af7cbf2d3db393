//! Long keys on their way to the large table.
//!
//! Counting a long key takes two accesses to memory: its slot, and then its items in the arena. Both would be waited for.
//! So the keys wait here until the places of many of them have been prefetched.

use super::{CountTable, Item};
use crate::memory;

/// The most keys that wait.
const WAITING: usize = 32;

/// The most items of a key that waits. Longer keys are rare.
const LONGEST: usize = 64;

/// Long keys that are counted later.
#[derive(Clone, Debug)]
pub(super) struct LongKeys<T> {
    /// The items of all keys, one key after the other.
    items: Vec<T>,
    /// The hash of each key, and its number of items.
    keys: Vec<(u64, usize)>,
}

impl<T: Item> LongKeys<T> {
    pub(super) fn new() -> LongKeys<T> {
        LongKeys {
            items: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Counts a key once, now or later.
    #[inline(always)]
    pub(super) fn add(&mut self, key: &[T], hash: u64, table: &mut CountTable<T>) {
        if key.len() > LONGEST {
            // Cannot overflow: no text has 2^64 pretokens.
            let _ = table.add_long(key, hash, 1);
            return;
        }
        table.prefetch_long(hash);
        memory::extend(&mut self.items, key);
        self.keys.push((hash, key.len()));
        if self.keys.len() == WAITING {
            self.flush(table);
        }
    }

    /// Counts the keys that wait.
    #[inline(never)]
    pub(super) fn flush(&mut self, table: &mut CountTable<T>) {
        for &(hash, _) in &self.keys {
            table.prefetch_items(hash);
        }
        let mut start = 0;
        for &(hash, len) in &self.keys {
            let _ = table.add_long(&self.items[start..start + len], hash, 1);
            start += len;
        }
        self.items.clear();
        self.keys.clear();
    }
}
