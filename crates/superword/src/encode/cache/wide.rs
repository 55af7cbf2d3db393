//! Pretokens of up to 31 bytes and a few tokens, one line of memory for each look-up.

use crate::encode::prefetch::prefetch;
use crate::hash::{fold, hash_u128};

/// The most bytes of a pretoken that is kept here.
pub(in crate::encode) const WIDE_BYTES: usize = 31;

/// A pretoken of at most [`MIDDLE_BYTES`] fits half a line.
pub(super) const MIDDLE_BYTES: usize = 15;

/// The most symbols that are kept of one pretoken, in half a line and in a line.
pub(super) const MIDDLE_SYMBOLS: usize = 4;
pub(super) const WIDE_SYMBOLS: usize = 7;

/// The first table has so many lines.
const FIRST: usize = 1 << 11;

/// A pretoken of at most [`WIDE_BYTES`] bytes and their number, with its hash.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::encode) struct WideKey {
    key: [u128; 2],
    hash: u64,
}

impl WideKey {
    /// The key of `text[start..end]`, which has 1 to [`WIDE_BYTES`] bytes.
    #[inline(always)]
    pub(in crate::encode) fn new(text: &[u8], start: usize, end: usize) -> WideKey {
        let len = end - start;
        let mut key = match text[start..].first_chunk::<32>() {
            // Two loads, the bytes behind the pretoken cleared: copying so few would be a call.
            Some(window) => [
                first_of(&window[..16], len.min(16)),
                first_of(&window[16..], len.saturating_sub(16)),
            ],
            None => {
                let mut bytes = [0; 32];
                bytes[..len].copy_from_slice(&text[start..end]);
                [first_of(&bytes[..16], 16), first_of(&bytes[16..], 16)]
            }
        };
        key[1] |= (len as u128) << 120;
        WideKey::from(key)
    }

    /// A key of at most [`MIDDLE_BYTES`] in half the room; never 0.
    #[inline(always)]
    fn middle(&self) -> u128 {
        self.key[0] | self.key[1]
    }

    fn from_middle(key: u128) -> WideKey {
        let length = 0xff << 120;
        WideKey::from([key & !length, key & length])
    }

    /// The number of bytes of the pretoken.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        (self.key[1] >> 120) as usize
    }

    /// Its hash.
    #[inline(always)]
    pub(in crate::encode) fn hash(&self) -> u64 {
        self.hash
    }
}

impl From<[u128; 2]> for WideKey {
    #[inline(always)]
    fn from(key: [u128; 2]) -> WideKey {
        let hash = fold(hash_u128(key[0]), hash_u128(key[1]));
        WideKey { key, hash }
    }
}

/// The first `len` of sixteen bytes as a number.
#[inline(always)]
fn first_of(bytes: &[u8], len: usize) -> u128 {
    /// `MASKS[n]` keeps the first `n` bytes. A look-up: shifting 128 bits costs more.
    static MASKS: [u128; 17] = {
        let mut masks = [0; 17];
        let mut n = 1;
        while n <= 16 {
            masks[n] = u128::MAX >> (128 - 8 * n);
            n += 1;
        }
        masks
    };
    let mut word = [0; 16];
    word.copy_from_slice(bytes);
    u128::from_le_bytes(word) & MASKS[len]
}

/// A line of memory with the entries for one hash. An entry without symbols is one that has more of
/// them than there is room for: they are kept elsewhere.
pub(super) trait Line: Copy + Default {
    /// How many entries there are in a line.
    const ENTRIES: usize;

    /// The symbols of one entry, all there is room for.
    type Symbols;

    /// The symbols of a pretoken, and how many of them count.
    fn get(&self, key: &WideKey) -> Option<(&Self::Symbols, usize)>;

    /// Keeps a pretoken, in place of one that was there if there is no room. True if there was.
    fn keep(&mut self, key: &WideKey, symbols: &[u32]) -> bool;

    /// Calls `visit` with each entry.
    fn for_each(&self, visit: impl FnMut(&WideKey, &[u32]));
}

/// Two pretokens of at most [`MIDDLE_BYTES`]: a key of 0 for none, and the symbols, ended by
/// [`NONE`] if there are fewer than there is room for.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct MiddleLine {
    keys: [u128; 2],
    symbols: [[u32; MIDDLE_SYMBOLS]; 2],
}

const NONE: u32 = u32::MAX;

fn count(symbols: &[u32; MIDDLE_SYMBOLS]) -> usize {
    symbols
        .map(|symbol| usize::from(symbol != NONE))
        .iter()
        .sum()
}

impl Line for MiddleLine {
    const ENTRIES: usize = 2;
    type Symbols = [u32; MIDDLE_SYMBOLS];

    #[inline(always)]
    fn get(&self, key: &WideKey) -> Option<(&Self::Symbols, usize)> {
        let key = key.middle();
        let place = match self.keys {
            [first, _] if first == key => 0,
            [_, second] if second == key => 1,
            _ => return None,
        };
        let symbols = &self.symbols[place];
        Some((symbols, count(symbols)))
    }

    fn keep(&mut self, key: &WideKey, symbols: &[u32]) -> bool {
        let (place, is_free) = match self.keys {
            [0, _] => (0, true),
            [_, 0] => (1, true),
            // Chosen by a bit that did not choose the line.
            _ => ((key.hash & 1) as usize, false),
        };
        self.keys[place] = key.middle();
        self.symbols[place] = [NONE; MIDDLE_SYMBOLS];
        self.symbols[place][..symbols.len()].copy_from_slice(symbols);
        is_free
    }

    fn for_each(&self, mut visit: impl FnMut(&WideKey, &[u32])) {
        for (&key, symbols) in self.keys.iter().zip(&self.symbols) {
            if key != 0 {
                visit(&WideKey::from_middle(key), &symbols[..count(symbols)]);
            }
        }
    }
}

/// A pretoken, its symbols, and how many they are plus one, 0 for a free line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct WideLine {
    key: [u128; 2],
    symbols: [u32; WIDE_SYMBOLS],
    count_plus_one: u32,
}

impl Line for WideLine {
    const ENTRIES: usize = 1;
    type Symbols = [u32; WIDE_SYMBOLS];

    #[inline(always)]
    fn get(&self, key: &WideKey) -> Option<(&Self::Symbols, usize)> {
        // No key is 0: the line is not free.
        (self.key == key.key).then(|| (&self.symbols, self.count_plus_one as usize - 1))
    }

    fn keep(&mut self, key: &WideKey, symbols: &[u32]) -> bool {
        let is_free = self.count_plus_one == 0;
        self.key = key.key;
        self.symbols[..symbols.len()].copy_from_slice(symbols);
        self.count_plus_one = symbols.len() as u32 + 1;
        is_free
    }

    fn for_each(&self, mut visit: impl FnMut(&WideKey, &[u32])) {
        if let Some(count) = (self.count_plus_one as usize).checked_sub(1) {
            visit(&WideKey::from(self.key), &self.symbols[..count]);
        }
    }
}

/// Pretokens → symbols. Grows to its most lines as it fills, so that a few short texts do not pay
/// for them.
#[derive(Clone, Debug, Default)]
pub(super) struct WideTable<L> {
    lines: Vec<L>,
    /// How many pretokens there are.
    used: usize,
    most: usize,
}

impl<L: Line> WideTable<L> {
    /// An empty table of at most `bytes`.
    pub(super) fn new(bytes: usize) -> WideTable<L> {
        WideTable {
            lines: Vec::new(),
            used: 0,
            most: bytes / size_of::<L>(),
        }
    }

    /// The place of a key: its hash as a share of all hashes.
    #[inline(always)]
    fn place(&self, key: &WideKey) -> usize {
        ((u128::from(key.hash) * self.lines.len() as u128) >> 64) as usize
    }

    /// Asks for the memory of a key.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: &WideKey) {
        if let Some(line) = self.lines.get(self.place(key)) {
            prefetch(line);
        }
    }

    /// The symbols of a pretoken, and how many of them count.
    #[inline(always)]
    pub(super) fn get(&self, key: &WideKey) -> Option<(&L::Symbols, usize)> {
        self.lines.get(self.place(key))?.get(key)
    }

    /// Keeps the symbols of a pretoken.
    pub(super) fn keep(&mut self, key: &WideKey, symbols: &[u32]) {
        if self.used * 2 >= self.lines.len() * L::ENTRIES && self.lines.len() < self.most {
            self.grow();
        }
        self.put(key, symbols);
    }

    fn put(&mut self, key: &WideKey, symbols: &[u32]) {
        let place = self.place(key);
        if let Some(line) = self.lines.get_mut(place) {
            self.used += usize::from(line.keep(key, symbols));
        }
    }

    #[cold]
    fn grow(&mut self) {
        let lines = (self.lines.len() * 4).clamp(FIRST.min(self.most), self.most);
        let old = std::mem::replace(&mut self.lines, crate::memory::filled(L::default(), lines));
        self.used = 0;
        for line in old {
            line.for_each(|key, symbols| self.put(key, symbols));
        }
    }
}
