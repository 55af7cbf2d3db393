//! Recognises patterns by what they mean.
//!
//! The same pattern is published in many spellings. tiktoken writes `\p{L}++` where others write
//! `\p{L}+`. [`canonical`] rewrites branches that are known to match the same text, so that two
//! spellings of a preset become equal. Every rewriting is right in any pattern, and tests compare
//! each of them on the regex engine. A pattern that it does not know stays as it is.

/// Branches that match the same text wherever they are tried: the spelling of the presets, then others.
///
/// A possessive quantifier changes nothing at the end of a branch, or where nothing that follows can
/// match what it took. `\s*[\r\n]+` and `\s*[\r\n]` both end after the last newline of the white space.
/// `(?:'[sS]|…)` is not in the list: unlike `(?i:'s|…)`, it does not match U+017F, the long s.
pub(super) const BRANCHES: [&[&str]; 9] = [
    &[r"(?i:'s|'t|'re|'ve|'m|'ll|'d)", r"'(?i:[sdmt]|ll|ve|re)"],
    &[
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"[^\r\n\p{L}\p{N}]?+\p{L}+",
        r"[^\r\n\p{L}\p{N}]?\p{L}++",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
    ],
    &[r"\p{N}{1,3}", r"\p{N}{1,3}+"],
    &[
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
    ],
    &[r"\s*[\r\n]+", r"\s*[\r\n]"],
    &[r" ?\p{L}+", r" ?\p{L}++", r" ?[\p{L}]+"],
    &[r" ?\p{N}+", r" ?\p{N}++", r" ?[\p{N}]+"],
    &[r" ?[^\s\p{L}\p{N}]+", r" ?[^\s\p{L}\p{N}]++"],
    &[r"\s++$", r"\s+$"],
];

/// Neighbouring branches that match the same text together: the spelling of the presets, then another.
///
/// `\s++$` and `\s+(?!\S)` take the same white space at the end of a text. Where `\s+(?!\S)` does not
/// match, there is only one code point of white space, so `\s` takes as much as `\s+`.
pub(super) const NEIGHBOURS: [(&[&str], &[&str]); 3] = [
    (
        &[r"'(?:[sdmt]|ll|ve|re)"],
        &["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"],
    ),
    (&[r"\s+(?!\S)"], &[r"\s++$", r"\s+(?!\S)"]),
    (&[r"\s+(?!\S)", r"\s+"], &[r"\s+(?!\S)", r"\s"]),
];

/// The pattern with every known branch in the spelling of the presets.
pub(super) fn canonical(pattern: &str) -> String {
    let mut branches = branches(pattern);
    for branch in &mut branches {
        if let Some(known) = BRANCHES.iter().find(|known| known.contains(branch)) {
            *branch = known[0];
        }
    }
    for (ours, other) in NEIGHBOURS {
        let found = branches.windows(other.len()).position(|same| same == other);
        if let Some(at) = found {
            branches.splice(at..at + other.len(), ours.iter().copied());
        }
    }
    branches.join("|")
}

/// The branches of the alternation at the top of a pattern. White space and comments of a verbose
/// pattern are taken for text, so a `|` in them may be taken for the end of a branch.
fn branches(pattern: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let (mut groups, mut classes) = (0usize, 0usize);
    let mut escaped = false;
    for (at, c) in pattern.char_indices() {
        match c {
            _ if escaped => {}
            '[' => classes += 1,
            ']' => classes = classes.saturating_sub(1),
            _ if classes > 0 => {}
            '(' => groups += 1,
            ')' => groups = groups.saturating_sub(1),
            '|' if groups == 0 => {
                found.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    found.push(&pattern[start..]);
    found
}
