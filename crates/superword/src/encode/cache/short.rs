//! Short pretokens that are one token: nearly all pretokens of most texts.

use crate::encode::mark::{ELIGIBLE, unmarked};
use crate::hash::hash_u128;
use crate::prefetch::prefetch;

/// The most bytes of a short pretoken.
pub(in crate::encode) const SHORT_BYTES: usize = 12;

/// Two short pretokens. `low` holds the first eight bytes of each. `rest` holds four more bytes in
/// its low half, and in its high half the symbol, the number of bytes ([`LENGTH`]) and the mark.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(in crate::encode) struct Bucket {
    low: [u64; 2],
    rest: [u64; 2],
}

/// The position of the number of bytes in `rest`, and the bits of `rest` that belong to the key.
const LENGTH: u32 = 32 + 27;
const KEY: u64 = 0xf << LENGTH | 0xffff_ffff;

/// Symbols must be below this to fit beside a key.
const MAX_SYMBOLS: u32 = 1 << 27;

/// A pretoken of at most [`SHORT_BYTES`] as two numbers, in the layout of a [`Bucket`]. `rest` is
/// never 0. All longer pretokens have keys that no short pretoken has.
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
        // Every length that is too long counts as 15.
        let len = len.min(15);
        let (low, rest) = MASKS[len];
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
        let last = u64::from(u32::from_le_bytes([i, j, k, l]));
        ShortKey {
            low: u64::from_le_bytes([a, b, c, d, e, f, g, h]) & low,
            rest: last & rest | (len as u64) << LENGTH,
        }
    }

    /// The key of the first `len` bytes at the end of a text, where fewer bytes are left than a key
    /// holds.
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

/// Short pretokens → symbols. The number of buckets is a power of two.
#[derive(Clone, Copy)]
pub(in crate::encode) struct ShortTable<'t> {
    pub(super) buckets: &'t [Bucket],
}

impl ShortTable<'_> {
    /// The slot where a key would be. It is prefetched.
    #[inline(always)]
    pub(in crate::encode) fn slot(self, key: ShortKey) -> usize {
        let slot = key.hash() as usize & (self.buckets.len() - 1);
        prefetch(&self.buckets[slot]);
        slot
    }

    /// Whether the key is in this slot, and its symbol.
    #[inline(always)]
    pub(in crate::encode) fn get(self, key: ShortKey, slot: usize) -> (bool, u32) {
        let bucket = &self.buckets[slot & (self.buckets.len() - 1)];
        // `&` and `|` instead of branches: which entry matches cannot be predicted, but that one of
        // them does can.
        let [first, second] = [0, 1]
            .map(|at| (bucket.low[at] == key.low) & ((bucket.rest[at] ^ key.rest) & KEY == 0));
        let [one, other] = bucket.rest;
        let rest = one ^ ((one ^ other) & u64::from(second).wrapping_neg());
        (
            first | second,
            (rest >> 32) as u32 & (ELIGIBLE | (MAX_SYMBOLS - 1)),
        )
    }
}

/// Adds a short pretoken with its symbol, marked or not. If there is no room, an old entry is
/// replaced if `replace` is set.
pub(super) fn insert(buckets: &mut [Bucket], key: ShortKey, symbol: u32, replace: bool) {
    if unmarked(symbol) >= MAX_SYMBOLS {
        return;
    }
    let hash = key.hash();
    let mask = buckets.len() - 1;
    let bucket = &mut buckets[hash as usize & mask];
    let at = match bucket.rest {
        [0, _] => 0,
        [_, 0] => 1,
        // Chosen by a bit that did not choose the bucket.
        _ if replace => (hash >> 63) as usize,
        _ => return,
    };
    bucket.low[at] = key.low;
    bucket.rest[at] = key.rest | u64::from(symbol) << 32;
}
