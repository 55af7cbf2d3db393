//! The end of the next pretoken, for each preset: its pattern translated to code by hand.
//!
//! A `next` function takes valid UTF-8 and a position before its end, and returns the end of the
//! match of the pattern there. It may look past its match, but each byte is looked at by at most one
//! more call, so the time stays linear in the text.

use crate::text::unicode::{
    Classes, END, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UNCASED, UPPER, ascii_lower_run,
    class_at, run,
};

#[inline(never)]
pub(super) fn next_gpt4o(bytes: &[u8], start: usize) -> usize {
    let (class, len) = class_at(bytes, start);
    match class {
        // A mark could also be the prefix, but the match is the same.
        UPPER | LOWER | UNCASED | MARK => {
            return with_contraction(bytes, word(bytes, start, class));
        }
        NUMBER => return three_numbers(bytes, start + len),
        NEWLINE => return white_space::<true>(bytes, start),
        _ => {}
    }
    // Any other code point is the prefix of a word that follows directly.
    let (after, _) = class_at(bytes, start + len);
    match after {
        UPPER | LOWER | UNCASED | MARK => with_contraction(bytes, word(bytes, start + len, after)),
        _ if class == OTHER => symbols_and_lines(bytes, start),
        OTHER if bytes[start] == b' ' => symbols_and_lines(bytes, start + len),
        _ => white_space::<true>(bytes, start),
    }
}

#[inline(never)]
pub(super) fn next_gpt4o_export(bytes: &[u8], start: usize) -> usize {
    let first = start + usize::from(bytes[start] == b' ');
    let (class, len) = class_at(bytes, first);
    match class {
        UPPER | LOWER | UNCASED | MARK => apostrophes(bytes, word(bytes, first, class)),
        OTHER => symbols_and_lines(bytes, first),
        NUMBER if first == start => three_numbers(bytes, first + len),
        _ => white_space::<true>(bytes, start),
    }
}

/// Must not be called at a letter; see `each_letter`.
#[inline(always)]
pub(super) fn next_gpt4o_letters(bytes: &[u8], start: usize) -> usize {
    let first = start + usize::from(bytes[start] == b' ');
    let (class, len) = class_at(bytes, first);
    match class {
        UPPER | LOWER | UNCASED => run(bytes, first + len, Classes::MARK),
        MARK | OTHER => symbols_and_lines(bytes, first),
        NUMBER if first == start => three_numbers(bytes, first + len),
        _ => white_space::<true>(bytes, start),
    }
}

#[inline(never)]
pub(super) fn next_gpt4(bytes: &[u8], start: usize) -> usize {
    let (class, len) = class_at(bytes, start);
    match class {
        UPPER | LOWER | UNCASED => return letters(bytes, start),
        NUMBER => return three_numbers(bytes, start + len),
        NEWLINE => return white_space::<true>(bytes, start),
        _ => {}
    }
    let contracted = with_contraction(bytes, start);
    if contracted > start {
        return contracted;
    }
    let (after, _) = class_at(bytes, start + len);
    match after {
        UPPER | LOWER | UNCASED => letters(bytes, start + len),
        _ if class != SPACE => symbols_and_newlines(bytes, start),
        MARK | OTHER if bytes[start] == b' ' => symbols_and_newlines(bytes, start + len),
        _ => white_space::<true>(bytes, start),
    }
}

#[inline(never)]
pub(super) fn next_gpt2(bytes: &[u8], start: usize) -> usize {
    let first = start + usize::from(bytes[start] == b' ');
    let (class, _) = class_at(bytes, first);
    match class {
        UPPER | LOWER | UNCASED => letters(bytes, first),
        NUMBER => run(bytes, first, Classes::NUMBER),
        MARK | OTHER => {
            if bytes[start] == b'\'' {
                let len = contraction_len(&bytes[start + 1..]);
                if len > 0 {
                    return start + 1 + len;
                }
            }
            run(bytes, first, Classes::SYMBOL)
        }
        _ => white_space::<false>(bytes, start),
    }
}

/// A word of the GPT-4o patterns: branches 1 and 2 without prefix and suffix, at a letter or mark of
/// class `first`. Let A = upper, uncased, mark and B = lower, uncased, mark.
///
/// `A*B+` matches the longest run of A. If a lowercase letter follows, it continues with the longest
/// run of B. Otherwise it backtracks to the last uncased code point of the run, which is in B, and
/// ends right after it: `国AB` gives `国`. If the run has none, `A+B*` matches all of it.
#[inline(always)]
fn word(bytes: &[u8], start: usize, first: u8) -> usize {
    if first == LOWER {
        return lower_word(bytes, start);
    }
    let mut i = start;
    let mut uncased_end = start;
    loop {
        let (class, len) = class_at(bytes, i);
        i += len;
        match class {
            UPPER => {}
            UNCASED | MARK => uncased_end = i,
            LOWER => return lower_word(bytes, i - len),
            _ if uncased_end > start => return uncased_end,
            _ => return i - len,
        }
    }
}

/// The run of `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` at `start`.
#[inline(always)]
fn lower_word(bytes: &[u8], start: usize) -> usize {
    let end = ascii_lower_run(bytes, start);
    match bytes.get(end) {
        Some(0x80..) => run(bytes, end, Classes::NOT_UPPER),
        _ => end,
    }
}

/// The run of `\p{L}` at `start`.
#[inline(always)]
fn letters(bytes: &[u8], start: usize) -> usize {
    run(bytes, ascii_lower_run(bytes, start), Classes::LETTER)
}

/// The end of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `end`, or `end` if it does not match.
#[inline(always)]
fn with_contraction(bytes: &[u8], end: usize) -> usize {
    match bytes.get(end) {
        Some(b'\'') => match &bytes[end + 1..] {
            // U+017F, the long s, equals s when case is ignored.
            [0xc5, 0xbf, ..] => end + 3,
            [a, b, ..] => match contraction_len(&[a | 0x20, b | 0x20]) {
                0 => end,
                len => end + 1 + len,
            },
            [a] => match contraction_len(&[a | 0x20]) {
                0 => end,
                len => end + 1 + len,
            },
            [] => end,
        },
        _ => end,
    }
}

/// The length of `s`, `t`, `re`, `ve`, `m`, `ll` or `d` at the start, or 0.
#[inline(always)]
fn contraction_len(bytes: &[u8]) -> usize {
    match bytes {
        [b's' | b't' | b'm' | b'd', ..] => 1,
        [b'r' | b'v', b'e', ..] | [b'l', b'l', ..] => 2,
        _ => 0,
    }
}

/// The end of `(?:['’](?:\p{L}\p{M}*)+)*` at `end`.
#[inline(always)]
fn apostrophes(bytes: &[u8], mut end: usize) -> usize {
    loop {
        let after = match &bytes[end..] {
            [b'\'', ..] => end + 1,
            [0xe2, 0x80, 0x99, ..] => end + 3,
            _ => return end,
        };
        let (class, len) = class_at(bytes, after);
        if !Classes::LETTER.has(class) {
            return end;
        }
        end = run(bytes, after + len, Classes::LETTER_OR_MARK);
    }
}

/// The end of `\p{N}{1,3}` whose first number ends at `i`.
#[inline(always)]
fn three_numbers(bytes: &[u8], mut i: usize) -> usize {
    for _ in 0..2 {
        let (class, len) = class_at(bytes, i);
        if class != NUMBER {
            break;
        }
        i += len;
    }
    i
}

/// The end of `[^\s\p{L}\p{N}]+[\r\n/]*` at `start`.
#[inline(always)]
fn symbols_and_lines(bytes: &[u8], start: usize) -> usize {
    let mut i = run(bytes, start, Classes::SYMBOL);
    while let Some(b'\r' | b'\n' | b'/') = bytes.get(i) {
        i += 1;
    }
    i
}

/// The end of `[^\s\p{L}\p{N}]+[\r\n]*` at `start`.
#[inline(always)]
fn symbols_and_newlines(bytes: &[u8], start: usize) -> usize {
    let mut i = run(bytes, start, Classes::SYMBOL);
    while let Some(b'\r' | b'\n') = bytes.get(i) {
        i += 1;
    }
    i
}

/// The end of `\s*[\r\n]+|\s+(?!\S)|\s+` at white space; without `LINES`, of `\s+(?!\S)|\s+`.
///
/// The first branch ends after the last newline of the run of white space. A run without a newline
/// is matched whole at the end of the text. Before other text it is matched without its last code
/// point, unless that is the only one.
#[inline(always)]
fn white_space<const LINES: bool>(bytes: &[u8], start: usize) -> usize {
    let mut i = start;
    let mut last = start;
    let mut after_newline = start;
    let following = loop {
        let (class, len) = class_at(bytes, i);
        if class != SPACE && class != NEWLINE {
            break class;
        }
        last = i;
        i += len;
        if class == NEWLINE {
            after_newline = i;
        }
    };
    if LINES && after_newline > start {
        after_newline
    } else if following == END || last == start {
        i
    } else {
        last
    }
}
