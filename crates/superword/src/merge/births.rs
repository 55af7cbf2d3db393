//! Where tokens were made.

use super::cells::Cells;
use super::index::{List, PairIndex};
use crate::hash::NumberMap;
use crate::token::Symbol;

/// For each token made by a merge, the places where it was made.
///
/// All places of a token are needed only if it is made again, by another merge, or deleted. Without deletions that hardly
/// ever happens, and all cells can be searched instead. So nothing is kept until it has happened a few times.
#[derive(Debug)]
pub(super) struct Births {
    /// Tokens below this existed from the start.
    initial: usize,
    /// How often all cells were searched.
    searches: usize,
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    /// By symbol: the list of the first merge, or of all merges before the lists were kept.
    first: Vec<List>,
    /// The lists of later merges that made a token again.
    others: NumberMap<u32, Vec<List>>,
}

/// All cells are searched this many times before places are kept. Tests do both.
const MOST_SEARCHES: usize = if cfg!(test) { 2 } else { 8 };

impl Births {
    /// Tokens below `initial` existed from the start. Their places are never kept.
    pub(super) fn new(initial: usize) -> Births {
        Births {
            initial,
            searches: 0,
            kept: None,
        }
    }

    /// Called before all places of a token are needed. Returns whether they are in the lists of the token; otherwise all
    /// cells have to be searched. There are `symbols` symbols.
    pub(super) fn find(
        &mut self,
        token: Symbol,
        cells: &Cells,
        index: &mut PairIndex,
        symbols: usize,
    ) -> bool {
        if token.index() < self.initial {
            return false;
        }
        self.searches += usize::from(self.kept.is_none());
        if self.kept.is_none() && self.searches > MOST_SEARCHES {
            self.kept = Some(Kept {
                first: index.list_symbols(cells, self.initial, symbols),
                others: NumberMap::default(),
            });
        }
        self.kept.is_some()
    }

    /// Whether places of this token are kept.
    pub(super) fn keeps(&self, token: Symbol) -> bool {
        self.kept.is_some() && token.index() >= self.initial
    }

    /// Adds the places of a merge, if places are kept.
    pub(super) fn add(&mut self, token: Symbol, places: List) {
        let Some(kept) = &mut self.kept else {
            return;
        };
        if token.index() == kept.first.len() {
            kept.first.push(places);
        } else {
            kept.others.entry(token.0).or_default().push(places);
        }
    }

    /// All lists of a token.
    pub(super) fn of(&self, token: Symbol) -> impl Iterator<Item = List> {
        let lists = |kept: &Kept| {
            let others = kept.others.get(&token.0).into_iter().flatten();
            let first = kept.first.get(token.index()).into_iter();
            first.chain(others).copied().collect::<Vec<List>>()
        };
        self.kept.as_ref().map(lists).into_iter().flatten()
    }

    /// All lists with their tokens.
    #[cfg(feature = "files")]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut List)> {
        self.kept.as_mut().into_iter().flat_map(|kept| {
            let others = kept
                .others
                .iter_mut()
                .flat_map(|(&token, lists)| lists.iter_mut().map(move |list| (token, list)));
            (0..).zip(&mut kept.first).chain(others)
        })
    }
}
