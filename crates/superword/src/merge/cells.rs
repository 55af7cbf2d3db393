//! All sequences in one flat array, merged in place.
//!
//! Each sequence starts with one cell per token and never moves. A merged token covers the cells of
//! its parts. Its first cell holds the symbol and the number of the sequence. Its second and its last
//! cell hold the number of cells it covers, so both neighbours are found without links. One cache
//! line usually holds a whole word.
//!
//! ```text
//! cells of "the":  |  t  |  h  |  e  |  end
//! after (t, h):    |  th    2  |  e  |  end
//! after (th, e):   |  the   3     3  |  end
//! ```

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::memory;

/// Marks the first and the last cell of a token of two or more cells.
const WIDE: u32 = 1 << 31;
/// Marks all cells of a token but the first.
const TAIL: u32 = 1 << 30;
const INSIDE: u32 = TAIL;
/// The symbol of the cells before, between and after the sequences.
const BORDER: u32 = TAIL | (TAIL - 1);

/// Symbols must be below this to fit into a cell.
pub(crate) const MAX_SYMBOLS: u32 = TAIL - 1;

/// The number of cells between two checks for a request to stop.
const CHECK_EVERY: Place = 1 << 16;

/// The cells are shared between threads, and each thread changes only its own sequences. Messages
/// between the threads order what one wrote before what another reads. So relaxed atomics are
/// enough, and they cost no more than plain numbers.
#[derive(Debug)]
struct Cell {
    symbol: AtomicU32,
    /// In the first cell of a token the number of its sequence. In the second and the last cell its
    /// width.
    note: AtomicU32,
}

impl Cell {
    fn new(symbol: u32, note: u32) -> Cell {
        Cell {
            symbol: AtomicU32::new(symbol),
            note: AtomicU32::new(note),
        }
    }

    #[inline(always)]
    fn symbol(&self) -> u32 {
        self.symbol.load(Relaxed)
    }

    #[inline(always)]
    fn note(&self) -> u32 {
        self.note.load(Relaxed)
    }

    #[inline(always)]
    fn set(&self, symbol: u32, note: u32) {
        self.symbol.store(symbol, Relaxed);
        self.note.store(note, Relaxed);
    }
}

/// The index of a cell.
pub(super) type Place = u32;

/// Weighted sequences of symbols.
#[derive(Debug)]
pub(crate) struct Cells {
    cells: Vec<Cell>,
    weights: Vec<u64>,
}

impl Default for Cells {
    fn default() -> Self {
        Cells {
            cells: vec![Cell::new(BORDER, 0)],
            weights: Vec::new(),
        }
    }
}

impl Cells {
    /// Cells with room for this many sequences, which have `tokens` tokens in total.
    pub(crate) fn with_capacity(tokens: usize, sequences: usize) -> Cells {
        let mut cells = Cells::default();
        memory::reserve_exact(&mut cells.cells, tokens + sequences);
        memory::reserve_exact(&mut cells.weights, sequences);
        cells
    }

    /// Adds a sequence of symbols, each below [`MAX_SYMBOLS`]. Returns false if there are now too many
    /// cells or sequences.
    #[must_use]
    pub(crate) fn push(&mut self, symbols: impl Iterator<Item = u32>, weight: u64) -> bool {
        let note = self.weights.len() as u32;
        self.weights.push(weight);
        self.cells
            .extend(symbols.map(|symbol| Cell::new(symbol, note)));
        self.cells.push(Cell::new(BORDER, 0));
        self.cells.len() < Place::MAX as usize && self.weights.len() < u32::MAX as usize
    }

    /// Places are below this.
    pub(crate) fn end(&self) -> Place {
        self.cells.len() as Place
    }

    /// The symbol of the token that starts at this place. At other places the result is not a valid
    /// symbol.
    #[inline(always)]
    pub(crate) fn symbol_at(&self, place: Place) -> u32 {
        self.cells[place as usize].symbol() & !WIDE
    }

    /// True if a token starts at this place.
    #[cfg(test)]
    pub(crate) fn is_start(&self, place: Place) -> bool {
        self.cells[place as usize].symbol() & TAIL == 0
    }

    /// The number of the sequence of the token that starts at this place.
    #[inline(always)]
    pub(crate) fn sequence_at(&self, place: Place) -> u32 {
        self.cells[place as usize].note()
    }

    /// The weight of the sequence that contains the token starting at this place.
    #[inline(always)]
    pub(crate) fn weight_at(&self, place: Place) -> u64 {
        self.weights[self.sequence_at(place) as usize]
    }

    /// The place after the token that starts here: its right neighbour, or a border.
    #[inline(always)]
    pub(crate) fn after(&self, place: Place) -> Place {
        // No branch on the width here and in `previous`, because it cannot be predicted. Reading
        // one cell further is safe: a border follows every sequence.
        let wide = self.cells[place as usize].symbol() & WIDE != 0;
        let note = self.cells[place as usize + 1].note();
        place + if wide { note } else { 1 }
    }

    /// The token to the right of the token that starts here.
    #[inline(always)]
    pub(crate) fn next(&self, place: Place) -> Option<Place> {
        let after = self.after(place);
        (self.cells[after as usize].symbol() != BORDER).then_some(after)
    }

    /// The token to the left of the token that starts here.
    #[inline(always)]
    pub(crate) fn previous(&self, place: Place) -> Option<Place> {
        let last = &self.cells[place as usize - 1];
        let (symbol, note) = (last.symbol(), last.note());
        let width = if symbol & TAIL == 0 { 1 } else { note };
        (symbol != BORDER).then_some(place - width)
    }

    /// True if the two places are in different sequences. `first` must come before `second`. Neither
    /// has to be the start of a token.
    #[cfg(feature = "threads")]
    pub(super) fn are_apart(&self, first: Place, second: Place) -> bool {
        self.cells[first as usize..second as usize]
            .iter()
            .any(|cell| cell.symbol() == BORDER)
    }

    /// Joins the token that starts at `place` with its right neighbour. No other thread may use the
    /// sequence at the same time.
    #[inline(always)]
    pub(crate) fn join(&self, place: Place, right: Place, symbol: u32) {
        let width = self.after(right) - place;
        let (first, right) = (place as usize, right as usize);
        let last = first + width as usize - 1;
        self.cells[right].symbol.store(INSIDE, Relaxed);
        self.cells[first].symbol.store(symbol | WIDE, Relaxed);
        self.cells[first + 1].note.store(width, Relaxed);
        self.cells[last].set(symbol | TAIL | WIDE, width);
    }

    /// Writes a token of `width` cells at this place.
    pub(crate) fn write(&self, place: Place, symbol: u32, width: u32, sequence: u32) {
        let first = place as usize;
        if width == 1 {
            self.cells[first].set(symbol, sequence);
            return;
        }
        self.cells[first].set(symbol | WIDE, sequence);
        let last = first + width as usize - 1;
        for cell in &self.cells[first + 1..last] {
            cell.set(INSIDE, width);
        }
        self.cells[last].set(symbol | TAIL | WIDE, width);
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

    /// Calls `visit(symbol, next symbol, place, weight, counted)` for all neighbours, sequence by
    /// sequence. `counted` is false for a pair of equal tokens that overlaps a counted one: `a a a`
    /// contains `(a, a)` once. Calls `check` regularly and stops if it fails.
    #[inline(always)]
    pub(super) fn for_each_pair<E>(
        &self,
        check: impl Fn() -> Result<(), E>,
        mut visit: impl FnMut(u32, u32, Place, u64, bool),
    ) -> Result<(), E> {
        let mut place: Place = 1;
        let end = self.end();
        let mut next_check: Place = 0;
        while place < end {
            if place >= next_check {
                check()?;
                next_check = place.saturating_add(CHECK_EVERY);
            }
            if self.cells[place as usize].symbol() == BORDER {
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
            let right = self.symbol_at(after);
            if right == BORDER {
                return after;
            }
            overlaps = symbol == right && !overlaps;
            visit(symbol, right, place, weight, symbol != right || overlaps);
            place = after;
            symbol = right;
        }
    }

    /// How many joins make every sequence one token, if nothing was joined yet.
    pub(crate) fn most_joins(&self) -> u64 {
        // Each sequence has a border, and there is one more at the start.
        (self.cells.len() - 1).saturating_sub(2 * self.weights.len()) as u64
    }

    /// The sum over all sequences of weight × tokens, or `None` if it needs more than 64 bits. No
    /// count in these cells, now or after any merge, can be larger.
    pub(crate) fn total_weight(&self) -> Option<u64> {
        let mut total: u64 = 0;
        let mut length: u64 = 0;
        let mut sequence = 0;
        for cell in &self.cells[1..] {
            if cell.symbol() == BORDER {
                total = total.checked_add(length.checked_mul(self.weights[sequence])?)?;
                sequence += 1;
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
        let mut cells = Cells::default();
        assert!(cells.push([1, 2, 3, 4].into_iter(), 5));
        assert!(cells.push([7].into_iter(), 2));
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
        cells.write(1, 1, 1, 0);
        cells.write(2, 9, 3, 0);
        assert_eq!(symbols(&cells, 1), [1, 9]);
        assert_eq!(cells.first_of_sequence(2), 1);
    }

    #[test]
    fn equal_neighbours_count_without_overlap() {
        for (length, expected) in [(2, 1), (3, 1), (4, 2), (5, 2)] {
            let mut cells = Cells::default();
            assert!(cells.push(std::iter::repeat_n(1, length), 1));
            let (mut counted, mut places) = (0, 0);
            let all = cells.for_each_pair(
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
}
