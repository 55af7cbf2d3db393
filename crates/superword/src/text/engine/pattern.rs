//! Parses a pattern: expands classes into explicit ranges of Unicode 17.0, and finds constructs that
//! only a backtracking engine can run.
//!
//! The regex crates use another version of Unicode. A class written as ranges means the same to all
//! of them. `\w`, `\b`, other properties and case folding are left to the crates.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::property::Property;
use crate::text::error::PatternError;

/// The longest pattern after its classes have been expanded. Presets stay below a sixteenth of it.
const MAX_LEN: usize = 4 << 20;

/// A pattern with its classes expanded, and what was found while parsing it.
#[derive(Debug, Default)]
pub(in crate::text) struct Expanded {
    /// The pattern for the engine.
    pub(in crate::text) text: String,
    /// The branches of its top-level alternation, as ranges of `text`.
    pub(in crate::text) branches: Vec<Range<usize>>,
    /// Where `text` has lookaround, atomic groups, backreferences or possessive quantifiers.
    pub(in crate::text) backtracking: Vec<usize>,
    /// There is a flag such as `(?i)` at the top level. It applies to several branches, so they cannot
    /// be separated.
    pub(in crate::text) flags_at_top: bool,
    /// Pairs of an offset in `text` and the same place in the pattern, in order.
    steps: Vec<(usize, usize)>,
    source: String,
}

impl Expanded {
    /// The syntax error for an engine's message about `offset` of `text`.
    pub(in crate::text) fn syntax_error(&self, offset: usize, reason: String) -> PatternError {
        PatternError::Syntax {
            pattern: self.source.clone(),
            position: self.position(offset),
            reason,
        }
    }

    /// The code point of the pattern that `offset` of `text` comes from.
    pub(in crate::text) fn position(&self, offset: usize) -> usize {
        let step = self.steps.partition_point(|&(text, _)| text <= offset);
        let (text, source) = match step {
            0 => (0, 0),
            _ => self.steps[step - 1],
        };
        let next_source = self
            .steps
            .get(step)
            .map_or(self.source.len(), |&(_, source)| source);
        let at = (source + (offset - text)).min(next_source);
        self.source
            .char_indices()
            .take_while(|&(i, _)| i < at)
            .count()
    }
}

/// Expands the classes of a pattern: `\p{Lao}+` becomes `[\x{E81}-\x{E82}...]+`.
pub(in crate::text) fn expand(pattern: &str) -> Result<Expanded, PatternError> {
    let mut reader = Reader {
        source: pattern,
        at: 0,
        out: Expanded {
            source: pattern.to_owned(),
            ..Expanded::default()
        },
        branch: 0,
        class_depth: 0,
        verbose: vec![false],
        known: HashMap::new(),
    };
    reader.read()?;
    let end = reader.out.text.len();
    reader.out.branches.push(reader.branch..end);
    Ok(reader.out)
}

struct Reader<'p> {
    source: &'p str,
    at: usize,
    out: Expanded,
    /// Where the current branch starts in the output.
    branch: usize,
    /// How many `[` are open.
    class_depth: usize,
    /// Whether white space and comments are ignored: for the top level and for each open group.
    verbose: Vec<bool>,
    known: HashMap<Property, String>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    /// Copies `len` bytes unchanged.
    fn copy(&mut self, len: usize) {
        let len = len.min(self.source.len() - self.at);
        self.out.steps.push((self.out.text.len(), self.at));
        self.out.text.push_str(&self.source[self.at..self.at + len]);
        self.at += len;
    }

    fn read(&mut self) -> Result<(), PatternError> {
        while let Some(c) = self.rest().chars().next() {
            if self.out.text.len() > MAX_LEN {
                return Err(PatternError::Compile {
                    pattern: self.source.to_owned(),
                    reason: "it is too large".into(),
                });
            }
            let verbose = self.verbose.last().copied().unwrap_or(false);
            match c {
                '\\' => self.escape()?,
                '#' if verbose => {
                    let len = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.copy(len);
                }
                '[' => self.open_class(),
                ']' if self.class_depth > 0 => {
                    self.class_depth -= 1;
                    self.copy(1);
                    if self.class_depth == 0 {
                        self.quantifier();
                    }
                }
                _ if self.class_depth > 0 => self.copy(c.len_utf8()),
                '(' => self.open_group(),
                ')' => {
                    if self.verbose.len() > 1 {
                        self.verbose.pop();
                    }
                    self.copy(1);
                    self.quantifier();
                }
                '|' => {
                    if self.verbose.len() == 1 {
                        self.out.branches.push(self.branch..self.out.text.len());
                        self.branch = self.out.text.len() + 1;
                    }
                    self.copy(1);
                }
                _ => {
                    self.copy(c.len_utf8());
                    self.quantifier();
                }
            }
        }
        Ok(())
    }

    /// Copies `[` and what has a special meaning right after it: `^` and a first `]`.
    fn open_class(&mut self) {
        self.class_depth += 1;
        self.copy(1);
        if self.rest().starts_with('^') {
            self.copy(1);
        }
        if self.rest().starts_with(']') {
            self.copy(1);
        }
    }

    fn open_group(&mut self) {
        let verbose = self.verbose.last().copied().unwrap_or(false);
        let Some(inside) = self.rest().strip_prefix("(?") else {
            self.verbose.push(verbose);
            return self.copy(1);
        };
        let hard = ["=", "!", "<=", "<!", ">", "(", "|", "~"];
        if hard.iter().any(|start| inside.starts_with(start)) {
            self.out.backtracking.push(self.out.text.len());
            self.verbose.push(verbose);
            return self.copy(2);
        }
        // Flags: `(?ix-s:` opens a group, `(?ix-s)` applies to the rest of the group.
        let len = inside
            .find(|c: char| !c.is_ascii_alphabetic() && c != '-')
            .unwrap_or(inside.len());
        let (on, off) = inside[..len]
            .split_once('-')
            .unwrap_or((&inside[..len], ""));
        let now_verbose = (verbose || on.contains('x')) && !off.contains('x');
        match inside[len..].chars().next() {
            Some(')') if len > 0 => {
                if self.verbose.len() == 1 {
                    self.out.flags_at_top = true;
                }
                if let Some(last) = self.verbose.last_mut() {
                    *last = now_verbose;
                }
                self.copy(2 + len + 1);
            }
            Some(':') => {
                self.verbose.push(now_verbose);
                self.copy(2 + len + 1);
            }
            _ => {
                self.verbose.push(verbose);
                self.copy(2);
            }
        }
    }

    /// Copies the quantifier after an atom, if there is one, and records it if it is possessive.
    fn quantifier(&mut self) {
        let len = match self.rest().as_bytes() {
            [b'?' | b'*' | b'+', ..] => 1,
            [b'{', ..] => match self.rest().find('}') {
                Some(end)
                    if self.rest()[1..end]
                        .bytes()
                        .all(|b| b.is_ascii_digit() || b == b',' || b == b' ') =>
                {
                    end + 1
                }
                _ => return,
            },
            _ => return,
        };
        self.copy(len);
        match self.rest().as_bytes() {
            [b'+', ..] => {
                self.out.backtracking.push(self.out.text.len());
                self.copy(1);
            }
            [b'?', ..] => self.copy(1),
            _ => {}
        }
    }

    /// Copies an escape. Expands `\p{..}`, `\pL` and `\d` in all their forms.
    fn escape(&mut self) -> Result<(), PatternError> {
        let mut chars = self.rest().chars();
        chars.next();
        let Some(letter) = chars.next() else {
            self.copy(1);
            return Ok(());
        };
        let mut len = 1 + letter.len_utf8();
        let mut found = None;
        match letter {
            'p' | 'P' => {
                let after = &self.rest()[2..];
                let name = match after
                    .strip_prefix('{')
                    .and_then(|name| name.split_once('}'))
                {
                    Some((name, _)) => {
                        len += name.len() + 2;
                        name
                    }
                    None => {
                        let first = after.chars().next().map_or(0, char::len_utf8);
                        len += first;
                        &after[..first]
                    }
                };
                found = Property::find(name)?
                    .map(|(property, negated)| (property, negated != (letter == 'P')));
            }
            'd' | 'D' => found = Some((Property::decimal(), letter == 'D')),
            '1'..='9' | 'k' | 'g' if self.class_depth == 0 => {
                self.out.backtracking.push(self.out.text.len());
            }
            _ => {}
        }
        match found {
            // A class cannot end a range. Left unchanged, it makes the engine report the error.
            Some(_) if self.ends_range() => self.copy(len),
            Some((property, negated)) => self.expand_class(property, negated, len),
            None => self.copy(len),
        }
        if self.class_depth == 0 {
            self.quantifier();
        }
        Ok(())
    }

    /// True after the `-` of `[a-`, but not after the operator of `[a--`.
    fn ends_range(&self) -> bool {
        let before = self.out.text.as_bytes();
        self.class_depth > 0
            && matches!(before, [.., other, b'-'] if !matches!(other, b'-' | b'[' | b'^' | b'\\'))
    }

    fn expand_class(&mut self, property: Property, negated: bool, len: usize) {
        self.out.steps.push((self.out.text.len(), self.at));
        self.at += len;
        let ranges = self.known.entry(property).or_insert_with(|| {
            let mut text = String::new();
            for (first, last) in property.ranges() {
                // Writing to a string cannot fail.
                let _ = write!(text, r"\x{{{:X}}}-\x{{{:X}}}", first as u32, last as u32);
            }
            text
        });
        let text = &mut self.out.text;
        match (ranges.is_empty(), negated) {
            // A class of surrogates only: no code point, or all of them if negated.
            (true, false) => text.push_str(r"[^\x{0}-\x{10FFFF}]"),
            (true, true) => text.push_str(r"[\x{0}-\x{10FFFF}]"),
            // In separate brackets, so that case folding applies before the negation.
            (false, true) => {
                text.push_str("[^");
                text.push_str(ranges);
                text.push(']');
            }
            (false, false) if self.class_depth > 0 => text.push_str(ranges),
            (false, false) => {
                text.push('[');
                text.push_str(ranges);
                text.push(']');
            }
        }
        self.out.steps.push((self.out.text.len(), self.at));
    }
}
