//! What BoundlessBPE and SuperBPE have in common: merging candidates, and the finished history.

use std::borrow::Cow;
use std::collections::HashSet;

use super::allowed::Allowed;
use crate::count::CandidateCounts;
use crate::hash::NumberMap;
use crate::merge::{Cells, Layer, MergeError, Merger, PairCount, cells_of};
use crate::model::WordEvent;
use crate::threads;
use crate::token::Symbol;
use crate::train::words::{WordStep, Words};
use crate::train::{TrainError, WatchMerges};

/// One step of the finished history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::train) enum Step {
    /// An event of phase 1.
    Word(WordStep),
    /// A supermerge: the pair, and the joined token.
    Super(PairCount, Symbol),
}

/// What phase 2 learned.
#[derive(Debug)]
pub(in crate::train) struct Superwords {
    /// The history, in order.
    pub(in crate::train) steps: Vec<Step>,
    /// The size of the vocabulary at the end.
    pub(in crate::train) size: usize,
    /// Two different runs of pretokens became the same superword. Then cut candidates do not give
    /// exact counts, and the caller has to start again without cutting.
    pub(in crate::train) ambiguous: bool,
    /// Supermerges with a smaller count would not have changed the result.
    pub(in crate::train) settled_from: u64,
}

impl Superwords {
    /// True if candidates that were cut at bigrams that occur fewer than `cut_below` times gave the
    /// same result as whole ones. No supermerge of a count below `floor` can be chosen.
    ///
    /// Cutting hides only supermerges with a count below `cut_below`. A hidden one matters if it
    /// would have been chosen: before a supermerge whose count is as small, before an ordinary
    /// merge with a smaller count (the ordinary merge wins a tie), or when nothing else was left.
    pub(in crate::train) fn settled(&self, cut_below: u64, floor: u64) -> bool {
        cut_below <= floor.max(1) || cut_below <= self.settled_from
    }
}

/// A merger that also detects ambiguous superwords.
pub(super) struct Supermerger<'a> {
    pub(super) merger: Merger<'a, Allowed>,
    /// What each superword was first joined from. Symbols that are not in the map are one pretoken.
    parts: NumberMap<u32, (Symbol, Symbol)>,
    pub(super) ambiguous: bool,
    /// Symbols below this are those of phase 1.
    initial: usize,
}

impl<'a> Supermerger<'a> {
    pub(super) fn new(
        words: &Words,
        candidates: Cow<'_, CandidateCounts>,
        allowed: Allowed,
        min_count: u64,
        watch: &WatchMerges<'a>,
    ) -> Result<Supermerger<'a>, TrainError> {
        watch.expect(candidates.tokens() as u64, None);
        watch.check_stop()?;
        let candidates = CandidateCounts::parts(candidates);
        let sizes = threads::map(watch.threads(), (0..candidates.len()).collect(), |part| {
            let mut size = (0, 0);
            candidates.for_each(part, |(symbols, _)| {
                let cells = symbols.iter().map(|symbol| cells_of(symbol.0));
                size = (size.0 + 1, size.1 + cells.sum::<usize>());
            });
            size
        });
        let lay = |part: usize, layer: &mut Layer<'_>| {
            candidates.consume(part, |(symbols, count)| {
                layer.push(symbols.iter().map(|symbol| symbol.0), count);
            });
        };
        let cells = Cells::lay_out(&sizes, watch.threads(), lay, || watch.freed());
        let cells = cells.ok_or(MergeError::TooManyTokens)?;
        watch.check_stop()?;
        let tokens = words.tokens.clone();
        Ok(Supermerger {
            initial: tokens.len(),
            merger: Merger::new(
                tokens,
                cells,
                allowed,
                min_count,
                watch.merge_options(min_count),
            )?,
            parts: NumberMap::default(),
            ambiguous: false,
        })
    }

    pub(super) fn merge(&mut self, pair: PairCount) -> Result<Symbol, TrainError> {
        let joined = self.merger.merge(pair)?;
        if joined.is_new {
            self.parts.insert(joined.symbol.0, (pair.left, pair.right));
        } else if joined.symbol.index() < self.initial
            || self.pretokens(&[joined.symbol]) != self.pretokens(&[pair.left, pair.right])
        {
            self.ambiguous = true;
        }
        Ok(joined.symbol)
    }

    /// The pretokens of some symbols, one after the other.
    fn pretokens(&self, symbols: &[Symbol]) -> Vec<Symbol> {
        let mut waiting: Vec<Symbol> = symbols.iter().rev().copied().collect();
        let mut pretokens = Vec::new();
        while let Some(symbol) = waiting.pop() {
            match self.parts.get(&symbol.0) {
                Some(&(left, right)) => waiting.extend([right, left]),
                None => pretokens.push(symbol),
            }
        }
        pretokens
    }
}

/// Which symbols are in the vocabulary at this point of the history.
pub(super) struct Members {
    members: Vec<bool>,
    /// Made by a supermerge. They stay if a word with the same bytes is deleted.
    superwords: HashSet<Symbol>,
    pub(super) size: usize,
}

impl Members {
    /// Starts with the symbols below `initial`, which exist before the first event.
    pub(super) fn new(initial: usize) -> Members {
        Members {
            members: vec![true; initial],
            superwords: HashSet::new(),
            size: initial,
        }
    }

    pub(super) fn has(&self, symbol: Symbol) -> bool {
        self.members.get(symbol.index()) == Some(&true)
    }

    /// Returns whether the symbol was a member before.
    fn set(&mut self, symbol: Symbol, member: bool) -> bool {
        if symbol.index() >= self.members.len() {
            self.members.resize(symbol.index() + 1, false);
        }
        std::mem::replace(&mut self.members[symbol.index()], member)
    }

    fn enter(&mut self, symbol: Symbol) {
        if !self.set(symbol, true) {
            self.size += 1;
        }
    }

    pub(super) fn enter_superword(&mut self, symbol: Symbol) {
        self.superwords.insert(symbol);
        self.enter(symbol);
    }

    pub(super) fn replay(&mut self, event: &WordEvent) {
        match event {
            WordEvent::Merge { joined, .. } => self.enter(*joined),
            WordEvent::Delete { token, .. } => {
                if !self.superwords.contains(token) && self.set(*token, false) {
                    self.size -= 1;
                }
            }
        }
    }
}
