//! Three entries that share a cache line.

use super::Item;

/// The number of entries.
const WAYS: usize = 3;

/// A set of a small table: the entries of keys with the same low bits of the hash. Whenever a key is found, it moves
/// one place towards the front, so frequent keys are found first and new keys make room for each other at the end.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Set<T: Item> {
    keys: [T::Inline; WAYS],
    values: [u32; WAYS],
}

impl<T: Item> Set<T> {
    /// A set without keys.
    pub(crate) const EMPTY: Set<T> = Set {
        keys: [T::FREE; WAYS],
        values: [0; WAYS],
    };

    /// The value of a key that is in the set.
    #[inline(always)]
    pub(crate) fn find(&mut self, key: &T::Inline) -> Option<&mut u32> {
        if self.keys[0] == *key {
            return Some(&mut self.values[0]);
        }
        if self.keys[1] == *key {
            self.swap(0, 1);
            return Some(&mut self.values[0]);
        }
        if self.keys[2] == *key {
            self.swap(1, 2);
            return Some(&mut self.values[1]);
        }
        None
    }

    #[inline(always)]
    fn swap(&mut self, one: usize, other: usize) {
        self.keys.swap(one, other);
        self.values.swap(one, other);
    }

    /// Adds a key that is not in the set. Returns the one that had to make room, which is [`Item::FREE`] if there was
    /// room.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: &T::Inline, value: u32) -> (T::Inline, u32) {
        const LAST: usize = WAYS - 1;
        let old = (self.keys[LAST], self.values[LAST]);
        (self.keys[LAST], self.values[LAST]) = (*key, value);
        old
    }

    /// All keys and their values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (T::Inline, u32)> {
        let entries = self.keys.into_iter().zip(self.values);
        entries.filter(|(key, _)| *key != T::FREE)
    }
}
