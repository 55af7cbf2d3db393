//! Recognises text in another encoding than UTF-8 by its first bytes.

/// How many bytes at the start of a source decide.
pub(super) const HEAD: usize = 64;

/// The fewest bytes in which alternating zeros are recognised as UTF-16.
const LEAST: usize = 8;

/// The encoding of a text that starts with these bytes, or `None` if it may be UTF-8.
///
/// A byte order mark decides. Without one, ASCII text in UTF-16 is valid UTF-8 in which every other
/// character is NUL, which no real text has.
pub(super) fn foreign(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        _ => {
            let (units, _) = head[..head.len().min(HEAD)].as_chunks::<2>();
            let zeros_at = |at: usize| {
                let other = 1 - at;
                units.iter().all(|unit| unit[at] == 0 && unit[other] != 0)
            };
            (units.len() * 2 >= LEAST && (zeros_at(0) || zeros_at(1))).then_some("UTF-16")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn utf16_is_recognised_with_and_without_a_byte_order_mark() {
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(foreign(&utf16("\u{feff}été", unit)), Some("UTF-16"));
            assert_eq!(foreign(&utf16("{\"text\": 1}", unit)), Some("UTF-16"));
        }
        assert_eq!(foreign(b"\xff\xfe\0\0a\0\0\0"), Some("UTF-32"));
    }

    #[test]
    fn utf8_is_not_mistaken_for_anything_else() {
        for text in [
            "",
            "a",
            "\u{feff}{}",
            "a\0b\0",
            "\0\0\0\0\0\0\0\0",
            "ordinary text",
        ] {
            assert_eq!(foreign(text.as_bytes()), None, "{text:?}");
        }
    }
}
