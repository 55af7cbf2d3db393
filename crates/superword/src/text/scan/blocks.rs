//! Splits plain ASCII into pretokens, sixty-four bytes at a time.
//!
//! In ASCII text, a byte and its neighbours decide whether a pretoken starts there. Here this is
//! computed for a whole block at once. One 64-bit mask per class says which bytes are letters,
//! blanks and so on, and a few shifts and ands combine them into the mask of starts. There is no
//! branch per byte or per pretoken that could be mispredicted at the end of nearly every word.
//!
//! A block begins at the start of a pretoken, so no state is carried into it. Where the masks cannot
//! decide (a byte that is not ASCII, an apostrophe in a word, blank lines that contain blanks), the
//! block ends early and [`super::next`] finds the next pretoken.

use super::traits::{Numbers, Preset, Quotes, Traits};
use crate::cpu::Avx512;

/// The bytes in a block.
pub(super) const BLOCK: usize = 64;

/// The classes of the bytes of a block. Bit `i` of each mask is for byte `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Masks {
    lower: u64,
    letter: u64,
    digit: u64,
    /// `' '`.
    blank: u64,
    /// `\t`, `\n`, `\v`, `\f`, `\r`.
    control: u64,
    newline: u64,
    quote: u64,
    slash: u64,
    /// Control characters that are not white space.
    stray: u64,
    /// Not ASCII.
    high: u64,
}

/// The starts of pretokens in a block that begins with one, so bit 0 is always set. Each pretoken but
/// the last ends where the next one starts. The end of the last one is unknown.
#[inline(always)]
pub(super) fn starts<R: Preset>(bytes: &[u8], start: usize, avx512: Option<Avx512>) -> u64 {
    let Some((window, _)) = bytes[start..].split_first_chunk() else {
        return starts_at_end(&bytes[start..], R::TRAITS);
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(Avx512 { .. }) = avx512 {
        // SAFETY: an `Avx512` value exists only if the processor has these features.
        return unsafe { avx512::starts::<R>(window) };
    }
    let _ = avx512;
    starts_of(masks(window), u64::MAX, R::TRAITS)
}

/// The same for the end of the text, where less than a block is left.
#[inline(never)]
fn starts_at_end(bytes: &[u8], traits: Traits) -> u64 {
    let mut window = [0; BLOCK];
    window[..bytes.len()].copy_from_slice(bytes);
    starts_of(masks(&window), (1 << bytes.len()) - 1, traits)
}

#[inline(always)]
fn starts_of(m: Masks, text: u64, traits: Traits) -> u64 {
    let none = 0;
    let space = m.blank | m.control;
    let newline = if traits.lines { m.newline } else { none };
    // White space other than newlines.
    let still = space & !newline;
    let prefix = if traits.any_prefix { still } else { m.blank };
    let symbol = !(m.letter | m.digit | space | m.high);
    let upper = m.letter & !m.lower;

    // Bytes that the masks cannot decide about.
    let mut doubt = m.high | !text;
    if traits.strays {
        doubt |= m.stray;
    }
    // Apostrophes that certainly do not start a contraction.
    let mut free_quote = (text & !(m.letter | m.high)) >> 1;
    if traits.quotes == Quotes::AfterLetter {
        free_quote |= !(m.letter << 1);
    }
    if traits.quotes != Quotes::Plain {
        doubt |= m.quote & !free_quote;
    }
    if traits.slashes {
        doubt |= m.slash & (newline << 1);
    }
    // Blanks between two newlines. Adding a bit at the start of a run of ones carries it to the end
    // of the run.
    let after_newline = still & (newline << 1);
    let run_ends = still.wrapping_add(after_newline) & !still;
    if traits.lines && run_ends & newline != 0 {
        doubt |= after_newline;
    }
    let limit = doubt.trailing_zeros();

    // A single symbol before a letter is the prefix of the word.
    let prefix_symbol = match traits.any_prefix {
        true => symbol & !(symbol << 1) & !(m.blank << 1) & (m.letter >> 1),
        false => none,
    };
    let mut letter_starts = m.digit | newline | (still & !prefix) | (symbol & !prefix_symbol);
    letter_starts = (letter_starts << 1) & m.letter;
    if traits.cased {
        letter_starts |= upper & (m.lower << 1);
    }
    let digit_starts = match traits.numbers {
        Numbers::One => m.digit,
        Numbers::Spaced => m.digit & !(m.digit << 1) & !(m.blank << 1),
        Numbers::Three => {
            let three = m.digit & (m.digit << 1) & (m.digit << 2) & (m.digit << 3);
            let mut group = m.digit & !(m.digit << 1);
            let mut groups = group;
            loop {
                group = (group << 3) & three;
                if group == 0 {
                    break groups;
                }
                groups |= group;
            }
        }
    };
    let symbol_starts = symbol & ((m.letter | m.digit | (space & !m.blank)) << 1);
    let kept_newline = newline & (symbol << 1);
    // The last blank before other text starts a pretoken.
    let ends_space = if traits.numbers_apart { m.digit } else { none };
    let last_space = still & !((space | ends_space) >> 1);
    let space_starts = (space & !(space << 1) & !kept_newline) | last_space | after_newline;
    let starts = 1 | letter_starts | digit_starts | symbol_starts | space_starts;

    // White space at the limit may continue after it, so only its first start is certain.
    let before = (1u64.checked_shl(limit).unwrap_or(0)).wrapping_sub(1);
    let others = !space & before;
    let known = 64 - others.leading_zeros(); // everything before and at this place
    let certain = if known >= limit {
        before
    } else {
        before & ((2u64 << known).wrapping_sub(1))
    };
    starts & certain | 1
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn masks(window: &[u8; BLOCK]) -> Masks {
    let (parts, _) = window.as_chunks::<16>();
    Masks::new(|class| {
        together(parts, 16, |part| {
            // SAFETY: every x86-64 processor has SSE2.
            unsafe { sse2::mask(u128::from_le_bytes(part), class) }
        })
    })
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn masks(window: &[u8; BLOCK]) -> Masks {
    portable_masks(window)
}

/// The same for any processor, eight bytes at a time.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn portable_masks(window: &[u8; BLOCK]) -> Masks {
    let (parts, _) = window.as_chunks::<8>();
    Masks::new(|class| {
        together(parts, 8, |part| {
            portable::mask(u64::from_le_bytes(part), class)
        })
    })
}

/// A class of bytes.
#[derive(Clone, Copy)]
enum Class {
    /// A range, including both ends.
    Range(u8, u8),
    /// A range of lowercase letters, in which uppercase letters count as lowercase.
    AnyCase(u8, u8),
    /// One of these two.
    Either(u8, u8),
    /// Not ASCII.
    High,
}

impl Masks {
    /// Makes the masks of a block with a function that makes the mask of a class.
    #[inline(always)]
    fn new(mask: impl Fn(Class) -> u64) -> Masks {
        Masks {
            lower: mask(Class::Range(b'a', b'z')),
            letter: mask(Class::AnyCase(b'a', b'z')),
            digit: mask(Class::Range(b'0', b'9')),
            blank: mask(Class::Range(b' ', b' ')),
            control: mask(Class::Range(b'\t', b'\r')),
            newline: mask(Class::Either(b'\n', b'\r')),
            quote: mask(Class::Range(b'\'', b'\'')),
            slash: mask(Class::Range(b'/', b'/')),
            stray: mask(Class::Range(0, 8))
                | mask(Class::Range(0x0e, 0x1f))
                | mask(Class::Range(0x7f, 0x7f)),
            high: mask(Class::High),
        }
    }
}

/// Combines the masks of the parts of a block, each of which has `bits` bits.
#[inline(always)]
fn together<P: Copy>(parts: &[P], bits: usize, mask: impl Fn(P) -> u32) -> u64 {
    let parts = parts.iter().enumerate();
    parts.fold(0, |all, (at, &part)| {
        all | u64::from(mask(part)) << (at * bits)
    })
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    //! Every x86-64 processor has SSE2, so nothing has to be detected.

    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set_epi64x, _mm_set1_epi8,
    };

    use super::Class;

    /// The mask of sixteen bytes.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn mask(bytes: u128, class: Class) -> u32 {
        let bytes = _mm_set_epi64x((bytes >> 64) as i64, bytes as i64);
        let is = |byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
        let found = match class {
            Class::Range(first, last) if first == last => is(first),
            Class::Range(first, last) => within(bytes, first, last),
            Class::AnyCase(first, last) => {
                within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), first, last)
            }
            Class::Either(one, other) => _mm_or_si128(is(one), is(other)),
            Class::High => bytes,
        };
        _mm_movemask_epi8(found) as u32
    }

    /// Shifts `first` to the smallest signed number, so that one comparison checks the range.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn within(bytes: __m128i, first: u8, last: u8) -> __m128i {
        let moved = _mm_add_epi8(bytes, _mm_set1_epi8(0x80u8.wrapping_sub(first) as i8));
        _mm_cmplt_epi8(moved, _mm_set1_epi8((0x81 + (last - first)) as i8))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    //! A block fits into one register, and comparisons return masks directly.

    use std::arch::x86_64::{
        __m512i, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_loadu_si512,
        _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8, _mm512_sub_epi8,
    };

    use super::{BLOCK, Class, Masks, Preset, starts_of};

    #[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn starts<R: Preset>(window: &[u8; BLOCK]) -> u64 {
        starts_of(masks(window), u64::MAX, R::TRAITS)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn masks(window: &[u8; BLOCK]) -> Masks {
        // SAFETY: `window` has sixty-four bytes, and the load needs no alignment.
        let bytes = unsafe { _mm512_loadu_si512(window.as_ptr().cast()) };
        Masks::new(|class| mask(bytes, class))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn mask(bytes: __m512i, class: Class) -> u64 {
        let of = |byte: u8| _mm512_set1_epi8(byte as i8);
        let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, of(byte));
        let within = |bytes: __m512i, first: u8, last: u8| {
            _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, of(first)), of(last - first))
        };
        match class {
            Class::Range(first, last) if first == last => is(first),
            Class::Range(first, last) => within(bytes, first, last),
            Class::AnyCase(first, last) => within(_mm512_or_si512(bytes, of(0x20)), first, last),
            Class::Either(one, other) => is(one) | is(other),
            Class::High => _mm512_movepi8_mask(bytes),
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::Class;

    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;

    /// The mask of eight bytes.
    #[inline(always)]
    pub(super) fn mask(bytes: u64, class: Class) -> u32 {
        let found = match class {
            Class::Range(first, last) => within(bytes, first, last),
            Class::AnyCase(first, last) => within(bytes | (0x20 * ONES), first, last),
            Class::Either(one, other) => within(bytes, one, one) | within(bytes, other, other),
            Class::High => bytes & HIGH,
        };
        // The high bit of each byte, gathered into eight bits.
        (((found >> 7) & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    }

    /// Sets the high bit of each byte in the range. No addition carries into the next byte, because
    /// each byte is below 0x80 before it.
    #[inline(always)]
    fn within(bytes: u64, first: u8, last: u8) -> u64 {
        let low = bytes & !HIGH;
        let from_first = low + u64::from(0x80 - first) * ONES;
        let past_last = low + u64::from(0x7f - last) * ONES;
        from_first & !past_last & !bytes & HIGH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn every_path_makes_the_same_masks() {
        let mut random = Random(5);
        let rounds = if cfg!(miri) { 30 } else { 20_000 };
        for round in 0..rounds {
            let mut window = [0; BLOCK];
            for byte in &mut window {
                *byte = match round % 3 {
                    0 => random.below(256) as u8,
                    1 => random.below(128) as u8,
                    _ => {
                        b"az@AZ[`{'/09:\x08\t\n\x0b\x0c\r\x0e \x7f\x80\xff"
                            [random.below(23) as usize]
                    }
                };
            }
            let expected = |is: fn(&u8) -> bool| -> u64 {
                let bits = window.iter().enumerate();
                bits.map(|(i, byte)| u64::from(is(byte)) << i).sum()
            };
            let plain = Masks {
                lower: expected(u8::is_ascii_lowercase),
                letter: expected(u8::is_ascii_alphabetic),
                digit: expected(u8::is_ascii_digit),
                blank: expected(|&byte| byte == b' '),
                control: expected(|byte| (9..=13).contains(byte)),
                newline: expected(|byte| matches!(byte, b'\r' | b'\n')),
                quote: expected(|&byte| byte == b'\''),
                slash: expected(|&byte| byte == b'/'),
                stray: expected(|byte| byte.is_ascii_control() && !(9..=13).contains(byte)),
                high: expected(|byte| !byte.is_ascii()),
            };
            assert_eq!(masks(&window), plain, "{window:?}");
            assert_eq!(portable_masks(&window), plain, "{window:?}");
            #[cfg(target_arch = "x86_64")]
            if Avx512::detect().is_some() {
                // SAFETY: `Avx512::detect` found that the processor has these features.
                let masks = unsafe { avx512::masks(&window) };
                assert_eq!(masks, plain, "{window:?}");
            }
        }
    }
}
