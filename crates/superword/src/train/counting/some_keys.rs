//! A share of the distinct keys of a text, from which the number of all its keys is estimated.

use super::budget::Size;
use crate::count::{Counts, ONE_IN};
use crate::hash::NumberMap;
use crate::memory;

/// The most keys that are collected. If there are more, only every second one is kept, every fourth one, and so on.
const MAX_KEYS: usize = if cfg!(test) { 1 << 10 } else { 1 << 19 };

/// Some keys by their hash, with something that is known about each.
#[derive(Debug, Default)]
pub(super) struct SomeKeys<V> {
    keys: NumberMap<u64, V>,
    /// Keys are collected if these bits of their hash are 0.
    mask: u64,
}

impl<V: Default> SomeKeys<V> {
    /// Adds keys that were counted. `see` gets what is known about a key, and its length.
    pub(super) fn add(&mut self, counts: &impl Counts, mut see: impl FnMut(&mut V, u32)) {
        counts.for_some_keys(|hash, length| {
            if hash & self.mask == 0 {
                memory::reserve_key(&mut self.keys);
                let known = self.keys.entry(hash).or_default();
                see(known, length.min(u32::MAX as usize) as u32);
            }
        });
        while self.keys.len() > MAX_KEYS {
            self.mask = self.mask << 1 | 1;
            self.keys.retain(|hash, _| hash & self.mask == 0);
        }
    }

    /// True if no key was added.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What is known about each of the keys.
    pub(super) fn known(&self) -> impl Iterator<Item = &V> {
        self.keys.values()
    }

    /// The size of all keys, not only of those that were collected. `length_of` tells the length of a key.
    pub(super) fn size<C: Counts>(&self, length_of: impl Fn(&V) -> u32) -> Size {
        let lengths = self.known().map(|known| length_of(known) as usize);
        Size::of_keys::<C>(lengths).times(ONE_IN as f64 * (self.mask + 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::PretokenCounts;

    #[test]
    fn the_size_of_many_keys_is_found_in_little_memory() {
        let mut some = SomeKeys::<u32>::default();
        let mut all = PretokenCounts::default();
        let mut part = PretokenCounts::default();
        for number in 0..400_000u32 {
            let long = if number % 5 == 0 {
                "and more letters"
            } else {
                ""
            };
            let key = format!("{number}{long}");
            all.add(key.as_bytes(), 1).unwrap();
            part.add(key.as_bytes(), 1).unwrap();
            if number % 50_000 == 49_999 {
                some.add(&std::mem::take(&mut part), |known, length| *known = length);
                assert!(some.keys.len() <= MAX_KEYS);
            }
        }
        assert!(some.mask > 0);
        let found = some.size::<PretokenCounts>(|&length| length);
        let expected = Size::of(&all);
        for (found, expected) in [
            (found.keys, expected.keys),
            (found.items, expected.items),
            (found.table, expected.table),
        ] {
            let ratio = found as f64 / expected as f64;
            assert!((0.85..1.15).contains(&ratio), "{found} {expected}");
        }
    }
}
