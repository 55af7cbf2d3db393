//! The alphabets of the scanners that tell more classes apart than the tables do.

use crate::text::tables::STAGE_2;
use crate::text::unicode::{
    Alphabet, CJK_LETTER, CJK_STRAY, CJK_SYMBOL, HAN, HAN_SYMBOL, LOWER, MARK, NEWLINE, NUMBER,
    OTHER, Plain, SINGLE, SPACE, STRAY, UNCASED, UPPER, category, class_of, entry, index, script,
};

/// The classes by place in the tables, so that looking up one takes no more than in [`Plain`]. The
/// classes of the scripts of these letters are replaced.
const fn replaced(letters: &[char], replacement: [u8; 8]) -> [u8; STAGE_2.len()] {
    let mut classes = [0; STAGE_2.len()];
    let mut place = 0;
    while place < STAGE_2.len() {
        let entry = STAGE_2[place];
        classes[place] = class_of(entry);
        let mut i = 0;
        while i < letters.len() {
            if (entry >> 8) as u8 == script(letters[i] as u32) {
                classes[place] = replacement[class_of(entry) as usize];
            }
            i += 1;
        }
        place += 1;
    }
    classes
}

/// The letters of seven scripts without spaces between words, and U+30FC, are `SINGLE`.
pub(super) struct Portable;

static PORTABLE_CLASS: [u8; STAGE_2.len()] = {
    let letters = ['国', 'ひ', 'カ', 'ไ', 'မ', 'ខ', 'ກ'];
    // All letters of these scripts are uncased.
    let replacement = [UPPER, LOWER, SINGLE, MARK, NUMBER, NEWLINE, SPACE, OTHER];
    let mut classes = replaced(&letters, replacement);
    // Its block has kana too, so no other code point shares this place.
    classes[index('ー' as u32)] = SINGLE;
    classes
};

impl Alphabet for Portable {
    const ASCII: &'static [u8; 128] = Plain::ASCII;

    #[inline(always)]
    fn class(code_point: u32) -> u8 {
        PORTABLE_CLASS[index(code_point)]
    }
}

/// Han is `HAN`, or `HAN_SYMBOL` where other code points are symbols.
pub(super) struct Kimi;

static KIMI_CLASS: [u8; STAGE_2.len()] = {
    let replacement = [HAN, HAN, HAN, HAN_SYMBOL, HAN, HAN, HAN, HAN_SYMBOL];
    replaced(&['国'], replacement)
};

impl Alphabet for Kimi {
    const ASCII: &'static [u8; 128] = Plain::ASCII;

    #[inline(always)]
    fn class(code_point: u32) -> u8 {
        KIMI_CLASS[index(code_point)]
    }
}

/// Han and kana in `[一-龥぀-ゟ゠-ヿ]` have classes of their own, and code points that are neither
/// white space, letter, mark, number, punctuation nor symbol are `STRAY`.
pub(super) struct DeepSeek;

static DEEPSEEK_ASCII: [u8; 128] = {
    let mut classes = *Plain::ASCII;
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = deepseek_class(byte as u32);
        byte += 1;
    }
    classes
};

/// Categories from this one on are control characters, private and unassigned code points.
const FIRST_OF_C: u8 = 25;

#[inline(always)]
const fn deepseek_class(code_point: u32) -> u8 {
    let class = match class_of(entry(code_point)) {
        OTHER if category(code_point) >= FIRST_OF_C => STRAY,
        class => class,
    };
    match code_point {
        0x3040..=0x30ff | 0x4e00..=0x9fa5 => match class {
            UPPER | LOWER | UNCASED | MARK => CJK_LETTER,
            OTHER => CJK_SYMBOL,
            _ => CJK_STRAY,
        },
        _ => class,
    }
}

impl Alphabet for DeepSeek {
    const ASCII: &'static [u8; 128] = &DEEPSEEK_ASCII;

    #[inline(always)]
    fn class(code_point: u32) -> u8 {
        deepseek_class(code_point)
    }
}
