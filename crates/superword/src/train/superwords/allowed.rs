//! Which pretokens may be joined to a superword: the optional restrictions of phase 2.

use super::seams::ExportableSeams;
use crate::merge::AllowedPairs;
#[cfg(feature = "threads")]
use crate::merge::{PairCount, Share};
use crate::text::{Matcher, ScriptSet, scripts_in};
use crate::token::Symbol;
use crate::tokens::TokenTable;
use crate::train::options::Boundary;

/// The restrictions on supermerges.
#[derive(Debug, Default)]
pub(super) struct Allowed {
    max_words: Option<usize>,
    same_script: bool,
    boundary: Boundary,
    veto: Option<Matcher>,
    seams: Option<ExportableSeams>,
    /// The number of pretokens in a superword. Symbols that are not in the map are one pretoken.
    words: crate::hash::NumberMap<u32, usize>,
    /// By symbol: true for tokens of phase 1, which are one pretoken.
    word_tokens: Vec<bool>,
}

impl Allowed {
    /// `word_tokens` has `true` for each symbol that is a token of phase 1.
    pub(super) fn new(
        max_words: Option<usize>,
        same_script: bool,
        boundary: Boundary,
        veto: Option<Matcher>,
        seams: Option<ExportableSeams>,
        word_tokens: Vec<bool>,
    ) -> Allowed {
        Allowed {
            max_words,
            same_script,
            boundary,
            veto,
            seams,
            words: Default::default(),
            word_tokens,
        }
    }

    fn words_of(&self, symbol: Symbol) -> usize {
        self.words.get(&symbol.0).copied().unwrap_or(1)
    }
}

impl AllowedPairs for Allowed {
    fn allows(&mut self, tokens: &TokenTable, left: Symbol, right: Symbol) -> bool {
        if let Some(most) = self.max_words
            && self.words_of(left) + self.words_of(right) > most
        {
            return false;
        }
        let right_bytes = tokens.bytes_of(right);
        if self.boundary == Boundary::Space && right_bytes.first() != Some(&b' ') {
            return false;
        }
        if let Some(seams) = &mut self.seams {
            let is_word = |symbol: Symbol| self.word_tokens.get(symbol.index()) == Some(&true);
            if !seams.allows(tokens, left, right, is_word) {
                return false;
            }
        }
        if !self.same_script && self.veto.is_none() {
            return true;
        }
        let joined = [tokens.bytes_of(left), right_bytes].concat();
        // Always true: pretokens are valid text, and so are joined ones.
        let Ok(joined) = std::str::from_utf8(&joined) else {
            return false;
        };
        if self.same_script && scripts_in(joined) == ScriptSet::Mixed {
            return false;
        }
        // If matching fails, the text may match, so the pair is not allowed.
        self.veto
            .as_ref()
            .is_none_or(|veto| matches!(veto.try_is_match(joined), Ok(false)))
    }

    #[cfg(feature = "threads")]
    fn is_slow(&self) -> bool {
        self.seams.is_some()
    }

    #[cfg(feature = "threads")]
    fn prepare(&mut self, tokens: &TokenTable, pairs: &[PairCount], share: &Share<'_>) {
        if let Some(seams) = &mut self.seams {
            let is_word = |symbol: Symbol| self.word_tokens.get(symbol.index()) == Some(&true);
            seams.prepare(tokens, pairs, is_word, share);
        }
    }

    fn joined(&mut self, left: Symbol, right: Symbol, joined: Symbol) {
        if let Some(seams) = &mut self.seams {
            seams.joined(left, right, joined);
        }
        if self.max_words.is_some() && self.word_tokens.get(joined.index()) != Some(&true) {
            let words = self.words_of(left) + self.words_of(right);
            self.words.entry(joined.0).or_insert(words);
        }
    }
}
