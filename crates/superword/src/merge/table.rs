//! A hash table of pairs.
//!
//! A table of pairs is much larger than the caches, so nearly each lookup waits for memory. Many lookups are known
//! before their results are needed, and the standard tables cannot be told to fetch them. This one can. Several threads can
//! add pairs to it at once, if there is room.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::hash::hash_u64;
use crate::memory;
use crate::prefetch::prefetch;

/// A pair and its value. The key is one more than the packed pair, and 0 if the slot is empty.
#[derive(Debug, Default)]
struct Slot<V> {
    key: AtomicU64,
    value: V,
}

impl<V> Slot<V> {
    #[inline(always)]
    fn key(&self) -> u64 {
        self.key.load(Relaxed)
    }
}

/// Values by packed pair. A pair never has the largest symbol twice.
#[derive(Debug)]
pub(super) struct PairTable<V> {
    /// A power of two of slots, or none. A pair is in the slot that its hash chooses, or in one of those after it, with no
    /// empty slot in between.
    slots: Vec<Slot<V>>,
    len: usize,
}

impl<V> Default for PairTable<V> {
    fn default() -> Self {
        PairTable {
            slots: Vec::new(),
            len: 0,
        }
    }
}

/// The fewest slots of a table that is not empty.
const MIN_SLOTS: usize = 64;

impl<V: Default> PairTable<V> {
    /// A table with room for this many pairs.
    pub(super) fn with_capacity(pairs: usize) -> PairTable<V> {
        let mut table = PairTable::default();
        if pairs > 0 {
            table.resize((pairs + pairs / 3 + 1).next_power_of_two().max(MIN_SLOTS));
        }
        table
    }

    fn resize(&mut self, count: usize) {
        let mut slots = Vec::new();
        memory::reserve_exact(&mut slots, count);
        slots.resize_with(count, Slot::default);
        let old = std::mem::replace(&mut self.slots, slots);
        for slot in old {
            if slot.key() != 0 {
                let at = self.slot_of(slot.key());
                self.slots[at] = slot;
            }
        }
    }

    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        // The upper bits of the hash depend on all bits of the key.
        (hash_u64(key) >> 32) as usize & (self.slots.len() - 1)
    }

    /// The slot of a key, or the empty slot where it belongs. There must be one.
    #[inline(always)]
    fn slot_of(&self, key: u64) -> usize {
        let mut at = self.home(key);
        loop {
            let found = self.slots[at].key();
            if found == key || found == 0 {
                return at;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Loads the slot of a pair into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, pair: u64) {
        if !self.slots.is_empty() {
            prefetch(&self.slots[self.home(pair + 1)]);
        }
    }

    /// The value of a pair.
    #[inline(always)]
    pub(super) fn get(&self, pair: u64) -> Option<&V> {
        if self.slots.is_empty() {
            return None;
        }
        // Each slot is read once, because another thread may take an empty one.
        let mut at = self.home(pair + 1);
        loop {
            let slot = &self.slots[at];
            match slot.key() {
                0 => return None,
                key if key == pair + 1 => return Some(&slot.value),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// The value of a pair, to change it.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, pair: u64) -> Option<&mut V> {
        if self.slots.is_empty() {
            return None;
        }
        let at = self.slot_of(pair + 1);
        let slot = &mut self.slots[at];
        (slot.key() != 0).then_some(&mut slot.value)
    }

    /// The value of a pair, which is added if it is not there.
    #[inline(always)]
    pub(super) fn entry(&mut self, pair: u64) -> &mut V {
        self.reserve(1);
        let at = self.slot_of(pair + 1);
        let slot = &mut self.slots[at];
        if slot.key() == 0 {
            *slot.key.get_mut() = pair + 1;
            self.len += 1;
        }
        &mut slot.value
    }

    /// Makes room for more pairs.
    #[inline(always)]
    pub(super) fn reserve(&mut self, more: usize) {
        while (self.len + more) * 4 > self.slots.len() * 3 {
            self.resize((2 * self.slots.len()).max(MIN_SLOTS));
        }
    }

    /// Adds a pair that is not there. Several threads may do this at once, and get pairs at the same time. There must be room
    /// for all, and [`PairTable::added`] must be told their number.
    #[inline(always)]
    pub(super) fn add(&self, pair: u64) -> &V {
        let mut at = self.home(pair + 1);
        loop {
            let slot = &self.slots[at];
            // An empty slot that another thread takes first is not empty anymore.
            if slot.key() == 0
                && slot
                    .key
                    .compare_exchange(0, pair + 1, Relaxed, Relaxed)
                    .is_ok()
            {
                return &slot.value;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Tells how many pairs were added by [`PairTable::add`].
    pub(super) fn added(&mut self, pairs: usize) {
        self.len += pairs;
    }

    /// Removes a pair and returns its value.
    pub(super) fn remove(&mut self, pair: u64) -> Option<V> {
        if self.slots.is_empty() {
            return None;
        }
        let mut hole = self.slot_of(pair + 1);
        if self.slots[hole].key() == 0 {
            return None;
        }
        self.len -= 1;
        let value = std::mem::take(&mut self.slots[hole]).value;
        // Later pairs move back into the hole, unless they are at home after it.
        let mask = self.slots.len() - 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let key = self.slots[at].key();
            if key == 0 {
                return Some(value);
            }
            let home = self.home(key);
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.slots.swap(at, hole);
                hole = at;
            }
        }
    }

    /// Removes all pairs and frees the memory.
    pub(super) fn clear(&mut self) {
        *self = PairTable::default();
    }

    /// All pairs with their values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &V)> {
        let used = self.slots.iter().filter(|slot| slot.key() != 0);
        used.map(|slot| (slot.key() - 1, &slot.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::HashMap;

    #[test]
    fn pairs_are_found_until_they_are_removed() {
        let mut random = Random(77);
        for keys in [3, 40, 3000] {
            let mut table = PairTable::with_capacity(random.below(50) as usize);
            let mut expected: HashMap<u64, u64> = HashMap::new();
            for step in 0..20_000 {
                let key = random.below(keys) << (random.below(2) * 32);
                match random.below(3) {
                    0 => assert_eq!(table.remove(key), expected.remove(&key)),
                    _ => {
                        *table.entry(key) += step;
                        *expected.entry(key).or_default() += step;
                    }
                }
                table.prefetch(key);
                assert_eq!(table.get(key), expected.get(&key));
                assert_eq!(table.get_mut(key).copied(), expected.get(&key).copied());
            }
            let found: HashMap<u64, u64> = table.iter().map(|(key, &value)| (key, value)).collect();
            assert_eq!(found, expected);
            assert_eq!(table.len, expected.len());
            table.clear();
            assert_eq!((table.iter().count(), table.get(0)), (0, None));
        }
    }

    #[test]
    fn threads_add_pairs_at_once() {
        use std::sync::atomic::AtomicU64;
        let mut table = PairTable::<AtomicU64>::default();
        for key in 0..500 {
            *table.entry(key * 7) = AtomicU64::new(key * 7);
        }
        table.reserve(4 * 3000);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    for key in 0..3000 {
                        let key = 10_000 + key * 4 + thread;
                        table.add(key).store(key, Relaxed);
                        let old = key % 500 * 7;
                        assert_eq!(table.get(old).map(|value| value.load(Relaxed)), Some(old));
                        assert!(table.get(1_000_000 + key).is_none());
                    }
                });
            }
        });
        table.added(4 * 3000);
        assert_eq!(table.iter().count(), table.len);
        assert_eq!(table.len, 12_500);
        assert!(table.iter().all(|(key, value)| value.load(Relaxed) == key));
        assert!((10_000..22_000).all(|key| table.get(key).is_some()));
    }
}
