//! Scanners for the preset patterns: each is its regular expression, worked out by hand.
//!
//! A `next` function takes valid UTF-8 and a position before its end, and gives the end of the match
//! that the pattern makes there. The presets match at every position, so nothing is ever skipped.
//! Each takes time linear in the text: what a scanner looks at beyond its match is looked at by at
//! most one more. Plain ASCII is cut by [`blocks`] first; the scanners know it too. Tests hold
//! each of them against its pattern run by the regex engine.

mod blocks;

use crate::cpu::Avx512;
use crate::text::Sink;
use crate::text::unicode::{
    Classes, END, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UNCASED, UPPER, ascii_lower_run,
    class_at, run,
};
use blocks::{Preset, Rules};

/// The scanners, by the pattern they stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum Scanner {
    Gpt4o,
    Gpt4oLetters,
    Gpt4oExport,
    Gpt4,
    Gpt2,
}

impl Scanner {
    /// The scanner for this pattern text, where there is one.
    pub(in crate::text) fn for_pattern(pattern: &str) -> Option<Self> {
        use crate::text::presets;
        match pattern {
            presets::GPT4O => Some(Scanner::Gpt4o),
            presets::GPT4O_LETTERS => Some(Scanner::Gpt4oLetters),
            presets::GPT4O_EXPORT => Some(Scanner::Gpt4oExport),
            presets::GPT4 => Some(Scanner::Gpt4),
            presets::GPT2 => Some(Scanner::Gpt2),
            _ => None,
        }
    }

    /// Gives the pretokens of `bytes`, which are valid UTF-8 and start at `base` of the text.
    #[inline(always)]
    pub(in crate::text) fn scan(self, bytes: &[u8], base: usize, sink: &mut impl Sink) {
        self.scan_by(Avx512::detect(), bytes, base, sink);
    }

    #[inline(always)]
    fn scan_by(self, avx512: Option<Avx512>, bytes: &[u8], base: usize, sink: &mut impl Sink) {
        match self {
            Scanner::Gpt4o => each::<Gpt4o>(bytes, base, sink, avx512, next_gpt4o),
            Scanner::Gpt4oLetters => each_letter(bytes, base, sink),
            Scanner::Gpt4oExport => {
                each::<Gpt4oExport>(bytes, base, sink, avx512, next_gpt4o_export)
            }
            Scanner::Gpt4 => each::<Gpt4>(bytes, base, sink, avx512, next_gpt4),
            Scanner::Gpt2 => each::<Gpt2>(bytes, base, sink, avx512, next_gpt2),
        }
    }
}

struct Gpt4o;

impl Preset for Gpt4o {
    const RULES: Rules = Rules {
        any_prefix: true,
        cased: true,
        three_numbers: true,
        lines: true,
        slashes: true,
        quote_anywhere: false,
    };
}

struct Gpt4oExport;

impl Preset for Gpt4oExport {
    const RULES: Rules = Rules {
        any_prefix: false,
        ..Gpt4o::RULES
    };
}

struct Gpt4;

impl Preset for Gpt4 {
    const RULES: Rules = Rules {
        cased: false,
        slashes: false,
        quote_anywhere: true,
        ..Gpt4o::RULES
    };
}

struct Gpt2;

impl Preset for Gpt2 {
    const RULES: Rules = Rules {
        any_prefix: false,
        cased: false,
        three_numbers: false,
        lines: false,
        slashes: false,
        quote_anywhere: true,
    };
}

/// After a block that decided nothing, how many pretokens are left to the scanner: one where
/// plain text goes on behind it, more in text that is mostly not ASCII.
#[inline(always)]
fn patience(bytes: &[u8], start: usize) -> u32 {
    match bytes[start..].first_chunk::<{ blocks::BLOCK }>() {
        Some(ahead) if ahead.iter().map(|byte| byte >> 7).sum::<u8>() > 16 => 8,
        _ => 1,
    }
}

#[inline(always)]
fn each<R: Preset>(
    bytes: &[u8],
    base: usize,
    sink: &mut impl Sink,
    avx512: Option<Avx512>,
    next: impl Fn(&[u8], usize) -> usize,
) {
    let mut start = 0;
    // So many pretokens are left to the scanner.
    let mut wait = 0;
    while start < bytes.len() {
        if wait == 0 {
            let ends = blocks::starts::<R>(bytes, start, avx512) & !1;
            if ends != 0 {
                sink.pretokens(base + start, base + start, ends);
                start += 63 - ends.leading_zeros() as usize;
                continue;
            }
            wait = patience(bytes, start);
        }
        wait -= 1;
        let end = next(bytes, start);
        debug_assert!(end > start, "a match takes at least one code point");
        sink.pretoken(base + start, base + end);
        start = end;
    }
}

/// [`each`] for single letters: the class of what follows a letter is also that of the next start,
/// so every letter is looked up once.
#[inline(always)]
fn each_letter(bytes: &[u8], base: usize, sink: &mut impl Sink) {
    let mut start = 0;
    let (mut class, mut len) = class_at(bytes, start);
    while start < bytes.len() {
        let mut end;
        if Classes::LETTER.has(class) {
            end = start + len;
            (class, len) = class_at(bytes, end);
            while class == MARK {
                end += len;
                (class, len) = class_at(bytes, end);
            }
        } else {
            end = next_gpt4o_letters(bytes, start);
            (class, len) = class_at(bytes, end);
        }
        sink.pretoken(base + start, base + end);
        start = end;
    }
}

#[inline(never)]
fn next_gpt4o(bytes: &[u8], start: usize) -> usize {
    let (class, len) = class_at(bytes, start);
    match class {
        // A mark may also be the prefix, but the match is the same either way.
        UPPER | LOWER | UNCASED | MARK => {
            return with_contraction(bytes, word(bytes, start, class));
        }
        NUMBER => return three_numbers(bytes, start + len),
        NEWLINE => return white_space::<true>(bytes, start),
        _ => {}
    }
    // Any other code point is the prefix of a word that follows at once.
    let (after, _) = class_at(bytes, start + len);
    match after {
        UPPER | LOWER | UNCASED | MARK => with_contraction(bytes, word(bytes, start + len, after)),
        _ if class == OTHER => symbols_and_lines(bytes, start),
        OTHER if bytes[start] == b' ' => symbols_and_lines(bytes, start + len),
        _ => white_space::<true>(bytes, start),
    }
}

#[inline(never)]
fn next_gpt4o_export(bytes: &[u8], start: usize) -> usize {
    let first = start + usize::from(bytes[start] == b' ');
    let (class, len) = class_at(bytes, first);
    match class {
        UPPER | LOWER | UNCASED | MARK => apostrophes(bytes, word(bytes, first, class)),
        OTHER => symbols_and_lines(bytes, first),
        NUMBER if first == start => three_numbers(bytes, first + len),
        _ => white_space::<true>(bytes, start),
    }
}

/// Not called at a letter: see [`each_letter`].
#[inline(always)]
fn next_gpt4o_letters(bytes: &[u8], start: usize) -> usize {
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
fn next_gpt4(bytes: &[u8], start: usize) -> usize {
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
fn next_gpt2(bytes: &[u8], start: usize) -> usize {
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

/// A word of the GPT-4o patterns, branches 1 and 2 without prefix and suffix, at a letter or mark of
/// class `first`. With A = upper, uncased, mark and B = lower, uncased, mark:
///
/// `A*B+` takes the longest run of A; where a lowercase letter follows, the longest run of B from
/// there. Else it must give code points back until one is in B, the last uncased one of the run,
/// and ends right after it: `国AB` gives `国`. Where none is there, `A+B*` takes the run.
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

/// `end`, or the end of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` where it follows there.
#[inline(always)]
fn with_contraction(bytes: &[u8], end: usize) -> usize {
    match bytes.get(end) {
        Some(b'\'') => match &bytes[end + 1..] {
            // U+017F, the long s, is an s in any case.
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

/// `end`, or the end of `(?:['’](?:\p{L}\p{M}*)+)*` where it follows there.
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
/// The first ends after the last newline of the run of white space. Without a newline the run is
/// taken whole at the end of the text, and less its last code point where text follows, if another
/// is left.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Pretokens by the scanner alone, without blocks.
    fn one_by_one(bytes: &[u8], next: fn(&[u8], usize) -> usize) -> Vec<(usize, usize)> {
        let mut pretokens = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            let end = next(bytes, start);
            pretokens.push((start, end));
            start = end;
        }
        pretokens
    }

    #[test]
    fn blocks_cut_as_the_scanners_do() {
        type Next = fn(&[u8], usize) -> usize;
        let scanners: [(Scanner, Next); 4] = [
            (Scanner::Gpt4o, next_gpt4o),
            (Scanner::Gpt4oExport, next_gpt4o_export),
            (Scanner::Gpt4, next_gpt4),
            (Scanner::Gpt2, next_gpt2),
        ];
        // Each text draws from a few of these, so that rare neighbours meet often.
        let pieces = [
            "a", "b", "s", "re", "ll", "word", "Word", "WORD", "iPhone", " ", " ", " ", "  ", "\t",
            "\n", "\r\n", "\n\n", "\x0b", "\x0c", "/", "//", ".", ",", "'", "''", "'s", "'LL", "-",
            "--", "\0", "\x7f", "1", "23", "456", "7890", "é", "ſ", "’", "国", "🙂", "\u{a0}",
            "\u{2028}", "²", "\u{301}",
        ];
        let mut random = Random(11);
        for _ in 0..20_000 {
            let few: Vec<&str> = (0..1 + random.below(8))
                .map(|_| pieces[random.below(pieces.len() as u64) as usize])
                .collect();
            let mut text = String::new();
            for _ in 0..random.below(120) {
                text += few[random.below(few.len() as u64) as usize];
            }
            for (scanner, next) in scanners {
                let expected = one_by_one(text.as_bytes(), next);
                for avx512 in [None, Avx512::detect()] {
                    let mut found = Vec::new();
                    scanner.scan_by(avx512, text.as_bytes(), 0, &mut |start, end| {
                        found.push((start, end))
                    });
                    assert_eq!(found, expected, "{scanner:?} {avx512:?}: {text:?}");
                }
            }
        }
    }
}
