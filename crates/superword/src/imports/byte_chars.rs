//! The byte alphabet of GPT-2: each byte as one printable character.
//!
//! Byte-level tokenizers of Hugging Face and the model files of the paper's program write tokens in
//! it: `ĠtheĊ` is a space, `the` and a newline. Printable bytes stand for themselves. The others, in
//! order, are U+0100 and on.

/// The code point of the first byte that is not printable.
const FIRST: u32 = 0x100;

/// Whether a byte stands for itself.
const fn is_printable(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// The number of bytes that are not printable.
const OTHERS: usize = 68;

/// The bytes that are not printable, in order.
const OTHER_BYTES: [u8; OTHERS] = {
    let mut found = [0; OTHERS];
    let (mut byte, mut count) = (0u8, 0);
    loop {
        if !is_printable(byte) {
            found[count] = byte;
            count += 1;
        }
        if byte == u8::MAX {
            break found;
        }
        byte += 1;
    }
};

/// The character of each byte.
///
/// ```
/// assert_eq!(superword::internal::byte_chars().nth(0x20), Some('Ġ'));
/// ```
pub fn byte_chars() -> impl Iterator<Item = char> {
    let mut others = FIRST..;
    (0..=u8::MAX).map(move |byte| match is_printable(byte) {
        true => char::from(byte),
        false => others
            .next()
            .and_then(char::from_u32)
            .unwrap_or(char::REPLACEMENT_CHARACTER),
    })
}

/// The bytes that a token stands for. `None` if a character is not in the alphabet.
pub(super) fn to_bytes(token: &str) -> Option<Vec<u8>> {
    token.chars().map(byte_of).collect()
}

fn byte_of(c: char) -> Option<u8> {
    match u8::try_from(c) {
        Ok(byte) => is_printable(byte).then_some(byte),
        Err(_) => OTHER_BYTES
            .get(u32::from(c).checked_sub(FIRST)? as usize)
            .copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_one_character() {
        let alphabet: String = byte_chars().collect();
        assert_eq!(to_bytes(&alphabet), Some((0..=u8::MAX).collect()));
        assert_eq!(to_bytes("ĠtheĊ").as_deref(), Some(&b" the\n"[..]));
        for other in [" ", "\u{ad}", "\u{144}", "中", "\n"] {
            assert_eq!(to_bytes(other), None);
        }
    }
}
