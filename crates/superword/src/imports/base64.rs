//! Base64, in which tiktoken and tekken write tokens.

/// The bytes of a text in base64. `None` if it is not valid.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = &text[..text.len() - padding];
    if padding > 2 || !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for &digit in group {
            bits = bits << 6 | u32::from(value_of(digit)?);
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

fn value_of(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_are_decoded() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("AA==", b"\0"),
            ("IQ==", b"!"),
            ("IHQ=", b" t"),
            ("IHRo", b" th"),
            ("+/8AIHRo", b"\xfb\xff\0 th"),
        ] {
            assert_eq!(decode(text.as_bytes()).as_deref(), Some(bytes));
        }
        for wrong in [
            "A", "AA", "AAA", "=", "A===", "AA=A", "A A=", "AA-_", "AA==AA==",
        ] {
            assert_eq!(decode(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
