//! Phase 2: supermerges over the candidates, for BoundlessBPE and SuperBPE.

use std::collections::HashSet;

use super::rules::SupermergeRules;
use super::words::{WordStep, Words};
use super::{TrainError, WatchMerges};
use crate::count::CandidateCounts;
use crate::hash::NumberMap;
use crate::merge::{Cells, MergeError, Merger, PairCount};
use crate::model::WordEvent;
use crate::observe::Stopped;
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// One step of the finished history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An event of phase 1.
    Word(WordStep),
    /// A supermerge: what was joined, and the joined token.
    Super(PairCount, Symbol),
}

/// What phase 2 learned.
#[derive(Debug)]
pub struct Superwords {
    /// The history, in order.
    pub steps: Vec<Step>,
    /// All tokens ever made, those of phase 1 first.
    pub tokens: TokenTable,
    /// The size of the vocabulary at the end.
    pub size: usize,
    /// Two different runs of pretokens became one and the same superword. Cut candidates then no
    /// longer give exact counts, and the caller starts again without cutting.
    pub ambiguous: bool,
    /// Supermerges of a smaller count than this, had there been any, would have changed nothing.
    pub settled_from: u64,
}

impl Superwords {
    /// True if candidates that were cut at bigrams that occur fewer than `cut_below` times gave
    /// what whole ones give, where no supermerge of a count below `floor` can be chosen anyway.
    ///
    /// What is cut hides only supermerges of a smaller count than `cut_below`. It matters where
    /// one of those would have been taken: instead of a supermerge of a count that is as small, or
    /// of an ordinary merge of a smaller count (among equals the ordinary one goes first), or
    /// where nothing else was left.
    pub fn settled(&self, cut_below: u64, floor: u64) -> bool {
        cut_below <= floor.max(1) || cut_below <= self.settled_from
    }
}

/// A merger that also notices ambiguous superwords.
struct Supermerger<'a> {
    merger: Merger<'a, SupermergeRules>,
    /// The pretokens of each superword; a symbol that is not in here is one pretoken.
    spelled: NumberMap<u32, Vec<Symbol>>,
    ambiguous: bool,
    /// Symbols below this are those of phase 1.
    initial: usize,
}

impl<'a> Supermerger<'a> {
    fn new(
        words: &Words,
        candidates: &CandidateCounts,
        rules: SupermergeRules,
        min_count: u64,
        watch: &WatchMerges<'a>,
    ) -> Result<Supermerger<'a>, TrainError> {
        let mut cells = Cells::with_capacity(candidates.tokens(), candidates.len());
        let mut fits = true;
        for (number, (symbols, count)) in candidates.iter().enumerate() {
            if number.is_multiple_of(1 << 12) {
                watch.look()?;
            }
            fits &= cells.push(symbols.iter().map(|symbol| symbol.0), count);
        }
        if !fits {
            return Err(MergeError::TooManyTokens.into());
        }
        let tokens = words.tokens.clone();
        Ok(Supermerger {
            initial: tokens.len(),
            merger: Merger::new(tokens, cells, rules, min_count, watch.working(min_count))?,
            spelled: NumberMap::default(),
            ambiguous: false,
        })
    }

    fn merge(&mut self, pair: PairCount) -> Result<Symbol, TrainError> {
        let joined = self.merger.merge(pair)?;
        let mut spelled = self.spelling(pair.left);
        spelled.extend(self.spelling(pair.right));
        if joined.is_new {
            self.spelled.insert(joined.symbol.0, spelled);
        } else if joined.symbol.index() < self.initial || self.spelling(joined.symbol) != spelled {
            self.ambiguous = true;
        }
        Ok(joined.symbol)
    }

    fn spelling(&self, symbol: Symbol) -> Vec<Symbol> {
        match self.spelled.get(&symbol.0) {
            Some(spelled) => spelled.clone(),
            None => vec![symbol],
        }
    }
}

/// BoundlessBPE (Algorithm 1): replays the steps of phase 1 and puts supermerges between them,
/// whichever has the larger count, ordinary merges first among equals. `min_count` is a lower
/// bound on the count of any supermerge that can be chosen.
pub fn learn_boundless(
    words: &Words,
    alphabet: usize,
    candidates: &CandidateCounts,
    rules: SupermergeRules,
    min_count: u64,
    size: usize,
    watch: &WatchMerges<'_>,
) -> Result<Superwords, TrainError> {
    let mut supermerger = Supermerger::new(words, candidates, rules, min_count, watch)?;
    let mut vocabulary = Members::new(alphabet);
    let mut steps = Vec::new();
    let mut pending = words.steps.iter().peekable();
    let mut settled_from = u64::MAX;
    while vocabulary.size < size {
        watch.step(vocabulary.size, size)?;
        let ordinary = pending.peek().map_or(0, |step| step.count);
        match best_above(&mut supermerger.merger, &vocabulary, ordinary)? {
            Some(pair) => {
                let joined = supermerger.merge(pair)?;
                vocabulary.enter_superword(joined);
                settled_from = settled_from.min(pair.count);
                steps.push(Step::Super(pair, joined));
            }
            None => {
                let Some(step) = pending.next() else {
                    settled_from = 0;
                    break;
                };
                settled_from = settled_from.min(step.count.saturating_add(1));
                vocabulary.replay(&step.event);
                steps.push(Step::Word(step.clone()));
                // Deletions belong to the merge before them.
                while let Some(deletion) = pending.next_if(|step| step.is_deletion()) {
                    vocabulary.replay(&deletion.event);
                    steps.push(Step::Word(deletion.clone()));
                }
            }
        }
        supermerger.merger.restore_deferred();
    }
    watch.done(vocabulary.size, size);
    Ok(Superwords {
        steps,
        size: vocabulary.size,
        ambiguous: supermerger.ambiguous,
        settled_from,
        tokens: supermerger.merger.into_tokens(),
    })
}

/// SuperBPE: all steps of phase 1, then this many supermerges (fewer only if none is left).
pub fn learn_superbpe(
    words: &Words,
    alphabet: usize,
    candidates: &CandidateCounts,
    rules: SupermergeRules,
    min_count: u64,
    supermerges: usize,
    watch: &WatchMerges<'_>,
) -> Result<Superwords, TrainError> {
    let mut supermerger = Supermerger::new(words, candidates, rules, min_count, watch)?;
    let mut vocabulary = Members::new(alphabet);
    let mut steps = Vec::new();
    for step in &words.steps {
        vocabulary.replay(&step.event);
        steps.push(Step::Word(step.clone()));
    }
    let mut settled_from = u64::MAX;
    for made in 0..supermerges {
        watch.step(made, supermerges)?;
        let Some(pair) = supermerger.merger.best()? else {
            settled_from = 0;
            break;
        };
        settled_from = settled_from.min(pair.count);
        let joined = supermerger.merge(pair)?;
        vocabulary.enter_superword(joined);
        steps.push(Step::Super(pair, joined));
    }
    watch.done(supermerges, supermerges);
    Ok(Superwords {
        steps,
        size: vocabulary.size,
        ambiguous: supermerger.ambiguous,
        settled_from,
        tokens: supermerger.merger.into_tokens(),
    })
}

/// The best supermerge that occurs more often than `ordinary` and whose parts are both in the
/// vocabulary. Nearly always that is simply the best: a part that is still to come has an ordinary
/// merge of at least the same count before it. Only where joined bytes existed already can counts
/// of phase 1 rise again and break that.
fn best_above(
    merger: &mut Merger<'_, SupermergeRules>,
    vocabulary: &Members,
    ordinary: u64,
) -> Result<Option<PairCount>, Stopped> {
    loop {
        let Some(best) = merger.best()?.filter(|best| best.count > ordinary) else {
            return Ok(None);
        };
        if vocabulary.has(best.left) && vocabulary.has(best.right) {
            return Ok(Some(best));
        }
        merger.defer_best()?;
    }
}

impl WordStep {
    fn is_deletion(&self) -> bool {
        matches!(self.event, WordEvent::Delete { .. })
    }
}

/// Which symbols are in the vocabulary right now.
struct Members {
    members: Vec<bool>,
    /// Made by a supermerge: a deletion of the word with the same bytes leaves them.
    superwords: HashSet<Symbol>,
    size: usize,
}

impl Members {
    fn new(alphabet: usize) -> Members {
        Members {
            members: vec![true; alphabet],
            superwords: HashSet::new(),
            size: alphabet,
        }
    }

    fn has(&self, symbol: Symbol) -> bool {
        self.members.get(symbol.index()) == Some(&true)
    }

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

    fn enter_superword(&mut self, symbol: Symbol) {
        self.superwords.insert(symbol);
        self.enter(symbol);
    }

    fn replay(&mut self, event: &WordEvent) {
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
