//! Short pretokens that are one token: nearly all pretokens of most texts.

use crate::encode::prefetch::prefetch;
use crate::encode::superwords::ELIGIBLE;
use crate::hash::hash_u128;

/// The most bytes of a short pretoken.
pub(in crate::encode) const SHORT_BYTES: usize = 12;

/// Two short pretokens: their first eight bytes; and four more in the low half of `rest`, below
/// their number ([`COUNT`]), their symbol and its mark.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(in crate::encode) struct Pair {
    low: [u64; 2],
    rest: [u64; 2],
}

/// Where the number of bytes is in `rest`, and which bits of it belong to the key.
const COUNT: u32 = 32 + 27;
const KEY: u64 = 0xf << COUNT | 0xffff_ffff;

/// Symbols from here on have no room beside a key.
const SYMBOLS: u32 = 1 << 27;

/// A pretoken of at most [`SHORT_BYTES`] bytes as two numbers, as in a [`Pair`]; `rest` is never 0.
/// A longer one has a key that none of those has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::encode) struct ShortKey {
    low: u64,
    rest: u64,
}

impl ShortKey {
    /// The key of `text[start..end]`, which is not empty.
    #[inline(always)]
    pub(in crate::encode) fn new(text: &[u8], start: usize, end: usize) -> ShortKey {
        match text[start..].first_chunk() {
            Some(bytes) => ShortKey::of_first(bytes, end - start),
            None => ShortKey::at_end(&text[start..], end - start),
        }
    }

    /// The key of the first `len` of these bytes.
    #[inline(always)]
    fn of_first(bytes: &[u8; SHORT_BYTES], len: usize) -> ShortKey {
        // Any length that is too long counts as 15.
        let len = len.min(15);
        let (low, rest) = MASKS[len];
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
        let last = u64::from(u32::from_le_bytes([i, j, k, l]));
        ShortKey {
            low: u64::from_le_bytes([a, b, c, d, e, f, g, h]) & low,
            rest: last & rest | (len as u64) << COUNT,
        }
    }

    /// Fewer bytes are left than a key has.
    #[cold]
    fn at_end(left: &[u8], len: usize) -> ShortKey {
        let mut bytes = [0; SHORT_BYTES];
        bytes[..left.len()].copy_from_slice(left);
        ShortKey::of_first(&bytes, len)
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

/// Short pretokens → symbols. The number of pairs is a power of two.
#[derive(Clone, Copy)]
pub(in crate::encode) struct ShortTable<'t> {
    pub(super) pairs: &'t [Pair],
}

impl ShortTable<'_> {
    /// Where a key is, if it is anywhere. Its memory is asked for.
    #[inline(always)]
    pub(in crate::encode) fn place(self, key: ShortKey) -> usize {
        let place = key.hash() as usize & (self.pairs.len() - 1);
        prefetch(&self.pairs[place]);
        place
    }

    /// Whether the key is at this place, and its symbol.
    #[inline(always)]
    pub(in crate::encode) fn get(self, key: ShortKey, place: usize) -> (bool, u32) {
        let pair = &self.pairs[place & (self.pairs.len() - 1)];
        // `&` and `|`: which of the two it is cannot be predicted, that it is one of them can.
        let [first, second] = [0, 1]
            .map(|place| (pair.low[place] == key.low) & ((pair.rest[place] ^ key.rest) & KEY == 0));
        let [one, other] = pair.rest;
        let rest = one ^ ((one ^ other) & u64::from(second).wrapping_neg());
        (
            first | second,
            (rest >> 32) as u32 & (ELIGIBLE | (SYMBOLS - 1)),
        )
    }
}

/// Keeps the symbol of a short pretoken, marked or not. Where there is no room, one that was there
/// has to go if `replace`.
pub(super) fn keep(pairs: &mut [Pair], key: ShortKey, symbol: u32, replace: bool) {
    if symbol & !ELIGIBLE >= SYMBOLS {
        return;
    }
    let hash = key.hash();
    let mask = pairs.len() - 1;
    let pair = &mut pairs[hash as usize & mask];
    let place = match pair.rest {
        [0, _] => 0,
        [_, 0] => 1,
        // Chosen by a bit that did not choose the pair.
        _ if replace => (hash >> 63) as usize,
        _ => return,
    };
    pair.low[place] = key.low;
    pair.rest[place] = key.rest | u64::from(symbol) << 32;
}
