//! Where tokens were made.

use super::index::List;
use crate::hash::NumberMap;
use crate::token::Symbol;

/// For each token made by a merge, the places where it was made.
#[derive(Debug)]
pub(super) struct Births {
    /// By symbol: the list of the first merge.
    first: Vec<List>,
    /// The lists of tokens that were made by several merges.
    others: NumberMap<u32, Vec<List>>,
}

impl Births {
    /// Tokens below `initial` existed from the start.
    pub(super) fn new(initial: usize) -> Births {
        Births {
            first: vec![List::default(); initial],
            others: NumberMap::default(),
        }
    }

    /// Adds the places of a merge.
    pub(super) fn add(&mut self, token: Symbol, places: List) {
        if token.index() == self.first.len() {
            self.first.push(places);
        } else {
            self.others.entry(token.0).or_default().push(places);
        }
    }

    /// All lists of a token.
    pub(super) fn of(&self, token: Symbol) -> impl Iterator<Item = List> {
        let others = self.others.get(&token.0).into_iter().flatten();
        self.first
            .get(token.index())
            .into_iter()
            .chain(others)
            .copied()
    }

    /// All lists with their tokens.
    #[cfg(feature = "files")]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut List)> {
        let others = self
            .others
            .iter_mut()
            .flat_map(|(&token, lists)| lists.iter_mut().map(move |list| (token, list)));
        (0..).zip(&mut self.first).chain(others)
    }
}
