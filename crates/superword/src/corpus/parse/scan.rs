//! The fast path of [`jsonl`](super::jsonl): a strict scanner for one object on one line.
//!
//! It answers only what `serde_json` would answer too; everything unusual is [`Scan::Unsure`].

/// What the scanner found.
#[derive(Debug, PartialEq)]
pub(in crate::corpus) enum Scan<'a> {
    /// The text, as it stands in the line.
    Borrowed(&'a str),
    /// The text is in the scratch string.
    Unescaped,
    /// The text holds half a surrogate pair, in the escape that starts at this byte.
    LoneSurrogate { at: usize },
    /// Not an object with a string at the field, or of an unusual shape.
    Unsure,
}

/// Deeper nesting is left to `serde_json`.
const MAX_DEPTH: usize = 64;

/// Looks for the string at `field` of the object in `line`, and checks the rest of the line.
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

    /// Passes over blanks and then `byte`, or fails.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The whole line: an object, blanks around it.
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
                // The last of several wins, as in Python's json.
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

    /// Passes over a value.
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

    /// Items with commas between them, after an opening bracket and up to `close`.
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

    /// Passes over one digit or more; how many.
    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(self.at - start)
    }

    /// Passes over plain characters of a string, up to a quote or a backslash.
    fn run(&mut self) -> Option<&'a str> {
        let start = self.at;
        // Escapes often come in rows (`\u4e2d\u6587`): no search to find nothing.
        if !matches!(self.peek(), Some(b'"' | b'\\')) {
            self.at += memchr::memchr2(b'"', b'\\', &self.bytes[start..])?;
        }
        // Without early exit, so that the compiler makes it wide.
        let run = &self.bytes[start..self.at];
        let control = run.iter().fold(false, |any, &byte| any | (byte < 0x20));
        if control {
            None
        } else {
            Some(&self.line[start..self.at])
        }
    }

    /// Passes over the rest of a string and its closing quote; whether it held escapes.
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
        scratch.clear();
        scratch.push_str(run);
        loop {
            self.at += 1;
            if self.bytes[self.at - 1] == b'"' {
                return Some(Text::Unescaped);
            }
            let kind = self.peek()?;
            self.at += 1;
            scratch.push(match kind {
                b'n' => '\n',
                b'"' => '"',
                b'\\' => '\\',
                b'/' => '/',
                b't' => '\t',
                b'r' => '\r',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'u' => self.character()?,
                _ => return None,
            });
            let run = self.run()?;
            scratch.push_str(run);
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
