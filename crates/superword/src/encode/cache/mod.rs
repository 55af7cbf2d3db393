//! What pretokens were encoded to: the memory of one worker.
//!
//! Nearly every pretoken has been seen before, and nearly all of them are short and one token, so
//! this is where encoding spends its time, waiting for memory. There are four tables: short
//! pretokens that are one token, small enough to stay close to the processor; those of up to 15 and
//! of up to 31 bytes, in a line of memory that can be asked for long before it is needed; and
//! those that are longer or more tokens than a line has room for. In the last table everything is forgotten when it is full; in the others a new
//! pretoken takes the place of one that was there.

mod long;
mod short;
mod wide;

use long::LongTable;
use short::Pair;
pub(super) use short::{SHORT_BYTES, ShortKey, ShortTable};
use wide::{MIDDLE_BYTES, MIDDLE_SYMBOLS, MiddleLine, WIDE_SYMBOLS, WideLine, WideTable};
pub(super) use wide::{WIDE_BYTES, WideKey};

/// The memory of the cache of each worker, in bytes, where nothing else is said.
pub const CACHE_BYTES: usize = 32 << 20;

/// More memory than this for the short ones does not stay close to the processor.
const MOST_SHORT: usize = 2 << 20;

/// Pretokens → symbols.
#[derive(Clone, Debug, Default)]
pub(super) struct PretokenCache {
    short: Vec<Pair>,
    middle: WideTable<MiddleLine>,
    wide: WideTable<WideLine>,
    long: LongTable,
    /// What it may hold, in bytes.
    bytes: usize,
}

/// What a cache knows from the start: short pretokens that are one token. The first ones of a
/// vocabulary are those that texts hold most.
#[derive(Clone, Debug)]
pub(super) struct KnownTokens {
    pairs: Vec<Pair>,
}

impl Default for KnownTokens {
    fn default() -> Self {
        KnownTokens {
            pairs: vec![Pair::default(); MOST_SHORT / size_of::<Pair>()],
        }
    }
}

impl KnownTokens {
    /// Adds a token with its symbol, marked or not, unless it is long or there is no room.
    pub(super) fn add(&mut self, token: &[u8], symbol: u32) {
        if token.len() <= SHORT_BYTES {
            let key = ShortKey::new(token, 0, token.len());
            short::keep(&mut self.pairs, key, symbol, false);
        }
    }
}

impl PretokenCache {
    /// Makes a new cache of at most `bytes`, unless it is of that size already.
    pub(super) fn fit(&mut self, bytes: usize, known: &KnownTokens) {
        if self.bytes == bytes && !self.short.is_empty() {
            return;
        }
        let short = (bytes / 3).min(MOST_SHORT);
        let (wide, long) = (bytes / 4, bytes / 4);
        // There always is a pair, so that a look-up needs no branch; where there is no memory for
        // it, nothing is written to it.
        let pairs = (short / size_of::<Pair>()).max(1);
        let pairs = 1 << pairs.ilog2();
        self.short = match known.pairs.len() == pairs {
            true => known.pairs.clone(),
            false => crate::memory::filled(Pair::default(), pairs),
        };
        self.middle = WideTable::new(bytes - short - wide - long);
        self.wide = WideTable::new(wide);
        self.long = LongTable::new(long);
        self.bytes = bytes;
    }

    /// A view for many look-ups of short pretokens.
    #[inline(always)]
    pub(super) fn short(&self) -> ShortTable<'_> {
        ShortTable { pairs: &self.short }
    }

    /// Keeps the symbol of a short pretoken that is one token, marked or not.
    pub(super) fn keep_short(&mut self, key: ShortKey, symbol: u32) {
        if self.bytes >= size_of::<Pair>() * 3 {
            short::keep(&mut self.short, key, symbol, true);
        }
    }

    /// Asks for the memory of a pretoken of at most [`WIDE_BYTES`].
    #[inline(always)]
    pub(super) fn prefetch(&self, key: &WideKey) {
        match key.len() <= MIDDLE_BYTES {
            true => self.middle.prefetch(key),
            false => self.wide.prefetch(key),
        }
    }

    /// Appends the symbols of `text[start..end]`, whose key is given if it has at most
    /// [`WIDE_BYTES`]. How many that are, 0 if it is not there.
    #[inline(always)]
    pub(super) fn append(
        &self,
        pretoken: &[u8],
        key: Option<&WideKey>,
        out: &mut Vec<u32>,
    ) -> usize {
        // All there is room for, and the rest taken off: copying a few would be a call.
        let before = out.len();
        let count = match key {
            None => Some(0),
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
        out.truncate(before + count.unwrap_or(0));
        match count {
            None => 0,
            Some(0) => self.append_long(pretoken, out),
            Some(count) => count,
        }
    }

    #[cold]
    fn append_long(&self, pretoken: &[u8], out: &mut Vec<u32>) -> usize {
        let symbols = self.long.get(pretoken).unwrap_or_default();
        out.extend_from_slice(symbols);
        symbols.len()
    }

    /// Keeps the symbols of a pretoken, unless it is very long.
    pub(super) fn keep(&mut self, pretoken: &[u8], key: Option<&WideKey>, symbols: &[u32]) {
        let is_middle = pretoken.len() <= MIDDLE_BYTES;
        let room = match (key, is_middle) {
            (None, _) => 0,
            (Some(_), true) => MIDDLE_SYMBOLS,
            (Some(_), false) => WIDE_SYMBOLS,
        };
        let mut few = symbols;
        if symbols.len() > room {
            self.long.keep(pretoken, symbols);
            few = &[];
        }
        match key {
            None => {}
            Some(key) if is_middle => self.middle.keep(key, few),
            Some(key) => self.wide.keep(key, few),
        }
    }

    /// Forgets everything and gives the memory back.
    pub(super) fn clear(&mut self) {
        *self = PretokenCache::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::tests::Random;

    /// Bytes of few letters, so that keys that are nearly equal meet.
    fn some_text() -> Vec<u8> {
        let mut random = Random(3);
        (0..4000).map(|_| b"ab"[random.below(2) as usize]).collect()
    }

    #[test]
    fn what_is_found_was_kept() {
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
                        let (is, symbol) = cache.short().get(key, cache.short().place(key));
                        if is {
                            assert!(len <= SHORT_BYTES);
                            assert_eq!(symbol, symbol_of(pretoken));
                            found[0] += pass;
                        } else if len <= SHORT_BYTES {
                            cache.keep_short(key, symbol_of(pretoken));
                        }
                        let all = [symbol_of(pretoken), 1, 2, 3, 4, 5, 6, 7, 8, 9];
                        let symbols = &all[..1 + symbol_of(pretoken) as usize % all.len()];
                        let key = WideKey::new(&text, start, start + len.min(WIDE_BYTES));
                        let key = (len <= WIDE_BYTES).then_some(&key);
                        let mut kept = Vec::new();
                        match cache.append(pretoken, key, &mut kept) {
                            0 => cache.keep(pretoken, key, symbols),
                            _ => assert_eq!(kept, symbols),
                        }
                        let is_kept = cache.append(pretoken, key, &mut kept) > 0;
                        found[1 + usize::from(key.is_none())] += pass * usize::from(is_kept);
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
    fn tokens_are_known_from_the_start() {
        let text = some_text();
        let mut known = KnownTokens::default();
        let mut cache = PretokenCache::default();
        known.add(&text[..5], 17);
        known.add(&text[..5 + SHORT_BYTES], 18); // too long
        for (bytes, expected) in [(CACHE_BYTES, true), (1000, false), (2 * CACHE_BYTES, true)] {
            cache.fit(bytes, &known);
            let key = ShortKey::new(&text, 0, 5);
            let found = cache.short().get(key, cache.short().place(key));
            assert_eq!(found.0, expected, "{bytes}");
            assert!(!found.0 || found.1 == 17);
        }
    }

    fn symbol_of(pretoken: &[u8]) -> u32 {
        let number = |sum: u32, byte: &u8| sum.wrapping_mul(31).wrapping_add(u32::from(*byte));
        pretoken.iter().fold(7, number) % (1 << 20)
    }
}
