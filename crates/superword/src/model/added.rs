//! Added tokens, and how a text is normalized before it is split.

use crate::token::TokenId;

/// A string that is found in texts before they are split and becomes one token.
///
/// The flags are those of Hugging Face's `AddedToken`. Training makes special tokens without any
/// other flag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AddedToken {
    /// The string, e.g. `<|endoftext|>`.
    pub text: String,
    /// Its id. Two strings may share one. Decoding then shows the first of them.
    pub id: TokenId,
    /// Found only if the caller allows it. Other added tokens are found in every text.
    pub special: bool,
    /// The token includes the white space before it.
    pub lstrip: bool,
    /// The token includes the white space after it.
    pub rstrip: bool,
    /// Found only if no word character is beside it.
    pub single_word: bool,
    /// Found in the normalized text. Other added tokens are found before normalization.
    pub normalized: bool,
}

impl AddedToken {
    /// A special token without any other flag.
    pub fn special(text: String, id: TokenId) -> AddedToken {
        AddedToken {
            text,
            id,
            special: true,
            lstrip: false,
            rstrip: false,
            single_word: false,
            normalized: false,
        }
    }

    /// Whether this is a special token without any other flag.
    pub(crate) fn is_plain_special(&self) -> bool {
        let flags = self.lstrip || self.rstrip || self.single_word || self.normalized;
        self.special && !flags
    }
}

/// A Unicode normalization form that a text is brought into before it is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Normalizer {
    /// Canonical composition.
    Nfc,
    /// Compatibility composition.
    Nfkc,
}

impl Normalizer {
    /// The name in the API and in files: `nfc`, `nfkc`.
    pub fn name(self) -> &'static str {
        match self {
            Normalizer::Nfc => "nfc",
            Normalizer::Nfkc => "nfkc",
        }
    }

    /// The inverse of [`Normalizer::name`].
    pub fn from_name(name: &str) -> Option<Normalizer> {
        [Normalizer::Nfc, Normalizer::Nfkc]
            .into_iter()
            .find(|normalizer| normalizer.name() == name)
    }
}
