//! Finds added tokens in a text.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::model::AddedToken;

/// Finds some added tokens. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// `None` if there are no tokens.
    automaton: Option<AhoCorasick>,
    tokens: Arc<[AddedToken]>,
    /// Whether each token is found. A token that is not allowed still hides those inside it. `None`
    /// if all are allowed.
    allowed: Option<Arc<[bool]>>,
}

impl Search {
    /// A search for these tokens. `text` gives the text to look for. If two start at the same
    /// position, the longer one is found; of two equal ones, the first.
    pub(super) fn new(tokens: &[&AddedToken], text: impl Fn(&str) -> String) -> Search {
        if tokens.is_empty() {
            return Search::default();
        }
        let texts = tokens.iter().map(|token| text(&token.text));
        Search {
            automaton: AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(texts)
                .ok(),
            tokens: tokens.iter().map(|&token| token.clone()).collect(),
            allowed: None,
        }
    }

    /// The same search that finds only those special tokens that are allowed.
    pub(super) fn allowing(&self, allowed: &dyn Fn(&str) -> bool) -> Search {
        let allowed: Arc<[bool]> = self
            .tokens
            .iter()
            .map(|token| !token.special || allowed(&token.text))
            .collect();
        match allowed.contains(&true) {
            true => Search {
                allowed: Some(allowed),
                ..self.clone()
            },
            false => Search::default(),
        }
    }

    /// Whether nothing is ever found.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.automaton.is_none()
    }

    /// Calls `visit(start, end, id)` for each added token and for each piece between them, which has
    /// no id, until it returns an error.
    ///
    /// A token with `rstrip` takes the white space after it. If another token starts in that white
    /// space, both are visited, as in Hugging Face's `tokenizers`.
    pub(super) fn split<E>(
        &self,
        text: &str,
        mut visit: impl FnMut(usize, usize, Option<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut done = 0;
        let matches = self.automaton.iter();
        for found in matches.flat_map(|automaton| automaton.find_iter(text)) {
            let number = found.pattern().as_usize();
            let token = &self.tokens[number];
            let (mut start, mut end) = (found.start(), found.end());
            let is_allowed = self.allowed.as_ref().is_none_or(|allowed| allowed[number]);
            if !is_allowed || token.single_word && touches_word(&text[..start], &text[end..]) {
                continue;
            }
            if token.lstrip {
                start = text[..start].trim_end().len().max(done);
            }
            if token.rstrip {
                end = text.len() - text[end..].trim_start().len();
            }
            if start >= end {
                continue; // white space that belongs to the token before
            }
            if done < start {
                visit(done, start, None)?;
            }
            visit(start, end, Some(token.id.0))?;
            done = end;
        }
        match done < text.len() {
            true => visit(done, text.len(), None),
            false => Ok(()),
        }
    }
}

/// Whether a word character is beside a token.
fn touches_word(before: &str, after: &str) -> bool {
    let is_word = |character: Option<char>| character.is_some_and(regex_syntax::is_word_character);
    is_word(before.chars().next_back()) || is_word(after.chars().next())
}
