//! Laying out sequences, before anything is joined.

use std::sync::{Mutex, PoisonError};

use super::{BLOCK, BORDER, Cell, Cells, HEAVY, Place};
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
    borders: std::slice::IterMut<'a, Place>,
    block: Place,
    heavy: &'a Mutex<Vec<u64>>,
}

impl Layer<'_> {
    /// Adds a sequence of symbols, each below [`MAX_SYMBOLS`].
    #[inline(always)]
    pub(crate) fn push(&mut self, symbols: impl Iterator<Item = u32>, weight: u64) {
        for symbol in symbols {
            self.push_cell(symbol);
        }
        while self.block * BLOCK <= self.at
            && let Some(border) = self.borders.next()
        {
            *border = self.at;
            self.block += 1;
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
        self.push_cell(BORDER | number);
    }

    #[inline(always)]
    fn push_cell(&mut self, number: u32) {
        if let Some(cell) = self.cells.next() {
            *cell = Cell::new(number);
            self.at += 1;
        }
    }
}

impl Cells {
    /// Lays out sequences in parts, on several threads. `sizes` has the number of sequences of each part, and of the tokens
    /// in them. `lay(part, layer)` pushes them. `laid()` is called whenever some parts are done. Returns `None` if there
    /// are too many sequences.
    pub(crate) fn lay_out(
        sizes: &[(usize, usize)],
        threads: usize,
        lay: impl Fn(usize, &mut Layer<'_>) + Sync,
        laid: impl Fn(),
    ) -> Option<Cells> {
        let sequences = sizes.iter().map(|size| size.0).sum();
        let tokens: usize = sizes.iter().map(|size| size.1).sum();
        let end = 1 + tokens + sequences;
        if end >= Place::MAX as usize {
            return None;
        }
        let mut cells = Vec::new();
        memory::reserve_exact(&mut cells, end);
        cells.push(Cell::new(BORDER));
        // The last cell is a border, so no block is after all borders.
        let blocks = |end: usize| (end - 1) / BLOCK as usize + 1;
        let mut borders = Vec::new();
        memory::reserve_exact(&mut borders, blocks(end));
        borders.push(0);
        let heavy = Mutex::new(Vec::new());
        let at_once = threads.max(FEWEST_PARTS);
        for (turn, sizes) in sizes.chunks(at_once).enumerate() {
            let (mut at, mut block) = (cells.len(), borders.len());
            let more: usize = sizes.iter().map(|size| size.0 + size.1).sum();
            cells.resize_with(at + more, Cell::default);
            borders.resize(blocks(at + more), 0);
            let (mut other_cells, mut other_borders) = (&mut cells[at..], &mut borders[block..]);
            let mut layers = Vec::with_capacity(sizes.len());
            for (part, &(sequences, tokens)) in (turn * at_once..).zip(sizes) {
                let (own, others) = other_cells.split_at_mut(sequences + tokens);
                // The blocks from the first one that starts in this part up to that of the last border.
                let end = at + own.len();
                let own_blocks = blocks(end).saturating_sub(block);
                let (own_borders, later_borders) = other_borders.split_at_mut(own_blocks);
                let layer = Layer {
                    cells: own.iter_mut(),
                    at: at as Place,
                    borders: own_borders.iter_mut(),
                    block: block as Place,
                    heavy: &heavy,
                };
                layers.push((part, layer));
                (other_cells, other_borders) = (others, later_borders);
                (at, block) = (end, block + own_blocks);
            }
            threads::map(threads, layers, |(part, mut layer)| {
                lay(part, &mut layer);
                debug_assert!(layer.cells.len() == 0, "all sequences of a part are pushed");
            });
            laid();
        }
        let heavy = heavy.into_inner().unwrap_or_else(PoisonError::into_inner);
        (heavy.len() < HEAVY as usize).then_some(Cells {
            cells,
            heavy,
            borders,
            sequences,
        })
    }
}
