//! A small memory of how pretokens that are several tokens were encoded.

use crate::table::{INLINE, short_key};

/// What a cache takes where nothing else is said: 65,536 slots.
pub(super) const DEFAULT_BYTES: usize = (1 << 16) * size_of::<Slot>();

const IDS: usize = 7;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: [u64; 2],
    len: u32,
    symbols: [u32; IDS],
}

/// Pretokens of up to 15 bytes → up to seven symbols. Of fixed size: a new entry takes the place
/// of the one that was in its slot.
#[derive(Clone, Debug)]
pub(super) struct PieceCache {
    /// None until something is remembered; then a power of two of them.
    slots: Vec<Slot>,
    bytes: usize,
}

impl Default for PieceCache {
    fn default() -> PieceCache {
        PieceCache {
            slots: Vec::new(),
            bytes: DEFAULT_BYTES,
        }
    }
}

impl PieceCache {
    #[inline(always)]
    pub(super) fn get(&self, text: &[u8], start: usize, end: usize, hash: u64) -> Option<&[u32]> {
        if end - start > INLINE {
            return None;
        }
        let slot = self
            .slots
            .get(hash as usize & self.slots.len().wrapping_sub(1))?;
        let key = short_key(text, start, end - start);
        (slot.key == [key as u64, (key >> 64) as u64]).then(|| &slot.symbols[..slot.len as usize])
    }

    pub(super) fn insert(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        hash: u64,
        symbols: &[u32],
    ) {
        if end - start > INLINE || symbols.len() > IDS {
            return;
        }
        if self.slots.is_empty() {
            let fit = self.bytes / size_of::<Slot>();
            if fit == 0 {
                return;
            }
            self.slots = vec![Slot::default(); 1 << fit.ilog2()];
        }
        let key = short_key(text, start, end - start);
        let at = hash as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[at];
        slot.key = [key as u64, (key >> 64) as u64];
        slot.len = symbols.len() as u32;
        slot.symbols[..symbols.len()].copy_from_slice(symbols);
    }

    /// Takes no more than this many bytes from now on; 0: remembers nothing.
    pub(super) fn set_bytes(&mut self, bytes: usize) {
        if self.bytes != bytes {
            self.bytes = bytes;
            self.clear();
        }
    }

    /// Forgets everything and gives the memory back.
    pub(super) fn clear(&mut self) {
        self.slots = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_takes_no_more_than_it_may() {
        let text = b"abcdefgh";
        for bytes in [0, 47, 48, 1000, 1 << 20, DEFAULT_BYTES] {
            let mut cache = PieceCache::default();
            cache.set_bytes(bytes);
            for hash in 0..100_000 {
                cache.insert(text, 0, 3, hash, &[1, 2]);
            }
            let taken = cache.slots.capacity() * size_of::<Slot>();
            assert!(
                taken <= bytes && (taken > bytes / 3 || taken == 0),
                "{bytes} {taken}"
            );
            let kept = cache.get(text, 0, 3, 7).map(<[u32]>::to_vec);
            assert_eq!(kept, (taken > 0).then(|| vec![1, 2]));
            cache.set_bytes(bytes + 1);
            assert_eq!(cache.slots.capacity(), 0);
        }
    }
}
