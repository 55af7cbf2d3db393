//! All sequences in one flat array, merged in place.
//!
//! Each sequence starts with one cell per token and never moves. A token that was merged covers
//! the cells of its parts: its first cell holds the symbol and the number of its sequence, its
//! second and its last cell hold how many cells it covers, so both neighbours are found without
//! links. One cache line usually holds a whole word.
//!
//! ```text
//! cells of "the":  |  t  |  h  |  e  |  end
//! after (t, h):    |  th    2  |  e  |  end
//! after (th, e):   |  the   3     3  |  end
//! ```

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A token of two or more cells starts here, or ends here.
const WIDE: u32 = 1 << 31;
/// Not the first cell of a token.
const TAIL: u32 = 1 << 30;
const INSIDE: u32 = TAIL;
/// Stands before, between and after the sequences.
const BORDER: u32 = TAIL | (TAIL - 1);

/// Symbols must be smaller than this to fit into a cell.
pub const MAX_SYMBOLS: u32 = TAIL - 1;

/// Cells that go by between two looks at the observer.
const LOOK_EVERY: Place = 1 << 16;

/// The cells are shared between threads, each of which changes words of its own; what one wrote,
/// another sees because it was told to go on after that. So the weakest order is enough, and costs
/// what plain numbers cost.
#[derive(Debug)]
struct Cell {
    symbol: AtomicU32,
    /// First cell of a token: the number of its sequence. Second and last cell: its width.
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

/// A place in the cells.
pub(super) type Place = u32;

/// Weighted sequences of symbols.
#[derive(Debug)]
pub struct Cells {
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
    /// Room for `sequences` that hold `tokens` together.
    pub fn with_capacity(tokens: usize, sequences: usize) -> Cells {
        let mut cells = Cells::default();
        cells.cells.reserve_exact(tokens + sequences);
        cells.weights.reserve_exact(sequences);
        cells
    }

    /// Adds a sequence of symbols (each below [`MAX_SYMBOLS`]). False if there is no room for it.
    #[must_use]
    pub fn push(&mut self, symbols: impl Iterator<Item = u32>, weight: u64) -> bool {
        let note = self.weights.len() as u32;
        self.weights.push(weight);
        self.cells
            .extend(symbols.map(|symbol| Cell::new(symbol, note)));
        self.cells.push(Cell::new(BORDER, 0));
        self.cells.len() < Place::MAX as usize && self.weights.len() < u32::MAX as usize
    }

    /// Places are below this.
    pub fn end(&self) -> Place {
        self.cells.len() as Place
    }

    /// The symbol of the token that starts at this place. Anything else is no valid symbol.
    #[inline(always)]
    pub fn symbol_at(&self, place: Place) -> u32 {
        self.cells[place as usize].symbol() & !WIDE
    }

    /// True if a token starts at this place.
    #[inline(always)]
    pub fn is_start(&self, place: Place) -> bool {
        self.cells[place as usize].symbol() & TAIL == 0
    }

    /// The number of the sequence of the token that starts at this place.
    #[inline(always)]
    pub fn sequence_at(&self, place: Place) -> u32 {
        self.cells[place as usize].note()
    }

    /// How often the sequence of the token that starts at this place occurs.
    #[inline(always)]
    pub fn weight_at(&self, place: Place) -> u64 {
        self.weights[self.sequence_at(place) as usize]
    }

    /// The place right behind the token that starts here: its right neighbour, or a border.
    #[inline(always)]
    pub fn after(&self, place: Place) -> Place {
        // No branch on the width, here and in `previous`: nothing predicts it. A border follows.
        let wide = self.cells[place as usize].symbol() & WIDE != 0;
        let note = self.cells[place as usize + 1].note();
        place + if wide { note } else { 1 }
    }

    /// The token to the right of the one that starts here.
    #[inline(always)]
    pub fn next(&self, place: Place) -> Option<Place> {
        let after = self.after(place);
        (self.cells[after as usize].symbol() != BORDER).then_some(after)
    }

    /// The token to the left of the one that starts here.
    #[inline(always)]
    pub fn previous(&self, place: Place) -> Option<Place> {
        let last = &self.cells[place as usize - 1];
        let (symbol, note) = (last.symbol(), last.note());
        let width = if symbol & TAIL == 0 { 1 } else { note };
        (symbol != BORDER).then_some(place - width)
    }

    /// True if the two places, the first before the second, lie in different sequences. They need
    /// not be starts of tokens.
    pub(super) fn are_apart(&self, first: Place, second: Place) -> bool {
        self.cells[first as usize..second as usize]
            .iter()
            .any(|cell| cell.symbol() == BORDER)
    }

    /// Makes one token of the one that starts at `place` and its right neighbour. No other thread
    /// may look at the sequence meanwhile.
    #[inline(always)]
    pub fn join(&self, place: Place, right: Place, symbol: u32) {
        let width = self.after(right) - place;
        let (first, right) = (place as usize, right as usize);
        let last = first + width as usize - 1;
        self.cells[right].symbol.store(INSIDE, Relaxed);
        self.cells[first].symbol.store(symbol | WIDE, Relaxed);
        self.cells[first + 1].note.store(width, Relaxed);
        self.cells[last].set(symbol | TAIL | WIDE, width);
    }

    /// Writes a token of `width` cells at this place, over whatever was there.
    pub fn write(&self, place: Place, symbol: u32, width: u32, sequence: u32) {
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

    /// The places of all tokens from `place` to the end of its sequence, `place` included.
    pub fn rest_of_sequence(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        std::iter::successors(Some(place), |&place| self.next(place))
    }

    /// The first token of the sequence that holds the token at `place`.
    pub fn first_of_sequence(&self, mut place: Place) -> Place {
        while let Some(previous) = self.previous(place) {
            place = previous;
        }
        place
    }

    /// Calls `visit(symbol, next symbol, place, weight, counted)` for all neighbours, sequence by
    /// sequence. `counted` is false for a pair of equal tokens that overlaps the one counted
    /// before it: `a a a` holds `(a, a)` once. Ends early where `look`, called now and then, fails.
    #[inline(always)]
    pub(super) fn for_each_pair<E>(
        &self,
        look: impl Fn() -> Result<(), E>,
        mut visit: impl FnMut(u32, u32, Place, u64, bool),
    ) -> Result<(), E> {
        let mut place: Place = 1;
        let end = self.end();
        let mut next_look: Place = 0;
        while place < end {
            if place >= next_look {
                look()?;
                next_look = place.saturating_add(LOOK_EVERY);
            }
            if self.cells[place as usize].symbol() == BORDER {
                place += 1;
                continue;
            }
            place = self.pairs_from(place, &mut visit);
        }
        Ok(())
    }

    /// The pairs of one sequence from `place` on; returns the place of its border.
    #[inline(always)]
    pub fn pairs_from(
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

    /// The sum over all sequences of weight × tokens, or `None` if it does not fit in 64 bits.
    /// No count taken from these cells, now or after any merge, can be larger.
    pub fn total_weight(&self) -> Option<u64> {
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
