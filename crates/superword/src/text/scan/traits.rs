//! What tells the presets apart, for the scanners.

use super::alphabets::{DeepSeek, Kimi, Portable};
use super::next::{next_deepseek, next_gpt2, next_gpt4, next_gpt4o, next_gpt4o_export};
use crate::text::unicode::{Alphabet, Plain};

/// How a preset splits text. The patterns are in [`crate::text::presets`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// A word may be prefixed by any code point that is not a newline, letter or number. Otherwise
    /// only by a space.
    pub(super) any_prefix: bool,
    /// A word ends before an uppercase letter that follows a lowercase one.
    pub(super) cased: bool,
    /// Marks belong to words as letters do. Only for presets that are not cased.
    pub(super) marks: bool,
    /// The letters of some scripts are words by themselves.
    pub(super) singles: bool,
    /// What a number is.
    pub(super) numbers: Numbers,
    /// Numbers are split off first, so white space before a number is at the end of its text.
    pub(super) numbers_apart: bool,
    /// White space up to a newline is a pretoken, and newlines belong to the symbols before them.
    pub(super) lines: bool,
    /// `/` after such newlines belongs to them.
    pub(super) slashes: bool,
    /// White space at the end of the text is one pretoken, even if it contains newlines.
    pub(super) whole_tail: bool,
    /// Control characters are not symbols.
    pub(super) strays: bool,
    /// What an apostrophe can be.
    pub(super) quotes: Quotes,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// One digit.
    One,
    /// At most three digits.
    Three,
    /// Any number of digits, which may be prefixed by a space.
    Spaced,
}

/// What an apostrophe can be besides a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// The start of a contraction, anywhere.
    Anywhere,
    /// The start of a contraction, after a letter.
    AfterLetter,
    /// Nothing else.
    Plain,
}

/// A preset as a type, so that its traits are constants when its scanner is compiled.
pub(super) trait Preset {
    /// Its traits.
    const TRAITS: Traits;

    /// Its classes of code points.
    type Alphabet: Alphabet;

    /// The end of the pretoken that starts at `start`.
    fn next(bytes: &[u8], start: usize) -> usize;
}

macro_rules! presets {
    ($($name:ident: $alphabet:ident, $next:ident, $traits:expr;)*) => {$(
        pub(super) struct $name;

        impl Preset for $name {
            const TRAITS: Traits = $traits;
            type Alphabet = $alphabet;

            #[inline(always)]
            fn next(bytes: &[u8], start: usize) -> usize {
                $next::<$name>(bytes, start)
            }
        }
    )*};
}

const GPT4O: Traits = Traits {
    any_prefix: true,
    cased: true,
    marks: false,
    singles: false,
    numbers: Numbers::Three,
    numbers_apart: false,
    lines: true,
    slashes: true,
    whole_tail: false,
    strays: false,
    quotes: Quotes::AfterLetter,
};

const GPT4: Traits = Traits {
    cased: false,
    slashes: false,
    quotes: Quotes::Anywhere,
    ..GPT4O
};

const GPT2: Traits = Traits {
    any_prefix: false,
    numbers: Numbers::Spaced,
    lines: false,
    ..GPT4
};

presets! {
    Gpt4o: Plain, next_gpt4o, GPT4O;
    Gpt4oPortable: Portable, next_gpt4o, Traits { singles: true, ..GPT4O };
    Gpt4oExport: Plain, next_gpt4o_export, Traits { any_prefix: false, ..GPT4O };
    Tekken: Plain, next_gpt4o, Traits { numbers: Numbers::One, quotes: Quotes::Plain, ..GPT4O };
    KimiK2: Kimi, next_gpt4o, Traits { slashes: false, ..GPT4O };
    Gpt4: Plain, next_gpt4, GPT4;
    Cl100k: Plain, next_gpt4, Traits { whole_tail: true, ..GPT4 };
    Qwen2: Plain, next_gpt4, Traits { numbers: Numbers::One, ..GPT4 };
    Qwen35: Plain, next_gpt4, Traits { numbers: Numbers::One, marks: true, ..GPT4 };
    DeepSeekV3: DeepSeek, next_deepseek, Traits {
        marks: true,
        numbers_apart: true,
        strays: true,
        quotes: Quotes::Plain,
        ..GPT4
    };
    Gpt2: Plain, next_gpt2, GPT2;
    CommandR: Plain, next_gpt2, Traits {
        numbers: Numbers::One,
        numbers_apart: true,
        ..GPT2
    };
}
