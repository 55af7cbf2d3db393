//! A small set of hashes that is never wrong when it says no.

/// Hashes, by two bits each in a word that the hash chooses.
#[derive(Clone, Debug)]
pub(super) struct HashFilter {
    words: Vec<u64>,
}

/// Bits for each hash: about one in seventy others is let through.
const BITS: usize = 16;

impl HashFilter {
    /// Room for so many hashes.
    pub(super) fn with_capacity(hashes: usize) -> HashFilter {
        let bits = (hashes * BITS).next_power_of_two().max(64);
        HashFilter {
            words: vec![0; bits / 64],
        }
    }

    /// Adds a hash, all of whose bits are used.
    pub(super) fn insert(&mut self, hash: u64) {
        let at = hash as usize & (self.words.len() - 1);
        self.words[at] |= bits(hash);
    }

    /// False if the hash was not added. True if it was, and sometimes if not.
    #[inline(always)]
    pub(super) fn may_have(&self, hash: u64) -> bool {
        let bits = bits(hash);
        self.words[hash as usize & (self.words.len() - 1)] & bits == bits
    }
}

/// The bits of a hash in its word: from the high end, the word is from the low end.
#[inline(always)]
fn bits(hash: u64) -> u64 {
    1 << (hash >> 58) | 1 << (hash >> 52 & 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::hash_u64;

    #[test]
    fn knows_all_and_few_others() {
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
