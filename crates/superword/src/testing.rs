//! Support for tests: one seeded random generator for the whole crate.
//!
//! The integration tests include this file by path, so it must not use the rest of the crate.

/// A small random generator (SplitMix64). The same seed gives the same values on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns any 64-bit number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number less than `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns an index into something of length `len`, which must not be 0.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Returns one of `items`, of which there must be at least one.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }

    /// Returns a text of at most `longest` pieces.
    pub(crate) fn text(&mut self, pieces: &[&str], longest: usize) -> String {
        let len = self.index(longest + 1);
        (0..len).map(|_| *self.pick(pieces)).collect()
    }
}
