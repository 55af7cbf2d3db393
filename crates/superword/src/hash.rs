//! The one hash of the hot paths: fixed, fast, and spread well enough for tables of powers of two.
//!
//! It has no seed on purpose: results never depend on it, and a run is the same every time.

use crate::token::pack;

const K0: u64 = 0x9E37_79B9_7F4A_7C15;
const K1: u64 = 0xD6E8_FEB8_6659_FD93;

/// Multiplies to 128 bits and folds the halves: every bit of the result depends on all of both.
#[inline(always)]
pub fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// The hash of a word of 16 bytes.
#[inline(always)]
pub fn hash_u128(word: u128) -> u64 {
    fold((word as u64) ^ K0, ((word >> 64) as u64) ^ K1)
}

/// The hash of two ids.
#[inline(always)]
pub fn hash_pair(left: u32, right: u32) -> u64 {
    hash_u64(pack(left, right))
}

/// The hash of one number.
#[inline(always)]
pub fn hash_u64(word: u64) -> u64 {
    fold(word ^ K0, K1)
}

/// A [`std::hash::Hasher`] for keys that are one `u64`, for the tables of `hashbrown`.
#[derive(Clone, Copy, Debug, Default)]
pub struct U64Hasher(u64);

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
pub type BuildU64Hasher = std::hash::BuildHasherDefault<U64Hasher>;

/// A map whose keys are numbers.
pub type NumberMap<K, V> = hashbrown::HashMap<K, V, BuildU64Hasher>;
