//! What happens to a text before it is split: added tokens are found and the rest is normalized.
//!
//! The steps are those of Hugging Face's `tokenizers`:
//!
//! 1. Added tokens that are not `normalized` are found in the text (`search`).
//! 2. The pieces between them are normalized (`normalize`).
//! 3. Added tokens that are `normalized` are found in the normalized pieces.
//!
//! What is left is split into pretokens and encoded, each piece as if it were a text.

mod normalize;
mod search;

use std::borrow::Cow;

use crate::model::Model;

pub(crate) use normalize::Alignment;
use normalize::Form;
use search::Search;

/// Prepares texts for one model and one choice of special tokens. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Preparation {
    form: Option<Form>,
    /// Finds tokens in the text as it is.
    raw: Search,
    /// Finds tokens in normalized text.
    normalized: Search,
}

/// One part of a prepared text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'t> {
    /// Text that is split and encoded.
    Text(TextPart<'t>),
    /// An added token.
    Token {
        /// Its id.
        id: u32,
        /// Where it starts in the original text, with the white space that belongs to it.
        start: usize,
        /// Where it ends.
        end: usize,
    },
}

/// Normalized text, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextPart<'t> {
    /// The text.
    pub text: &'t str,
    /// The start of the text in its piece, after normalization.
    from: usize,
    /// The start of the piece in the original text.
    base: usize,
    alignment: Option<&'t Alignment>,
}

impl TextPart<'_> {
    /// The range of the original text that `text[start..end]` was made from. Correct only if the
    /// text was prepared with tracking.
    pub(crate) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let (start, end) = (self.from + start, self.from + end);
        let (start, end) = match self.alignment {
            Some(alignment) => alignment.original(start, end),
            None => (start, end),
        };
        (self.base + start, self.base + end)
    }
}

/// All that is needed to prepare texts for a model, whichever special tokens are allowed.
#[derive(Clone, Debug)]
pub(crate) struct Preparations {
    /// Whether all added tokens are special and have no other flag, as in trained models.
    is_plain: bool,
    specials: usize,
    /// Finds all added tokens.
    all: Preparation,
    /// Finds no special tokens.
    ordinary: Preparation,
}

impl Preparations {
    /// Prepares the search for the added tokens of a model.
    pub(crate) fn new(model: &Model) -> Preparations {
        let parts = model.parts();
        let form = parts.normalizer.map(Form::from);
        let is_plain = parts.added.iter().all(|token| token.is_plain_special());
        // If two texts are the same once they are normalized, special tokens come first.
        let specials = parts.added.iter().filter(|token| token.special);
        let others = parts.added.iter().filter(|token| !token.special);
        let (normalized, raw): (Vec<_>, Vec<_>) =
            specials.chain(others).partition(|token| token.normalized);
        let text = |token: &str| match &form {
            Some(form) => form.normalize(token, None).into_owned(),
            None => token.to_owned(),
        };
        let all = Preparation {
            raw: Search::new(&raw, str::to_owned),
            normalized: Search::new(&normalized, text),
            form,
        };
        let ordinary = match is_plain {
            true => all.with_raw(Search::default()),
            false => all.allowing(&|_| false),
        };
        Preparations {
            is_plain,
            specials: parts.added.iter().filter(|token| token.special).count(),
            all,
            ordinary,
        }
    }

    /// Finds the added tokens that are not special, and the special ones for which `allowed` returns
    /// true.
    ///
    /// In a trained model, special tokens that are not allowed are ignored. In a model with other
    /// added tokens, no added token is found inside them either, as in Hugging Face's `tokenizers`.
    pub(crate) fn allowing(&self, model: &Model, allowed: impl Fn(&str) -> bool) -> Preparation {
        let added = model.parts().added.iter();
        let chosen: Vec<_> = added
            .filter(|token| token.special && allowed(&token.text))
            .collect();
        if chosen.len() == self.specials {
            self.all.clone()
        } else if chosen.is_empty() {
            self.ordinary.clone()
        } else if self.is_plain {
            self.all.with_raw(Search::new(&chosen, str::to_owned))
        } else {
            self.all.allowing(&allowed)
        }
    }

    /// Finds only the added tokens that are not special.
    pub(crate) fn ordinary(&self) -> &Preparation {
        &self.ordinary
    }
}

impl Preparation {
    fn with_raw(&self, raw: Search) -> Preparation {
        Preparation {
            raw,
            ..self.clone()
        }
    }

    fn allowing(&self, allowed: &dyn Fn(&str) -> bool) -> Preparation {
        Preparation {
            form: self.form.clone(),
            raw: self.raw.allowing(allowed),
            normalized: self.normalized.allowing(allowed),
        }
    }

    /// Whether texts are encoded as they are.
    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        self.form.is_none() && self.raw.is_empty() && self.normalized.is_empty()
    }

    /// Calls `visit` with each part of a text, in order, until it returns an error. With `track`, the
    /// parts know where they come from.
    pub(crate) fn for_each<E>(
        &self,
        text: &str,
        track: bool,
        mut visit: impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.raw.split(text, |start, end, id| {
            if let Some(id) = id {
                return visit(Part::Token { id, start, end });
            }
            let piece = &text[start..end];
            let mut alignment = Alignment::default();
            let normalized = match &self.form {
                None => Cow::Borrowed(piece),
                Some(form) => form.normalize(piece, track.then_some(&mut alignment)),
            };
            self.normalized.split(&normalized, |from, to, id| {
                let part = TextPart {
                    text: &normalized[from..to],
                    from,
                    base: start,
                    alignment: self.form.is_some().then_some(&alignment),
                };
                match id {
                    None => visit(Part::Text(part)),
                    Some(id) => {
                        let (start, end) = part.original(0, part.text.len());
                        visit(Part::Token { id, start, end })
                    }
                }
            })
        })
    }
}
