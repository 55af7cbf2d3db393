//! Short pretokens that are one token: nearly all pretokens of most texts.

#[cfg(target_arch = "x86_64")]
use crate::cpu::Avx2;
use crate::encode::mark::{ELIGIBLE, unmarked};
use crate::hash::hash_u128;
use crate::prefetch::prefetch;

/// The most bytes of a short pretoken.
pub(in crate::encode) const SHORT_BYTES: usize = 12;

/// Two short pretokens. The first number of each holds its first eight bytes. The second holds four more bytes in
/// its low half, and in its high half the symbol, the number of bytes ([`LENGTH`]) and the mark. It is 0 if the entry is free.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(in crate::encode) struct Bucket([[u64; 2]; 2]);

/// The position of the number of bytes in the second number, and the bits of it that belong to the key.
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

/// A key and the slot where it would be.
pub(in crate::encode) type Sought = (ShortKey, usize);

impl ShortTable<'_> {
    /// Looks up consecutive pretokens. Each starts at one of `bounds` and ends at the next. Writes a symbol for each, which
    /// is arbitrary if the pretoken is not in the table. The positions of those that are not there go to the start of
    /// `missed`, and their number is returned.
    #[inline(always)]
    pub(in crate::encode) fn find<const N: usize>(
        self,
        text: &[u8],
        bounds: &[usize],
        sought: &mut [Sought],
        symbols: &mut [u32],
        missed: &mut [u32; N],
    ) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(Avx2 { .. }) = Avx2::detect() {
            // SAFETY: an `Avx2` exists only if the processor has these features.
            return unsafe { self.find_avx2(text, bounds, sought, symbols, missed) };
        }
        self.find_plain(text, bounds, sought, symbols, missed)
    }

    /// The same on any processor.
    #[inline(always)]
    pub(super) fn find_plain<const N: usize>(
        self,
        text: &[u8],
        bounds: &[usize],
        sought: &mut [Sought],
        symbols: &mut [u32],
        missed: &mut [u32; N],
    ) -> usize {
        self.seek(text, bounds, sought);
        let equal = |bucket: &Bucket, key: ShortKey| {
            // `&` instead of branches: which entry matches cannot be predicted, but that one of them does can.
            bucket
                .0
                .map(|[low, rest]| (low == key.low) & ((rest ^ key.rest) & KEY == 0))
        };
        let mut misses = 0;
        for (at, (&(key, slot), symbol)) in (0..).zip(sought.iter().zip(symbols)) {
            let bucket = self.bucket(slot);
            let [first, second] = equal(bucket, key);
            *symbol = symbol_of(bucket, usize::from(second));
            missed[misses % N] = at;
            misses += usize::from(!(first | second));
        }
        misses
    }

    /// The same with both entries of a bucket compared at once.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn find_avx2<const N: usize>(
        self,
        text: &[u8],
        bounds: &[usize],
        sought: &mut [Sought],
        symbols: &mut [u32],
        missed: &mut [u32; N],
    ) -> usize {
        use std::arch::x86_64::{
            _mm_set_epi64x, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_castsi256_pd,
            _mm256_cmpeq_epi64, _mm256_movemask_pd, _mm256_set_epi64x, _mm256_setzero_si256,
            _mm256_xor_si256,
        };
        self.seek(text, bounds, sought);
        let compared = _mm256_set_epi64x(KEY as i64, -1, KEY as i64, -1);
        let mut misses = 0;
        for (at, (&(key, slot), symbol)) in (0..).zip(sought.iter().zip(symbols)) {
            let bucket = self.bucket(slot);
            let [[a, b], [c, d]] = bucket.0.map(|entry| entry.map(|number| number as i64));
            let key = _mm_set_epi64x(key.rest as i64, key.low as i64);
            let different = _mm256_xor_si256(
                _mm256_set_epi64x(d, c, b, a),
                _mm256_broadcastsi128_si256(key),
            );
            let different = _mm256_and_si256(different, compared);
            let equal = _mm256_cmpeq_epi64(different, _mm256_setzero_si256());
            // Two bits for each entry, one for each of its numbers.
            let equal = _mm256_movemask_pd(_mm256_castsi256_pd(equal)) as usize;
            let equal = equal & (equal >> 1) & 0b101;
            *symbol = symbol_of(bucket, equal >> 2);
            missed[misses % N] = at;
            misses += usize::from(equal == 0);
        }
        misses
    }

    /// Finds the slots of all keys and prefetches them.
    #[inline(always)]
    fn seek(self, text: &[u8], bounds: &[usize], sought: &mut [Sought]) {
        for (sought, bounds) in sought.iter_mut().zip(bounds.windows(2)) {
            let key = ShortKey::new(text, bounds[0], bounds[1]);
            let slot = key.hash() as usize & (self.buckets.len() - 1);
            prefetch(&self.buckets[slot]);
            *sought = (key, slot);
        }
    }

    #[inline(always)]
    fn bucket(&self, slot: usize) -> &Bucket {
        &self.buckets[slot & (self.buckets.len() - 1)]
    }
}

/// The symbol of an entry.
#[inline(always)]
fn symbol_of(bucket: &Bucket, entry: usize) -> u32 {
    (bucket.0[entry % 2][1] >> 32) as u32 & (ELIGIBLE | (MAX_SYMBOLS - 1))
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
    let at = match bucket.0.map(|[_, rest]| rest) {
        [0, _] => 0,
        [_, 0] => 1,
        // Chosen by a bit that did not choose the bucket.
        _ if replace => (hash >> 63) as usize,
        _ => return,
    };
    bucket.0[at] = [key.low, key.rest | u64::from(symbol) << 32];
}
