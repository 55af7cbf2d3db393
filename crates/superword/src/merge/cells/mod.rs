//! All sequences in one flat array, merged in place.
//!
//! A sequence never moves. A byte takes one cell of two bytes, so one cache line usually holds a few whole words. The more
//! cells a token covers, the more room it has for its symbol and its width:
//!
//! - A token of one cell has a small symbol, such as a byte.
//! - Any other token has the lower half of its symbol in its first cell and the upper half in its second.
//! - The width of a token of three or more cells is in its third cell and in its last. So both neighbours are found without links.
//!   In a token of two cells, the second says so.
//! - The two cells of a border follow each sequence and hold its weight.
//!
//! ```text
//! cells of "this":  | t | h | i | s | weight |
//! after (t, h):     | th    | i | s | weight |
//! after (th, is):   | this  4   4   | weight |
//! ```

mod layout;
#[cfg(test)]
mod tests;

pub(crate) use layout::{Layer, cells_of};

use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use crate::prefetch::prefetch;

// The kind of a cell is in its two highest bits. A token of one cell has neither of them.
/// The first cell of a token of two or more cells.
const WIDE: u16 = 1 << 15;
/// Another cell of such a token.
const TAIL: u16 = 1 << 14;
/// A cell before, between or after the sequences.
const BORDER: u16 = WIDE | TAIL;
/// The number in a cell.
const NUMBER: u16 = TAIL - 1;
const NUMBER_BITS: u32 = NUMBER.count_ones();

/// In the second cell of a token: there is no third.
const LAST: u16 = 1 << 13;
/// The number in a cell that may have that bit: the upper half of a symbol, or a width.
const TAIL_NUMBER: u16 = LAST - 1;
/// Widths from here on are written to more cells: those after the third, and those before the last.
const LONG: u16 = if cfg!(test) { 10 } else { TAIL_NUMBER };
/// The number of these cells at each end.
const LONG_CELLS: u32 = 3;

/// The number of cells of a border.
const BORDER_CELLS: Place = 2;
/// In a border: the weight does not fit, and the rest of the number is its index in a list of such weights.
const HEAVY: u32 = 1 << (2 * NUMBER_BITS - 1);

/// Symbols below this fit into one cell.
const SMALL_SYMBOLS: u32 = if cfg!(test) { 300 } else { 1 << NUMBER_BITS };

/// Symbols must be below this to fit into two cells.
pub(crate) const MAX_SYMBOLS: u32 = 1 << (NUMBER_BITS + TAIL_NUMBER.count_ones());

/// The number of cells between two checks for a request to stop.
const CHECK_EVERY: Place = 1 << 16;

/// For each block of this many cells, it is noted how far the first border is.
const BLOCK: Place = 16;
/// Borders that are as far or farther are in a list of their own.
const FAR: u16 = if cfg!(test) { 40 } else { u16::MAX };

/// How many cells before and after a place usually hold its neighbours and the end of its sequence.
const BEFORE: Place = 6;
const AFTER: Place = 8;

/// A kind and a number. The cells are shared between threads, and each thread changes only its own sequences. Messages
/// between the threads order what one wrote before what another reads. So relaxed atomics are
/// enough, and they cost no more than plain numbers.
type Cell = AtomicU16;

/// The index of a cell.
pub(super) type Place = u32;

/// Weighted sequences of symbols.
#[derive(Debug)]
pub(crate) struct Cells {
    /// There is one more cell at the end, because the cell after a border may be read.
    cells: Vec<Cell>,
    /// Weights that do not fit into a border.
    heavy: Vec<u64>,
    /// By block: how far after its start the first border is, or [`FAR`].
    borders: Vec<u16>,
    /// The borders that are far from the start of some block, in order.
    far_borders: Vec<Place>,
    sequences: usize,
    /// The number of tokens before anything is joined.
    tokens: usize,
    /// See [`Cells::total_weight`].
    weight: Option<u64>,
}

impl Cells {
    /// The cells of these sequences.
    #[cfg(test)]
    pub(super) fn of<S: AsRef<[u32]> + Sync>(sequences: &[(S, u64)]) -> Cells {
        let parts: Vec<_> = sequences.chunks(3).collect();
        let symbols = |part: &[(S, u64)]| {
            let cells = part.iter().flat_map(|(one, _)| one.as_ref());
            cells.map(|&symbol| cells_of(symbol)).sum()
        };
        let sizes = parts.iter().map(|part| (part.len(), symbols(part)));
        let lay = |part: usize, layer: &mut Layer<'_>| {
            for (symbols, weight) in parts[part] {
                layer.push(symbols.as_ref().iter().copied(), *weight);
            }
        };
        Cells::lay_out(&sizes.collect::<Vec<_>>(), 2, lay, || ()).unwrap()
    }

    #[inline(always)]
    fn cell(&self, place: Place) -> u16 {
        self.cells[place as usize].load(Relaxed)
    }

    /// The cell at this place and those after it.
    #[inline(always)]
    fn cells<const N: usize>(&self, place: Place) -> [u16; N] {
        let cells = &self.cells[place as usize..place as usize + N];
        std::array::from_fn(|at| cells[at].load(Relaxed))
    }

    #[inline(always)]
    fn set(&self, place: Place, cell: u16) {
        self.cells[place as usize].store(cell, Relaxed);
    }

    /// Places are below this.
    pub(crate) fn end(&self) -> Place {
        self.cells.len() as Place - 1
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
        let [first, second] = self.cells(place);
        let high = if first & WIDE == 0 {
            0
        } else {
            second & TAIL_NUMBER
        };
        // No symbol has the bit that other cells get.
        u32::from(first & NUMBER) | u32::from(high) << NUMBER_BITS | u32::from(first & TAIL) << 16
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
        let border = self.border_from(block);
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
                return self.border_from(block + 1);
            }
        }
    }

    /// The first border that starts in this block or after it. There must be one.
    #[inline(always)]
    fn border_from(&self, block: Place) -> Place {
        let start = block * BLOCK;
        match self.borders[block as usize] {
            FAR.. => self.far_border_from(start),
            far => start + Place::from(far),
        }
    }

    #[cold]
    fn far_border_from(&self, start: Place) -> Place {
        let before = self.far_borders.partition_point(|&border| border < start);
        self.far_borders[before]
    }

    /// The start of the first sequence that starts after this place, or the end.
    pub(super) fn start_after(&self, place: Place) -> Place {
        let block = place / BLOCK;
        if block as usize >= self.borders.len() {
            return self.end();
        }
        let mut border = self.border_from(block).max(place);
        while border < self.end() && !self.is_border(border) {
            border += 1;
        }
        // There is one more cell of it, unless this is the first border of all, or the place was in the middle of it.
        while border < self.end() && self.is_border(border) {
            border += 1;
        }
        border.min(self.end())
    }

    /// The weight of the sequence that ends at this border.
    #[inline(always)]
    fn weight(&self, border: Place) -> u64 {
        let [low, high] = self.cells(border).map(|cell| u32::from(cell & NUMBER));
        let number = low | high << NUMBER_BITS;
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
        // two cells further is safe: a border follows every sequence.
        let [first, second, third] = self.cells(place);
        let wide = if second & LAST == 0 {
            third & TAIL_NUMBER
        } else {
            2
        };
        let width = if first & WIDE == 0 { 1 } else { wide };
        place + self.width(width, || self.long_width(|cell| place + 3 + cell))
    }

    /// The whole width, if a cell has this one.
    #[inline(always)]
    fn width(&self, width: u16, long_width: impl Fn() -> u32) -> u32 {
        if width < LONG {
            return u32::from(width);
        }
        long_width()
    }

    /// A width that takes several cells.
    #[cold]
    fn long_width(&self, cell_at: impl Fn(u32) -> Place) -> u32 {
        let parts = (0..LONG_CELLS).map(|cell| u32::from(self.cell(cell_at(cell)) & TAIL_NUMBER));
        let bits = TAIL_NUMBER.count_ones();
        (0..)
            .zip(parts)
            .fold(0, |width, (cell, part)| width | part << (cell * bits))
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
        let wide = if last & LAST == 0 {
            last & TAIL_NUMBER
        } else {
            2
        };
        let width = if last & TAIL == 0 { 1 } else { wide };
        (last < BORDER)
            .then(|| place - self.width(width, || self.long_width(|cell| place - 2 - cell)))
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
        self.set_wide(place, symbol, width);
    }

    /// Writes a token of `width` cells at this place.
    pub(crate) fn write(&self, place: Place, symbol: u32, width: u32) {
        if width == 1 {
            debug_assert!(symbol < SMALL_SYMBOLS);
            return self.set(place, symbol as u16);
        }
        for place in place + 1..place + width {
            self.set(place, TAIL);
        }
        self.set_wide(place, symbol, width);
    }

    /// Writes what is read of a token of two or more cells.
    #[inline(always)]
    fn set_wide(&self, place: Place, symbol: u32, width: u32) {
        let is_long = width >= u32::from(LONG);
        let short = TAIL | if is_long { LONG } else { width as u16 };
        let last = if width == 2 { LAST } else { 0 };
        // A token of two cells has no third one, so the same cell is written several times.
        self.set(place + width - 1, short);
        self.set(place + (width - 1).min(2), short);
        self.set(place, WIDE | symbol as u16 & NUMBER);
        self.set(place + 1, TAIL | last | (symbol >> NUMBER_BITS) as u16);
        if is_long {
            self.set_long_width(place, width);
        }
    }

    #[cold]
    fn set_long_width(&self, place: Place, width: u32) {
        for cell in 0..LONG_CELLS {
            let part = (width >> (cell * TAIL_NUMBER.count_ones())) as u16 & TAIL_NUMBER;
            self.set(place + 3 + cell, TAIL | part);
            self.set(place + width - 2 - cell, TAIL | part);
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
            place = self.pairs_from(place, &mut visit) + BORDER_CELLS;
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
        self.tokens.saturating_sub(self.sequences) as u64
    }

    /// The sum over all sequences of weight × tokens before anything is joined, or `None` if it needs more than 64 bits. No
    /// count in these cells, now or after any merge, can be larger.
    pub(crate) fn total_weight(&self) -> Option<u64> {
        self.weight
    }
}
