//! The hash functions of the hot paths, and a filter over hashes.
//!
//! The hashes are fast and distribute well enough for tables whose size is a power of two. They have
//! no seed, so that every run is the same. Results never depend on them.

use crate::token::pack;

const K0: u64 = 0x9E37_79B9_7F4A_7C15;
const K1: u64 = 0xD6E8_FEB8_6659_FD93;

/// Multiplies to 128 bits and combines both halves, so that every bit of the result depends on all
/// bits of both numbers.
#[inline(always)]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// The hash of 16 bytes.
#[inline(always)]
pub(crate) fn hash_u128(word: u128) -> u64 {
    fold((word as u64) ^ K0, ((word >> 64) as u64) ^ K1)
}

/// The hash of two symbols.
#[inline(always)]
pub(crate) fn hash_pair(left: u32, right: u32) -> u64 {
    hash_u64(pack(left, right))
}

/// The hash of one number.
#[inline(always)]
pub(crate) fn hash_u64(word: u64) -> u64 {
    fold(word ^ K0, K1)
}

/// A [`std::hash::Hasher`] for keys that are one number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct U64Hasher(u64);

impl std::hash::Hasher for U64Hasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = hash_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = hash_u64(word);
    }

    fn write_u32(&mut self, word: u32) {
        self.0 = hash_u64(u64::from(word));
    }
}

/// Builds [`U64Hasher`]s.
pub(crate) type BuildU64Hasher = std::hash::BuildHasherDefault<U64Hasher>;

/// A map whose keys are numbers.
pub(crate) type NumberMap<K, V> = hashbrown::HashMap<K, V, BuildU64Hasher>;

/// A set of hashes that may report hashes it does not contain, but never misses one it contains
/// (a Bloom filter). Each hash sets two bits in a word that it chooses.
#[derive(Clone, Debug)]
pub(crate) struct HashFilter {
    words: Vec<u64>,
}

/// The number of bits per hash. At 16, about one in seventy other hashes is reported.
const BITS: usize = 16;

impl HashFilter {
    /// A filter with room for this many hashes.
    pub(crate) fn with_capacity(hashes: usize) -> HashFilter {
        let bits = (hashes * BITS).next_power_of_two().max(64);
        HashFilter {
            words: vec![0; bits / 64],
        }
    }

    /// Adds a hash. All 64 bits of it should be well distributed.
    pub(crate) fn insert(&mut self, hash: u64) {
        let at = hash as usize & (self.words.len() - 1);
        self.words[at] |= bits(hash);
    }

    /// True if the hash was added, and sometimes if it was not.
    #[inline(always)]
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        let bits = bits(hash);
        self.words[hash as usize & (self.words.len() - 1)] & bits == bits
    }
}

/// The bits of a hash in its word. They come from its high bits; the low bits choose the word.
#[inline(always)]
fn bits(hash: u64) -> u64 {
    1 << (hash >> 58) | 1 << (hash >> 52 & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_reports_all_its_hashes_and_few_others() {
        let mut filter = HashFilter::with_capacity(1000);
        for number in 0..1000 {
            filter.insert(hash_u64(number));
        }
        assert!((0..1000).all(|number| filter.may_have(hash_u64(number))));
        let others = (1000..11_000).filter(|&number| filter.may_have(hash_u64(number)));
        assert!(others.count() < 400);
        assert!(!HashFilter::with_capacity(0).may_have(hash_u64(1)));
    }
}
