//! Finds added tokens in a text.

use std::sync::Arc;

use aho_corasick::{Match, MatchKind};
// The one automaton that `AhoCorasick` chooses most often takes less code than all of them.
#[cfg(feature = "fast-patterns")]
use aho_corasick::AhoCorasick as Strings;
#[cfg(not(feature = "fast-patterns"))]
use aho_corasick::{Input, automaton::Automaton, nfa::contiguous::NFA as Strings};

use crate::model::AddedToken;

/// Finds some added tokens. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// `None` if there are no tokens.
    automaton: Option<Arc<Strings>>,
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
            automaton: Strings::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(texts)
                .ok()
                .map(Arc::new),
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
        for found in matches.flat_map(|automaton| find_iter(automaton, text)) {
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

#[cfg(feature = "fast-patterns")]
fn find_iter<'s>(strings: &'s Strings, text: &'s str) -> impl Iterator<Item = Match> + 's {
    strings.find_iter(text)
}

/// A search of the whole text from its start cannot fail.
#[cfg(not(feature = "fast-patterns"))]
fn find_iter<'s>(strings: &'s Strings, text: &'s str) -> impl Iterator<Item = Match> + 's {
    strings
        .try_find_iter(Input::new(text))
        .into_iter()
        .flatten()
}

/// Whether a word character is beside a token.
fn touches_word(before: &str, after: &str) -> bool {
    let is_word = |character: Option<char>| character.is_some_and(regex_syntax::is_word_character);
    is_word(before.chars().next_back()) || is_word(after.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::TokenId;

    fn token(text: &str, id: u32) -> AddedToken {
        AddedToken {
            special: false,
            ..AddedToken::special(text.to_owned(), TokenId(id))
        }
    }

    /// Pieces of text as they are, tokens as `id(text)`.
    fn found(search: &Search, text: &str) -> Vec<String> {
        let mut parts = Vec::new();
        let visited = search.split(text, |start, end, id| {
            let part = &text[start..end];
            parts.push(id.map_or(part.to_owned(), |id| format!("{id}({part})")));
            Ok::<(), ()>(())
        });
        assert!(visited.is_ok());
        parts
    }

    #[test]
    fn the_leftmost_and_longest_token_is_found() {
        let tokens = [token("<a", 1), token("<a>", 2), token("a>b", 3)];
        let search = Search::new(&tokens.each_ref(), str::to_owned);
        assert_eq!(found(&search, "x<a>b<a"), ["x", "2(<a>)", "b", "1(<a)"]);
        assert_eq!(found(&search, ""), [""; 0]);
        assert_eq!(found(&Search::default(), "<a>"), ["<a>"]);
    }

    #[test]
    fn white_space_beside_a_token_belongs_to_it() {
        let both = AddedToken {
            lstrip: true,
            rstrip: true,
            ..token("<a>", 1)
        };
        let tokens = [both, token("\n", 2)];
        let search = Search::new(&tokens.each_ref(), str::to_owned);
        assert_eq!(
            found(&search, "x \u{3000}<a>\t y"),
            ["x", "1( \u{3000}<a>\t )", "y"]
        );
        assert_eq!(found(&search, "<a> <a>"), ["1(<a> )", "1(<a>)"]);
        // Another token in the white space is found as well.
        assert_eq!(found(&search, "<a>\n x"), ["1(<a>\n )", "2(\n)", " x"]);
    }

    #[test]
    fn a_single_word_has_no_word_character_beside_it() {
        let word = AddedToken {
            single_word: true,
            ..token("a", 1)
        };
        let search = Search::new(&[&word], str::to_owned);
        for beside in ["b", "é", "\u{301}", "_", "7", "\u{200D}"] {
            assert_eq!(
                found(&search, &format!("a{beside}")),
                [format!("a{beside}")]
            );
            assert_eq!(
                found(&search, &format!("{beside}a")),
                [format!("{beside}a")]
            );
        }
        assert_eq!(found(&search, "-a."), ["-", "1(a)", "."]);
    }

    #[test]
    fn special_tokens_that_are_not_allowed_hide_the_tokens_in_them() {
        let special = AddedToken::special("<a>".to_owned(), TokenId(1));
        let tokens = [special, token("a", 2)];
        let search = Search::new(&tokens.each_ref(), str::to_owned).allowing(&|_| false);
        assert_eq!(found(&search, "<a>a"), ["<a>", "2(a)"]);
    }
}
