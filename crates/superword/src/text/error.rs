//! What can be wrong with a pattern, and why a text cannot be split.

use thiserror::Error;

/// Why a pretokenizer or a pattern was rejected.
///
/// Positions count code points from 0, like indices of a Python string.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The pattern is not a regular expression.
    #[error("the pattern does not compile: {reason}, at position {position} of {}", excerpt(.pattern, *.position))]
    Syntax {
        /// The pattern as given.
        pattern: String,
        /// Where in the pattern the engine stopped.
        position: usize,
        /// The message of the engine.
        reason: String,
    },
    /// The pattern is valid but cannot be compiled, usually because it is too large.
    #[error("the pattern cannot be compiled: {reason}, in {}", excerpt(.pattern, 0))]
    Compile {
        /// The pattern as given.
        pattern: String,
        /// The message of the engine.
        reason: String,
    },
    /// A branch of the pattern can match the empty string, so splitting would never end.
    #[error(
        "the pattern can match the empty string: its branch at position {position} of {}",
        excerpt(.pattern, *.position)
    )]
    MatchesEmpty {
        /// The pattern as given.
        pattern: String,
        /// Where the branch starts.
        position: usize,
    },
    /// Unicode 17.0 has no script with this name.
    #[error("unknown script {name:?}")]
    UnknownScript {
        /// The name as given.
        name: String,
        /// Up to three similar names, the most similar first.
        near: Vec<&'static str>,
    },
    /// Common, Inherited and Unknown cannot be the script of a run of text.
    #[error("{name:?} is not the script of any run of text")]
    NotARealScript {
        /// The name as given.
        name: String,
    },
    /// A script pattern was given without scripts.
    #[error("a script pattern needs at least one script")]
    NoScripts,
}

impl PatternError {
    /// What to do next, if there is something to suggest.
    pub fn hint(&self) -> Option<String> {
        match self {
            PatternError::Syntax { .. } => {
                Some("see the section on patterns in the reference for the syntax".into())
            }
            PatternError::Compile { .. } => {
                Some("use fewer or smaller repetitions in the pattern".into())
            }
            PatternError::MatchesEmpty { .. } => Some(
                "make each branch match at least one character, for example with + instead of *"
                    .into(),
            ),
            PatternError::UnknownScript { near, .. } if near.is_empty() => {
                Some("use the names of Unicode, for example Han, Thai or Old_Italic".into())
            }
            PatternError::UnknownScript { near, .. } => {
                Some(format!("did you mean {}?", near.join(" or ")))
            }
            PatternError::NotARealScript { .. } => {
                Some("remove it; text without a script always uses the main pattern".into())
            }
            PatternError::NoScripts => {
                Some("name the scripts, for example Han, or remove the script pattern".into())
            }
        }
    }
}

/// Why a text could not be split. Only custom patterns can fail: those that backtrack too often, and
/// those that look too far ahead for every pretoken. The presets never fail.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The pattern takes too much work on this text.
    #[error("the pattern {} is too slow at byte {offset} of the text: {reason}", excerpt(.pattern, 0))]
    GaveUp {
        /// The pattern as given.
        pattern: String,
        /// Where in the text the search for the next match started.
        offset: usize,
        /// What makes it slow.
        reason: String,
    },
}

impl SplitError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            SplitError::GaveUp { .. } => Some(
                "simplify the pattern: avoid nested repetitions such as (a+)+, lookaround, and \
                 branches that need text far ahead, such as a+$"
                    .into(),
            ),
        }
    }
}

/// A pattern for a message. Of a long one, only the part around a position is shown.
fn excerpt(pattern: &str, position: usize) -> String {
    const AROUND: usize = 200;
    let start = position.saturating_sub(AROUND);
    let mut rest = pattern.chars().skip(start);
    let shown: String = rest.by_ref().take(position - start + AROUND).collect();
    let before = if start > 0 { "..." } else { "" };
    let after = if rest.next().is_some() { "..." } else { "" };
    format!("{before}{shown:?}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_show_only_the_part_of_a_long_pattern_that_is_wrong() {
        let error = |position| PatternError::Syntax {
            pattern: format!("{}?{}", "a".repeat(100_000), "b".repeat(100_000)),
            position,
            reason: "?".into(),
        };
        for position in [0, 100_000, 200_000, 300_000] {
            assert!(error(position).to_string().len() < 600);
        }
        let shown = format!("...\"{}?{}\"...", "a".repeat(200), "b".repeat(199));
        assert!(error(100_000).to_string().ends_with(&shown));
    }

    #[test]
    fn short_patterns_are_shown_in_full() {
        let whole = format!("{}é(", "a".repeat(199));
        assert_eq!(excerpt(&whole, 200), format!("{whole:?}"));
        assert_eq!(excerpt("", 0), r#""""#);
    }
}
