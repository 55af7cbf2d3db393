//! The merge engine of training, used by both phases.
//!
//! The textbook algorithm counts all pairs, joins the best one everywhere, and counts again. This
//! engine updates the counts instead: a merge visits only the places where its pair occurs, and
//! changes only the counts of the pairs around them.
//!
//! - `cells`: all sequences in one array, merged in place
//! - `index`: for each pair, its count and its places; `tally` counts all pairs for it
//! - `queue`: the pairs in the order in which they are chosen, and that order itself
//! - `share`: a merge at some places; `survey`: what it does to other pairs
//! - `crew`: a merge at all places, on several threads if there are many
//! - `delete`: splitting a token again (PickyBPE)

mod cells;
#[cfg_attr(not(feature = "threads"), path = "alone.rs")]
mod crew;
mod delete;
mod index;
mod queue;
mod share;
mod survey;
mod tally;
#[cfg(test)]
mod tests;

pub(crate) use cells::{Cells, MAX_SYMBOLS};
pub(crate) use queue::PairCount;

use std::sync::Arc;

use crew::Crew;
use index::PairIndex;
use queue::Queue;
use share::{Joining, Share};

use crate::observe::{Observer, Stopped};
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// Which pairs may be merged. Ordinary merges allow all pairs.
pub(crate) trait AllowedPairs {
    /// True if the two tokens may be joined.
    fn allows(&mut self, tokens: &TokenTable, left: Symbol, right: Symbol) -> bool;

    /// Called for each merge, before [`AllowedPairs::allows`] is called with the joined token.
    fn joined(&mut self, left: Symbol, right: Symbol, joined: Symbol);
}

/// Allows every pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyPair;

impl AllowedPairs for AnyPair {
    fn allows(&mut self, _tokens: &TokenTable, _left: Symbol, _right: Symbol) -> bool {
        true
    }

    fn joined(&mut self, _left: Symbol, _right: Symbol, _joined: Symbol) {}
}

/// Why merging failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A sum of counts needs more than 64 bits.
    #[error("the counts of the text do not fit in 64 bits")]
    CountOverflow,
    /// There are more tokens or symbols than 32-bit numbers can address.
    #[error(
        "the distinct pretokens or candidates hold more than {} tokens",
        u32::MAX
    )]
    TooManyTokens,
    /// All tokens together have too many bytes.
    #[error("the tokens hold more than {} bytes", crate::tokens::MAX_TOKEN_BYTES)]
    TokensTooLong,
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A merge is divided between threads only if each gets at least this many places. That is about
/// 0.1 ms of work, several times as long as it takes to wake a thread.
const GRAIN: usize = 1024;

/// How many merges before a pair its places are prefetched, and how many of them.
const LOOK_AHEAD: usize = 8;

/// How merges are computed. None of it changes the result.
#[derive(Clone, Copy)]
pub(crate) struct MergeOptions<'a> {
    /// Pairs that occur less often are not indexed at first. When no pair at or above the floor is
    /// left, the floor is lowered and all pairs are counted again. Deletions need a floor of 1,
    /// which indexes every pair.
    pub floor: u64,
    /// The index starts with at most about this many places, if possible. The floor is raised as far as needed. Deletions
    /// do not allow that.
    pub max_places: usize,
    /// Large merges are divided between this many threads. 0 means one per core.
    pub threads: usize,
    /// Can stop the work while pairs are counted.
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
pub(crate) struct Merger<'a, R> {
    tokens: TokenTable,
    /// Symbols below this existed from the start. Their places are not listed in `births`.
    initial: usize,
    cells: Arc<Cells>,
    index: PairIndex,
    queue: Queue,
    allowed: R,
    /// Pairs below the floor are in neither the index nor the queue until it is lowered.
    options: MergeOptions<'a>,
    /// No pair with a smaller count is ever chosen.
    min_count: u64,
    /// For each token made by a merge, the places where it was made. There are several lists if it
    /// was made by several merges.
    births: Vec<Vec<index::List>>,
    share: Share,
    threads: usize,
    crew: Crew,
    /// The fewest places for each thread.
    grain: usize,
    deferred: Vec<PairCount>,
    /// See [`Merger::joins`].
    joins: u64,
}

/// The result of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    /// The joined token.
    pub symbol: Symbol,
    /// False if a symbol with the same bytes existed before.
    pub is_new: bool,
}

impl<'a, R: AllowedPairs> Merger<'a, R> {
    /// Counts and indexes all pairs. No pair that occurs less than `min_count` times is ever chosen.
    pub(crate) fn new(
        tokens: TokenTable,
        cells: Cells,
        allowed: R,
        min_count: u64,
        options: MergeOptions<'a>,
    ) -> Result<Merger<'a, R>, MergeError> {
        Merger::with_grain(tokens, cells, allowed, min_count, options, GRAIN)
    }

    /// The same as [`Merger::new`] with another limit for dividing a merge between threads.
    fn with_grain(
        tokens: TokenTable,
        cells: Cells,
        allowed: R,
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
            allowed,
            options: MergeOptions {
                floor: options.floor.max(1),
                ..options
            },
            min_count: min_count.max(1),
            share: Share::default(),
            threads,
            crew: Crew::new(threads),
            grain,
            deferred: Vec::new(),
            joins: 0,
        };
        merger.count_pairs()?;
        Ok(merger)
    }

    /// All tokens, including those made by merges.
    pub(crate) fn tokens(&self) -> &TokenTable {
        &self.tokens
    }

    /// At how many places all merges so far have joined a pair. Most of their time goes there.
    pub(crate) fn joins(&self) -> u64 {
        self.joins
    }

    /// More joins than this are not possible without deletions.
    pub(crate) fn most_joins(&self) -> u64 {
        self.cells.most_joins()
    }

    /// Returns the tokens and drops the rest.
    pub(crate) fn into_tokens(self) -> TokenTable {
        self.tokens
    }

    /// Counts all pairs again and indexes those at or above the floor.
    fn count_pairs(&mut self) -> Result<(), Stopped> {
        self.index.clear();
        self.index.tidy(&self.cells, &mut self.births);
        let (tokens, allowed) = (&self.tokens, &mut self.allowed);
        let counting = index::Counting {
            cells: &self.cells,
            symbols: self.tokens.len(),
            threads: self.threads,
            observer: self.options.observer,
        };
        let MergeOptions {
            floor, max_places, ..
        } = self.options;
        self.options.floor = self
            .index
            .rebuild(counting, floor, max_places, |left, right| {
                allowed.allows(tokens, left, right)
            })?;
        self.queue.rebuild(self.index.pair_counts());
        Ok(())
    }

    /// The pair to merge next. `None` if no pair occurs at least `min_count` times.
    pub(crate) fn best(&mut self) -> Result<Option<PairCount>, Stopped> {
        loop {
            let floor = self.options.floor;
            let present = |pair: PairCount| match self.index.count(pair.left, pair.right) {
                count if count < floor => 0,
                count => count,
            };
            while let Some(mut first) = self.queue.first(&self.tokens, present) {
                let count = present(first);
                if count == first.count && count >= self.min_count {
                    self.look_ahead();
                    return Ok(Some(first));
                }
                self.queue.pop(&self.tokens);
                // Otherwise the pair is gone, too rare, or queued again with a larger count.
                if 0 < count && count < first.count {
                    first.count = count;
                    self.queue.push(&self.tokens, first);
                }
            }
            if self.options.floor <= self.min_count {
                return Ok(None);
            }
            self.options.floor = (self.options.floor / 8).max(self.min_count);
            self.count_pairs()?;
        }
    }

    /// Loads what the next merges will touch into the cache.
    #[inline(always)]
    fn look_ahead(&self) {
        if let Some(pair) = self.queue.after(2 * LOOK_AHEAD) {
            self.index.prefetch_list(pair.left, pair.right);
        }
        if let Some(pair) = self.queue.after(LOOK_AHEAD) {
            let places = self.index.list(pair.left.0, pair.right.0);
            let places = places.map_or(&[][..], |list| self.index.places(list));
            for &place in places.iter().take(LOOK_AHEAD) {
                self.cells.prefetch(place);
            }
        }
    }

    /// Joins the pair everywhere.
    pub(crate) fn merge(&mut self, pair: PairCount) -> Result<Joined, MergeError> {
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
        self.allowed.joined(left, right, symbol);

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
        self.joins += self.share.merged.len() as u64;
        self.share
            .survey
            .apply_destroyed(&mut self.index, left, right);
        if !is_new {
            // The token also occurs elsewhere, where its pairs may have been below the floor. So
            // its pairs are counted again at all its places.
            let mut all = self.places_of(symbol);
            all.extend_from_slice(&self.share.merged);
            all.sort_unstable();
            all.dedup();
            self.share.survey.of_token(&self.cells, &all);
        }
        self.births[symbol.index()].push(places);
        let joined = Joined { symbol, is_new };
        let (tokens, allowed, queue) = (&self.tokens, &mut self.allowed, &mut self.queue);
        let keep = |left, right, count| {
            let is_allowed = allowed.allows(tokens, left, right);
            if is_allowed {
                queue.push(tokens, PairCount { left, right, count });
            }
            is_allowed
        };
        self.share
            .survey
            .apply_created(&mut self.index, joined, self.options.floor, keep);
        if self.index.is_untidy() {
            self.index.tidy(&self.cells, &mut self.births);
        }
        Ok(joined)
    }

    /// Sets the best pair aside, so that [`Merger::best`] returns the next one.
    pub(crate) fn defer_best(&mut self) -> Result<(), Stopped> {
        if let Some(best) = self.best()? {
            self.queue.pop(&self.tokens);
            self.deferred.push(best);
        }
        Ok(())
    }

    /// Returns the pairs that were set aside to the queue.
    pub(crate) fn restore_deferred(&mut self) {
        while let Some(pair) = self.deferred.pop() {
            self.queue.push(&self.tokens, pair);
        }
    }

    /// All places of a token, in order.
    fn places_of(&self, symbol: Symbol) -> Vec<cells::Place> {
        let is_here = |&place: &cells::Place| self.cells.symbol_at(place) == symbol.0;
        if symbol.index() < self.initial {
            return (1..self.cells.end()).filter(is_here).collect();
        }
        let mut places: Vec<cells::Place> = self.births[symbol.index()]
            .iter()
            .flat_map(|&list| self.index.places(list))
            .copied()
            .filter(is_here)
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
