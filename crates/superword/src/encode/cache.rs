//! A small memory of how pretokens that are several tokens were encoded.

use crate::table::{INLINE, short_key};

const SLOTS: usize = 1 << 16;
const IDS: usize = 7;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: [u64; 2],
    len: u32,
    symbols: [u32; IDS],
}

/// Pretokens of up to 15 bytes → up to seven symbols. Of fixed size: a new entry takes the place
/// of the one that was in its slot.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceCache {
    slots: Vec<Slot>,
}

impl PieceCache {
    #[inline(always)]
    pub(super) fn get(&self, text: &[u8], start: usize, end: usize, hash: u64) -> Option<&[u32]> {
        if end - start > INLINE {
            return None;
        }
        let slot = self.slots.get(hash as usize & (SLOTS - 1))?;
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
            self.slots = vec![Slot::default(); SLOTS];
        }
        let key = short_key(text, start, end - start);
        let slot = &mut self.slots[hash as usize & (SLOTS - 1)];
        slot.key = [key as u64, (key >> 64) as u64];
        slot.len = symbols.len() as u32;
        slot.symbols[..symbols.len()].copy_from_slice(symbols);
    }

    /// Forgets everything and gives the memory back.
    pub(super) fn clear(&mut self) {
        self.slots = Vec::new();
    }
}
