//! The end of the next pretoken, for each family of presets: their patterns translated to code by
//! hand.
//!
//! A `next` function takes valid UTF-8 and a position before its end, and returns the end of the
//! match of the pattern there. It may look past its match, but each byte is looked at by at most one
//! more call, so the time stays linear in the text. The traits of a preset choose among the patterns
//! of a family.

use super::traits::{Numbers, Preset, Quotes};
use crate::text::unicode::{
    Alphabet, CJK_LETTER, CJK_STRAY, CJK_SYMBOL, Classes, END, HAN, HAN_SYMBOL, LOWER, MARK,
    NEWLINE, NUMBER, OTHER, SINGLE, SPACE, STRAY, UNCASED, UPPER, ascii_lower_run, class_at,
    class_in, run, run_in,
};

/// GPT-4o, the same with single letters for some scripts, tekken and Kimi.
#[inline(never)]
pub(super) fn next_gpt4o<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let (class, len) = class_in::<R::Alphabet>(bytes, start);
    match class {
        // A mark could also be the prefix, but the match is the same.
        UPPER | LOWER | UNCASED | MARK => return cased_word::<R>(bytes, start, class),
        SINGLE => return run(bytes, start + len, Classes::MARK),
        HAN | HAN_SYMBOL => return run_in::<R::Alphabet>(bytes, start, Classes::HAN),
        NUMBER => return numbers::<R>(bytes, start + len),
        NEWLINE => return white_space::<R>(bytes, start),
        _ => {}
    }
    // Any other code point is the prefix of a word that follows directly.
    let (after, after_len) = class_in::<R::Alphabet>(bytes, start + len);
    match after {
        UPPER | LOWER | UNCASED | MARK => cased_word::<R>(bytes, start + len, after),
        SINGLE if bytes[start] == b' ' => run(bytes, start + len + after_len, Classes::MARK),
        _ if class == OTHER => symbols_and_lines::<R>(bytes, start),
        OTHER | HAN_SYMBOL if bytes[start] == b' ' => symbols_and_lines::<R>(bytes, start + len),
        _ => white_space::<R>(bytes, start),
    }
}

#[inline(never)]
pub(super) fn next_gpt4o_export<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let first = start + usize::from(bytes[start] == b' ');
    let (class, len) = class_at(bytes, first);
    match class {
        UPPER | LOWER | UNCASED | MARK => {
            apostrophes(bytes, word::<R::Alphabet>(bytes, first, class))
        }
        OTHER => symbols_and_lines::<R>(bytes, first),
        NUMBER if first == start => numbers::<R>(bytes, first + len),
        _ => white_space::<R>(bytes, start),
    }
}

/// Must not be called at a letter; see `each_letter`.
#[inline(always)]
pub(super) fn next_gpt4o_letters<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let first = start + usize::from(bytes[start] == b' ');
    let (class, len) = class_at(bytes, first);
    match class {
        UPPER | LOWER | UNCASED => run(bytes, first + len, Classes::MARK),
        MARK | OTHER => symbols_and_lines::<R>(bytes, first),
        NUMBER if first == start => numbers::<R>(bytes, first + len),
        _ => white_space::<R>(bytes, start),
    }
}

/// GPT-4, Llama 3 and Qwen.
#[inline(never)]
pub(super) fn next_gpt4<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let (class, len) = class_at(bytes, start);
    match class {
        UPPER | LOWER | UNCASED => return letters::<R>(bytes, start),
        MARK if R::TRAITS.marks => return letters::<R>(bytes, start),
        NUMBER => return numbers::<R>(bytes, start + len),
        NEWLINE => return white_space::<R>(bytes, start),
        _ => {}
    }
    let contracted = with_contraction(bytes, start);
    if contracted > start {
        return contracted;
    }
    let (after, _) = class_at(bytes, start + len);
    match after {
        UPPER | LOWER | UNCASED => letters::<R>(bytes, start + len),
        MARK if R::TRAITS.marks => letters::<R>(bytes, start + len),
        _ if class != SPACE => symbols_and_lines::<R>(bytes, start),
        MARK | OTHER if bytes[start] == b' ' => symbols_and_lines::<R>(bytes, start + len),
        _ => white_space::<R>(bytes, start),
    }
}

/// GPT-2 and Command R.
#[inline(never)]
pub(super) fn next_gpt2<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let first = start + usize::from(bytes[start] == b' ');
    let (class, len) = class_at(bytes, first);
    match class {
        UPPER | LOWER | UNCASED => letters::<R>(bytes, first),
        NUMBER => match R::TRAITS.numbers {
            Numbers::Spaced => run(bytes, first, Classes::NUMBER),
            _ if first == start => numbers::<R>(bytes, first + len),
            _ => white_space::<R>(bytes, start),
        },
        MARK | OTHER => {
            if bytes[start] == b'\'' {
                let len = contraction_len(&bytes[start + 1..]);
                if len > 0 {
                    return start + 1 + len;
                }
            }
            run(bytes, first, Classes::SYMBOL)
        }
        _ => white_space::<R>(bytes, start),
    }
}

#[inline(never)]
pub(super) fn next_deepseek<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let at = |i| class_in::<R::Alphabet>(bytes, i);
    let words = |i| run_in::<R::Alphabet>(bytes, i, Classes::LETTER_OR_MARK);
    let symbols = |i| {
        let end = run_in::<R::Alphabet>(bytes, i, Classes::SYMBOL_NOT_MARK);
        newlines(bytes, end)
    };
    let (class, len) = at(start);
    let (after, _) = at(start + len);
    match class {
        UPPER | LOWER | UNCASED | MARK => words(start),
        NUMBER => numbers::<R>(bytes, start + len),
        OTHER if bytes[start] < 0x80 => match bytes.get(start + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => {
                let rest = &bytes[start + 1..];
                let end = rest.iter().position(|byte| !byte.is_ascii_alphabetic());
                start + 1 + end.unwrap_or(rest.len())
            }
            _ => symbols(start),
        },
        OTHER => symbols(start),
        SPACE | STRAY if Classes::LETTER_OR_MARK.has(after) => words(start + len),
        SPACE if after == OTHER && bytes[start] == b' ' => symbols(start + len),
        SPACE | NEWLINE => white_space::<R>(bytes, start),
        CJK_LETTER => run_in::<R::Alphabet>(bytes, start, Classes::CJK_LETTER),
        CJK_SYMBOL => run_in::<R::Alphabet>(bytes, start, Classes::CJK_SYMBOL),
        CJK_STRAY if after == CJK_LETTER => {
            run_in::<R::Alphabet>(bytes, start + len, Classes::CJK_LETTER)
        }
        CJK_STRAY => strays::<R::Alphabet>(bytes, start, CJK_STRAY, Classes::CJK_LETTER),
        _ => strays::<R::Alphabet>(bytes, start, STRAY, Classes::LETTER_OR_MARK),
    }
}

/// The run of code points of class `stray` at `start`, without its last one if that is the prefix of
/// the word after it.
#[inline(always)]
fn strays<A: Alphabet>(bytes: &[u8], start: usize, stray: u8, word: Classes) -> usize {
    let mut i = start;
    let mut last = start;
    loop {
        let (class, len) = class_in::<A>(bytes, i);
        match class == stray {
            true => last = i,
            false if word.has(class) && last > start => return last,
            false => return i,
        }
        i += len;
    }
}

/// A word of the GPT-4o patterns with its contraction, at a letter or mark of class `first`.
#[inline(always)]
fn cased_word<R: Preset>(bytes: &[u8], start: usize, first: u8) -> usize {
    let end = word::<R::Alphabet>(bytes, start, first);
    match R::TRAITS.quotes {
        Quotes::Plain => end,
        _ => with_contraction(bytes, end),
    }
}

/// A word of the GPT-4o patterns: branches 1 and 2 without prefix and suffix, at a letter or mark of
/// class `first`. Let A = upper, uncased, mark and B = lower, uncased, mark.
///
/// `A*B+` matches the longest run of A. If a lowercase letter follows, it continues with the longest
/// run of B. Otherwise it backtracks to the last uncased code point of the run, which is in B, and
/// ends right after it: `国AB` gives `国`. If the run has none, `A+B*` matches all of it.
#[inline(always)]
fn word<A: Alphabet>(bytes: &[u8], start: usize, first: u8) -> usize {
    if first == LOWER {
        return lower_word::<A>(bytes, start);
    }
    let mut i = start;
    let mut uncased_end = start;
    loop {
        let (class, len) = class_in::<A>(bytes, i);
        i += len;
        match class {
            UPPER => {}
            UNCASED | MARK => uncased_end = i,
            LOWER => return lower_word::<A>(bytes, i - len),
            _ if uncased_end > start => return uncased_end,
            _ => return i - len,
        }
    }
}

/// The run of `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` at `start`.
#[inline(always)]
fn lower_word<A: Alphabet>(bytes: &[u8], start: usize) -> usize {
    let end = ascii_lower_run(bytes, start);
    match bytes.get(end) {
        Some(0x80..) => run_in::<A>(bytes, end, Classes::NOT_UPPER),
        _ => end,
    }
}

/// The run of `\p{L}` at `start`, or of `[\p{L}\p{M}]` if marks are letters.
#[inline(always)]
fn letters<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let classes = match R::TRAITS.marks {
        true => Classes::LETTER_OR_MARK,
        false => Classes::LETTER,
    };
    run(bytes, ascii_lower_run(bytes, start), classes)
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

/// The end of `\p{N}{1,3}` or `\p{N}` whose first number ends at `i`.
#[inline(always)]
fn numbers<R: Preset>(bytes: &[u8], mut i: usize) -> usize {
    let more = match R::TRAITS.numbers {
        Numbers::Three => 2,
        Numbers::One | Numbers::Spaced => 0,
    };
    for _ in 0..more {
        let (class, len) = class_at(bytes, i);
        if class != NUMBER {
            break;
        }
        i += len;
    }
    i
}

/// The end of `[^\s\p{L}\p{N}]+[\r\n]*` at `start`: without marks if they are letters, and with `/`
/// among the newlines if it belongs to them.
#[inline(always)]
fn symbols_and_lines<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let classes = match R::TRAITS.marks {
        true => Classes::SYMBOL_NOT_MARK,
        false => Classes::SYMBOL,
    };
    let mut end = newlines(bytes, run(bytes, start, classes));
    while R::TRAITS.slashes && bytes.get(end) == Some(&b'/') {
        end = newlines(bytes, end + 1);
    }
    end
}

/// The end of `[\r\n]*` at `i`.
#[inline(always)]
fn newlines(bytes: &[u8], mut i: usize) -> usize {
    while let Some(b'\r' | b'\n') = bytes.get(i) {
        i += 1;
    }
    i
}

/// The end of `\s*[\r\n]+|\s+(?!\S)|\s+` at white space; without lines, of `\s+(?!\S)|\s+`.
///
/// The first branch ends after the last newline of the run of white space. A run without a newline
/// is matched whole at the end of the text. Before other text it is matched without its last code
/// point, unless that is the only one. Where a pattern stands for several splits in sequence, the
/// text that an earlier split takes out ends the text for `(?!\S)`.
#[inline(always)]
fn white_space<R: Preset>(bytes: &[u8], start: usize) -> usize {
    let mut i = start;
    let mut last = start;
    let mut after_newline = start;
    let following = loop {
        let (class, len) = class_in::<R::Alphabet>(bytes, i);
        if class != SPACE && class != NEWLINE {
            break class;
        }
        last = i;
        i += len;
        if class == NEWLINE {
            after_newline = i;
        }
    };
    if R::TRAITS.whole_tail && following == END {
        return i;
    }
    let ends = match following {
        END => true,
        NUMBER | CJK_LETTER | CJK_SYMBOL | CJK_STRAY => R::TRAITS.numbers_apart,
        _ => false,
    };
    if R::TRAITS.lines && after_newline > start {
        after_newline
    } else if ends || last == start {
        i
    } else {
        last
    }
}
