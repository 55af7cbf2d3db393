//! Patterns as users write them, run by a regex engine.
//!
//! A pattern without lookaround runs on an automaton, in linear time. So does the lookahead that
//! the usual patterns have, `\s+(?!\S)|\s+`, by a correction after the match. All else falls to a
//! backtracking engine.

pub(super) mod pattern;
mod property;

use fancy_regex::{Expr, RegexBuilder};
use regex_automata::{Anchored, Input, meta};
use regex_syntax::hir::Hir;

use crate::text::error::{PatternError, SplitError};
use pattern::{Expanded, expand};

/// What a compiled pattern may take: enough for any honest one, and a bound for a hostile file.
const SIZE_LIMIT: usize = 64 << 20;
/// Large Unicode classes make large automata: with less, the lazy one is thrown away and rebuilt.
const CACHE_CAPACITY: usize = 16 << 20;
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(in crate::text) enum Engine {
    /// Runs in linear time. The branches of the pattern are patterns of their own here.
    Automaton {
        regex: meta::Regex,
        /// For each branch: it stands for `\s+(?!\S)` with `\s+` or `\s` after it.
        gives_back: Vec<bool>,
    },
    /// Runs by trial and error.
    Backtracking(fancy_regex::Regex),
}

/// What a pattern is for: one that splits must not match the empty string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum Purpose {
    Split,
    Search,
}

impl Engine {
    /// Compiles a pattern, on an automaton where that is possible.
    pub(in crate::text) fn new(pattern: &str, purpose: Purpose) -> Result<Self, PatternError> {
        let expanded = expand(pattern)?;
        match parse(&expanded) {
            Some(Ok((branches, gives_back))) => {
                if purpose == Purpose::Split {
                    refuse_empty(pattern, &expanded, &branches)?;
                }
                let hirs: Vec<&Hir> = branches.iter().map(|(_, hir)| hir).collect();
                let config = meta::Config::new()
                    .nfa_size_limit(Some(SIZE_LIMIT))
                    .hybrid_cache_capacity(CACHE_CAPACITY);
                let regex = meta::Builder::new()
                    .configure(config)
                    .build_many_from_hir(&hirs)
                    .map_err(|error| PatternError::Compile {
                        pattern: pattern.to_owned(),
                        reason: error
                            .size_limit()
                            .map_or_else(|| error.to_string(), |_| "it is too large".into()),
                    })?;
                Ok(Engine::Automaton { regex, gives_back })
            }
            // Syntax that only the other engine knows; where it does not either, the first error stands.
            Some(Err(error)) => match backtracking(pattern, &expanded, purpose) {
                Err(PatternError::Syntax { .. } | PatternError::Compile { .. }) => Err(error),
                other => other,
            },
            None => backtracking(pattern, &expanded, purpose),
        }
    }

    /// Compiles a pattern for the backtracking engine alone, to hold the automaton against.
    #[cfg(test)]
    pub(in crate::text) fn new_backtracking(pattern: &str) -> Result<Self, PatternError> {
        backtracking(pattern, &expand(pattern)?, Purpose::Split)
    }

    /// Emits the matches in `text`, which starts at `base` of the whole, and what lies between them.
    pub(in crate::text) fn scan(
        &self,
        text: &str,
        base: usize,
        emit: &mut impl FnMut(usize, usize),
    ) -> Result<(), SplitError> {
        let mut at = 0;
        while at < text.len() {
            let found = self.find(text, at).map_err(|reason| SplitError::GaveUp {
                offset: base + at,
                reason,
            })?;
            let (start, end) = found.unwrap_or((text.len(), text.len()));
            if at < start {
                emit(base + at, base + start);
            }
            if start < end {
                emit(base + start, base + end);
            }
            at = end;
        }
        Ok(())
    }

    /// The first match at or after `at`, never an empty one.
    fn find(&self, text: &str, at: usize) -> Result<Option<(usize, usize)>, String> {
        match self {
            Engine::Automaton { regex, gives_back } => {
                // Most matches start where the last one ended; knowing the start saves the search
                // for it. A match there is the leftmost, so the answer is the same.
                let input = Input::new(text).range(at..);
                let anchored = input.clone().anchored(Anchored::Yes);
                let Some(found) = regex.search(&anchored).or_else(|| regex.search(&input)) else {
                    return Ok(None);
                };
                let (start, mut end) = (found.start(), found.end());
                if gives_back[found.pattern()] && end < text.len() {
                    // The run of white space that `\s+` took ends before text: `(?!\S)` holds only
                    // one code point earlier, if that leaves any; else the next branch matches
                    // this one code point.
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
            Engine::Backtracking(regex) => {
                let found = regex.find_from_pos(text, at);
                match found.map_err(|error| error.to_string())? {
                    Some(found) => Ok(Some((found.start(), found.end()))),
                    None => Ok(None),
                }
            }
        }
    }

    /// True if the pattern matches anywhere in the text.
    pub(in crate::text) fn is_match(&self, text: &str) -> Result<bool, SplitError> {
        match self {
            Engine::Automaton { regex, .. } => Ok(regex.is_match(text)),
            Engine::Backtracking(regex) => {
                regex.is_match(text).map_err(|error| SplitError::GaveUp {
                    offset: 0,
                    reason: error.to_string(),
                })
            }
        }
    }
}

/// Where a branch starts in the expanded pattern, and what it says.
type Branch = (usize, Hir);
type Parsed = Result<(Vec<Branch>, Vec<bool>), PatternError>;

/// Takes the pattern apart for the automaton; `None` where it needs backtracking.
fn parse(expanded: &Expanded) -> Option<Parsed> {
    let text = &expanded.text;
    let whole = 0..text.len();
    let pieces = match expanded.flags_at_top {
        true => std::slice::from_ref(&whole),
        false => expanded.branches.as_slice(),
    };
    // `\s+(?!\S)` followed by `\s+` or `\s` matches where `\s+` matches, which is then corrected:
    // with the branch after it there is a match at the same place in either case, so neither the
    // leftmost place nor the choice among branches changes.
    let mut gives_back: Vec<bool> = pieces
        .windows(2)
        .map(|pair| {
            &text[pair[0].clone()] == r"\s+(?!\S)"
                && matches!(&text[pair[1].clone()], r"\s+" | r"\s")
        })
        .collect();
    gives_back.push(false);
    let covered = |offset: &usize| {
        let piece = pieces.iter().position(|piece| piece.contains(offset));
        piece.is_some_and(|piece| gives_back[piece])
    };
    if !expanded.backtracking.iter().all(covered) {
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

fn backtracking(
    pattern: &str,
    expanded: &Expanded,
    purpose: Purpose,
) -> Result<Engine, PatternError> {
    let failed = |error: fancy_regex::Error| match error {
        fancy_regex::Error::ParseError(offset, reason) => {
            expanded.syntax_error(offset, reason.to_string())
        }
        other => PatternError::Compile {
            pattern: pattern.to_owned(),
            reason: other.to_string(),
        },
    };
    if purpose == Purpose::Split {
        let tree = Expr::parse_tree(&expanded.text).map_err(failed)?;
        if least_len(&tree.expr) == 0 {
            // The branch, where the two ways of reading agree on what the branches are.
            let position = match &tree.expr {
                Expr::Alt(children) if children.len() == expanded.branches.len() => children
                    .iter()
                    .position(|child| least_len(child) == 0)
                    .map_or(0, |branch| {
                        expanded.position(expanded.branches[branch].start)
                    }),
                _ => 0,
            };
            return Err(PatternError::MatchesEmpty {
                pattern: pattern.to_owned(),
                position,
            });
        }
    }
    let regex = RegexBuilder::new(&expanded.text)
        .delegate_size_limit(SIZE_LIMIT)
        .max_prog_size(MAX_INSTRUCTIONS)
        // Assertions may hide an empty match from the check above; it is passed over.
        .find_not_empty(purpose == Purpose::Split)
        .build()
        .map_err(failed)?;
    Ok(Engine::Backtracking(regex))
}

/// A lower bound on the characters that an expression takes.
fn least_len(expr: &Expr) -> usize {
    match expr {
        Expr::Any { .. }
        | Expr::GeneralNewline { .. }
        | Expr::Literal { .. }
        | Expr::LiteralBytes { .. }
        | Expr::Delegate { .. } => 1,
        Expr::Concat(children) => children.iter().fold(0, |sum, child| match child {
            // `\K`: what came before is not part of the match.
            Expr::KeepOut => 0,
            other => sum.max(least_len(other)),
        }),
        Expr::Alt(children) => children.iter().map(least_len).min().unwrap_or(0),
        Expr::Group(child) => least_len(child),
        Expr::AtomicGroup(child) => least_len(child),
        Expr::Repeat { child, lo, .. } if *lo > 0 => least_len(child),
        Expr::Conditional {
            true_branch,
            false_branch,
            ..
        } => least_len(true_branch).min(least_len(false_branch)),
        _ => 0,
    }
}
