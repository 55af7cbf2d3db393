//! All sequences in one flat array, merged in place.
//!
//! Each sequence starts with one cell per token and never moves. A merged token covers the cells of
//! its parts. Its first cell holds the symbol. Its second and its last cell hold the number of cells it covers, so
//! both neighbours are found without links. A border follows each sequence and holds its weight. A cell
//! has four bytes, so one cache line usually holds a whole word with its weight.
//!
//! ```text
//! cells of "the":  |  t  |  h  |  e  |  border: weight
//! after (t, h):    |  th    2  |  e  |  border: weight
//! after (th, e):   |  the   3     3  |  border: weight
//! ```

mod layout;

pub(crate) use layout::Layer;

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::prefetch::prefetch;

// The kind of a cell is in its two highest bits. A token of one cell has neither of them.
/// The first cell of a token of two or more cells.
const WIDE: u32 = 1 << 31;
/// Another cell of such a token.
const TAIL: u32 = 1 << 30;
/// A cell before, between or after the sequences.
const BORDER: u32 = WIDE | TAIL;
/// The number in a cell: a symbol, a width, or a weight.
const NUMBER: u32 = TAIL - 1;
/// In a border: the weight does not fit, and the rest of the number is its index in a list of such weights.
const HEAVY: u32 = 1 << 29;

/// Symbols must be below this to fit into a cell.
pub(crate) const MAX_SYMBOLS: u32 = NUMBER;

/// The number of cells between two checks for a request to stop.
const CHECK_EVERY: Place = 1 << 16;

/// For each block of this many cells, the first border is noted.
const BLOCK: Place = 16;

/// How many cells before and after a place usually hold its neighbours and the end of its sequence.
const BEFORE: Place = 6;
const AFTER: Place = 8;

/// A kind and a number. The cells are shared between threads, and each thread changes only its own sequences. Messages
/// between the threads order what one wrote before what another reads. So relaxed atomics are
/// enough, and they cost no more than plain numbers.
type Cell = AtomicU32;

/// The index of a cell.
pub(super) type Place = u32;

/// Weighted sequences of symbols.
#[derive(Debug)]
pub(crate) struct Cells {
    cells: Vec<Cell>,
    /// Weights that do not fit into a border.
    heavy: Vec<u64>,
    /// By block: the first border in it or after it.
    borders: Vec<Place>,
    sequences: usize,
}

impl Cells {
    /// The cells of these sequences.
    #[cfg(test)]
    pub(super) fn of<S: AsRef<[u32]> + Sync>(sequences: &[(S, u64)]) -> Cells {
        let parts: Vec<_> = sequences.chunks(3).collect();
        let tokens = |part: &[(S, u64)]| part.iter().map(|(one, _)| one.as_ref().len()).sum();
        let sizes = parts.iter().map(|part| (part.len(), tokens(part)));
        let lay = |part: usize, layer: &mut Layer<'_>| {
            for (symbols, weight) in parts[part] {
                layer.push(symbols.as_ref().iter().copied(), *weight);
            }
        };
        Cells::lay_out(&sizes.collect::<Vec<_>>(), 2, lay, || ()).unwrap()
    }

    #[inline(always)]
    fn cell(&self, place: Place) -> u32 {
        self.cells[place as usize].load(Relaxed)
    }

    #[inline(always)]
    fn set(&self, place: Place, cell: u32) {
        self.cells[place as usize].store(cell, Relaxed);
    }

    /// Places are below this.
    pub(crate) fn end(&self) -> Place {
        self.cells.len() as Place
    }

    /// Loads a cell into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, place: Place) {
        if let Some(cell) = self.cells.get(place as usize) {
            prefetch(cell);
        }
    }

    /// Loads what is around a place into the cache: its neighbours, and what finds the border after it.
    #[inline(always)]
    pub(super) fn prefetch_around(&self, place: Place) {
        self.prefetch(place);
        self.prefetch(place.wrapping_sub(BEFORE));
        self.prefetch(place.wrapping_add(AFTER));
        if let Some(border) = self.borders.get((place / BLOCK) as usize) {
            prefetch(border);
        }
    }

    /// The symbol of the token that starts at this place. At other places the result is not a valid
    /// symbol.
    #[inline(always)]
    pub(crate) fn symbol_at(&self, place: Place) -> u32 {
        self.cell(place) & !WIDE
    }

    /// True if a token starts at this place.
    #[cfg(test)]
    pub(crate) fn is_start(&self, place: Place) -> bool {
        self.cell(place) & TAIL == 0
    }

    #[inline(always)]
    pub(super) fn is_border(&self, place: Place) -> bool {
        self.cell(place) >= BORDER
    }

    /// The border after the sequence that contains the token starting at this place.
    #[inline(always)]
    pub(crate) fn border_after(&self, mut place: Place) -> Place {
        let block = place / BLOCK;
        let border = self.borders[block as usize];
        if border > place {
            return border;
        }
        // A sequence starts in this block. It ends in this block too, or at the first border after it.
        let end = (block + 1) * BLOCK;
        loop {
            place = self.after(place);
            if self.is_border(place) {
                return place;
            }
            if place >= end {
                return self.borders[block as usize + 1];
            }
        }
    }

    /// The start of the first sequence that starts after this place, or the end.
    pub(super) fn start_after(&self, place: Place) -> Place {
        let Some(&border) = self.borders.get((place / BLOCK) as usize) else {
            return self.end();
        };
        let mut border = border.max(place);
        while border < self.end() && !self.is_border(border) {
            border += 1;
        }
        (border + 1).min(self.end())
    }

    /// The weight of the sequence that ends at this border.
    #[inline(always)]
    fn weight(&self, border: Place) -> u64 {
        let number = self.cell(border) & NUMBER;
        match number & HEAVY {
            0 => u64::from(number),
            _ => self.heavy[(number & !HEAVY) as usize],
        }
    }

    /// The weight of the sequence that contains the token starting at this place.
    #[inline(always)]
    pub(crate) fn weight_at(&self, place: Place) -> u64 {
        self.weight(self.border_after(place))
    }

    /// The place after the token that starts here: its right neighbour, or a border.
    #[inline(always)]
    pub(crate) fn after(&self, place: Place) -> Place {
        // No branch on the width here and in `previous`, because it cannot be predicted. Reading
        // one cell further is safe: a border follows every sequence.
        let wide = self.cell(place) & WIDE != 0;
        let width = self.cell(place + 1) & NUMBER;
        place + if wide { width } else { 1 }
    }

    /// The token to the right of the token that starts here.
    #[inline(always)]
    pub(crate) fn next(&self, place: Place) -> Option<Place> {
        let after = self.after(place);
        (!self.is_border(after)).then_some(after)
    }

    /// The token to the left of the token that starts here.
    #[inline(always)]
    pub(crate) fn previous(&self, place: Place) -> Option<Place> {
        let last = self.cell(place - 1);
        let width = if last & TAIL == 0 { 1 } else { last & NUMBER };
        (last < BORDER).then(|| place - width)
    }

    /// True if the two places are in different sequences. `first` must come before `second`. Neither
    /// has to be the start of a token.
    #[cfg(feature = "threads")]
    pub(super) fn are_apart(&self, first: Place, second: Place) -> bool {
        (first..second).any(|place| self.is_border(place))
    }

    /// Joins the token that starts at `place` with its right neighbour. No other thread may use the
    /// sequence at the same time.
    #[inline(always)]
    pub(crate) fn join(&self, place: Place, right: Place, symbol: u32) {
        let width = self.after(right) - place;
        self.set(right, TAIL);
        self.set(place, WIDE | symbol);
        self.set(place + 1, TAIL | width);
        self.set(place + width - 1, TAIL | width);
    }

    /// Writes a token of `width` cells at this place.
    pub(crate) fn write(&self, place: Place, symbol: u32, width: u32) {
        if width == 1 {
            return self.set(place, symbol);
        }
        self.set(place, WIDE | symbol);
        for place in place + 1..place + width {
            self.set(place, TAIL | width);
        }
    }

    /// The places of all tokens from `place` to the end of its sequence, including `place`.
    pub(crate) fn rest_of_sequence(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        std::iter::successors(Some(place), |&place| self.next(place))
    }

    /// The first token of the sequence that contains the token at `place`.
    pub(crate) fn first_of_sequence(&self, mut place: Place) -> Place {
        while let Some(previous) = self.previous(place) {
            place = previous;
        }
        place
    }

    /// Calls `visit(symbol, next symbol, place, weight, counted)` for all neighbours in these cells, sequence by
    /// sequence. The cells must be whole sequences. `counted` is false for a pair of equal tokens that overlaps a counted one: `a a a`
    /// contains `(a, a)` once. Calls `check` regularly and stops if it fails.
    #[inline(always)]
    pub(super) fn for_each_pair<E>(
        &self,
        cells: Range<Place>,
        check: impl Fn() -> Result<(), E>,
        mut visit: impl FnMut(u32, u32, Place, u64, bool),
    ) -> Result<(), E> {
        let Range {
            start: mut place,
            end,
        } = cells;
        let mut next_check: Place = 0;
        while place < end {
            if place >= next_check {
                check()?;
                next_check = place.saturating_add(CHECK_EVERY);
            }
            if self.is_border(place) {
                place += 1;
                continue;
            }
            place = self.pairs_from(place, &mut visit);
        }
        Ok(())
    }

    /// Visits the pairs of one sequence from `place` on, like `for_each_pair`. Returns the place of
    /// its border.
    #[inline(always)]
    pub(crate) fn pairs_from(
        &self,
        mut place: Place,
        mut visit: impl FnMut(u32, u32, Place, u64, bool),
    ) -> Place {
        let weight = self.weight_at(place);
        let mut symbol = self.symbol_at(place);
        let mut overlaps = false;
        loop {
            let after = self.after(place);
            if self.is_border(after) {
                return after;
            }
            let right = self.symbol_at(after);
            overlaps = symbol == right && !overlaps;
            visit(symbol, right, place, weight, symbol != right || overlaps);
            place = after;
            symbol = right;
        }
    }

    /// How many joins make every sequence one token, if nothing was joined yet.
    pub(crate) fn most_joins(&self) -> u64 {
        // Each sequence has a border, and there is one more at the start.
        (self.cells.len() - 1).saturating_sub(2 * self.sequences) as u64
    }

    /// The sum over all sequences of weight × tokens, or `None` if it needs more than 64 bits. No
    /// count in these cells, now or after any merge, can be larger.
    pub(crate) fn total_weight(&self) -> Option<u64> {
        let mut total: u64 = 0;
        let mut length: u64 = 0;
        for place in 1..self.end() {
            if self.is_border(place) {
                total = total.checked_add(length.checked_mul(self.weight(place))?)?;
                length = 0;
            } else {
                length += 1;
            }
        }
        Some(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(cells: &Cells, start: Place) -> Vec<u32> {
        cells
            .rest_of_sequence(start)
            .map(|place| cells.symbol_at(place))
            .collect()
    }

    #[test]
    fn tokens_join_and_split_in_place() {
        let cells = Cells::of(&[(vec![1, 2, 3, 4], 5), (vec![7], 2)]);
        assert_eq!(cells.total_weight(), Some(22));
        assert_eq!(cells.most_joins(), 3);
        cells.join(2, 3, 9); // 1 (2 3)=9 4
        assert_eq!(symbols(&cells, 1), [1, 9, 4]);
        assert_eq!(cells.previous(4), Some(2));
        cells.join(1, 2, 10); // (1 9)=10 4
        assert_eq!(symbols(&cells, 1), [10, 4]);
        cells.join(1, 4, 11);
        assert_eq!(symbols(&cells, 1), [11]);
        assert_eq!(cells.next(1), None);
        assert_eq!(cells.previous(6), None);
        assert_eq!((cells.weight_at(1), cells.weight_at(6)), (5, 2));
        cells.write(1, 1, 1);
        cells.write(2, 9, 3);
        assert_eq!(symbols(&cells, 1), [1, 9]);
        assert_eq!(cells.first_of_sequence(2), 1);
    }

    #[test]
    fn parts_are_laid_out_one_after_the_other() {
        let mut random = crate::testing::Random(11);
        for _ in 0..200 {
            let sizes: Vec<Vec<usize>> = (0..random.below(6))
                .map(|_| {
                    (0..random.below(5))
                        .map(|_| 1 + random.below(40) as usize)
                        .collect()
                })
                .collect();
            let lay = |part: &[usize], layer: &mut Layer<'_>| {
                for &length in part {
                    layer.push((0..length as u32).map(|at| at + 1), length as u64 + 7);
                }
            };
            let size = |part: &[usize]| (part.len(), part.iter().sum());
            let whole: Vec<usize> = sizes.concat();
            let one =
                Cells::lay_out(&[size(&whole)], 1, |_, layer| lay(&whole, layer), || ()).unwrap();
            let of_parts: Vec<_> = sizes.iter().map(|part| size(part)).collect();
            let lay_part = |part: usize, layer: &mut Layer<'_>| lay(&sizes[part], layer);
            let some = Cells::lay_out(&of_parts, 3, lay_part, || ()).unwrap();
            let numbers = |cells: &Cells| -> Vec<u32> {
                cells.cells.iter().map(|cell| cell.load(Relaxed)).collect()
            };
            assert_eq!(numbers(&some), numbers(&one));
            assert_eq!(some.borders, one.borders);
            assert_eq!(some.sequences, whole.len());
            for (block, &border) in some.borders.iter().enumerate() {
                let first = (block * BLOCK as usize..).find(|&at| some.is_border(at as Place));
                assert_eq!(Some(border as usize), first);
            }
        }
    }

    #[test]
    fn equal_neighbours_count_without_overlap() {
        for (length, expected) in [(2, 1), (3, 1), (4, 2), (5, 2)] {
            let cells = Cells::of(&[(vec![1; length], 1)]);
            let (mut counted, mut places) = (0, 0);
            let all = cells.for_each_pair(
                1..cells.end(),
                || Ok::<(), ()>(()),
                |_, _, _, _, counts| {
                    counted += u32::from(counts);
                    places += 1;
                },
            );
            assert_eq!(all, Ok(()));
            assert_eq!((counted, places), (expected, length - 1));
        }
    }

    #[test]
    fn every_place_has_a_next_sequence() {
        let cells = Cells::of(&[1, 3, 47, 1, 1, 2, 97].map(|length| (vec![1; length], 1)));
        let borders: Vec<Place> = (1..cells.end()).filter(|&at| cells.is_border(at)).collect();
        for place in 1..cells.end() + 40 {
            let border = borders.iter().find(|&&border| border >= place);
            let start = border.map_or(cells.end(), |border| border + 1);
            assert_eq!(cells.start_after(place), start);
        }
    }

    #[test]
    fn weights_of_all_sizes_and_lengths_are_found() {
        let mut sequences = Vec::new();
        let lengths = [1, 3, 47, 48, 49, 50, 97, 200, 2];
        let weights = [1, (1 << 29) - 1, 1 << 29, u64::MAX, 7, 1 << 40];
        let mut expected = Vec::new();
        for (number, &length) in lengths.iter().cycle().take(40).enumerate() {
            let weight = weights[number % weights.len()];
            sequences.push((vec![1; length], weight));
            expected.push((length as Place, weight));
        }
        let cells = Cells::of(&sequences);
        for joined in [false, true] {
            let mut start = 1;
            for &(length, weight) in &expected {
                let border = start + length;
                if joined && length > 4 {
                    cells.join(start + 1, start + 2, 5);
                    cells.join(start + 1, start + 3, 6);
                }
                for place in cells.rest_of_sequence(start) {
                    assert_eq!(cells.weight_at(place), weight);
                    assert_eq!(cells.border_after(place), border);
                }
                start = border + 1;
            }
        }
    }
}
