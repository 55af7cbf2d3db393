//! Texts and bytes of files in messages: in quotes, with everything invisible escaped, as Python
//! shows them.

use std::fmt::Write;

/// A text in quotes: `'a\n'`.
pub(super) fn quoted(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 2);
    let quote = quote_for(text.contains('\''), text.contains('"'));
    shown.push(quote);
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            '\\' => shown.push_str("\\\\"),
            _ if c == quote => shown.extend(['\\', c]),
            _ if is_printable(c) => shown.push(c),
            _ => {
                let code = u32::from(c);
                let _ = match code {
                    0..=0xFF => write!(shown, "\\x{code:02x}"),
                    0x100..=0xFFFF => write!(shown, "\\u{code:04x}"),
                    _ => write!(shown, "\\U{code:08x}"),
                };
            }
        }
    }
    shown.push(quote);
    shown
}

/// Bytes in quotes: `b'\xe9'`.
pub(super) fn quoted_bytes(bytes: &[u8]) -> String {
    let quote = quote_for(bytes.contains(&b'\''), bytes.contains(&b'"'));
    let mut shown = String::from("b");
    shown.push(quote);
    for &byte in bytes {
        match byte {
            b'\n' => shown.push_str("\\n"),
            b'\r' => shown.push_str("\\r"),
            b'\t' => shown.push_str("\\t"),
            b'\\' => shown.push_str("\\\\"),
            _ if char::from(byte) == quote => shown.extend(['\\', quote]),
            b' '..=b'~' => shown.push(char::from(byte)),
            _ => {
                let _ = write!(shown, "\\x{byte:02x}");
            }
        }
    }
    shown.push(quote);
    shown
}

fn quote_for(has_single: bool, has_double: bool) -> char {
    if has_single && !has_double { '"' } else { '\'' }
}

fn is_printable(c: char) -> bool {
    // `escape_debug` of a text escapes marks only where they come first.
    let mut text = [b' '; 5];
    c.encode_utf8(&mut text[1..]);
    let text = str::from_utf8(&text[..=c.len_utf8()]).unwrap_or_default();
    matches!(c, '"' | '\'') || text.escape_debug().count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shown_as_python_shows_them() {
        for (text, shown) in [
            ("a b", "'a b'"),
            ("é\u{301}中", "'é\u{301}中'"),
            ("\n\t\\", r"'\n\t\\'"),
            ("\0\u{a0}\u{200b}\u{e000}", r"'\x00\xa0\u200b\ue000'"),
            ("\u{10ffff}", r"'\U0010ffff'"),
            ("it's", r#""it's""#),
            (r#"'""#, r#"'\'"'"#),
        ] {
            assert_eq!(quoted(text), shown);
        }
        assert_eq!(quoted_bytes(b"a'\xe9\n\""), r#"b'a\'\xe9\n"'"#);
    }
}
