//! Patterns without lookaround, on an automaton.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

use regex_automata::hybrid::dfa;
use regex_automata::nfa::thompson;
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored, Input, meta};
use regex_syntax::hir::Hir;

use super::budget::Budget;
use super::pattern::Expanded;
use super::{GaveUp, Purpose, SIZE_LIMIT};
use crate::text::error::PatternError;

/// Large Unicode classes make large automata. With less memory, the lazy automaton would be
/// discarded and rebuilt again and again.
const CACHE_CAPACITY: usize = 16 << 20;

/// A pattern with more branches `\s+(?!\S)` runs on the backtracking engine.
const MAX_GIVING_BACK: usize = 4;

/// A pattern as one automaton. Branches that give something back are patterns of their own.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    regex: meta::Regex,
    /// For each pattern: whether it stands for `\s+(?!\S)` followed by `\s+` or `\s`.
    gives_back: Vec<bool>,
    /// Compiled when the first long text is split.
    meter: Arc<OnceLock<Option<Meter>>>,
    patterns: Arc<[Hir]>,
}

impl Automaton {
    /// `None` if the pattern needs backtracking.
    pub(super) fn new(
        pattern: &str,
        expanded: &Expanded,
        purpose: Purpose,
    ) -> Option<Result<Self, PatternError>> {
        let compile = |(branches, gives_back): (Vec<Branch>, Vec<bool>)| {
            if purpose == Purpose::Split {
                refuse_empty(pattern, expanded, &branches)?;
            }
            let (patterns, gives_back) = joined(branches, &gives_back);
            let config = meta::Config::new()
                .nfa_size_limit(Some(SIZE_LIMIT))
                .which_captures(thompson::WhichCaptures::Implicit)
                .hybrid_cache_capacity(CACHE_CAPACITY);
            let regex = meta::Builder::new()
                .configure(config)
                .build_many_from_hir(&patterns)
                .map_err(|error| PatternError::Compile {
                    pattern: pattern.to_owned(),
                    reason: error
                        .size_limit()
                        .map_or_else(|| error.to_string(), |_| "it is too large".into()),
                })?;
            Ok(Automaton {
                regex,
                gives_back,
                meter: Arc::default(),
                patterns,
            })
        };
        parse(expanded).map(|parsed| parsed.and_then(compile))
    }

    /// The first match at or after `at`, which is never empty when splitting.
    pub(super) fn find(
        &self,
        text: &str,
        at: usize,
        budget: &mut Budget,
    ) -> Result<Option<(usize, usize)>, GaveUp> {
        if budget.is_sample() && !budget.spend_sample(self.steps(text, at)) {
            let reason = "it looks too far ahead for every match";
            return Err(GaveUp(reason.into()));
        }
        // Most matches start where the last one ended, and a known start saves the search for it.
        // A match there is the leftmost one, so the result is the same.
        let input = Input::new(text).range(at..);
        let anchored = input.clone().anchored(Anchored::Yes);
        let regex = &self.regex;
        let Some(found) = regex.search(&anchored).or_else(|| regex.search(&input)) else {
            return Ok(None);
        };
        let (start, mut end) = (found.start(), found.end());
        if self.gives_back[found.pattern()] && end < text.len() {
            // `\s+` matched a run of white space that is followed by other text. There `(?!\S)`
            // holds only one code point earlier. If the run has only one code point, the next
            // branch matches it.
            let last = text[start..end]
                .chars()
                .next_back()
                .map_or(0, char::len_utf8);
            if end - last > start {
                end -= last;
            }
        }
        Ok(Some((start, end)))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// How many bytes the automaton looks at to find the match at or after `at`.
    #[cold]
    fn steps(&self, text: &str, at: usize) -> u64 {
        let meter = self.meter.get_or_init(|| Meter::new(&self.patterns));
        meter.as_ref().map_or(0, |meter| meter.steps(text, at))
    }
}

type NewCache = Box<dyn Fn() -> dfa::Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// Counts the bytes that a search looks at, which the fast engine does not report.
struct Meter {
    dfa: Arc<dfa::DFA>,
    caches: Pool<dfa::Cache, NewCache>,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter").finish_non_exhaustive()
    }
}

impl Meter {
    /// `None` if the pattern cannot be compiled for it. Its work is then not limited.
    fn new(patterns: &[Hir]) -> Option<Meter> {
        let config = thompson::Config::new()
            .nfa_size_limit(Some(SIZE_LIMIT))
            .which_captures(thompson::WhichCaptures::None);
        let nfa = thompson::Compiler::new()
            .configure(config)
            .build_many_from_hir(patterns)
            .ok()?;
        let config = dfa::Config::new()
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true)
            .cache_capacity(CACHE_CAPACITY);
        let dfa = dfa::Builder::new()
            .configure(config)
            .build_from_nfa(nfa)
            .ok()?;
        let dfa = Arc::new(dfa);
        let caches: Pool<_, NewCache> = Pool::new({
            let dfa = dfa.clone();
            Box::new(move || dfa.create_cache())
        });
        Some(Meter { dfa, caches })
    }

    fn steps(&self, text: &str, at: usize) -> u64 {
        let mut cache = self.caches.get();
        let input = Input::new(text).range(at..);
        let anchored = input.clone().anchored(Anchored::Yes);
        let mut steps = 0;
        for input in [anchored, input] {
            let before = cache.search_total_len();
            // A search that fails, for example at a Unicode word boundary, has still taken steps.
            let found = self.dfa.try_search_fwd(&mut cache, &input);
            let after = cache.search_total_len();
            // The total starts again at 0 when the cache is cleared.
            steps += after.checked_sub(before).unwrap_or(after) as u64;
            if !matches!(found, Ok(None)) {
                break;
            }
        }
        steps
    }
}

/// Where a branch starts in the expanded pattern, and its meaning.
type Branch = (usize, Hir);
type Parsed = Result<(Vec<Branch>, Vec<bool>), PatternError>;

/// Splits the pattern into branches for the automaton. `None` if it needs backtracking.
fn parse(expanded: &Expanded) -> Option<Parsed> {
    let text = &expanded.text;
    let whole = 0..text.len();
    let pieces = match expanded.flags_at_top {
        true => std::slice::from_ref(&whole),
        false => expanded.branches.as_slice(),
    };
    // `\s+(?!\S)` followed by `\s+` or `\s` is compiled as `\s+`, and its matches are corrected
    // afterwards. One of the two branches always matches where `\s+` does, so neither the leftmost
    // match nor the choice among the branches changes.
    let mut gives_back: Vec<bool> = pieces
        .windows(2)
        .map(|pair| {
            &text[pair[0].clone()] == r"\s+(?!\S)"
                && matches!(&text[pair[1].clone()], r"\s+" | r"\s")
        })
        .collect();
    gives_back.push(false);
    let covered = |offset: &usize| {
        // The pieces are in order, with one `|` between them.
        let piece = pieces.partition_point(|piece| piece.end <= *offset);
        gives_back.get(piece) == Some(&true)
    };
    let giving_back = gives_back.iter().filter(|&&gives_back| gives_back).count();
    if giving_back > MAX_GIVING_BACK || !expanded.backtracking.iter().all(covered) {
        return None;
    }
    let mut branches = Vec::with_capacity(pieces.len());
    for (piece, &gives_back) in pieces.iter().zip(&gives_back) {
        let pattern = match gives_back {
            true => r"\s+",
            false => &text[piece.clone()],
        };
        match regex_syntax::parse(pattern) {
            Ok(hir) => branches.push((piece.start, hir)),
            Err(error) => {
                let (offset, reason) = match &error {
                    regex_syntax::Error::Parse(e) => (e.span().start.offset, e.kind().to_string()),
                    regex_syntax::Error::Translate(e) => {
                        (e.span().start.offset, e.kind().to_string())
                    }
                    other => (0, other.to_string()),
                };
                return Some(Err(expanded.syntax_error(piece.start + offset, reason)));
            }
        }
    }
    Some(Ok((branches, gives_back)))
}

/// Joins branches into as few patterns as possible. Returns the patterns, and which of them give
/// something back.
///
/// A search may take memory for each pair of a state and a pattern or group. With a pattern for each
/// branch, a hostile pattern of a few kilobytes would take terabytes.
fn joined(branches: Vec<Branch>, gives_back: &[bool]) -> (Arc<[Hir]>, Vec<bool>) {
    let mut patterns: Vec<(Vec<Hir>, bool)> = Vec::new();
    for ((_, hir), &gives_back) in branches.into_iter().zip(gives_back) {
        match patterns.last_mut() {
            Some((alternatives, false)) if !gives_back => alternatives.push(hir),
            _ => patterns.push((vec![hir], gives_back)),
        }
    }
    let (patterns, gives_back): (Vec<Hir>, _) = patterns
        .into_iter()
        .map(|(alternatives, gives_back)| (Hir::alternation(alternatives), gives_back))
        .unzip();
    (patterns.into(), gives_back)
}

fn refuse_empty(
    pattern: &str,
    expanded: &Expanded,
    branches: &[Branch],
) -> Result<(), PatternError> {
    match branches
        .iter()
        .find(|(_, hir)| hir.properties().minimum_len() == Some(0))
    {
        None => Ok(()),
        Some((start, _)) => Err(PatternError::MatchesEmpty {
            pattern: pattern.to_owned(),
            position: expanded.position(*start),
        }),
    }
}
