//! Special tokens in a text: found only where the caller allows them.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::model::SpecialToken;

/// Looks for some special tokens.
#[derive(Clone, Debug)]
pub struct SpecialFinder {
    search: Option<AhoCorasick>,
    ids: Vec<u32>,
}

impl SpecialFinder {
    /// Looks for these. Where two start at the same place the longer one is found.
    pub fn new<'s>(specials: impl Iterator<Item = &'s SpecialToken>) -> SpecialFinder {
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
