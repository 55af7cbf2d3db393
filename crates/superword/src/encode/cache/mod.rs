//! The pretoken cache of one worker: pretoken → symbols.
//!
//! Nearly every pretoken has been seen before, and nearly all are short and one token. So encoding
//! spends most of its time here, on cache misses of the processor. There are five tables:
//!
//! - `short`: pretokens of up to 12 bytes that are one token. Fits the processor's cache.
//! - `middle` and `wide`: pretokens of up to 15 and up to 31 bytes and a few tokens. An entry lies
//!   in one cache line, which is prefetched long before it is read. If the line is full, the line
//!   beside it is used.
//! - `overflow`: the tokens of these pretokens if there are more than fit into a line.
//! - `long`: longer pretokens.
//!
//! The `long` table is emptied when it is full. In the others a new entry replaces an old one.

mod long;
mod overflow;
mod short;
mod wide;

use long::LongTable;
use overflow::Overflow;
use short::Bucket;
pub(super) use short::{SHORT_BYTES, ShortKey, ShortTable, Sought};
use wide::{
    MIDDLE_BYTES, MIDDLE_SYMBOLS, MiddleLine, Symbols, WIDE_SYMBOLS, WideLine, WideTable, place_in,
};
pub(super) use wide::{WIDE_BYTES, WideKey};

use crate::large::LargeArray;

/// The default memory limit of each worker's cache, in bytes.
pub const CACHE_BYTES: usize = 32 << 20;

/// The most memory for short pretokens. A larger table would not fit the processor's cache.
const MAX_SHORT: usize = 2 << 20;

/// Pretokens → symbols.
#[derive(Clone, Debug, Default)]
pub(super) struct PretokenCache {
    short: LargeArray<Bucket>,
    middle: WideTable<MiddleLine>,
    wide: WideTable<WideLine>,
    overflow: Overflow,
    long: LongTable,
    /// The memory limit in bytes.
    bytes: usize,
}

/// What a new cache starts with: short pretokens that are one token. Earlier tokens of a vocabulary
/// take precedence, because they are the more frequent ones.
#[derive(Clone, Debug)]
pub(super) struct KnownTokens {
    buckets: LargeArray<Bucket>,
}

impl Default for KnownTokens {
    fn default() -> Self {
        KnownTokens {
            buckets: LargeArray::filled(Bucket::default(), MAX_SHORT / size_of::<Bucket>()),
        }
    }
}

impl KnownTokens {
    /// Adds a token and its symbol, marked or not. Does nothing if the token is long or there is no
    /// room.
    pub(super) fn add(&mut self, token: &[u8], symbol: u32) {
        if token.len() <= SHORT_BYTES {
            let key = ShortKey::new(token, 0, token.len());
            short::insert(&mut self.buckets, key, symbol, false);
        }
    }
}

impl PretokenCache {
    /// Sets the memory limit. A cache of another size is replaced by a new one.
    pub(super) fn fit(&mut self, bytes: usize, known: &KnownTokens) {
        if self.bytes == bytes && !self.short.is_empty() {
            return;
        }
        let short = (bytes / 3).min(MAX_SHORT);
        let (wide, overflow, long) = (bytes / 4, bytes / 16 * 3, bytes / 16);
        // There is always one bucket, so that a lookup needs no branch. If the limit leaves no
        // memory for it, nothing is written to it.
        let buckets = (short / size_of::<Bucket>()).max(1);
        let buckets = 1 << buckets.ilog2();
        self.short = match known.buckets.len() == buckets {
            true => known.buckets.clone(),
            false => LargeArray::filled(Bucket::default(), buckets),
        };
        self.middle = WideTable::new(bytes - short - wide - overflow - long);
        self.wide = WideTable::new(wide);
        self.overflow = Overflow::new(overflow);
        self.long = LongTable::new(long);
        self.bytes = bytes;
    }

    /// The table of short pretokens, for many lookups.
    #[inline(always)]
    pub(super) fn short(&self) -> ShortTable<'_> {
        ShortTable {
            buckets: &self.short,
        }
    }

    /// Adds a short pretoken that is one token, with its symbol, marked or not.
    pub(super) fn insert_short(&mut self, key: ShortKey, symbol: u32) {
        if self.bytes >= size_of::<Bucket>() * 3 {
            short::insert(&mut self.short, key, symbol, true);
        }
    }

    /// Prefetches the line of a pretoken of at most [`WIDE_BYTES`].
    #[inline(always)]
    pub(super) fn prefetch(&self, key: &WideKey) {
        match key.len() <= MIDDLE_BYTES {
            true => self.middle.prefetch(key),
            false => self.wide.prefetch(key),
        }
    }

    /// Prefetches the symbols of a pretoken that are not in its line, which must be prefetched by now.
    #[inline(always)]
    pub(super) fn prefetch_overflow(&self, key: &WideKey) {
        let place = match key.len() <= MIDDLE_BYTES {
            true => self.middle.place(key),
            false => self.wide.place(key),
        };
        if let Some(place) = place {
            self.overflow.prefetch(place);
        }
    }

    /// Appends the symbols of a pretoken and returns how many there are, 0 if it is not cached. `key`
    /// is given if the pretoken has at most [`WIDE_BYTES`].
    #[inline(always)]
    pub(super) fn append(
        &self,
        pretoken: &[u8],
        key: Option<&WideKey>,
        out: &mut Vec<u32>,
    ) -> usize {
        // Copy all symbols of the entry, then truncate: copying a variable number would be a call.
        let before = out.len();
        let count = match key {
            None => return self.append_long(pretoken, out),
            Some(key) if key.len() <= MIDDLE_BYTES => {
                self.middle.get(key).map(|(symbols, count)| {
                    out.extend_from_slice(symbols);
                    count
                })
            }
            Some(key) => self.wide.get(key).map(|(symbols, count)| {
                out.extend_from_slice(symbols);
                count
            }),
        };
        if count == Some(0) {
            let place = place_in(&out[before..]);
            out.truncate(before);
            return self.overflow.append(place, out);
        }
        out.truncate(before + count.unwrap_or(0));
        count.unwrap_or(0)
    }

    #[cold]
    fn append_long(&self, pretoken: &[u8], out: &mut Vec<u32>) -> usize {
        let symbols = self.long.get(pretoken).unwrap_or_default();
        out.extend_from_slice(symbols);
        symbols.len()
    }

    /// Adds the symbols of a pretoken, unless it is very long.
    pub(super) fn insert(&mut self, pretoken: &[u8], key: Option<&WideKey>, symbols: &[u32]) {
        let Some(key) = key else {
            return self.long.insert(pretoken, symbols);
        };
        let is_middle = pretoken.len() <= MIDDLE_BYTES;
        let room = if is_middle {
            MIDDLE_SYMBOLS
        } else {
            WIDE_SYMBOLS
        };
        let symbols = match symbols.len() > room {
            false => Symbols::Here(symbols),
            true => match self.overflow.insert(symbols) {
                Some(place) => Symbols::At(place),
                None => return,
            },
        };
        match is_middle {
            true => self.middle.insert(key, symbols),
            false => self.wide.insert(key, symbols),
        }
    }

    /// Removes all entries and frees the memory.
    pub(super) fn clear(&mut self) {
        *self = PretokenCache::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// A text of two letters, so that many keys are nearly equal.
    fn some_text() -> Vec<u8> {
        let mut random = Random(3);
        (0..4000).map(|_| b"ab"[random.below(2) as usize]).collect()
    }

    /// Whether these bytes of a text are in the cache of short pretokens, and their symbol.
    fn get(cache: &PretokenCache, text: &[u8], start: usize, end: usize) -> (bool, u32) {
        let (table, bounds) = (cache.short(), [start, end]);
        let (mut symbols, mut missed, mut sought) = ([0; 2], [[9; 4]; 2], [Sought::default(); 1]);
        let [one, other] = &mut symbols;
        let [missed_one, missed_other] = &mut missed;
        let one = std::slice::from_mut(one);
        let other = std::slice::from_mut(other);
        let misses = table.find(text, &bounds, &mut sought, one, missed_one);
        let plain = table.find_plain(text, &bounds, &mut sought, other, missed_other);
        assert_eq!((misses, missed[0][0] == 0), (plain, missed[1][0] == 0));
        assert!(misses == 1 || symbols[0] == symbols[1]);
        (misses == 0, symbols[0])
    }

    #[test]
    fn what_is_found_was_inserted() {
        let text = some_text();
        for bytes in [0, 1, 100, 1000, 10_000, 1 << 20] {
            let mut cache = PretokenCache::default();
            cache.fit(bytes, &KnownTokens::default());
            let mut found = [0; 3];
            for pass in 0..2 {
                for len in 1..70 {
                    for start in (0..text.len() - len + 1).step_by(7) {
                        let pretoken = &text[start..start + len];
                        let key = ShortKey::new(&text, start, start + len);
                        let (is, symbol) = get(&cache, &text, start, start + len);
                        if is {
                            assert!(len <= SHORT_BYTES);
                            assert_eq!(symbol, symbol_of(pretoken));
                            found[0] += pass;
                        } else if len <= SHORT_BYTES {
                            cache.insert_short(key, symbol_of(pretoken));
                        }
                        let all = [symbol_of(pretoken), 1, 2, 3, 4, 5, 6, 7, 8, 9];
                        let symbols = &all[..1 + symbol_of(pretoken) as usize % all.len()];
                        let key = WideKey::new(&text, start, start + len.min(WIDE_BYTES));
                        let key = (len <= WIDE_BYTES).then_some(&key);
                        let mut cached = Vec::new();
                        match cache.append(pretoken, key, &mut cached) {
                            0 => cache.insert(pretoken, key, symbols),
                            _ => assert_eq!(cached, symbols),
                        }
                        let is_cached = cache.append(pretoken, key, &mut cached) > 0;
                        found[1 + usize::from(key.is_none())] += pass * usize::from(is_cached);
                    }
                }
            }
            match bytes {
                0..100 => assert_eq!(found, [0; 3]),
                1_048_576 => assert!(found.iter().all(|&found| found > 500), "{found:?}"),
                _ => {}
            }
        }
    }

    #[test]
    fn a_new_cache_holds_the_known_tokens() {
        let text = some_text();
        let mut known = KnownTokens::default();
        let mut cache = PretokenCache::default();
        known.add(&text[..5], 17);
        known.add(&text[..5 + SHORT_BYTES], 18); // too long
        for (bytes, expected) in [(CACHE_BYTES, true), (1000, false), (2 * CACHE_BYTES, true)] {
            cache.fit(bytes, &known);
            let found = get(&cache, &text, 0, 5);
            assert_eq!(found.0, expected, "{bytes}");
            assert!(!found.0 || found.1 == 17);
        }
    }

    fn symbol_of(pretoken: &[u8]) -> u32 {
        let number = |sum: u32, byte: &u8| sum.wrapping_mul(31).wrapping_add(u32::from(*byte));
        pretoken.iter().fold(7, number) % (1 << 20)
    }
}
