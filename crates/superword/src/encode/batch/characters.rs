//! Texts as Python stores them: one, two or four bytes for each character.

use crate::memory;

/// A text has a character that is not valid Unicode, such as a lone surrogate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUnicode {
    /// How many characters are before it.
    pub position: usize,
}

/// So many characters are converted at a time. Their UTF-8 stays in the first-level cache.
const BLOCK: usize = 1024;

/// Most texts are ASCII almost everywhere, and so many ASCII characters are converted at once.
const RUN: usize = 16;

/// Appends the UTF-8 of a text. Its characters are code points in `u8` (Latin-1), `u16` or `u32`.
pub fn push_utf8<C: Copy + Into<u32>>(text: &[C], out: &mut Vec<u8>) -> Result<(), NotUnicode> {
    let mut utf8 = [0; 4 * BLOCK];
    let mut position = 0;
    for block in text.chunks(BLOCK) {
        let mut len = 0;
        let (runs, last) = block.as_chunks::<RUN>();
        for run in runs {
            // No branch until the end of the run, so that the processor does all of it at once.
            let all = run.iter().fold(0, |all, &character| all | character.into());
            if all < 0x80 {
                for (place, &character) in utf8[len..len + RUN].iter_mut().zip(run) {
                    *place = character.into() as u8;
                }
                len += RUN;
                position += RUN;
            } else {
                one_by_one(run, &mut utf8, &mut len, &mut position)?;
            }
        }
        one_by_one(last, &mut utf8, &mut len, &mut position)?;
        memory::extend(out, &utf8[..len]);
    }
    Ok(())
}

/// Makes room for more bytes. If there is no memory, it unwinds, as the rest of the engine does.
pub fn make_room(out: &mut Vec<u8>, bytes: usize) {
    memory::reserve(out, bytes);
}

#[inline]
fn one_by_one<C: Copy + Into<u32>>(
    text: &[C],
    utf8: &mut [u8],
    len: &mut usize,
    position: &mut usize,
) -> Result<(), NotUnicode> {
    for &character in text {
        let place = &mut utf8[*len..*len + 4];
        let wrong = NotUnicode {
            position: *position,
        };
        *len += encode(character.into(), place).ok_or(wrong)?;
        *position += 1;
    }
    Ok(())
}

/// Writes the UTF-8 of a character and returns its length.
#[inline(always)]
fn encode(character: u32, place: &mut [u8]) -> Option<usize> {
    let byte = |shift: u32| (character >> shift) as u8 & 0x3f | 0x80;
    match character {
        0..0x80 => {
            place[0] = character as u8;
            Some(1)
        }
        0x80..0x800 => {
            place[..2].copy_from_slice(&[(character >> 6) as u8 | 0xc0, byte(0)]);
            Some(2)
        }
        0x800..0xd800 | 0xe000..0x10000 => {
            place[..3].copy_from_slice(&[(character >> 12) as u8 | 0xe0, byte(6), byte(0)]);
            Some(3)
        }
        0x10000..0x110000 => {
            let first = (character >> 18) as u8 | 0xf0;
            place[..4].copy_from_slice(&[first, byte(12), byte(6), byte(0)]);
            Some(4)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same with the standard library, character by character.
    fn slowly(text: &[u32]) -> Result<String, NotUnicode> {
        let characters = text.iter().enumerate();
        characters
            .map(|(position, &code)| char::from_u32(code).ok_or(NotUnicode { position }))
            .collect()
    }

    fn check(text: &[u32]) {
        let expected = slowly(text);
        let bytes = |done: Result<(), NotUnicode>, out: Vec<u8>| {
            done.map(|()| String::from_utf8(out).expect("UTF-8"))
        };
        let mut out = Vec::new();
        let done = push_utf8(text, &mut out);
        assert_eq!(bytes(done, out), expected);
        if let Ok(text) = text.iter().map(|&code| u16::try_from(code)).collect() {
            let mut out = Vec::new();
            let done = push_utf8::<u16>(&Vec::<u16>::from_iter::<Vec<u16>>(text), &mut out);
            assert_eq!(bytes(done, out), expected);
        }
        if let Ok(text) = text.iter().map(|&code| u8::try_from(code)).collect() {
            let mut out = Vec::new();
            let done = push_utf8::<u8>(&Vec::<u8>::from_iter::<Vec<u8>>(text), &mut out);
            assert_eq!(bytes(done, out), expected);
        }
    }

    #[test]
    fn every_character_is_converted_as_the_standard_library_does() {
        let step = if cfg!(miri) { 997 } else { 1 };
        for start in (0..0x11_0010).step_by(step * 64) {
            check(&Vec::from_iter(
                (start..start + 64).filter(|code| code & 0xf800 != 0xd800),
            ));
        }
        for code in [
            0xd7ff,
            0xd800,
            0xdbff,
            0xdc00,
            0xdfff,
            0xe000,
            0x10_ffff,
            0x11_0000,
            u32::MAX,
        ] {
            check(&[code]);
            check(&[b'a'.into(), code, b'b'.into()]);
        }
    }

    #[test]
    fn characters_are_converted_wherever_they_are() {
        for len in [0, 1, 15, 16, 17, 31, 1023, 1024, 1025, 2049] {
            let ascii = vec![u32::from(b'x'); len];
            check(&ascii);
            let step = if cfg!(miri) { 101 } else { 1 };
            for at in (0..len).step_by(step) {
                for code in [0xe9, 0x416, 0x4e2d, 0x1_f600, 0xd83d] {
                    let mut text = ascii.clone();
                    text[at] = code;
                    check(&text);
                }
            }
            for code in [0xff, 0x7ff, 0xffff, 0x10_ffff] {
                check(&vec![code; len]);
            }
        }
    }
}
