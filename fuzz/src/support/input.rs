//! Reads values from the bytes of an input. When the bytes run out, all values are 0 or empty.

/// The bytes that are left.
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub fn new(data: &'a [u8]) -> Input<'a> {
        Input { rest: data }
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        byte
    }

    /// A number below `limit`, which is at most 256.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// One of some values.
    pub fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// True for one of `of` values of a byte.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    /// Some bytes: their number in one byte, then the bytes.
    pub fn bytes(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.rest.len());
        let (bytes, rest) = self.rest.split_at(length);
        self.rest = rest;
        bytes
    }

    /// Text, as [`Input::bytes`].
    pub fn text(&mut self) -> String {
        text_of(self.bytes())
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// All bytes that are left.
    pub fn rest(self) -> &'a [u8] {
        self.rest
    }
}

/// The bytes as text. Invalid bytes become U+FFFD.
pub fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
