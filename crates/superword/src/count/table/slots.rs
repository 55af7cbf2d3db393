//! Slots of a hash table that are ordered by hash.
//!
//! A slot is found by scaling the hash to the number of slots. So the keys lie in the order of their
//! hashes, apart from collisions. Growing a table and adding one table to another then walk through both
//! from start to end, which is many times as fast as jumping around in memory.

use super::SEGMENT_BITS;
use crate::memory;
use crate::prefetch::prefetch;

/// A key and what belongs to it.
pub(super) trait Slot: Copy {
    /// A slot without a key.
    const FREE: Self;

    fn is_free(&self) -> bool;

    /// The hash of the key.
    fn hash(&self) -> u64;
}

/// The keys of one segment.
#[derive(Clone, Debug)]
pub(super) struct Slots<S> {
    slots: Vec<S>,
    used: usize,
}

impl<S> Default for Slots<S> {
    fn default() -> Self {
        Slots {
            slots: Vec::new(),
            used: 0,
        }
    }
}

/// How many slots apart two slots are that are visited one after the other.
const STRIDE: usize = 16;

/// Where the search for a hash starts among this many slots.
#[inline(always)]
fn first_slot(hash: u64, slots: usize) -> usize {
    ((u128::from(hash << SEGMENT_BITS) * slots as u128) >> 64) as usize
}

impl<S: Slot> Slots<S> {
    /// The number of keys.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    pub(super) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<S>()
    }

    /// The memory right after the slots have grown: ten slots for seven keys, and a quarter more.
    pub(super) fn most_memory(&self) -> usize {
        (self.used * 10 / 7 * 5 / 4 + 16) * size_of::<S>()
    }

    /// The share of [`Slots::most_memory`] that a key has.
    pub(super) fn most_memory_of_one() -> usize {
        size_of::<S>() * 25 / 14
    }

    /// Loads the first slot where a hash can be into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.first(hash) {
            prefetch(slot);
        }
    }

    /// The first slot where a hash can be.
    #[inline(always)]
    pub(super) fn first(&self, hash: u64) -> Option<&S> {
        self.slots.get(first_slot(hash, self.slots.len()))
    }

    /// The slot of a key, or the free slot where it belongs. There must be a free slot.
    #[inline(always)]
    fn find(&self, hash: u64, is_key: impl Fn(&S) -> bool) -> usize {
        let mut at = first_slot(hash, self.slots.len());
        loop {
            let slot = &self.slots[at];
            if is_key(slot) || slot.is_free() {
                return at;
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    /// The slot of a key.
    pub(super) fn get(&self, hash: u64, is_key: impl Fn(&S) -> bool) -> Option<&S> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = &self.slots[self.find(hash, is_key)];
        (!slot.is_free()).then_some(slot)
    }

    /// The slot of a key, or a free one, which the caller must fill.
    #[inline(always)]
    pub(super) fn entry(&mut self, hash: u64, is_key: impl Fn(&S) -> bool) -> &mut S {
        // At most seven of ten slots are used.
        if self.used * 10 >= self.slots.len() * 7 {
            self.grow();
        }
        let at = self.find(hash, is_key);
        let slot = &mut self.slots[at];
        self.used += usize::from(slot.is_free());
        slot
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let larger = (self.slots.len() + self.slots.len() / 4).max(16);
        let larger = memory::filled(S::FREE, larger);
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| !slot.is_free()) {
            let at = self.find(slot.hash(), |_| false);
            self.slots[at] = slot;
        }
    }

    /// The slots that are used, in an order that must not be that of the hashes. Keys that were added to another
    /// table in the order of their hashes would crowd at its start until it grows.
    pub(super) fn used(&self) -> impl Iterator<Item = &S> {
        let every = |start| self.slots.iter().skip(start).step_by(STRIDE);
        let all = (0..STRIDE).flat_map(every);
        all.filter(|slot| !slot.is_free())
    }
}
