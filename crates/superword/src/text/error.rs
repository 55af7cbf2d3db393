//! What can be wrong with a pattern, and with a split.

use thiserror::Error;

/// A pretokenizer or pattern that was refused, with the facts.
///
/// Positions count code points from 0, as Python indexes a string.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The pattern is not a regular expression.
    #[error("the pattern does not compile: {reason}, at position {position} of {pattern:?}")]
    Syntax {
        /// The pattern as it was given.
        pattern: String,
        /// Where in the pattern the engine stopped.
        position: usize,
        /// What the engine says.
        reason: String,
    },
    /// The pattern parses but is refused when compiled, most often because it is too large.
    #[error("the pattern cannot be compiled: {reason}, in {pattern:?}")]
    Compile {
        /// The pattern as it was given.
        pattern: String,
        /// What the engine says.
        reason: String,
    },
    /// A branch of the pattern can match nothing at all, which would split text forever.
    #[error(
        "the pattern can match the empty string: its branch at position {position} of {pattern:?}"
    )]
    MatchesEmpty {
        /// The pattern as it was given.
        pattern: String,
        /// Where the branch starts.
        position: usize,
    },
    /// No script of Unicode 17.0 has this name.
    #[error("there is no script named {name:?}")]
    UnknownScript {
        /// The name as it was given.
        name: String,
        /// Names that look like it, the nearest first; at most three.
        near: Vec<&'static str>,
    },
    /// Common, Inherited and Unknown are not scripts that a run of text can have.
    #[error("{name:?} is not a script that a run of text can have")]
    NotARealScript {
        /// The name as it was given.
        name: String,
    },
    /// A script pattern was given without scripts to use it for.
    #[error("a script pattern needs at least one script")]
    NoScripts,
}

impl PatternError {
    /// What to do next, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            PatternError::Syntax { .. } => {
                Some("see the reference on patterns for what is understood".into())
            }
            PatternError::Compile { .. } => {
                Some("write the pattern with fewer or smaller repetitions".into())
            }
            PatternError::MatchesEmpty { .. } => {
                Some("make each branch take at least one character, e.g. `+` for `*`".into())
            }
            PatternError::UnknownScript { near, .. } if near.is_empty() => {
                Some("scripts are named as in Unicode, e.g. Han, Thai, Old_Italic".into())
            }
            PatternError::UnknownScript { near, .. } => {
                Some(format!("did you mean {}?", near.join(" or ")))
            }
            PatternError::NotARealScript { .. } => {
                Some("text without a script of its own always uses the main pattern".into())
            }
            PatternError::NoScripts => {
                Some("name the scripts, e.g. Han, or leave the script pattern out".into())
            }
        }
    }
}

/// A split that could not be finished. Only patterns with lookaround, backreferences or possessive
/// quantifiers that fall to the backtracking engine can fail.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The backtracking engine reached its limit.
    #[error("the pattern engine gave up at byte {offset} of the text: {reason}")]
    GaveUp {
        /// Where in the text the failing match attempt started.
        offset: usize,
        /// What the engine says.
        reason: String,
    },
}

impl SplitError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            SplitError::GaveUp { .. } => Some(
                "write the pattern without nested repetitions, or without lookaround: \
                 such patterns run in linear time"
                    .into(),
            ),
        }
    }
}
