//! A hash table of counts that is ordered by hash.
//!
//! A slot is found by scaling the hash to the number of slots. So the keys lie in the order of their
//! hashes, apart from collisions. Growing a table and adding one table to another then walk through both
//! from start to end, which is many times as fast as jumping around in memory.

use hashbrown::HashTable;

use super::{Item, SEGMENT_BITS};
use crate::count::CountOverflow;
use crate::memory;
use crate::prefetch::prefetch;

#[derive(Clone, Copy, Debug)]
struct Slot<T: Item> {
    key: T::Inline,
    /// 0 in a free slot.
    count: u64,
}

impl<T: Item> Default for Slot<T> {
    fn default() -> Self {
        Slot {
            key: T::FREE,
            count: 0,
        }
    }
}

impl<T: Item> Slot<T> {
    #[inline(always)]
    fn is_free(&self) -> bool {
        self.key == T::FREE
    }
}

#[derive(Clone, Copy, Debug)]
struct Long {
    /// Stored, so that growing the table need not read the items again.
    hash: u64,
    start: u32,
    len: u32,
    count: u64,
}

impl Long {
    fn key<'a, T>(&self, arena: &'a [T]) -> &'a [T] {
        &arena[self.start as usize..][..self.len as usize]
    }
}

/// The keys whose hashes start with the same bits, and their counts.
#[derive(Clone, Debug)]
pub(crate) struct Segment<T: Item> {
    slots: Vec<Slot<T>>,
    used: usize,
    /// The number of items in all inline keys.
    inline_items: usize,
    long: HashTable<Long>,
    arena: Vec<T>,
}

impl<T: Item> Default for Segment<T> {
    fn default() -> Self {
        Segment {
            slots: Vec::new(),
            used: 0,
            inline_items: 0,
            long: HashTable::new(),
            arena: Vec::new(),
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

impl<T: Item> Segment<T> {
    pub(super) fn len(&self) -> usize {
        self.used + self.long.len()
    }

    /// The number of items in all keys.
    pub(super) fn items(&self) -> usize {
        self.inline_items + self.arena.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<T>>()
            + self.long.capacity() * (size_of::<Long>() + 1)
            + self.arena.capacity() * size_of::<T>()
    }

    /// The memory right after the tables have grown.
    pub(super) fn most_memory(&self) -> usize {
        // Ten slots for seven keys, and a quarter more.
        let slots = self.used * 10 / 7 * 5 / 4 + 16;
        // The other table doubles when seven of eight entries are used.
        let long = self.long.len() * 16 / 7;
        slots * size_of::<Slot<T>>()
            + long * (size_of::<Long>() + 1)
            + self.arena.len() * size_of::<T>()
    }

    /// The share of [`Segment::most_memory`] that a key of this length has.
    pub(super) fn most_memory_of(length: usize, is_inline: bool) -> usize {
        match is_inline {
            true => size_of::<Slot<T>>() * 25 / 14,
            false => (size_of::<Long>() + 1) * 16 / 7 + length * size_of::<T>(),
        }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(first_slot(hash, self.slots.len())) {
            prefetch(slot);
        }
    }

    /// The slot of a key, or the free slot where it belongs. There must be a free slot.
    #[inline(always)]
    fn find(&self, key: &T::Inline, hash: u64) -> usize {
        let mut at = first_slot(hash, self.slots.len());
        loop {
            let slot = &self.slots[at];
            if slot.key == *key || slot.is_free() {
                return at;
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    #[inline(always)]
    pub(super) fn add_inline(
        &mut self,
        key: &T::Inline,
        hash: u64,
        times: u64,
    ) -> Result<(), CountOverflow> {
        // At most seven of ten slots are used.
        if self.used * 10 >= self.slots.len() * 7 {
            self.grow();
        }
        let at = self.find(key, hash);
        let slot = &mut self.slots[at];
        if slot.is_free() {
            self.used += 1;
            self.inline_items += T::items(key).len();
        }
        slot.key = *key;
        slot.count = slot.count.checked_add(times).ok_or(CountOverflow)?;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let larger = (self.slots.len() + self.slots.len() / 4).max(16);
        let larger = memory::filled(Slot::default(), larger);
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| !slot.is_free()) {
            let at = self.find(&slot.key, T::hash_inline(&slot.key));
            self.slots[at] = slot;
        }
    }

    #[inline(never)]
    pub(super) fn add_long(
        &mut self,
        key: &[T],
        hash: u64,
        times: u64,
    ) -> Result<(), CountOverflow> {
        let arena = &self.arena;
        let same = |long: &Long| long.hash == hash && long.key(arena) == key;
        if let Some(long) = self.long.find_mut(hash, same) {
            long.count = long.count.checked_add(times).ok_or(CountOverflow)?;
            return Ok(());
        }
        // Only a machine with terabytes of memory gets here with larger numbers.
        let (Ok(start), Ok(len)) = (u32::try_from(self.arena.len()), u32::try_from(key.len()))
        else {
            memory::fail();
        };
        memory::extend(&mut self.arena, key);
        memory::reserve_entry(&mut self.long, |long| long.hash);
        let long = Long {
            hash,
            start,
            len,
            count: times,
        };
        self.long.insert_unique(hash, long, |long| long.hash);
        Ok(())
    }

    pub(super) fn get_inline(&self, key: &T::Inline, hash: u64) -> u64 {
        match self.slots.is_empty() {
            true => 0,
            // The count of a free slot is 0.
            false => self.slots[self.find(key, hash)].count,
        }
    }

    pub(super) fn get_long(&self, key: &[T], hash: u64) -> u64 {
        let found = self.long.find(hash, |long| long.key(&self.arena) == key);
        found.map_or(0, |long| long.count)
    }

    /// The slots that are used, in an order that must not be that of the hashes. Keys that were added to another
    /// table in the order of their hashes would crowd at its start until it grows.
    fn used_slots(&self) -> impl Iterator<Item = &Slot<T>> {
        let every = |start| self.slots.iter().skip(start).step_by(STRIDE);
        let all = (0..STRIDE).flat_map(every);
        all.filter(|slot| !slot.is_free())
    }

    /// All keys and their counts, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[T], u64)> {
        let used = self.used_slots();
        let short = used.map(|slot| (T::items(&slot.key), slot.count));
        let long = self.long.iter();
        short.chain(long.map(|long| (long.key(&self.arena), long.count)))
    }

    /// Adds all counts of `other`, multiplied by `times`.
    pub(super) fn add_all(&mut self, other: &Segment<T>, times: u64) -> Result<(), CountOverflow> {
        let product = |count: u64| count.checked_mul(times).ok_or(CountOverflow);
        for slot in other.used_slots() {
            self.add_inline(&slot.key, T::hash_inline(&slot.key), product(slot.count)?)?;
        }
        for long in &other.long {
            self.add_long(long.key(&other.arena), long.hash, product(long.count)?)?;
        }
        Ok(())
    }
}
