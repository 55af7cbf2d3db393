//! What pretokens were encoded to: the memory of one worker.
//!
//! Nearly every pretoken has been seen before, and nearly all of them are short and one token, so
//! this is where encoding spends its time, waiting for memory. Two tables of fixed size, one line
//! of the processor's cache for each look-up: short pretokens that are one token, and all others.
//! A new entry takes the place of one that was there.

use super::superwords::ELIGIBLE;
use crate::hash::{fold, hash_u128};

/// The memory of the cache of each worker, in bytes, where nothing else is said.
pub const CACHE_BYTES: usize = 6 << 20;

/// The most bytes of a short pretoken.
pub(super) const SHORT_BYTES: usize = 12;

/// The most bytes of any pretoken that is remembered.
pub(super) const WIDE_BYTES: usize = 31;

/// The most symbols that are remembered of one pretoken.
const WIDE_SYMBOLS: usize = 7;

/// Two short pretokens: their first eight bytes; and four more in the low half of `rest`, below
/// their number ([`COUNT`]), their symbol and its mark.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Pair {
    low: [u64; 2],
    rest: [u64; 2],
}

/// Where the number of bytes is in `rest`, and which bits of it belong to the key.
const COUNT: u32 = 32 + 27;
const KEY: u64 = 0xf << COUNT | 0xffff_ffff;

/// Symbols from here on have no room beside a key.
const SYMBOLS: u32 = 1 << 27;

/// Another pretoken: its [`WideKey`], its symbols, and how many they are.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct WideLine {
    key: [u128; 2],
    symbols: [u32; WIDE_SYMBOLS],
    count: u32,
}

/// A pretoken of at most [`SHORT_BYTES`] bytes as two numbers, as in a [`Pair`]; `rest` is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShortKey {
    low: u64,
    rest: u64,
}

impl ShortKey {
    /// The key of the first `len` of these bytes, 1 to [`SHORT_BYTES`]. For any other length
    /// it means nothing.
    #[inline(always)]
    pub(super) fn new(bytes: &[u8; 12], len: usize) -> ShortKey {
        let (low, rest) = MASKS[len % MASKS.len()];
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
        let last = u64::from(u32::from_le_bytes([i, j, k, l]));
        ShortKey {
            low: u64::from_le_bytes([a, b, c, d, e, f, g, h]) & low,
            rest: last & rest | (len as u64) << COUNT,
        }
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        hash_u128(u128::from(self.low) | u128::from(self.rest) << 64)
    }
}

/// `MASKS[n]` keeps the first `n` bytes of twelve.
static MASKS: [(u64, u64); 16] = {
    let mut masks = [(0, 0); 16];
    let mut n = 1;
    while n <= SHORT_BYTES {
        let kept = u128::MAX >> (128 - 8 * n);
        masks[n] = (kept as u64, (kept >> 64) as u64);
        n += 1;
    }
    masks
};

/// A pretoken of at most [`WIDE_BYTES`] bytes and their number, with its hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideKey {
    key: [u128; 2],
    hash: u64,
}

impl WideKey {
    /// The key of `text[start..end]`, which has 1 to [`WIDE_BYTES`] bytes.
    #[inline(always)]
    pub(super) fn new(text: &[u8], start: usize, end: usize) -> WideKey {
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
        let hash = fold(hash_u128(key[0]), hash_u128(key[1]));
        WideKey { key, hash }
    }

    /// Its hash.
    #[inline(always)]
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }
}

/// The first `len` of sixteen bytes as a number.
#[inline(always)]
fn first_of(bytes: &[u8], len: usize) -> u128 {
    /// `WIDE_MASKS[n]` keeps the first `n` bytes. A look-up: shifting 128 bits costs more.
    static WIDE_MASKS: [u128; 17] = {
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
    u128::from_le_bytes(word) & WIDE_MASKS[len]
}

/// Pretokens → symbols.
#[derive(Clone, Debug, Default)]
pub(super) struct PretokenCache {
    short: Vec<Pair>,
    wide: Vec<WideLine>,
    /// What it may hold, in bytes.
    bytes: usize,
}

impl PretokenCache {
    /// Makes an empty cache of at most `bytes`, unless it is of that size already.
    pub(super) fn fit(&mut self, bytes: usize) {
        if self.bytes == bytes && !self.short.is_empty() {
            return;
        }
        // Two thirds for the short ones. There always is an entry, so that a look-up needs no
        // branch; where there is no memory for it, nothing is written to it.
        let entries = |part: usize| match part {
            0 => 1,
            entries => 1 << entries.ilog2(),
        };
        self.short = vec![Pair::default(); entries(bytes / 3 / size_of::<Pair>())];
        self.wide = vec![WideLine::default(); entries((bytes - bytes / 3) / size_of::<WideLine>())];
        self.bytes = bytes;
    }

    /// A view for many look-ups of short pretokens.
    #[inline(always)]
    pub(super) fn short(&self) -> ShortView<'_> {
        ShortView { pairs: &self.short }
    }

    /// The symbols of another pretoken.
    #[inline(always)]
    pub(super) fn wide(&self, key: &WideKey) -> Option<&[u32]> {
        let line = &self.wide[key.hash as usize & (self.wide.len() - 1)];
        (line.key == key.key).then(|| &line.symbols[..line.count as usize])
    }

    /// Keeps the symbol of a short pretoken that is one token, marked or not.
    pub(super) fn keep_short(&mut self, pretoken: &[u8], symbol: u32) {
        if self.bytes < size_of::<Pair>() * 2 || symbol & !ELIGIBLE >= SYMBOLS {
            return;
        }
        let mut bytes = [0; 12];
        bytes[..pretoken.len()].copy_from_slice(pretoken);
        let key = ShortKey::new(&bytes, pretoken.len());
        let hash = key.hash();
        let mask = self.short.len() - 1;
        let pair = &mut self.short[hash as usize & mask];
        let place = match pair.rest {
            [0, _] => 0,
            [_, 0] => 1,
            // Chosen by a bit that did not choose the pair.
            _ => (hash >> 63) as usize,
        };
        pair.low[place] = key.low;
        pair.rest[place] = key.rest | u64::from(symbol) << 32;
    }

    /// Keeps the symbols of another pretoken, if they are few.
    pub(super) fn keep_wide(&mut self, key: &WideKey, symbols: &[u32]) {
        if self.bytes < size_of::<WideLine>() * 3 || symbols.len() > WIDE_SYMBOLS {
            return;
        }
        let mask = self.wide.len() - 1;
        let line = &mut self.wide[key.hash as usize & mask];
        line.key = key.key;
        line.symbols[..symbols.len()].copy_from_slice(symbols);
        line.count = symbols.len() as u32;
    }

    /// Forgets everything and gives the memory back.
    pub(super) fn clear(&mut self) {
        *self = PretokenCache::default();
    }
}

/// Short pretokens that are one token.
#[derive(Clone, Copy)]
pub(super) struct ShortView<'c> {
    pairs: &'c [Pair],
}

impl ShortView<'_> {
    /// Whether the pretoken is there, and its symbol.
    #[inline(always)]
    pub(super) fn get(self, key: ShortKey) -> (bool, u32) {
        let pair = &self.pairs[key.hash() as usize & (self.pairs.len() - 1)];
        // `&` and `|`: which of the two it is cannot be predicted, that it is one of them can.
        let [first, second] = [0, 1]
            .map(|place| (pair.low[place] == key.low) & ((pair.rest[place] ^ key.rest) & KEY == 0));
        let rest = pair.rest[usize::from(second)];
        (
            first | second,
            (rest >> 32) as u32 & (ELIGIBLE | (SYMBOLS - 1)),
        )
    }
}
