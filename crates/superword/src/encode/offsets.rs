//! The position of each token in the text.

use super::{Encoder, SpecialFinder};
use crate::text::SplitError;
use crate::token::TokenId;

/// The unit of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetUnit {
    /// Bytes of the UTF-8 text.
    Bytes,
    /// Characters (code points). A token with a part of a character covers the whole character.
    Characters,
}

/// Start and end of each token.
pub type Spans = Vec<(usize, usize)>;

impl Encoder {
    /// The ids of a text, and the start and end of each token in it.
    ///
    /// In bytes, each token starts where the previous one ends. In characters, a token covers every
    /// character that it has a part of, so tokens that share a character overlap: `é` as two tokens
    /// gives `(0, 1)` twice.
    pub fn encode_with_offsets(
        &self,
        text: &str,
        specials: &SpecialFinder,
        unit: OffsetUnit,
    ) -> Result<(Vec<u32>, Spans), SplitError> {
        let mut ids = Vec::new();
        self.encode(text, specials, &mut ids)?;
        let mut offsets = Vec::with_capacity(ids.len());
        // `characters` is the number of characters that start before byte `at`.
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
