//! The merge engine of training, used by both phases.
//!
//! The textbook algorithm counts all pairs, joins the best one everywhere, and counts again. This
//! engine updates the counts instead: a merge visits only the places where its pair occurs, and
//! changes only the counts of the pairs around them.
//!
//! - `allowed`: which pairs may be merged
//! - `cells`: all sequences in one array, merged in place
//! - `index`: for each pair, its count and its places, in a `table`
//! - `counting`: counts all pairs for the index, with a tally; `births`: where tokens were made
//! - `queue`: the pairs in the order in which they are chosen, and that order itself
//! - `survey`: where a merge joins its pair, and which pairs are around; `effects`: what it does to them
//! - `round`: several merges at once, on several threads; `crew`: these threads; `pace`: whether they are worth it
//! - `delete`: splitting a token again (PickyBPE)

mod allowed;
mod births;
mod cells;
mod counting;
#[cfg(feature = "threads")]
mod crew;
mod delete;
mod effects;
mod index;
#[cfg(feature = "threads")]
mod pace;
mod queue;
#[cfg(feature = "threads")]
mod round;
mod survey;
mod table;
#[cfg(test)]
mod tests;

#[cfg(feature = "threads")]
pub(crate) use allowed::Share;
pub(crate) use allowed::{AllowedPairs, AnyPair};
pub(crate) use cells::{Cells, Layer, MAX_SYMBOLS, cells_of};
pub(crate) use queue::PairCount;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use births::Births;
#[cfg(feature = "threads")]
use crew::Crew;
use index::PairIndex;
use queue::Queue;
use survey::{Joining, Scratch, Survey};

use crate::observe::{Observer, Stopped};
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// Why merging failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A sum of counts needs more than 64 bits.
    #[error("the counts of the text do not fit in 64 bits")]
    CountOverflow,
    /// The sequences need more cells than 32-bit numbers can address, or there are too many symbols.
    #[error(
        "the distinct pretokens or candidates are too long in total: they need more than {} cells (a token takes one or two)",
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

/// A merge is divided into parts of about this many places. That is about 10 µs of work.
const GRAIN: usize = 256;

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
    /// Merges are shared among this many threads. 0 means one per core.
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
    cells: Cells,
    index: PairIndex,
    queue: Queue,
    allowed: R,
    /// A pair that is allowed, as long as nothing is joined.
    vetted: Option<(Symbol, Symbol)>,
    /// For how many more pairs it is prepared whether they are allowed.
    prepared: usize,
    /// Pairs below the floor are in neither the index nor the queue until it is lowered.
    options: MergeOptions<'a>,
    /// No pair with a smaller count is ever chosen.
    min_count: u64,
    births: Births,
    /// The surveys of the merges that are being made, at least one.
    surveys: Vec<Mutex<Survey>>,
    /// One for each thread.
    scratches: Vec<Mutex<Scratch>>,
    threads: usize,
    #[cfg(feature = "threads")]
    crew: Crew,
    #[cfg(feature = "threads")]
    plan: round::Plan,
    #[cfg(feature = "threads")]
    pace: pace::Pace,
    /// Merges that were made by [`Merger::merge_ahead`].
    made: VecDeque<(PairCount, Joined)>,
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

    /// The same as [`Merger::new`] with another size for the parts of a merge.
    fn with_grain(
        tokens: TokenTable,
        cells: Cells,
        allowed: R,
        min_count: u64,
        options: MergeOptions<'a>,
        #[cfg_attr(not(feature = "threads"), expect(unused))] grain: usize,
    ) -> Result<Merger<'a, R>, MergeError> {
        if cells.total_weight().is_none() {
            return Err(MergeError::CountOverflow);
        }
        let threads = crate::threads::resolve(options.threads);
        let mut merger = Merger {
            births: Births::new(tokens.len()),
            tokens,
            cells,
            index: PairIndex::default(),
            queue: Queue::default(),
            allowed,
            vetted: None,
            prepared: 0,
            options: MergeOptions {
                floor: options.floor.max(1),
                ..options
            },
            min_count: min_count.max(1),
            surveys: vec![Mutex::default()],
            scratches: (0..threads).map(|_| Mutex::default()).collect(),
            threads,
            #[cfg(feature = "threads")]
            crew: Crew::new(threads),
            #[cfg(feature = "threads")]
            plan: round::Plan::new(grain),
            #[cfg(feature = "threads")]
            pace: pace::Pace::new(),
            made: VecDeque::new(),
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
        self.tidy();
        let counting = counting::Counting {
            cells: &self.cells,
            symbols: self.tokens.len(),
            // Each join takes away one. Pairs are not counted again after deletions.
            neighbours: self.cells.most_joins().saturating_sub(self.joins),
            #[cfg(feature = "threads")]
            crew: &self.crew,
            threads: self.threads,
            is_limited: self.options.max_places != usize::MAX,
            observer: self.options.observer,
        };
        let MergeOptions {
            floor, max_places, ..
        } = self.options;
        self.options.floor = self.index.rebuild(counting, floor, max_places)?;
        self.options.observer.freed();
        self.queue.rebuild(self.index.pair_counts());
        Ok(())
    }

    /// Frees the memory of places that are out of date.
    fn tidy(&mut self) {
        self.index.tidy(&self.cells, &mut self.births, self.threads);
    }

    /// The same if there are many of them.
    fn tidy_if_needed(&mut self) {
        if self.index.is_untidy() {
            self.tidy();
        }
    }

    /// The pair to merge next. `None` if no pair occurs at least `min_count` times.
    pub(crate) fn best(&mut self) -> Result<Option<PairCount>, Stopped> {
        if let Some(&(pair, _)) = self.made.front() {
            return Ok(Some(pair));
        }
        loop {
            if let Some(first) = self.first() {
                self.look_ahead();
                return Ok(Some(first));
            }
            if self.options.floor <= self.min_count {
                return Ok(None);
            }
            self.options.floor = (self.options.floor / 8).max(self.min_count);
            self.count_pairs()?;
        }
    }

    /// The first pair in the queue, if it has one that is allowed and occurs at least `min_count` times.
    fn first(&mut self) -> Option<PairCount> {
        loop {
            let (index, floor) = (&self.index, self.options.floor);
            let present = |pair: PairCount| match index.count(pair.left, pair.right) {
                count if count < floor => 0,
                count => count,
            };
            let fetch = |pair: PairCount| index.prefetch(pair.left.0, pair.right.0);
            let mut first = self.queue.first(&self.tokens, present, fetch)?;
            let PairCount { left, right, .. } = first;
            let count = present(first);
            let is_current = count == first.count && count >= self.min_count;
            self.prepared = self.prepared.saturating_sub(1);
            // Few pairs ever come first, so it is not asked before whether they are allowed.
            if is_current
                && (self.vetted == Some((left, right))
                    || self.allowed.allows(&self.tokens, left, right))
            {
                self.vetted = Some((left, right));
                return Some(first);
            }
            self.queue.pop(&self.tokens);
            if is_current {
                self.index.take(left, right);
            } else if 0 < count && count < first.count {
                // Otherwise the pair is gone, too rare, or queued again with a larger count.
                first.count = count;
                self.queue.push(&self.tokens, first);
            }
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
            for place in places.iter().take(LOOK_AHEAD) {
                self.cells.prefetch_around(place.load(Relaxed));
            }
        }
    }

    /// Joins the pair everywhere. It must be the one that [`Merger::best`] returns.
    pub(crate) fn merge(&mut self, pair: PairCount) -> Result<Joined, MergeError> {
        if let Some((_, joined)) = self.made.pop_front() {
            return Ok(joined);
        }
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
        let joined = Joined { symbol, is_new };
        let joining = Joining { left, right };
        self.join_allowed(left, right, symbol);
        let places = self.index.take(left, right);
        #[cfg(feature = "threads")]
        if is_new && self.divide(places, joining, symbol) {
            return Ok(joined);
        }
        let survey = survey::alone(&mut self.surveys[0]);
        let scratch = &mut self.scratches[0];
        let scratch = scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (cells, listed) = (&self.cells, self.index.places(places));
        survey.visit(cells, scratch, listed, joining, Some(symbol), None);
        self.joins += survey.merged.len() as u64;
        survey.prefetch_created(&self.index, symbol.0, self.options.floor);
        survey.destroy(&self.index, joining);
        self.index.remove(&survey.gone);
        if !is_new {
            // The token also occurs elsewhere, where its pairs may have been below the floor. So
            // its pairs are counted again at all its places.
            let mut all = self.places_of(symbol);
            let survey = survey::alone(&mut self.surveys[0]);
            all.extend_from_slice(&survey.merged);
            all.sort_unstable();
            all.dedup();
            let scratch = &mut self.scratches[0];
            let scratch = scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
            survey.of_token(&self.cells, scratch, &all, symbol);
        }
        self.births.add(symbol, places);
        self.create_pairs(0..1, joined);
        survey::alone(&mut self.surveys[0]).write(&self.index);
        self.tidy_if_needed();
        Ok(joined)
    }

    /// Tells the restrictions about a merge.
    fn join_allowed(&mut self, left: Symbol, right: Symbol, joined: Symbol) {
        self.vetted = None;
        self.allowed.joined(left, right, joined);
    }

    /// Without threads, no merge is made ahead.
    #[cfg(not(feature = "threads"))]
    pub(crate) fn merge_ahead(&mut self, _most: usize, _may_join: impl Fn(Symbol) -> bool) {}

    /// Adds the pairs of a joined token to the index and to the queue. Their places are not written yet. `surveys` are
    /// those of its merge.
    fn create_pairs(&mut self, surveys: Range<usize>, joined: Joined) {
        let (tokens, queue) = (&self.tokens, &mut self.queue);
        let add = |left, right, count| queue.push(tokens, PairCount { left, right, count });
        let scratch = &mut self.scratches[0];
        let scratch = scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
        let surveys = &mut self.surveys[surveys];
        let floor = self.options.floor;
        effects::create(surveys, scratch, &mut self.index, joined, floor, add);
    }

    /// Sets the best pair aside, so that [`Merger::best`] returns the next one.
    pub(crate) fn defer_best(&mut self) -> Result<(), Stopped> {
        debug_assert!(self.made.is_empty(), "the best pair is merged already");
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
    fn places_of(&mut self, symbol: Symbol) -> Vec<cells::Place> {
        let (cells, symbols) = (&self.cells, self.tokens.len());
        let is_listed = self.births.find(symbol, cells, &mut self.index, symbols);
        let is_here = |&place: &cells::Place| self.cells.symbol_at(place) == symbol.0;
        if !is_listed {
            return (1..self.cells.end()).filter(is_here).collect();
        }
        let mut places: Vec<cells::Place> = self
            .births
            .of(symbol)
            .flat_map(|list| self.index.places(list))
            .map(|place| place.load(Relaxed))
            .filter(is_here)
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
