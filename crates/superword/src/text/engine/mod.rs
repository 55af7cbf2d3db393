//! Runs patterns as users write them.
//!
//! A pattern without lookaround runs on an automaton, in linear time per match. So does the one
//! lookahead that common patterns have, `\s+(?!\S)|\s+`, by a correction after the match. All other
//! patterns run on a backtracking engine. A budget limits the work of either on one text.

mod automaton;
mod backtracking;
mod budget;
pub(super) mod pattern;
mod property;

use std::sync::Arc;

use automaton::Automaton;
use backtracking::Backtracking;
use budget::Budget;
use pattern::expand;

use super::error::{PatternError, SplitError};

/// The most memory that a compiled pattern may take: enough for any reasonable pattern, and a limit
/// for hostile ones.
const SIZE_LIMIT: usize = 64 << 20;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    pattern: Arc<str>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Automaton(Automaton),
    Backtracking(Backtracking),
}

/// What a pattern is for. One that splits must not match the empty string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Split,
    Search,
}

/// Why an engine stopped in the middle of a text.
#[derive(Debug)]
struct GaveUp(String);

impl Engine {
    /// Compiles a pattern, for the automaton if possible.
    pub(super) fn new(pattern: &str, purpose: Purpose) -> Result<Self, PatternError> {
        let expanded = expand(pattern)?;
        let kind = match Automaton::new(pattern, &expanded, purpose) {
            Some(Ok(automaton)) => Kind::Automaton(automaton),
            // The backtracking engine may know the syntax. If not, the first error is reported.
            Some(Err(error @ PatternError::Syntax { .. })) => {
                match Backtracking::new(pattern, &expanded, purpose) {
                    Err(PatternError::Syntax { .. } | PatternError::Compile { .. }) => {
                        return Err(error);
                    }
                    other => Kind::Backtracking(other?),
                }
            }
            Some(Err(error)) => return Err(error),
            None => Kind::Backtracking(Backtracking::new(pattern, &expanded, purpose)?),
        };
        let pattern = pattern.into();
        Ok(Engine { pattern, kind })
    }

    /// Compiles a pattern for the backtracking engine, to compare the automaton with it.
    #[cfg(test)]
    pub(super) fn new_backtracking(pattern: &str) -> Result<Self, PatternError> {
        let compiled = Backtracking::new(pattern, &expand(pattern)?, Purpose::Split)?;
        Ok(Engine {
            pattern: pattern.into(),
            kind: Kind::Backtracking(compiled),
        })
    }

    /// True if the pattern runs in linear time per match.
    #[cfg(test)]
    pub(super) fn is_automaton(&self) -> bool {
        matches!(self.kind, Kind::Automaton(_))
    }

    /// Emits the matches in `text` and the text between them. `base` is where `text` starts in the
    /// whole text.
    pub(super) fn scan(
        &self,
        text: &str,
        base: usize,
        emit: &mut impl FnMut(usize, usize),
    ) -> Result<(), SplitError> {
        let mut budget = Budget::for_text(text.len());
        let mut at = 0;
        while at < text.len() {
            let found = match &self.kind {
                Kind::Automaton(automaton) => automaton.find(text, at, &mut budget),
                Kind::Backtracking(backtracking) => backtracking.find(text, at, &mut budget),
            };
            let found = found.map_err(|error| self.gave_up(base + at, error))?;
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

    /// True if the pattern matches anywhere in the text.
    pub(super) fn is_match(&self, text: &str) -> Result<bool, SplitError> {
        match &self.kind {
            Kind::Automaton(automaton) => Ok(automaton.is_match(text)),
            Kind::Backtracking(backtracking) => backtracking
                .is_match(text)
                .map_err(|error| self.gave_up(0, error)),
        }
    }

    fn gave_up(&self, offset: usize, GaveUp(reason): GaveUp) -> SplitError {
        SplitError::GaveUp {
            pattern: self.pattern.to_string(),
            offset,
            reason,
        }
    }
}
