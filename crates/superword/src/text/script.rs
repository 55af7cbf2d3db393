//! Scripts (Unicode 17.0) and runs of text in one script.

use std::fmt;

use super::error::PatternError;
use super::tables::SCRIPTS;
use super::unicode::{ascii_run, decode, script};

/// A value of the Unicode 17.0 script property: `Common`, `Inherited`, `Unknown` or one of 172
/// real scripts.
///
/// ```
/// use superword::internal::Script;
/// assert_eq!(Script::from_name("han")?.name(), "Han");
/// # Ok::<(), superword::text::PatternError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Script(u8);

impl Script {
    /// Code points that many scripts use: spaces, digits, punctuation, emoji.
    pub const COMMON: Script = Script(0);
    /// Code points that take the script of the text before them, such as combining marks.
    pub const INHERITED: Script = Script(1);
    /// Unassigned and private code points.
    pub const UNKNOWN: Script = Script(2);

    /// The name in Unicode, such as `Latin` or `Old_Italic`.
    pub fn name(self) -> &'static str {
        SCRIPTS[self.0 as usize].1
    }

    /// Finds a script by its name or four-letter code, ignoring case, spaces, `_` and `-`.
    ///
    /// Returns [`PatternError::UnknownScript`] with similar names if there is none.
    pub fn from_name(name: &str) -> Result<Script, PatternError> {
        let wanted = loose(name);
        for script in Script::all() {
            let (code, full) = SCRIPTS[script.0 as usize];
            if loose(full) == wanted || loose(code) == wanted {
                return Ok(script);
            }
        }
        Err(PatternError::UnknownScript {
            name: name.to_owned(),
            near: near_names(&wanted),
        })
    }

    /// Every script, the three that are not real first.
    pub fn all() -> impl Iterator<Item = Script> {
        (0..SCRIPTS.len() as u8).map(Script)
    }

    pub(super) fn index(self) -> u8 {
        self.0
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Script({})", self.name())
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The script of a code point.
pub(crate) fn script_of(c: char) -> Script {
    Script(script(c as u32))
}

/// True for a script that a run of text can have, that is, not Common, Inherited or Unknown.
pub fn is_real(script: Script) -> bool {
    is_real_index(script.0)
}

#[inline(always)]
const fn is_real_index(index: u8) -> bool {
    index > 2
}

/// How many real scripts a text has: none, one or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptSet {
    /// No code point has a real script, as in `12%`.
    None,
    /// All code points with a real script have this one, as in ` été 12`.
    One(Script),
    /// At least two real scripts, as in `Wi-Fi网`.
    Mixed,
}

/// The real scripts of a text: none, one, or more than one.
pub(crate) fn scripts_in(text: &str) -> ScriptSet {
    let bytes = text.as_bytes();
    match next_run(bytes, 0) {
        Run { end, .. } if end < bytes.len() => ScriptSet::Mixed,
        Run { script, .. } if is_real(script) => ScriptSet::One(script),
        Run { .. } => ScriptSet::None,
    }
}

/// A run of text in one script, or in [`Script::COMMON`] if no code point has a real script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// Its real script, or `Common`.
    pub script: Script,
}

/// Splits valid UTF-8 into runs of one script, without gaps; see [`next_run`].
#[cfg(test)]
pub(super) fn runs(bytes: &[u8]) -> impl Iterator<Item = Run> {
    let mut start = 0;
    std::iter::from_fn(move || {
        (start < bytes.len()).then(|| {
            let run = next_run(bytes, start);
            start = run.end;
            run
        })
    })
}

/// The index of `Latin`. ASCII has no other real script.
static LATIN: u8 = script('A' as u32);

/// Stands for several real scripts in the tables below.
const SEVERAL: u8 = 255;

/// Adds the script of a code point to that of a group: 0 if no code point of the group has a real
/// script, the only real script, or [`SEVERAL`]. In a run of that only script, no code point of the
/// group ends the run.
const fn add_script(known: u8, code_point: u32) -> u8 {
    match script(code_point) {
        found if !is_real_index(found) || found == known => known,
        found if known == 0 => found,
        _ => SEVERAL,
    }
}

/// The only real script of each block of 64 code points below U+10000.
static BLOCK_SCRIPT: [u8; 1024] = {
    let mut only = [0; 1024];
    let mut code_point = 0;
    while code_point < 0x10000 {
        let block = &mut only[code_point as usize >> 6];
        *block = add_script(*block, code_point);
        code_point += 1;
    }
    only
};

/// The only real script of the code points that start with each byte; 0 for a byte inside one.
static LEAD_SCRIPT: [u8; 256] = {
    let mut only = [0; 256];
    let mut code_point = 0;
    while code_point < 0x10000 {
        let lead = match code_point {
            0..0x80 => code_point,
            0x80..0x800 => 0xc0 | code_point >> 6,
            _ => 0xe0 | code_point >> 12,
        };
        let known = &mut only[lead as usize];
        *known = add_script(*known, code_point);
        code_point += 1;
    }
    let mut lead = 0xf0;
    while lead < 0xf8 {
        only[lead] = SEVERAL;
        lead += 1;
    }
    only
};

/// The first byte at or after `i` that may start another script than `current`, or the end.
///
/// Stepping by byte is a little faster than by code point on Russian and Korean, and the same on
/// English.
#[inline(always)]
fn skip(bytes: &[u8], mut i: usize, current: u8) -> usize {
    while let Some(&byte) = bytes.get(i) {
        if current == LATIN && byte < 0x80 {
            i = ascii_run(bytes, i);
            continue;
        }
        let only = LEAD_SCRIPT[byte as usize];
        if only == 0 || only == current {
            i += 1;
            continue;
        }
        if !matches!(byte, 0xe0..0xf0) {
            break;
        }
        let block = (byte as usize & 0x0f) << 6 | (bytes[i + 1] & 0x3f) as usize;
        if BLOCK_SCRIPT[block] != current && BLOCK_SCRIPT[block] != 0 {
            break;
        }
        i += 3;
    }
    i
}

/// The run that starts at `start`. It ends after the last code point that belongs to it, so that
/// Common code points before another script go to the next run.
///
/// `a б` has the runs `a` and ` б`. An Inherited code point belongs to the current run. A run that
/// has no real script yet takes the first one that occurs.
#[inline]
pub(super) fn next_run(bytes: &[u8], start: usize) -> Run {
    let mut current = Script::COMMON.0;
    let mut i = start;
    loop {
        i = skip(bytes, i, current);
        let (found, len) = match bytes.get(i) {
            None => {
                return Run {
                    start,
                    end: i,
                    script: Script(current),
                };
            }
            Some(..0x80) => (LATIN, 1),
            Some(_) => {
                let (code_point, len) = decode(bytes, i);
                (script(code_point), len)
            }
        };
        if found != current && is_real_index(found) {
            if is_real_index(current) {
                return cut(bytes, start, i, current);
            }
            current = found;
        }
        i += len;
    }
}

/// Ends a run before `i`, where another script starts. Stepping back over the code points of the next
/// run is faster than tracking the end all along, and visits no code point twice.
fn cut(bytes: &[u8], start: usize, mut i: usize, current: u8) -> Run {
    while i > start {
        let mut before = i - 1;
        while bytes[before] & 0xc0 == 0x80 {
            before -= 1;
        }
        let found = match bytes[before] {
            byte if byte < 0x80 => script(byte.into()),
            _ => script(decode(bytes, before).0),
        };
        if found != Script::COMMON.0 && found != Script::UNKNOWN.0 {
            break;
        }
        i = before;
    }
    Run {
        start,
        end: i,
        script: Script(current),
    }
}

/// A name without case, spaces, `_` and `-`, as Unicode compares names.
pub(super) fn loose(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Up to three script names that differ in at most a third of the name's length, the most similar
/// first.
fn near_names(wanted: &str) -> Vec<&'static str> {
    let limit = (wanted.chars().count() / 3).max(2);
    let mut near: Vec<(usize, &str)> = Script::all()
        .filter(|&script| is_real(script))
        .map(|script| (edits(wanted, &loose(script.name())), script.name()))
        .filter(|&(distance, name)| distance <= limit && distance < name.len())
        .collect();
    near.sort();
    near.truncate(3);
    near.into_iter().map(|(_, name)| name).collect()
}

/// The number of insertions, deletions and replacements that turn `a` into `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
