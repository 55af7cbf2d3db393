//! Finding special tokens in a text, if the caller allows them.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::model::AddedToken;

/// Finds some of the special tokens of a model.
#[derive(Clone, Debug)]
pub struct SpecialFinder {
    search: Option<AhoCorasick>,
    ids: Vec<u32>,
}

impl SpecialFinder {
    /// A finder for these special tokens. If two start at the same position, the longer one is found.
    pub fn new<'s>(specials: impl Iterator<Item = &'s AddedToken>) -> SpecialFinder {
        let (texts, ids): (Vec<&str>, Vec<u32>) = specials
            .map(|special| (special.text.as_str(), special.id.0))
            .unzip();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&texts)
            .ok()
            .filter(|_| !texts.is_empty());
        SpecialFinder { search, ids }
    }

    /// The first special token at or after `from`: its start, end and id.
    pub fn find(&self, text: &str, from: usize) -> Option<(usize, usize, u32)> {
        let found = self.search.as_ref()?.find(&text[from..])?;
        let id = self.ids[found.pattern().as_usize()];
        Some((from + found.start(), from + found.end(), id))
    }
}
