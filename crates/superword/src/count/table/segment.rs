//! A part of a table: short keys in their slots, long ones in an arena.

use super::Item;
use super::slots::{Slot, Slots};
use crate::count::CountOverflow;
use crate::memory;
use crate::prefetch::prefetch;

/// A short key and its count.
#[derive(Clone, Copy, Debug)]
struct Inline<T: Item> {
    key: T::Inline,
    count: u64,
}

impl<T: Item> Slot for Inline<T> {
    const FREE: Self = Inline {
        key: T::FREE,
        count: 0,
    };

    #[inline(always)]
    fn is_free(&self) -> bool {
        self.key == T::FREE
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        T::hash_inline(&self.key)
    }
}

/// A long key and its count.
#[derive(Clone, Copy, Debug)]
struct Long {
    /// Stored, so that growing the table need not read the items again.
    hash: u64,
    start: u32,
    /// Never 0, except in a free slot.
    len: u32,
    count: u64,
}

impl Slot for Long {
    const FREE: Self = Long {
        hash: 0,
        start: 0,
        len: 0,
        count: 0,
    };

    #[inline(always)]
    fn is_free(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        self.hash
    }
}

impl Long {
    #[inline(always)]
    fn key<'a, T>(&self, arena: &'a [T]) -> &'a [T] {
        &arena[self.start as usize..][..self.len as usize]
    }
}

/// The keys whose hashes start with the same bits, and their counts.
#[derive(Clone, Debug)]
pub(crate) struct Segment<T: Item> {
    short: Slots<Inline<T>>,
    /// The number of items in all short keys.
    short_items: usize,
    long: Slots<Long>,
    arena: Vec<T>,
}

impl<T: Item> Default for Segment<T> {
    fn default() -> Self {
        Segment {
            short: Slots::default(),
            short_items: 0,
            long: Slots::default(),
            arena: Vec::new(),
        }
    }
}

impl<T: Item> Segment<T> {
    pub(super) fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// The number of items in all keys.
    pub(super) fn items(&self) -> usize {
        self.short_items + self.arena.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.short.memory() + self.long.memory() + self.arena.capacity() * size_of::<T>()
    }

    /// The memory right after the tables have grown.
    pub(super) fn most_memory(&self) -> usize {
        self.short.most_memory() + self.long.most_memory() + self.arena.len() * size_of::<T>()
    }

    /// The share of [`Segment::most_memory`] that a key of this length has.
    pub(super) fn most_memory_of(length: usize, is_inline: bool) -> usize {
        match is_inline {
            true => Slots::<Inline<T>>::most_memory_of_one(),
            false => Slots::<Long>::most_memory_of_one() + length * size_of::<T>(),
        }
    }

    /// Loads the slot of a short key into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        self.short.prefetch(hash);
    }

    /// Loads the slot of a long key into the cache.
    #[inline(always)]
    pub(super) fn prefetch_long(&self, hash: u64) {
        self.long.prefetch(hash);
    }

    /// Loads a long key into the cache, whose slot should be there by now.
    #[inline(always)]
    pub(super) fn prefetch_items(&self, hash: u64) {
        if let Some(long) = self.long.first(hash)
            && long.hash == hash
            && let Some(item) = self.arena.get(long.start as usize)
        {
            prefetch(item);
        }
    }

    #[inline(always)]
    pub(super) fn add_inline(
        &mut self,
        key: &T::Inline,
        hash: u64,
        times: u64,
    ) -> Result<(), CountOverflow> {
        let slot = self.short.entry(hash, |slot| slot.key == *key);
        if slot.is_free() {
            self.short_items += T::items(key).len();
        }
        slot.key = *key;
        slot.count = slot.count.checked_add(times).ok_or(CountOverflow)?;
        Ok(())
    }

    #[inline(never)]
    pub(super) fn add_long(
        &mut self,
        key: &[T],
        hash: u64,
        times: u64,
    ) -> Result<(), CountOverflow> {
        let arena = &self.arena;
        let is_key = |long: &Long| long.hash == hash && long.key(arena) == key;
        let slot = self.long.entry(hash, is_key);
        if !slot.is_free() {
            slot.count = slot.count.checked_add(times).ok_or(CountOverflow)?;
            return Ok(());
        }
        // Only a machine with terabytes of memory gets here with larger numbers.
        let (Ok(start), Ok(len)) = (u32::try_from(self.arena.len()), u32::try_from(key.len()))
        else {
            memory::fail();
        };
        *slot = Long {
            hash,
            start,
            len,
            count: times,
        };
        memory::extend(&mut self.arena, key);
        Ok(())
    }

    pub(super) fn get_inline(&self, key: &T::Inline, hash: u64) -> u64 {
        let slot = self.short.get(hash, |slot| slot.key == *key);
        slot.map_or(0, |slot| slot.count)
    }

    pub(super) fn get_long(&self, key: &[T], hash: u64) -> u64 {
        let is_key = |long: &Long| long.hash == hash && long.key(&self.arena) == key;
        self.long.get(hash, is_key).map_or(0, |long| long.count)
    }

    /// All keys and their counts, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[T], u64)> {
        let short = self.short.used();
        let short = short.map(|slot| (T::items(&slot.key), slot.count));
        let long = self.long.used();
        short.chain(long.map(|long| (long.key(&self.arena), long.count)))
    }

    /// Adds all counts of `other`, multiplied by `times`.
    pub(super) fn add_all(&mut self, other: &Segment<T>, times: u64) -> Result<(), CountOverflow> {
        let product = |count: u64| count.checked_mul(times).ok_or(CountOverflow);
        for slot in other.short.used() {
            self.add_inline(&slot.key, slot.hash(), product(slot.count)?)?;
        }
        for long in other.long.used() {
            self.add_long(long.key(&other.arena), long.hash, product(long.count)?)?;
        }
        Ok(())
    }
}
