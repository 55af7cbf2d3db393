//! The fast path of [`jsonl`](super::jsonl): a strict scanner for one object on one line.
//!
//! Its results always equal those of `serde_json`. It returns [`Scan::Unsure`] for anything unusual.

use super::plain::{BLOCK, special};
use crate::memory;

/// What the scanner found.
#[derive(Debug, PartialEq)]
pub(in crate::corpus) enum Scan<'a> {
    /// The text, borrowed from the line.
    Borrowed(&'a str),
    /// The text is in `scratch`.
    Unescaped,
    /// The text contains half a surrogate pair, in the escape that starts at this byte.
    LoneSurrogate { at: usize },
    /// The line is not an object with a string at the field, or has an unusual shape.
    Unsure,
}

/// Deeper nesting is left to `serde_json`.
const MAX_DEPTH: usize = 64;

/// Finds the string at `field` of the object in `line`, and checks the rest of the line.
pub(in crate::corpus) fn scan<'a>(line: &'a str, field: &str, scratch: &mut String) -> Scan<'a> {
    let mut scanner = Scanner {
        line,
        bytes: line.as_bytes(),
        at: 0,
        lone_surrogate: None,
    };
    match scanner.object(field, scratch) {
        Some(Text::Borrowed(text)) => Scan::Borrowed(text),
        Some(Text::Unescaped) => Scan::Unescaped,
        None => match scanner.lone_surrogate {
            Some(at) => Scan::LoneSurrogate { at },
            None => Scan::Unsure,
        },
    }
}

enum Text<'a> {
    Borrowed(&'a str),
    Unescaped,
}

struct Scanner<'a> {
    line: &'a str,
    bytes: &'a [u8],
    at: usize,
    lone_surrogate: Option<usize>,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips blanks and then `byte`, or fails.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Reads the whole line: an object with optional blanks around it.
    fn object(&mut self, field: &str, scratch: &mut String) -> Option<Text<'a>> {
        let mut found = None;
        self.take(b'{')?;
        loop {
            self.take(b'"')?;
            let key = self.at;
            let escaped = self.skip_string()?;
            let key = &self.line[key..self.at - 1];
            if escaped {
                return None;
            }
            self.take(b':')?;
            self.blanks();
            if key == field {
                self.take(b'"')?;
                // If the field occurs again, the last one counts, as in Python's json module.
                found = Some(self.text(scratch)?);
            } else {
                self.value(0)?;
            }
            self.blanks();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return None,
            }
        }
        self.at += 1;
        self.blanks();
        if self.at == self.bytes.len() {
            found
        } else {
            None
        }
    }

    /// Skips a value.
    fn value(&mut self, depth: usize) -> Option<()> {
        self.blanks();
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.skip_string().map(|_| ())
            }
            b'{' | b'[' if depth == MAX_DEPTH => None,
            b'{' => self.items(b'}', |this| {
                this.take(b'"')?;
                this.skip_string()?;
                this.take(b':')?;
                this.value(depth + 1)
            }),
            b'[' => self.items(b']', |this| this.value(depth + 1)),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    /// Skips items separated by commas, from an opening bracket to `close`.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.blanks();
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            self.blanks();
            let next = self.peek()?;
            self.at += 1;
            match next {
                b',' => {}
                next if next == close => return Some(()),
                _ => return None,
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes[self.at..]
            .starts_with(word)
            .then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first = self.peek();
        let digits = self.digits()?;
        if first == Some(b'0') && digits > 1 {
            return None;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Skips one or more digits and returns how many.
    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(self.at - start)
    }

    /// Skips plain characters of a string, up to a quote or a backslash.
    fn run(&mut self) -> Option<&'a str> {
        let start = self.at;
        // Escapes often follow each other (`\u4e2d\u6587`): avoid a search that finds nothing.
        if !matches!(self.peek(), Some(b'"' | b'\\')) {
            self.at += memchr::memchr2(b'"', b'\\', &self.bytes[start..])?;
        }
        // There is no early exit, so that the compiler can vectorise the loop.
        let run = &self.bytes[start..self.at];
        let control = run.iter().fold(false, |any, &byte| any | (byte < 0x20));
        if control {
            None
        } else {
            Some(&self.line[start..self.at])
        }
    }

    /// Skips the rest of a string and its closing quote. Returns whether it contained escapes.
    fn skip_string(&mut self) -> Option<bool> {
        let mut escaped = false;
        loop {
            self.run()?;
            self.at += 1;
            if self.bytes[self.at - 1] == b'"' {
                return Some(escaped);
            }
            escaped = true;
            let kind = self.peek()?;
            self.at += 1;
            match kind {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => {
                    self.hex()?;
                }
                _ => return None,
            }
        }
    }

    /// Reads the rest of the string that is the text.
    fn text(&mut self, scratch: &mut String) -> Option<Text<'a>> {
        let run = self.run()?;
        if self.peek()? == b'"' {
            self.at += 1;
            return Some(Text::Borrowed(run));
        }
        let mut out = std::mem::take(scratch).into_bytes();
        let len = self.unescape(run, &mut out)?;
        out.truncate(len);
        // SAFETY: the line is valid UTF-8. Pieces of it between ASCII bytes and whole characters were put together.
        *scratch = unsafe { String::from_utf8_unchecked(out) };
        Some(Text::Unescaped)
    }

    /// Writes `run` and the rest of the string after it, without escapes, to the start of `out`. Returns its length.
    /// `out` gets longer than that.
    #[inline(always)]
    fn unescape(&mut self, run: &str, out: &mut Vec<u8>) -> Option<usize> {
        // The text is never longer than what is left of the line. Whole blocks are copied.
        let room = run.len() + self.bytes.len() - self.at + BLOCK;
        memory::reserve(out, room.saturating_sub(out.len()));
        if out.len() < room {
            out.resize(room, 0);
        }
        out[..run.len()].copy_from_slice(run.as_bytes());
        let mut len = run.len();
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(len);
                }
                b'\\' => {
                    let kind = *self.bytes.get(self.at + 1)?;
                    self.at += 2;
                    out[len] = match kind {
                        b'n' => b'\n',
                        b'"' | b'\\' | b'/' => kind,
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'b' => 8,
                        b'f' => 0xc,
                        b'u' => {
                            let character = self.character()?;
                            len += character.encode_utf8(&mut out[len..]).len();
                            continue;
                        }
                        _ => return None,
                    };
                    len += 1;
                }
                0..0x20 => return None,
                plain => {
                    out[len] = plain;
                    self.at += 1;
                    len += 1;
                }
            }
            // More plain bytes. Those in the last block of the line are copied one by one.
            while let Some((block, _)) = self.bytes[self.at..].split_first_chunk::<BLOCK>() {
                let (target, _) = out[len..].split_first_chunk_mut::<BLOCK>()?;
                *target = *block;
                let plain = special(block).trailing_zeros() as usize;
                self.at += plain;
                len += plain;
                if plain < BLOCK {
                    break;
                }
            }
        }
    }

    /// The character of one `\uXXXX`, or of two that are a surrogate pair.
    fn character(&mut self) -> Option<char> {
        let start = self.at - 2;
        let first = self.hex()?;
        if let Some(character) = char::from_u32(first) {
            return Some(character);
        }
        let mut second = None;
        if first < 0xdc00 && self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 2;
            second = Some(self.hex()?).filter(|second| (0xdc00..0xe000).contains(second));
        }
        let Some(second) = second else {
            self.lone_surrogate = Some(start);
            return None;
        };
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        let mut value = 0;
        for &digit in digits {
            value = value << 4 | char::from(digit).to_digit(16)?;
        }
        self.at += 4;
        Some(value)
    }
}
