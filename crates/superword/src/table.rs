//! A hash table from byte strings to small values, for the hot lookups.
//!
//! Nearly all pretokens have at most 15 bytes. These are stored inline as one 16-byte number: the
//! bytes, then the length in the last byte. So a lookup is one hash, one probe and one comparison,
//! without following a pointer. Longer strings are stored in an arena.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use xxhash_rust::xxh3::xxh3_64;

use crate::hash::hash_u128;
use crate::memory;
use crate::prefetch::prefetch;

/// The length of the longest string that is stored inline.
pub(crate) const INLINE: usize = 15;

/// `MASKS[n]` selects the first `n` of sixteen bytes. A lookup costs less than shifting 128 bits.
const MASKS: [u128; 16] = {
    let mut masks = [0; 16];
    let mut n = 1;
    while n < 16 {
        masks[n] = u128::MAX >> (128 - 8 * n);
        n += 1;
    }
    masks
};

/// A string of 1 to [`INLINE`] bytes as a number. Never 0, which marks a free slot.
#[inline(always)]
pub(crate) fn inline_key(text: &[u8], start: usize, len: usize) -> u128 {
    debug_assert!((1..=INLINE).contains(&len));
    let word = match text.get(start..start + 16) {
        // One load of 16 bytes, with the bytes after the string cleared.
        Some(bytes) => {
            let mut word = [0; 16];
            word.copy_from_slice(bytes);
            u128::from_le_bytes(word) & MASKS[len & 15]
        }
        None => {
            let mut word = [0; 16];
            word[..len].copy_from_slice(&text[start..start + len]);
            u128::from_le_bytes(word)
        }
    };
    word | ((len as u128) << 120)
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot<V> {
    key: [u64; 2],
    value: V,
}

#[derive(Clone, Copy, Debug)]
struct Long<V> {
    start: usize,
    len: usize,
    value: V,
}

impl<V> Long<V> {
    fn bytes<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        &arena[self.start..self.start + self.len]
    }
}

/// A map from byte strings to values. Strings must not be empty, and are never removed.
#[derive(Clone, Debug)]
pub(crate) struct BytesTable<V> {
    slots: Vec<Slot<V>>,
    used: usize,
    long: HashTable<Long<V>>,
    arena: Vec<u8>,
}

impl<V: Copy + Default> Default for BytesTable<V> {
    fn default() -> Self {
        BytesTable::with_capacity(1 << 10)
    }
}

fn halves(key: u128) -> [u64; 2] {
    [key as u64, (key >> 64) as u64]
}

fn whole(key: [u64; 2]) -> u128 {
    u128::from(key[0]) | (u128::from(key[1]) << 64)
}

impl<V: Copy + Default> BytesTable<V> {
    /// An empty table with room for this many strings.
    pub(crate) fn with_capacity(strings: usize) -> BytesTable<V> {
        BytesTable {
            slots: memory::filled(Slot::default(), (strings * 2).next_power_of_two().max(16)),
            used: 0,
            long: HashTable::new(),
            arena: Vec::new(),
        }
    }

    /// The number of strings.
    pub(crate) fn len(&self) -> usize {
        self.used + self.long.len()
    }

    /// The memory that the table uses, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot<V>>()
            + self.long.capacity() * size_of::<Long<V>>()
            + self.arena.capacity()
    }

    /// The hash of `text[start..end]`.
    #[inline(always)]
    pub(crate) fn hash(text: &[u8], start: usize, end: usize) -> u64 {
        let len = end - start;
        if len <= INLINE {
            hash_u128(inline_key(text, start, len))
        } else {
            xxh3_64(&text[start..end])
        }
    }

    /// The value of `text[start..end]` and its hash. A missing string is added with the default value.
    #[inline(always)]
    pub(crate) fn entry(&mut self, text: &[u8], start: usize, end: usize) -> (&mut V, u64) {
        let len = end - start;
        if len > INLINE {
            return self.long_entry(&text[start..end]);
        }
        let key = inline_key(text, start, len);
        let hash = hash_u128(key);
        (self.inline_entry(halves(key), hash), hash)
    }

    #[inline(always)]
    fn inline_entry(&mut self, key: [u64; 2], hash: u64) -> &mut V {
        if self.used * 8 >= self.slots.len() * 5 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.key == key {
                break;
            }
            if slot.key[1] == 0 {
                self.slots[at].key = key;
                self.used += 1;
                break;
            }
            at = (at + 1) & mask;
        }
        &mut self.slots[at].value
    }

    #[cold]
    fn grow(&mut self) {
        let larger = memory::filled(Slot::default(), self.slots.len() * 2);
        let mask = larger.len() - 1;
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.key[1] != 0) {
            let mut at = hash_u128(whole(slot.key)) as usize & mask;
            while self.slots[at].key[1] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    #[cold]
    #[inline(never)]
    fn long_entry(&mut self, bytes: &[u8]) -> (&mut V, u64) {
        let hash = xxh3_64(bytes);
        let arena = &self.arena;
        memory::reserve_entry(&mut self.long, |long| xxh3_64(long.bytes(arena)));
        let found = self.long.entry(
            hash,
            |long| long.bytes(arena) == bytes,
            |long| xxh3_64(long.bytes(arena)),
        );
        let entry = match found {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let long = Long {
                    start: self.arena.len(),
                    len: bytes.len(),
                    value: V::default(),
                };
                memory::extend(&mut self.arena, bytes);
                entry.insert(long).into_mut()
            }
        };
        (&mut entry.value, hash)
    }

    /// The value of `text[start..end]`, if it is in the table, and its hash.
    #[inline(always)]
    pub(crate) fn get(&self, text: &[u8], start: usize, end: usize) -> (Option<V>, u64) {
        let hash = Self::hash(text, start, end);
        (self.get_hashed(text, start, end, hash), hash)
    }

    /// Loads the place of a string with this hash into the cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(&self.slots[hash as usize & (self.slots.len() - 1)]);
    }

    /// The value of `text[start..end]`, which has this hash, if it is in the table.
    #[inline(always)]
    fn get_hashed(&self, text: &[u8], start: usize, end: usize, hash: u64) -> Option<V> {
        let len = end - start;
        if len > INLINE {
            return self.get_long(&text[start..end], hash);
        }
        let key = halves(inline_key(text, start, len));
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.key == key {
                return Some(slot.value);
            }
            if slot.key[1] == 0 {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn get_long(&self, bytes: &[u8], hash: u64) -> Option<V> {
        let found = self
            .long
            .find(hash, |long| long.bytes(&self.arena) == bytes);
        found.map(|long| long.value)
    }

    /// Calls `visit(bytes, value)` for every string, in no particular order.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&[u8], V)) {
        for slot in self.slots.iter().filter(|slot| slot.key[1] != 0) {
            let bytes = whole(slot.key).to_le_bytes();
            visit(&bytes[..usize::from(bytes[15])], slot.value);
        }
        for long in &self.long {
            visit(long.bytes(&self.arena), long.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn strings_of_all_lengths_are_distinguished() {
        let text: Vec<u8> = (0..400u32).map(|i| (i * i % 7) as u8).collect();
        let mut table: BytesTable<u64> = BytesTable::default();
        let mut expected: HashMap<&[u8], u64> = HashMap::new();
        for len in 1..40 {
            for start in 0..text.len() - len {
                *table.entry(&text, start, start + len).0 += 1;
                *expected.entry(&text[start..start + len]).or_default() += 1;
            }
        }
        assert_eq!(table.len(), expected.len());
        let mut seen = 0;
        table.for_each(|bytes, count| {
            assert_eq!(expected[bytes], count);
            assert_eq!(table.get(bytes, 0, bytes.len()).0, Some(count));
            seen += 1;
        });
        assert_eq!(seen, expected.len());
        assert_eq!(table.get(b"\x09", 0, 1).0, None);
    }
}
