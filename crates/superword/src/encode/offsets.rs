//! Where each token stands in the text.

use super::{Encoder, SpecialFinder};
use crate::text::SplitError;
use crate::token::TokenId;

/// What offsets count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetUnit {
    /// Bytes of the UTF-8 text.
    Bytes,
    /// Characters (code points). A token that holds a part of a character has all of it.
    Characters,
}

/// Start and end of each token.
pub type Spans = Vec<(usize, usize)>;

impl Encoder {
    /// The ids of a text, and the start and end of each token in it.
    ///
    /// In bytes the tokens cut the text exactly: each starts where the one before it ends. In
    /// characters a token reaches from the character in which it starts to the end of the one in
    /// which it ends, so that tokens that share a character overlap: `é` as two tokens gives
    /// `(0, 1)` twice.
    pub fn encode_with_offsets(
        &self,
        text: &str,
        specials: &SpecialFinder,
        unit: OffsetUnit,
    ) -> Result<(Vec<u32>, Spans), SplitError> {
        let mut ids = Vec::new();
        self.encode(text, specials, &mut ids)?;
        let mut offsets = Vec::with_capacity(ids.len());
        // Characters that start before `at`.
        let (mut at, mut characters) = (0, 0);
        for &id in &ids {
            let length = self.token_bytes(TokenId(id)).map_or(0, <[u8]>::len);
            let end = at + length;
            match unit {
                OffsetUnit::Bytes => offsets.push((at, end)),
                OffsetUnit::Characters => {
                    let inside = usize::from(!text.is_char_boundary(at));
                    let start = characters - inside;
                    characters += starts(&text.as_bytes()[at..end]);
                    offsets.push((start, characters));
                }
            }
            at = end;
        }
        Ok((ids, offsets))
    }
}

/// How many characters start in these bytes.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
