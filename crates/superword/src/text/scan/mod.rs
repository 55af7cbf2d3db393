//! Scanners for the patterns of the presets.
//!
//! Each scanner gives exactly the pretokens of its pattern. [`blocks`] splits plain ASCII, sixty-four
//! bytes at a time. [`next`] finds the end of one pretoken in any text, and is used wherever the
//! blocks cannot decide. The patterns of the presets match at every position, so no text is skipped.
//! Tests compare every scanner with its pattern run by the regex engine.

mod blocks;
mod next;

use crate::cpu::Avx512;
use crate::text::Sink;
use crate::text::unicode::{Classes, MARK, class_at};
use blocks::{Preset, Traits};
use next::{next_gpt2, next_gpt4, next_gpt4o, next_gpt4o_export, next_gpt4o_letters};

/// The scanners, named after their patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum Scanner {
    Gpt4o,
    Gpt4oLetters,
    Gpt4oExport,
    Gpt4,
    Gpt2,
}

impl Scanner {
    /// The scanner for this pattern, if there is one.
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

    /// Passes the pretokens of `bytes` to the sink. `bytes` must be valid UTF-8; `base` is where they
    /// start in the text.
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
    const TRAITS: Traits = Traits {
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
    const TRAITS: Traits = Traits {
        any_prefix: false,
        ..Gpt4o::TRAITS
    };
}

struct Gpt4;

impl Preset for Gpt4 {
    const TRAITS: Traits = Traits {
        cased: false,
        slashes: false,
        quote_anywhere: true,
        ..Gpt4o::TRAITS
    };
}

struct Gpt2;

impl Preset for Gpt2 {
    const TRAITS: Traits = Traits {
        any_prefix: false,
        cased: false,
        three_numbers: false,
        lines: false,
        slashes: false,
        quote_anywhere: true,
    };
}

/// How many pretokens to find one by one after a block that decided nothing: one if ASCII text
/// follows, more if the text is mostly not ASCII.
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
    // The number of pretokens to find one by one before the next block.
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

/// [`each`] for single letters. The class of the code point after a letter is kept for the next
/// pretoken, so every letter is looked up once.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// The pretokens found one by one, without blocks.
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
    fn blocks_give_the_same_pretokens_as_the_scanners() {
        type Next = fn(&[u8], usize) -> usize;
        let scanners: [(Scanner, Next); 4] = [
            (Scanner::Gpt4o, next_gpt4o),
            (Scanner::Gpt4oExport, next_gpt4o_export),
            (Scanner::Gpt4, next_gpt4),
            (Scanner::Gpt2, next_gpt2),
        ];
        // Each text uses only a few of these, so that rare combinations occur often.
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
