//! Lookups in the generated Unicode tables, by code point or by position in UTF-8 text.

use super::tables::{BLOCK_BITS, STAGE_1, STAGE_2};

/// Uppercase and titlecase letters (Lu, Lt).
pub(super) const UPPER: u8 = 0;
/// Lowercase letters (Ll).
pub(super) const LOWER: u8 = 1;
/// Letters without case, and modifiers (Lo, Lm).
pub(super) const UNCASED: u8 = 2;
/// Marks (M).
pub(super) const MARK: u8 = 3;
/// Numbers (N).
pub(super) const NUMBER: u8 = 4;
/// `\r` and `\n`.
pub(super) const NEWLINE: u8 = 5;
/// All other white space.
pub(super) const SPACE: u8 = 6;
/// Everything else: punctuation, symbols, controls, unassigned.
pub(super) const OTHER: u8 = 7;
/// Not a code point: the end of the text.
pub(super) const END: u8 = 8;
// Classes that only some alphabets have; see `alphabets`.
/// A letter that is a word by itself.
pub(super) const SINGLE: u8 = 9;
/// Neither white space, letter, mark, number, punctuation nor symbol.
pub(super) const STRAY: u8 = 10;
/// A letter or mark of the range that DeepSeek splits off.
pub(super) const CJK_LETTER: u8 = 11;
/// Punctuation or a symbol of that range.
pub(super) const CJK_SYMBOL: u8 = 12;
/// Anything else in that range: its unassigned code points.
pub(super) const CJK_STRAY: u8 = 13;
/// Han, but no symbol.
pub(super) const HAN: u8 = 14;
/// Han, and a symbol or mark.
pub(super) const HAN_SYMBOL: u8 = 15;

/// A set of classes, one bit each.
#[derive(Clone, Copy)]
pub(super) struct Classes(u16);

impl Classes {
    pub(super) const LETTER: Classes = Classes::of(&[UPPER, LOWER, UNCASED]);
    pub(super) const LETTER_OR_MARK: Classes = Classes::of(&[UPPER, LOWER, UNCASED, MARK]);
    /// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
    pub(super) const NOT_UPPER: Classes = Classes::of(&[LOWER, UNCASED, MARK]);
    pub(super) const MARK: Classes = Classes::of(&[MARK]);
    pub(super) const NUMBER: Classes = Classes::of(&[NUMBER]);
    /// `[^\s\p{L}\p{N}]`.
    pub(super) const SYMBOL: Classes = Classes::of(&[MARK, OTHER]);
    /// `[^\s\p{L}\p{M}\p{N}]`.
    pub(super) const SYMBOL_NOT_MARK: Classes = Classes::of(&[OTHER]);
    pub(super) const CJK_LETTER: Classes = Classes::of(&[CJK_LETTER]);
    pub(super) const CJK_SYMBOL: Classes = Classes::of(&[CJK_SYMBOL]);
    pub(super) const HAN: Classes = Classes::of(&[HAN, HAN_SYMBOL]);

    pub(super) const fn of(classes: &[u8]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < classes.len() {
            bits |= 1 << classes[i];
            i += 1;
        }
        Classes(bits)
    }

    #[inline(always)]
    pub(super) fn has(self, class: u8) -> bool {
        self.0 >> class & 1 != 0
    }
}

/// How a scanner classifies code points.
pub(super) trait Alphabet {
    /// The class of each ASCII byte.
    const ASCII: &'static [u8; 128];

    /// The class of a code point that is not ASCII.
    fn class(code_point: u32) -> u8;
}

/// The classes of the tables, which most scanners use.
pub(super) struct Plain;

impl Alphabet for Plain {
    const ASCII: &'static [u8; 128] = &ASCII_CLASS;

    #[inline(always)]
    fn class(code_point: u32) -> u8 {
        class_of(entry(code_point))
    }
}

static ASCII_CLASS: [u8; 128] = {
    let mut classes = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = class_of(entry(byte as u32));
        byte += 1;
    }
    classes
};

/// The class in a table entry.
#[inline(always)]
pub(super) const fn class_of(entry: u16) -> u8 {
    (entry & 7) as u8
}

/// The table entry of a code point: class in bits 0..3, category in 3..8, script in 8..16.
#[inline(always)]
pub(super) const fn entry(code_point: u32) -> u16 {
    STAGE_2[index(code_point)]
}

/// Where the table entry of a code point is.
#[inline(always)]
pub(super) const fn index(code_point: u32) -> usize {
    let block = STAGE_1[(code_point >> BLOCK_BITS) as usize] as usize;
    block << BLOCK_BITS | (code_point & ((1 << BLOCK_BITS) - 1)) as usize
}

/// The index of the general category of a code point.
pub(super) const fn category(code_point: u32) -> u8 {
    (entry(code_point) >> 3 & 31) as u8
}

/// The index of the script of a code point.
#[inline(always)]
pub(super) const fn script(code_point: u32) -> u8 {
    (entry(code_point) >> 8) as u8
}

/// The code point of two or more bytes that starts at `i`, and its length in bytes.
///
/// `bytes` must be valid UTF-8 and `i` the start of a code point. Otherwise the result is
/// meaningless, or the function panics.
#[inline(always)]
pub(super) fn decode(bytes: &[u8], i: usize) -> (u32, usize) {
    let tail = |k: usize| u32::from(bytes[i + k] & 0x3f);
    let lead = u32::from(bytes[i]);
    if lead < 0xe0 {
        ((lead & 0x1f) << 6 | tail(1), 2)
    } else if lead < 0xf0 {
        ((lead & 0x0f) << 12 | tail(1) << 6 | tail(2), 3)
    } else {
        (
            (lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3),
            4,
        )
    }
}

/// The class and the length of the code point that starts at `i`, or `(END, 0)` at the end.
#[inline(always)]
pub(super) fn class_at(bytes: &[u8], i: usize) -> (u8, usize) {
    class_in::<Plain>(bytes, i)
}

/// The same in another alphabet.
#[inline(always)]
pub(super) fn class_in<A: Alphabet>(bytes: &[u8], i: usize) -> (u8, usize) {
    match bytes.get(i) {
        None => (END, 0),
        Some(&byte) if byte < 0x80 => (A::ASCII[byte as usize], 1),
        Some(_) => {
            let (code_point, len) = decode(bytes, i);
            (A::class(code_point), len)
        }
    }
}

/// The end of the run of code points of these classes that starts at `i`; `i` if there is none.
#[inline(always)]
pub(super) fn run(bytes: &[u8], i: usize, classes: Classes) -> usize {
    run_in::<Plain>(bytes, i, classes)
}

/// The same in another alphabet.
#[inline(always)]
pub(super) fn run_in<A: Alphabet>(bytes: &[u8], mut i: usize, classes: Classes) -> usize {
    loop {
        let (class, len) = class_in::<A>(bytes, i);
        if !classes.has(class) {
            return i;
        }
        i += len;
    }
}

const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// The eight bytes at `i`, the first one in the lowest bits. `None` near the end.
#[inline(always)]
fn eight(bytes: &[u8], i: usize) -> Option<u64> {
    let (word, _) = bytes.get(i..)?.split_first_chunk::<8>()?;
    Some(u64::from_le_bytes(*word))
}

/// The end of the run of `a..=z` that starts at `i`. It looks at eight bytes at a time, so that a
/// typical word takes one well-predicted branch instead of a mispredicted one at its end.
#[inline(always)]
pub(super) fn ascii_lower_run(bytes: &[u8], mut i: usize) -> usize {
    while let Some(word) = eight(bytes, i) {
        let low = word & !HIGH_BITS;
        // The high bit of each byte is set if it is at least `a`, and if it is past `z`. No addition
        // carries into the next byte, because each byte is below 0x80 before it.
        let from_a = low + 0x1f1f_1f1f_1f1f_1f1f;
        let past_z = low + 0x0505_0505_0505_0505;
        let others = !(from_a & !past_z & !word) & HIGH_BITS;
        if others != 0 {
            return i + (others.trailing_zeros() / 8) as usize;
        }
        i += 8;
    }
    while bytes.get(i).is_some_and(u8::is_ascii_lowercase) {
        i += 1;
    }
    i
}

/// The end of the run of ASCII that starts at `i`.
#[inline(always)]
pub(super) fn ascii_run(bytes: &[u8], mut i: usize) -> usize {
    while let Some(word) = eight(bytes, i) {
        let others = word & HIGH_BITS;
        if others != 0 {
            return i + (others.trailing_zeros() / 8) as usize;
        }
        i += 8;
    }
    while bytes.get(i).is_some_and(u8::is_ascii) {
        i += 1;
    }
    i
}
