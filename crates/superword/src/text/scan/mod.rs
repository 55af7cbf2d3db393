//! Scanners for the patterns of the presets.
//!
//! Each scanner gives exactly the pretokens of its pattern. [`blocks`] splits plain ASCII, sixty-four
//! bytes at a time. [`next`] finds the end of one pretoken in any text, and is used wherever the
//! blocks cannot decide. The patterns of the presets match at every position, so no text is skipped.
//! Tests compare every scanner with its pattern run by the regex engine.

mod alphabets;
mod blocks;
mod next;
mod traits;

use crate::cpu::Avx512;
use crate::text::Sink;
use crate::text::presets;
use crate::text::spelling::canonical;
use crate::text::unicode::{Classes, MARK, SINGLE, class_at, class_in};
use next::next_gpt4o_letters;
use traits::{
    Cl100k, CommandR, DeepSeekV3, Gpt2, Gpt4, Gpt4o, Gpt4oExport, Gpt4oPortable, KimiK2, Preset,
    Qwen2, Qwen35, Tekken,
};

/// The scanners, named after their patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum Scanner {
    Gpt4o,
    Gpt4oLetters,
    Gpt4oPortable,
    Gpt4oExport,
    Tekken,
    KimiK2,
    Gpt4,
    Cl100k,
    Qwen2,
    Qwen35,
    DeepSeekV3,
    Gpt2,
    CommandR,
}

/// The scanner of each pattern.
const SCANNERS: [(&str, Scanner); 13] = [
    (presets::GPT4O, Scanner::Gpt4o),
    (presets::GPT4O_LETTERS, Scanner::Gpt4oLetters),
    (presets::GPT4O_PORTABLE, Scanner::Gpt4oPortable),
    (presets::GPT4O_EXPORT, Scanner::Gpt4oExport),
    (presets::TEKKEN, Scanner::Tekken),
    (presets::KIMI_K2, Scanner::KimiK2),
    (presets::GPT4, Scanner::Gpt4),
    (presets::CL100K, Scanner::Cl100k),
    (presets::QWEN2, Scanner::Qwen2),
    (presets::QWEN35, Scanner::Qwen35),
    (presets::DEEPSEEK_V3, Scanner::DeepSeekV3),
    (presets::GPT2, Scanner::Gpt2),
    (presets::COMMAND_R, Scanner::CommandR),
];

impl Scanner {
    /// The scanner for this pattern in any known spelling, if there is one.
    pub(in crate::text) fn for_pattern(pattern: &str) -> Option<Self> {
        let wanted = canonical(pattern);
        let found = SCANNERS.iter().find(|(own, _)| canonical(own) == wanted);
        found.map(|&(_, scanner)| scanner)
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
            Scanner::Gpt4o => each::<Gpt4o>(bytes, base, sink, avx512),
            Scanner::Gpt4oLetters => each_letter(bytes, base, sink),
            Scanner::Gpt4oPortable => each::<Gpt4oPortable>(bytes, base, sink, avx512),
            Scanner::Gpt4oExport => each::<Gpt4oExport>(bytes, base, sink, avx512),
            Scanner::Tekken => each::<Tekken>(bytes, base, sink, avx512),
            Scanner::KimiK2 => each::<KimiK2>(bytes, base, sink, avx512),
            Scanner::Gpt4 => each::<Gpt4>(bytes, base, sink, avx512),
            Scanner::Cl100k => each::<Cl100k>(bytes, base, sink, avx512),
            Scanner::Qwen2 => each::<Qwen2>(bytes, base, sink, avx512),
            Scanner::Qwen35 => each::<Qwen35>(bytes, base, sink, avx512),
            Scanner::DeepSeekV3 => each::<DeepSeekV3>(bytes, base, sink, avx512),
            Scanner::Gpt2 => each::<Gpt2>(bytes, base, sink, avx512),
            Scanner::CommandR => each::<CommandR>(bytes, base, sink, avx512),
        }
    }
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
fn each<R: Preset>(bytes: &[u8], base: usize, sink: &mut impl Sink, avx512: Option<Avx512>) {
    let mut start = 0;
    // The number of pretokens to find one by one before the next block.
    let mut wait = 0;
    while start < bytes.len() {
        // All letters that are words by themselves have at least three bytes.
        if R::TRAITS.singles && bytes[start] >= 0xe0 {
            let end = each_single::<R>(bytes, start, base, sink);
            if end > start {
                start = end;
                continue;
            }
        }
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
        let end = R::next(bytes, start);
        debug_assert!(end > start, "a match takes at least one code point");
        sink.pretoken(base + start, base + end);
        start = end;
    }
}

/// Passes on the letters at `start` that are words by themselves, with their marks. Returns where
/// they end. The class of the code point after a letter is kept, so every letter is looked up once.
#[inline(always)]
fn each_single<R: Preset>(
    bytes: &[u8],
    mut start: usize,
    base: usize,
    sink: &mut impl Sink,
) -> usize {
    let (mut class, mut len) = class_in::<R::Alphabet>(bytes, start);
    while class == SINGLE {
        let mut end = start + len;
        (class, len) = class_in::<R::Alphabet>(bytes, end);
        while class == MARK {
            end += len;
            (class, len) = class_in::<R::Alphabet>(bytes, end);
        }
        sink.pretoken(base + start, base + end);
        start = end;
    }
    start
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
            end = next_gpt4o_letters::<Gpt4o>(bytes, start);
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
        let scanners: [(Scanner, Next); 12] = [
            (Scanner::Gpt4o, Gpt4o::next),
            (Scanner::Gpt4oPortable, Gpt4oPortable::next),
            (Scanner::Gpt4oExport, Gpt4oExport::next),
            (Scanner::Tekken, Tekken::next),
            (Scanner::KimiK2, KimiK2::next),
            (Scanner::Gpt4, Gpt4::next),
            (Scanner::Cl100k, Cl100k::next),
            (Scanner::Qwen2, Qwen2::next),
            (Scanner::Qwen35, Qwen35::next),
            (Scanner::DeepSeekV3, DeepSeekV3::next),
            (Scanner::Gpt2, Gpt2::next),
            (Scanner::CommandR, CommandR::next),
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
