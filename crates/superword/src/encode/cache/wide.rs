//! Pretokens of up to 31 bytes and a few tokens. Each lookup reads one cache line.

use super::overflow::Place;
use crate::hash::{fold, hash_u128};
use crate::large::LargeArray;
use crate::prefetch::prefetch;

/// The most bytes of a pretoken in these tables.
pub(in crate::encode) const WIDE_BYTES: usize = 31;

/// The most bytes of a pretoken that takes half a line.
pub(super) const MIDDLE_BYTES: usize = 15;

/// The most symbols of one pretoken in half a line and in a line.
pub(super) const MIDDLE_SYMBOLS: usize = 4;
pub(super) const WIDE_SYMBOLS: usize = 7;

/// The number of lines of a table when it is first filled.
const FIRST: usize = 1 << 11;

/// The bytes of a pretoken of at most [`WIDE_BYTES`], their number, and the hash of both.
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
            // Two loads with the bytes after the pretoken cleared: copying so few would be a call.
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

    /// The key of a pretoken of at most [`MIDDLE_BYTES`] in half the space. Never 0.
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

    /// The hash of the key.
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
    /// `MASKS[n]` selects the first `n` bytes. A lookup costs less than shifting 128 bits.
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

/// The symbols of a pretoken, or where they are if there are more of them than fit into a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbols<'s> {
    Here(&'s [u32]),
    At(Place),
}

/// A cache line with the entries for one hash.
///
/// The symbols of an entry are an array, used or not. If they are elsewhere, the array has [`NONE`]
/// and then their place.
pub(super) trait Line: Copy + Default {
    /// The number of entries in a line.
    const ENTRIES: usize;

    /// The array of symbols of one entry.
    type Array;

    /// The array of a pretoken, and how many symbols it has: 0 if they are elsewhere.
    fn get(&self, key: &WideKey) -> Option<(&Self::Array, usize)>;

    /// Whether no entry is free.
    fn is_full(&self) -> bool;

    /// Adds a pretoken. Its own entry is replaced, or another one if there is no room. Returns false
    /// if an entry was replaced.
    fn insert(&mut self, key: &WideKey, symbols: Symbols<'_>) -> bool;

    /// Calls `visit` with each entry.
    fn for_each(&self, visit: impl FnMut(&WideKey, Symbols<'_>));
}

const NONE: u32 = u32::MAX;

/// The place in the array of an entry whose symbols are elsewhere.
pub(super) fn place_in(array: &[u32]) -> Place {
    match array {
        [_, low, high, count, ..] => [*low, *high, *count],
        _ => [0; 3],
    }
}

/// The array of an entry.
#[inline(always)]
fn array_of<const N: usize>(symbols: Symbols<'_>) -> [u32; N] {
    let mut array = [NONE; N];
    match symbols {
        Symbols::Here(symbols) => array[..symbols.len()].copy_from_slice(symbols),
        Symbols::At(place) => array[1..4].copy_from_slice(&place),
    }
    array
}

/// What [`array_of`] was given.
fn symbols_in(array: &[u32], count: usize) -> Symbols<'_> {
    match count {
        0 => Symbols::At(place_in(array)),
        count => Symbols::Here(&array[..count]),
    }
}

/// Two pretokens of at most [`MIDDLE_BYTES`]. A key of 0 marks a free entry. Unused symbols are
/// [`NONE`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct MiddleLine {
    keys: [u128; 2],
    symbols: [[u32; MIDDLE_SYMBOLS]; 2],
}

#[inline(always)]
fn count(symbols: &[u32; MIDDLE_SYMBOLS]) -> usize {
    let used = symbols.map(|symbol| usize::from(symbol != NONE));
    used[0] * used.iter().sum::<usize>()
}

impl Line for MiddleLine {
    const ENTRIES: usize = 2;
    type Array = [u32; MIDDLE_SYMBOLS];

    #[inline(always)]
    fn get(&self, key: &WideKey) -> Option<(&Self::Array, usize)> {
        let key = key.middle();
        let place = match self.keys {
            [first, _] if first == key => 0,
            [_, second] if second == key => 1,
            _ => return None,
        };
        let symbols = &self.symbols[place];
        Some((symbols, count(symbols)))
    }

    fn is_full(&self) -> bool {
        self.keys[1] != 0
    }

    fn insert(&mut self, key: &WideKey, symbols: Symbols<'_>) -> bool {
        let new = key.middle();
        let (place, is_free) = match self.keys {
            [first, _] if first == new => (0, false),
            [_, second] if second == new => (1, false),
            [0, _] => (0, true),
            [_, 0] => (1, true),
            // Chosen by a bit that did not choose the line.
            _ => ((key.hash & 1) as usize, false),
        };
        self.keys[place] = new;
        self.symbols[place] = array_of(symbols);
        is_free
    }

    fn for_each(&self, mut visit: impl FnMut(&WideKey, Symbols<'_>)) {
        for (&key, symbols) in self.keys.iter().zip(&self.symbols) {
            if key != 0 {
                visit(
                    &WideKey::from_middle(key),
                    symbols_in(symbols, count(symbols)),
                );
            }
        }
    }
}

/// One pretoken, its symbols, and their number plus one. The number is 0 in a free line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct WideLine {
    key: [u128; 2],
    symbols: [u32; WIDE_SYMBOLS],
    count_plus_one: u32,
}

impl Line for WideLine {
    const ENTRIES: usize = 1;
    type Array = [u32; WIDE_SYMBOLS];

    #[inline(always)]
    fn get(&self, key: &WideKey) -> Option<(&Self::Array, usize)> {
        // No key is 0, so a free line never matches.
        (self.key == key.key).then(|| (&self.symbols, self.count_plus_one as usize - 1))
    }

    fn is_full(&self) -> bool {
        self.count_plus_one > 0
    }

    fn insert(&mut self, key: &WideKey, symbols: Symbols<'_>) -> bool {
        let is_free = self.count_plus_one == 0;
        self.key = key.key;
        self.symbols = array_of(symbols);
        self.count_plus_one = match symbols {
            Symbols::Here(symbols) => symbols.len() as u32 + 1,
            Symbols::At(_) => 1,
        };
        is_free
    }

    fn for_each(&self, mut visit: impl FnMut(&WideKey, Symbols<'_>)) {
        if let Some(count) = (self.count_plus_one as usize).checked_sub(1) {
            visit(&WideKey::from(self.key), symbols_in(&self.symbols, count));
        }
    }
}

/// Pretokens → symbols. The table grows as it fills, so that a few short texts do not pay for all of
/// its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct WideTable<L: Copy> {
    lines: LargeArray<L>,
    /// The number of pretokens in the table.
    used: usize,
    max_lines: usize,
}

impl<L: Line> WideTable<L> {
    /// An empty table of at most `bytes`.
    pub(super) fn new(bytes: usize) -> WideTable<L> {
        WideTable {
            lines: LargeArray::default(),
            used: 0,
            max_lines: bytes / size_of::<L>(),
        }
    }

    /// The line of a key: its hash, scaled to the number of lines.
    #[inline(always)]
    fn slot(&self, key: &WideKey) -> usize {
        ((u128::from(key.hash) * self.lines.len() as u128) >> 64) as usize
    }

    /// Prefetches the line of a key.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: &WideKey) {
        if let Some(line) = self.lines.get(self.slot(key)) {
            prefetch(line);
        }
    }

    /// The symbols of a pretoken as [`Line::get`] returns them.
    #[inline(always)]
    pub(super) fn get(&self, key: &WideKey) -> Option<(&L::Array, usize)> {
        let slot = self.slot(key);
        let line = self.lines.get(slot)?;
        match line.get(key) {
            None if line.is_full() => self.lines.get(slot ^ 1)?.get(key),
            found => found,
        }
    }

    /// Where the symbols of a pretoken are, if they are not in its line.
    #[inline(always)]
    pub(super) fn place(&self, key: &WideKey) -> Option<Place>
    where
        L::Array: AsRef<[u32]>,
    {
        match self.get(key) {
            Some((array, 0)) => Some(place_in(array.as_ref())),
            _ => None,
        }
    }

    /// Adds the symbols of a pretoken.
    pub(super) fn insert(&mut self, key: &WideKey, symbols: Symbols<'_>) {
        if self.used * 2 >= self.lines.len() * L::ENTRIES && self.lines.len() < self.max_lines {
            self.grow();
        }
        self.insert_in_line(key, symbols);
    }

    /// Adds a pretoken to its line, or to the line beside it if its own is full.
    fn insert_in_line(&mut self, key: &WideKey, symbols: Symbols<'_>) {
        let mut slot = self.slot(key);
        if let Some(line) = self.lines.get(slot)
            && line.is_full()
            && line.get(key).is_none()
            && let Some(beside) = self.lines.get(slot ^ 1)
            && (!beside.is_full() || beside.get(key).is_some())
        {
            slot ^= 1;
        }
        if let Some(line) = self.lines.get_mut(slot) {
            self.used += usize::from(line.insert(key, symbols));
        }
    }

    #[cold]
    fn grow(&mut self) {
        let lines = (self.lines.len() * 4).clamp(FIRST.min(self.max_lines), self.max_lines);
        let old = std::mem::replace(&mut self.lines, LargeArray::filled(L::default(), lines));
        self.used = 0;
        for line in old.iter() {
            line.for_each(|key, symbols| self.insert_in_line(key, symbols));
        }
    }
}
