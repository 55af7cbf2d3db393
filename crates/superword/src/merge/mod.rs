//! The one merge engine, used by both phases: weighted sequences, an index of pairs, a queue.
//!
//! The textbook algorithm counts all pairs, joins the best one everywhere, and counts again. This
//! one keeps the counts: a merge touches only the places where its pair stands, and changes only
//! the counts of the pairs to the left and right of them.

mod cells;
mod delete;
mod index;
mod queue;
mod survey;
#[cfg(test)]
pub(crate) mod tests;

pub use cells::{Cells, MAX_SYMBOLS};
pub use queue::{Candidate, choosing_order};

use index::PairIndex;
use queue::Queue;
use survey::Survey;

use crate::token::Symbol;
use crate::tokens::TokenTable;

/// Which pairs may be merged at all. Ordinary merges allow all.
pub trait PairRule {
    /// True if the two tokens may become one.
    fn allows(&mut self, tokens: &TokenTable, left: Symbol, right: Symbol) -> bool;

    /// Told of each merge, before any pair with the joined token is asked about.
    fn joined(&mut self, left: Symbol, right: Symbol, joined: Symbol);
}

/// The rule that allows every pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyPair;

impl PairRule for AnyPair {
    fn allows(&mut self, _tokens: &TokenTable, _left: Symbol, _right: Symbol) -> bool {
        true
    }

    fn joined(&mut self, _left: Symbol, _right: Symbol, _joined: Symbol) {}
}

/// Why merging cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Counts are 64-bit and checked.
    #[error("the counts of the text do not fit in 64 bits")]
    CountOverflow,
    /// Places are 32-bit.
    #[error(
        "the distinct pretokens or candidates hold more than {} tokens",
        u32::MAX
    )]
    TooManyTokens,
    /// The tokens hold too many bytes.
    #[error("the tokens hold more than {} bytes", crate::tokens::MAX_TOKEN_BYTES)]
    TokensTooLong,
}

/// Sequences being merged.
#[derive(Debug)]
pub struct Merger<R> {
    tokens: TokenTable,
    /// Symbols below this were there from the start: their places have no list.
    initial: usize,
    cells: Cells,
    index: PairIndex,
    queue: Queue,
    rule: R,
    /// Pairs below this count are in neither index nor queue. They come back when the floor sinks.
    floor: u64,
    /// No pair below this count is ever chosen.
    min_count: u64,
    /// Where each token made by a merge was made: lists of the index, several if made repeatedly.
    births: Vec<Vec<index::List>>,
    survey: Survey,
    merged: Vec<cells::Place>,
    deferred: Vec<Candidate>,
}

/// What a merge made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The joined token.
    pub symbol: Symbol,
    /// False if its bytes had a symbol before.
    pub is_new: bool,
}

impl<R: PairRule> Merger<R> {
    /// Indexes all pairs that occur at least `floor` times. The floor only sets what is kept at
    /// hand: when no pair above it is left it sinks, and the pairs are counted again, down to
    /// `min_count`. A floor of 1 keeps every pair at hand, which deletions need.
    pub fn new(
        tokens: TokenTable,
        cells: Cells,
        rule: R,
        min_count: u64,
        floor: u64,
    ) -> Result<Merger<R>, MergeError> {
        if cells.total_weight().is_none() {
            return Err(MergeError::CountOverflow);
        }
        let min_count = min_count.max(1);
        let mut merger = Merger {
            initial: tokens.len(),
            births: vec![Vec::new(); tokens.len()],
            tokens,
            cells,
            index: PairIndex::default(),
            queue: Queue::default(),
            rule,
            floor: floor.max(1),
            min_count,
            survey: Survey::default(),
            merged: Vec::new(),
            deferred: Vec::new(),
        };
        merger.count_pairs();
        Ok(merger)
    }

    /// The tokens, those made by merges included.
    pub fn tokens(&self) -> &TokenTable {
        &self.tokens
    }

    /// Gives back the tokens.
    pub fn into_tokens(self) -> TokenTable {
        self.tokens
    }

    /// The rule that was given.
    pub fn rule(&self) -> &R {
        &self.rule
    }

    /// Counts all pairs anew and indexes those at or above the floor.
    fn count_pairs(&mut self) {
        let (tokens, rule) = (&self.tokens, &mut self.rule);
        self.index.rebuild(&self.cells, self.floor, |left, right| {
            rule.allows(tokens, left, right)
        });
        self.queue.rebuild(&self.tokens, self.index.candidates());
    }

    /// The pair to merge next, if one is left with at least `min_count`.
    pub fn best(&mut self) -> Option<Candidate> {
        loop {
            while let Some(first) = self.queue.first() {
                match self.index.count(first.left, first.right) {
                    count if count == first.count && count >= self.min_count => {
                        return Some(first);
                    }
                    count if count < self.floor.min(first.count) || count >= first.count => {
                        // Gone, too rare, or queued again with a larger count.
                        self.queue.pop(&self.tokens);
                    }
                    count => self.queue.lower_first(&self.tokens, count),
                }
            }
            if self.floor <= self.min_count {
                return None;
            }
            self.floor = (self.floor / 8).max(self.min_count);
            self.count_pairs();
        }
    }

    /// Joins the pair wherever it stands.
    pub fn merge(&mut self, pair: Candidate) -> Result<Joined, MergeError> {
        let Candidate { left, right, .. } = pair;
        let known = self.tokens.len();
        let symbol = self
            .tokens
            .join(left, right)
            .ok_or(MergeError::TokensTooLong)?;
        if symbol.0 >= MAX_SYMBOLS {
            return Err(MergeError::TooManyTokens);
        }
        let is_new = symbol.index() == known;
        if is_new {
            self.births.push(Vec::new());
        }
        self.rule.joined(left, right, symbol);

        let places = self.index.take(left, right);
        self.join_places(left, right, symbol, places);
        self.survey.around(&self.cells, &self.merged, left, right);
        self.survey.apply_destroyed(&mut self.index, left, right);
        if !is_new {
            // The token stands elsewhere too, and its pairs there may be below the floor: what is
            // known of them is counted anew from all its places.
            let mut all = self.places_of(symbol);
            all.extend_from_slice(&self.merged);
            all.sort_unstable();
            all.dedup();
            self.survey.of_token(&self.cells, &all);
        }
        self.births[symbol.index()].push(places);
        let joined = Joined { symbol, is_new };
        let (tokens, rule, queue) = (&self.tokens, &mut self.rule, &mut self.queue);
        self.survey
            .apply_created(&mut self.index, joined, self.floor, |left, right, count| {
                let allowed = rule.allows(tokens, left, right);
                if allowed {
                    queue.push(tokens, Candidate { left, right, count });
                }
                allowed
            });
        Ok(joined)
    }

    /// Sets the best pair aside, so that the next best can be looked at.
    pub fn defer_best(&mut self) {
        if let Some(best) = self.best() {
            self.queue.pop(&self.tokens);
            self.deferred.push(best);
        }
    }

    /// Puts the pairs that were set aside back into the queue.
    pub fn restore_deferred(&mut self) {
        while let Some(candidate) = self.deferred.pop() {
            self.queue.push(&self.tokens, candidate);
        }
    }

    /// Joins the pair at those of the places where it still stands; `merged` holds them after.
    fn join_places(&mut self, left: Symbol, right: Symbol, symbol: Symbol, places: index::List) {
        self.merged.clear();
        for &place in self.index.places(places) {
            if self.cells.symbol_at(place) != left.0 {
                continue;
            }
            let after = self.cells.after(place);
            if self.cells.symbol_at(after) == right.0 {
                self.cells.join(place, after, symbol.0);
                self.merged.push(place);
            }
        }
    }

    /// All places where the token stands, in order.
    fn places_of(&self, symbol: Symbol) -> Vec<cells::Place> {
        let stands = |&place: &cells::Place| self.cells.symbol_at(place) == symbol.0;
        if symbol.index() < self.initial {
            return (1..self.cells.end()).filter(stands).collect();
        }
        let mut places: Vec<cells::Place> = self.births[symbol.index()]
            .iter()
            .flat_map(|&list| self.index.places(list))
            .copied()
            .filter(stands)
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
