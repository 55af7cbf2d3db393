//! Laying out sequences, before anything is joined.

use std::sync::{Mutex, PoisonError};

use super::{
    BLOCK, BORDER, BORDER_CELLS, Cell, Cells, FAR, HEAVY, LAST, NUMBER, NUMBER_BITS, Place,
    SMALL_SYMBOLS, TAIL, WIDE,
};
use crate::memory;
use crate::threads::{self, lock};

/// At least this many parts are laid out at once. There are 64, and what they are made of is freed when they are laid out. So
/// the cells take their memory bit by bit.
const FEWEST_PARTS: usize = 4;

/// Lays out the sequences of one part.
pub(crate) struct Layer<'a> {
    /// The cells that are left, and the place of the first of them.
    cells: std::slice::IterMut<'a, Cell>,
    at: Place,
    /// The blocks without a border so far, and the number of the first of them.
    borders: std::slice::IterMut<'a, u16>,
    block: Place,
    far_borders: &'a Mutex<Vec<Place>>,
    heavy: &'a Mutex<Vec<u64>>,
    tokens: usize,
    /// The sum of weight × tokens, unless it needs more than 64 bits.
    weight: Option<u64>,
}

/// The number of cells that a symbol takes before anything is joined.
#[inline(always)]
pub(crate) fn cells_of(symbol: u32) -> usize {
    if symbol < SMALL_SYMBOLS { 1 } else { 2 }
}

impl Layer<'_> {
    /// Adds a sequence of symbols, each below [`MAX_SYMBOLS`].
    #[inline(always)]
    pub(crate) fn push(&mut self, symbols: impl Iterator<Item = u32>, weight: u64) {
        let before = self.tokens;
        for symbol in symbols {
            match cells_of(symbol) {
                1 => self.push_cell(symbol as u16),
                _ => {
                    self.push_cell(WIDE | symbol as u16 & NUMBER);
                    self.push_cell(TAIL | LAST | (symbol >> NUMBER_BITS) as u16);
                }
            }
            self.tokens += 1;
        }
        let tokens = (self.tokens - before) as u64;
        let more = weight.checked_mul(tokens);
        self.weight = self.weight.and_then(|weight| weight.checked_add(more?));
        let mut is_far = false;
        while self.block * BLOCK <= self.at
            && let Some(border) = self.borders.next()
        {
            let far = self.at - self.block * BLOCK;
            is_far |= far >= Place::from(FAR);
            *border = far.min(Place::from(FAR)) as u16;
            self.block += 1;
        }
        if is_far {
            let mut far = lock(self.far_borders);
            memory::reserve(&mut far, 1);
            far.push(self.at);
        }
        let number = match u32::try_from(weight) {
            Ok(weight) if weight < HEAVY => weight,
            _ => {
                let mut heavy = lock(self.heavy);
                memory::reserve(&mut heavy, 1);
                heavy.push(weight);
                HEAVY | (heavy.len() - 1) as u32
            }
        };
        self.push_cell(BORDER | number as u16 & NUMBER);
        self.push_cell(BORDER | (number >> NUMBER_BITS) as u16);
    }

    #[inline(always)]
    fn push_cell(&mut self, number: u16) {
        if let Some(cell) = self.cells.next() {
            *cell = Cell::new(number);
            self.at += 1;
        }
    }
}

impl Cells {
    /// Lays out sequences in parts, on several threads. `sizes` has the number of sequences of each part, and the sum of
    /// [`cells_of`] over the symbols in them. `lay(part, layer)` pushes them. `laid()` is called whenever some parts are done. Returns `None` if
    /// they need more cells than a [`Place`] can name.
    pub(crate) fn lay_out(
        sizes: &[(usize, usize)],
        threads: usize,
        lay: impl Fn(usize, &mut Layer<'_>) + Sync,
        laid: impl Fn(),
    ) -> Option<Cells> {
        let sequences = sizes.iter().map(|size| size.0).sum();
        let size = |&(sequences, cells): &(usize, usize)| sequences * BORDER_CELLS as usize + cells;
        let end = 1 + sizes.iter().map(size).sum::<usize>();
        // The place after the last block is computed too, so it must not overflow.
        if end > (Place::MAX - BLOCK) as usize {
            return None;
        }
        let mut cells = Vec::new();
        memory::reserve_exact(&mut cells, end + 1);
        cells.push(Cell::new(BORDER));
        // Up to the block where the last border starts. No later one has a border.
        let blocks = |end: usize| end.saturating_sub(BORDER_CELLS as usize) / BLOCK as usize + 1;
        let mut borders = Vec::new();
        memory::reserve_exact(&mut borders, blocks(end));
        borders.push(0);
        let (heavy, far_borders) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let (mut tokens, mut weight) = (0, Some(0));
        let at_once = threads.max(FEWEST_PARTS);
        for (turn, sizes) in sizes.chunks(at_once).enumerate() {
            let (mut at, mut block) = (cells.len(), borders.len());
            let more: usize = sizes.iter().map(size).sum();
            cells.resize_with(at + more, Cell::default);
            borders.resize(blocks(at + more), 0);
            let (mut other_cells, mut other_borders) = (&mut cells[at..], &mut borders[block..]);
            let mut layers = Vec::with_capacity(sizes.len());
            for (part, of_part) in (turn * at_once..).zip(sizes) {
                let (own, others) = other_cells.split_at_mut(size(of_part));
                // The blocks from the first one that starts in this part up to that of the last border.
                let end = at + own.len();
                let own_blocks = blocks(end).saturating_sub(block);
                let (own_borders, later_borders) = other_borders.split_at_mut(own_blocks);
                let layer = Layer {
                    cells: own.iter_mut(),
                    at: at as Place,
                    borders: own_borders.iter_mut(),
                    block: block as Place,
                    far_borders: &far_borders,
                    heavy: &heavy,
                    tokens: 0,
                    weight: Some(0),
                };
                layers.push((part, layer));
                (other_cells, other_borders) = (others, later_borders);
                (at, block) = (end, block + own_blocks);
            }
            let laid_out = threads::map(threads, layers, |(part, mut layer)| {
                lay(part, &mut layer);
                debug_assert!(layer.cells.len() == 0, "all sequences of a part are pushed");
                (layer.tokens, layer.weight)
            });
            for (more_tokens, more_weight) in laid_out {
                tokens += more_tokens;
                weight = weight.and_then(|weight: u64| weight.checked_add(more_weight?));
            }
            laid();
        }
        cells.push(Cell::new(BORDER));
        let heavy = heavy.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut far_borders = far_borders
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        far_borders.sort_unstable();
        (heavy.len() < HEAVY as usize).then_some(Cells {
            cells,
            heavy,
            borders,
            far_borders,
            sequences,
            tokens,
            weight,
        })
    }
}
