//! A text as tokens, with offsets for JavaScript.

use superword::encode::{Encoder, OffsetUnit};

use crate::error::PageError;

/// The kinds of tokens in [`Encoded::kinds`].
pub(crate) const ORDINARY: u8 = 0;
pub(crate) const SUPERWORD: u8 = 1;
pub(crate) const SPECIAL: u8 = 2;
pub(crate) const ADDED: u8 = 3;
/// Added to the kind of a token that is not made of whole characters.
pub(crate) const PARTIAL: u8 = 8;

/// The tokens of a text, one entry per token in each list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) ids: Vec<u32>,
    /// UTF-16 code units of the text. A token covers every character that it has a part of.
    pub(crate) starts: Vec<u32>,
    pub(crate) ends: Vec<u32>,
    /// Bytes of the UTF-8 text.
    pub(crate) byte_starts: Vec<u32>,
    pub(crate) byte_ends: Vec<u32>,
    pub(crate) kinds: Vec<u8>,
}

impl Encoded {
    /// Encodes a text. `kinds` has the kind of each id.
    pub(crate) fn new(
        encoder: &Encoder,
        kinds: &[u8],
        text: &str,
        special: bool,
    ) -> Result<Encoded, PageError> {
        // Offsets are 32 bits for JavaScript.
        if u32::try_from(text.len()).is_err() {
            return Err(PageError::new("the text is too long"));
        }
        let (ids, spans) = match special {
            false => encoder.encode_with_offsets(text, encoder.ordinary(), OffsetUnit::Bytes)?,
            true => {
                let preparation = encoder.preparation(|_| true);
                encoder.encode_with_offsets(text, &preparation, OffsetUnit::Bytes)?
            }
        };
        let units = Utf16::new(text);
        let as_offsets = |offset: fn(&(usize, usize)) -> usize| {
            spans.iter().map(move |span| offset(span) as u32).collect()
        };
        let kind = |id: &u32| kinds.get(*id as usize).copied().unwrap_or(ORDINARY);
        Ok(Encoded {
            kinds: ids.iter().map(kind).collect(),
            ids,
            starts: spans.iter().map(|span| units.start(span.0)).collect(),
            ends: spans.iter().map(|span| units.end(span.1)).collect(),
            byte_starts: as_offsets(|span| span.0),
            byte_ends: as_offsets(|span| span.1),
        })
    }
}

/// Turns offsets in bytes into offsets in UTF-16 code units.
struct Utf16<'t> {
    text: &'t str,
    /// For each byte, the offset of the character that it belongs to. Empty for ASCII, where both
    /// offsets are equal.
    offsets: Vec<u32>,
}

impl Utf16<'_> {
    fn new(text: &str) -> Utf16<'_> {
        let mut offsets = Vec::new();
        if !text.is_ascii() {
            offsets.reserve_exact(text.len() + 1);
            let mut units = 0;
            for character in text.chars() {
                offsets.extend(std::iter::repeat_n(units, character.len_utf8()));
                units += character.len_utf16() as u32;
            }
            offsets.push(units);
        }
        Utf16 { text, offsets }
    }

    /// Where the character at this byte starts.
    fn start(&self, byte: usize) -> u32 {
        self.offsets.get(byte).copied().unwrap_or(byte as u32)
    }

    /// Where the character before this byte ends.
    fn end(&self, byte: usize) -> u32 {
        let mut end = byte.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.start(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{model, pieces};

    #[test]
    fn offsets_are_those_of_javascript() {
        let model = model("bpe");
        let text = "a é 😀 low";
        let encoded = model.encode(text, true, false).unwrap();
        let utf16: Vec<u16> = text.encode_utf16().collect();
        for (index, &id) in encoded.ids.iter().enumerate() {
            let (start, end) = (encoded.starts[index] as usize, encoded.ends[index] as usize);
            let covered = String::from_utf16(&utf16[start..end]).unwrap();
            let bytes = encoded.byte_starts[index]..encoded.byte_ends[index];
            let has_part = |(at, c): &(usize, char)| {
                (*at as u32) < bytes.end && bytes.start < (at + c.len_utf8()) as u32
            };
            let characters = text.char_indices().filter(has_part);
            let expected: String = characters.map(|(_, character)| character).collect();
            assert_eq!(covered, expected, "token {index}, id {id}");
        }
    }

    #[test]
    fn parts_of_characters_are_marked_and_overlap() {
        let encoded = model("bpe").encode("😀", true, false).unwrap();
        assert_eq!(encoded.ids.len(), 4);
        assert_eq!(encoded.kinds, [ORDINARY | PARTIAL; 4]);
        assert_eq!(
            (&encoded.starts[..], &encoded.ends[..]),
            (&[0; 4][..], &[2; 4][..])
        );
        assert_eq!(encoded.byte_starts, [0, 1, 2, 3]);
    }

    #[test]
    fn superwords_can_be_left_out() {
        let model = model("superbpe");
        let text = "of the low of the low";
        let with = model.encode(text, true, false).unwrap();
        let without = model.encode(text, false, false).unwrap();
        assert!(with.kinds.contains(&SUPERWORD));
        assert!(without.kinds.iter().all(|&kind| kind == ORDINARY));
        assert!(with.ids.len() < without.ids.len());
        assert_eq!(pieces(text, &without).concat(), text);
    }

    #[test]
    fn special_tokens_are_found_on_request() {
        let model = model("special");
        let text = " low<|end|> low";
        let plain = model.encode(text, true, false).unwrap();
        let special = model.encode(text, true, true).unwrap();
        assert!(!plain.kinds.contains(&SPECIAL));
        assert_eq!(pieces(text, &special), [" low", "<|end|>", " low"]);
        assert_eq!(special.kinds, [ORDINARY, SPECIAL, ORDINARY]);
    }

    #[test]
    fn an_empty_text_has_no_tokens() {
        let encoded = model("bpe").encode("", true, true).unwrap();
        assert_eq!(encoded, Encoded::default());
    }
}
