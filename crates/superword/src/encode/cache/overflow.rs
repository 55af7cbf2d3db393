//! The symbols of pretokens that have more of them than fit into a line. The line says where they
//! are.

use crate::large::LargeArray;
use crate::prefetch::prefetch;

/// Where the symbols of a pretoken are: their position, in two halves, and their number.
pub(super) type Place = [u32; 3];

/// A ring of symbols. When it is full, new ones overwrite the oldest.
#[derive(Clone, Debug, Default)]
pub(super) struct Overflow {
    symbols: LargeArray<u32>,
    /// The position after the symbols that were added last. Positions never start again at 0: the
    /// symbols at a position are at its remainder by `max`.
    end: u64,
    /// The most symbols in the ring.
    max: usize,
}

/// The number of symbols there is room for at first.
const FIRST: usize = 1 << 12;

impl Overflow {
    /// An empty ring of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Overflow {
        Overflow {
            symbols: LargeArray::default(),
            end: 0,
            max: bytes / size_of::<u32>(),
        }
    }

    /// Adds the symbols of a pretoken and returns where they are, unless they do not fit at all.
    pub(super) fn insert(&mut self, symbols: &[u32]) -> Option<Place> {
        if symbols.len() > self.max {
            return None;
        }
        let mut at = (self.end % self.max as u64) as usize;
        if symbols.len() > self.max - at {
            // They do not fit before the end of the ring, so they go to its start.
            self.end += (self.max - at) as u64;
            at = 0;
        }
        let after = at + symbols.len();
        if after > self.symbols.len() {
            self.grow(after);
        }
        self.symbols[at..after].copy_from_slice(symbols);
        let place = [
            self.end as u32,
            (self.end >> 32) as u32,
            symbols.len() as u32,
        ];
        self.end += symbols.len() as u64;
        Some(place)
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        let len = (self.symbols.len() * 2).max(needed).max(FIRST);
        let mut symbols = LargeArray::filled(0, len.min(self.max));
        symbols[..self.symbols.len()].copy_from_slice(&self.symbols);
        self.symbols = symbols;
    }

    /// Prefetches the symbols at a place.
    #[inline(always)]
    pub(super) fn prefetch(&self, place: Place) {
        let [low, high, _] = place;
        let position = u64::from(high) << 32 | u64::from(low);
        let at = (position % self.max.max(1) as u64) as usize;
        if let Some(symbol) = self.symbols.get(at) {
            prefetch(symbol);
        }
    }

    /// Appends the symbols at a place and returns how many there are, 0 if they were overwritten.
    #[inline]
    pub(super) fn append(&self, place: Place, out: &mut Vec<u32>) -> usize {
        /// Copying a variable number of symbols would be a call.
        const USUAL: usize = 16;

        let [low, high, count] = place;
        let (position, count) = (u64::from(high) << 32 | u64::from(low), count as usize);
        if self.end - position > self.max as u64 {
            return 0;
        }
        let symbols = &self.symbols[(position % self.max as u64) as usize..];
        match symbols.first_chunk::<USUAL>() {
            Some(usual) if count <= USUAL => {
                let before = out.len();
                out.extend_from_slice(usual);
                out.truncate(before + count);
            }
            _ => out.extend_from_slice(&symbols[..count]),
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn what_is_not_overwritten_is_found() {
        let mut random = Random(7);
        for max in [0, 1, 30, 100, 3 * FIRST] {
            let mut ring = Overflow::new(max * 4 + 3);
            let mut places: Vec<(Place, Vec<u32>)> = Vec::new();
            let mut added = 0;
            for _ in 0..2000 {
                let count = 1 + random.below(31) as usize;
                let symbols: Vec<u32> = (0..count).map(|_| random.below(1 << 20) as u32).collect();
                match ring.insert(&symbols) {
                    Some(place) => places.push((place, symbols)),
                    None => assert!(count > max),
                }
                added += count;
                assert!(ring.symbols.len() <= max);
            }
            let (mut found, mut kept) = (0, 0);
            for (place, symbols) in places.iter().rev() {
                let mut out = vec![5];
                kept += symbols.len();
                match ring.append(*place, &mut out) {
                    // At each turn, less than 31 symbols at the end are left out.
                    0 => assert!(kept + 31 > max),
                    count => {
                        assert_eq!((count, out[0]), (symbols.len(), 5));
                        assert_eq!(out[1..], symbols[..]);
                        found += 1;
                    }
                }
            }
            assert_eq!(found > 0, max > 0, "{max}");
            assert!(added > 2 * max);
        }
    }
}
