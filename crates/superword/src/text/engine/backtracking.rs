//! Patterns with lookaround, backreferences or possessive quantifiers, by backtracking.

use std::sync::{Arc, OnceLock};

use fancy_regex::{Expr, Regex, RegexBuilder, RuntimeError};

use super::budget::Budget;
use super::pattern::Expanded;
use super::{GaveUp, Purpose, SIZE_LIMIT};
use crate::text::error::PatternError;

const MAX_INSTRUCTIONS: usize = 1 << 20;

/// How often one match may backtrack. A match that exceeds a limit is repeated with the next one,
/// which is charged to the budget of the text in full, because the engine does not report how often
/// it backtracked. Nearly all matches stay within the first limit, which is free.
const LIMITS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Backtracking {
    text: Arc<str>,
    purpose: Purpose,
    /// By limit. All but the first are compiled when they are needed.
    compiled: Arc<[OnceLock<Regex>; LIMITS.len()]>,
}

impl Backtracking {
    pub(super) fn new(
        pattern: &str,
        expanded: &Expanded,
        purpose: Purpose,
    ) -> Result<Self, PatternError> {
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
                // Names the branch if both parsers agree on what the branches are.
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
        let regex = compile(&expanded.text, purpose, LIMITS[0]).map_err(failed)?;
        let compiled: [OnceLock<Regex>; LIMITS.len()] = Default::default();
        compiled[0].get_or_init(|| regex);
        Ok(Backtracking {
            text: expanded.text.as_str().into(),
            purpose,
            compiled: Arc::new(compiled),
        })
    }

    /// The first match at or after `at`, which is never empty when splitting.
    pub(super) fn find(
        &self,
        text: &str,
        at: usize,
        budget: &mut Budget,
    ) -> Result<Option<(usize, usize)>, GaveUp> {
        if !budget.is_in_time(at) {
            return Err(GaveUp("it takes too long".into()));
        }
        let found = self.search(budget, |regex| regex.find_from_pos(text, at))?;
        Ok(found.map(|found| (found.start(), found.end())))
    }

    pub(super) fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        let mut budget = Budget::for_text(text.len());
        self.search(&mut budget, |regex| regex.is_match(text))
    }

    /// Runs a search with one limit after another until it succeeds.
    fn search<T>(
        &self,
        budget: &mut Budget,
        search: impl Fn(&Regex) -> fancy_regex::Result<T>,
    ) -> Result<T, GaveUp> {
        for (tier, &limit) in LIMITS.iter().enumerate() {
            if tier > 0 && !budget.spend(limit as u64) {
                break;
            }
            let result = self.with_limit(tier).and_then(&search);
            if !result.as_ref().is_err_and(is_limit) {
                return result.map_err(|error| GaveUp(error.to_string()));
            }
        }
        Err(GaveUp("it backtracks too often".into()))
    }

    fn with_limit(&self, tier: usize) -> fancy_regex::Result<&Regex> {
        let cell = &self.compiled[tier];
        if let Some(regex) = cell.get() {
            return Ok(regex);
        }
        let regex = compile(&self.text, self.purpose, LIMITS[tier])?;
        Ok(cell.get_or_init(|| regex))
    }
}

fn compile(text: &str, purpose: Purpose, limit: usize) -> fancy_regex::Result<Regex> {
    RegexBuilder::new(text)
        .backtrack_limit(limit)
        .delegate_size_limit(SIZE_LIMIT)
        .max_prog_size(MAX_INSTRUCTIONS)
        // Assertions may hide an empty match from the check above. Such matches are ignored.
        .find_not_empty(purpose == Purpose::Split)
        .build()
}

fn is_limit(error: &fancy_regex::Error) -> bool {
    use fancy_regex::Error::RuntimeError as Runtime;
    matches!(error, Runtime(RuntimeError::BacktrackLimitExceeded))
}

/// A lower bound on the number of characters that an expression matches.
fn least_len(expr: &Expr) -> usize {
    match expr {
        Expr::Any { .. }
        | Expr::GeneralNewline { .. }
        | Expr::Literal { .. }
        | Expr::LiteralBytes { .. }
        | Expr::Delegate { .. } => 1,
        Expr::Concat(children) => children.iter().fold(0, |sum, child| match child {
            // `\K` excludes what came before it from the match.
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
