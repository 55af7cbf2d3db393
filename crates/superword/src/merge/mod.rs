//! The one merge engine, used by both phases: weighted sequences, an index of pairs, a queue.
//!
//! The textbook algorithm counts all pairs, joins the best one everywhere, and counts again. This
//! one keeps the counts: a merge touches only the places where its pair stands, and changes only
//! the counts of the pairs to the left and right of them.

mod cells;
mod crew;
mod delete;
mod index;
mod queue;
mod survey;
mod tally;
#[cfg(test)]
pub(crate) mod tests;

pub use cells::{Cells, MAX_SYMBOLS};
pub use queue::{PairCount, choosing_order};

use std::sync::Arc;

use crew::{Crew, Joining, Share};
use index::PairIndex;
use queue::Queue;

use crate::observe::{Observer, Stopped};
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// Which pairs may be merged at all. Ordinary merges allow all.
pub trait AllowedPairs {
    /// True if the two tokens may become one.
    fn allows(&mut self, tokens: &TokenTable, left: Symbol, right: Symbol) -> bool;

    /// Told of each merge, before any pair with the joined token is asked about.
    fn joined(&mut self, left: Symbol, right: Symbol, joined: Symbol);
}

/// The rule that allows every pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyPair;

impl AllowedPairs for AnyPair {
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
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A merge is shared between threads only where each gets this many places at least: some 0.1 ms
/// of work, several times what waking a thread takes.
const GRAIN: usize = 2048;

/// How a merger works. Nothing of it changes what is merged.
#[derive(Clone, Copy)]
pub struct MergeOptions<'a> {
    /// Pairs that occur less often are not kept at hand at first: when no pair above it is left it
    /// sinks, and the pairs are counted again, down to the smallest count that may be merged. A
    /// floor of 1 keeps every pair at hand, which deletions need.
    pub floor: u64,
    /// Big merges are shared between so many threads; 0 for as many as the machine has.
    pub threads: usize,
    /// Asked now and then whether to stop while pairs are counted.
    pub observer: &'a dyn Observer,
}

impl std::fmt::Debug for MergeOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MergeOptions")
            .field("floor", &self.floor)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// Sequences being merged.
#[derive(Debug)]
pub struct Merger<'a, R> {
    tokens: TokenTable,
    /// Symbols below this were there from the start: their places have no list.
    initial: usize,
    cells: Arc<Cells>,
    index: PairIndex,
    queue: Queue,
    rule: R,
    /// Pairs below the floor are in neither index nor queue. They come back when it sinks.
    options: MergeOptions<'a>,
    /// No pair below this count is ever chosen.
    min_count: u64,
    /// Where each token made by a merge was made: lists of the index, several if made repeatedly.
    births: Vec<Vec<index::List>>,
    share: Share,
    crew: Crew,
    /// The fewest places for a thread of the crew.
    grain: usize,
    deferred: Vec<PairCount>,
}

/// What a merge made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The joined token.
    pub symbol: Symbol,
    /// False if its bytes had a symbol before.
    pub is_new: bool,
}

impl<'a, R: AllowedPairs> Merger<'a, R> {
    /// Indexes the pairs. No pair that occurs less than `min_count` times is ever chosen.
    pub fn new(
        tokens: TokenTable,
        cells: Cells,
        rule: R,
        min_count: u64,
        options: MergeOptions<'a>,
    ) -> Result<Merger<'a, R>, MergeError> {
        Merger::with_grain(tokens, cells, rule, min_count, options, GRAIN)
    }

    /// The same, with another limit for what is shared between threads.
    fn with_grain(
        tokens: TokenTable,
        cells: Cells,
        rule: R,
        min_count: u64,
        options: MergeOptions<'a>,
        grain: usize,
    ) -> Result<Merger<'a, R>, MergeError> {
        if cells.total_weight().is_none() {
            return Err(MergeError::CountOverflow);
        }
        let threads = crate::threads::resolve(options.threads);
        let mut merger = Merger {
            initial: tokens.len(),
            births: vec![Vec::new(); tokens.len()],
            tokens,
            cells: Arc::new(cells),
            index: PairIndex::default(),
            queue: Queue::default(),
            rule,
            options: MergeOptions {
                floor: options.floor.max(1),
                ..options
            },
            min_count: min_count.max(1),
            share: Share::default(),
            crew: Crew::new(threads),
            grain,
            deferred: Vec::new(),
        };
        merger.count_pairs()?;
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

    /// Counts all pairs anew and indexes those at or above the floor.
    fn count_pairs(&mut self) -> Result<(), Stopped> {
        let (tokens, rule) = (&self.tokens, &mut self.rule);
        let counting = index::Counting {
            cells: &self.cells,
            symbols: self.tokens.len(),
            observer: self.options.observer,
        };
        self.index
            .rebuild(counting, self.options.floor, |left, right| {
                rule.allows(tokens, left, right)
            })?;
        self.queue.rebuild(&self.tokens, self.index.pair_counts());
        Ok(())
    }

    /// The pair to merge next, if one is left with at least `min_count`.
    pub fn best(&mut self) -> Result<Option<PairCount>, Stopped> {
        loop {
            while let Some(first) = self.queue.first() {
                match self.index.count(first.left, first.right) {
                    count if count == first.count && count >= self.min_count => {
                        return Ok(Some(first));
                    }
                    count
                        if count < self.options.floor.min(first.count) || count >= first.count =>
                    {
                        // Gone, too rare, or queued again with a larger count.
                        self.queue.pop(&self.tokens);
                    }
                    count => self.queue.lower_first(&self.tokens, count),
                }
            }
            if self.options.floor <= self.min_count {
                return Ok(None);
            }
            self.options.floor = (self.options.floor / 8).max(self.min_count);
            self.count_pairs()?;
        }
    }

    /// Joins the pair wherever it stands.
    pub fn merge(&mut self, pair: PairCount) -> Result<Joined, MergeError> {
        let PairCount { left, right, .. } = pair;
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
        let joining = Joining {
            left,
            right,
            symbol,
        };
        self.crew.join(
            &self.cells,
            self.index.places(places),
            joining,
            self.grain,
            &mut self.share,
        );
        self.share
            .survey
            .apply_destroyed(&mut self.index, left, right);
        if !is_new {
            // The token stands elsewhere too, and its pairs there may be below the floor: what is
            // known of them is counted anew from all its places.
            let mut all = self.places_of(symbol);
            all.extend_from_slice(&self.share.merged);
            all.sort_unstable();
            all.dedup();
            self.share.survey.of_token(&self.cells, &all);
        }
        self.births[symbol.index()].push(places);
        let joined = Joined { symbol, is_new };
        let (tokens, rule, queue) = (&self.tokens, &mut self.rule, &mut self.queue);
        let keep = |left, right, count| {
            let allowed = rule.allows(tokens, left, right);
            if allowed {
                queue.push(tokens, PairCount { left, right, count });
            }
            allowed
        };
        self.share
            .survey
            .apply_created(&mut self.index, joined, self.options.floor, keep);
        Ok(joined)
    }

    /// Sets the best pair aside, so that the next best can be looked at.
    pub fn defer_best(&mut self) -> Result<(), Stopped> {
        if let Some(best) = self.best()? {
            self.queue.pop(&self.tokens);
            self.deferred.push(best);
        }
        Ok(())
    }

    /// Puts the pairs that were set aside back into the queue.
    pub fn restore_deferred(&mut self) {
        while let Some(pair) = self.deferred.pop() {
            self.queue.push(&self.tokens, pair);
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
