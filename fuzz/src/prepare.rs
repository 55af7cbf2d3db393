//! **Promise:** added tokens and normalization work as the plain steps of
//! `python/superword/reference/prepare.py` do, for any flags, any choice of special tokens and any
//! text. Offsets are ranges of the text.

use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use super::support::engine::{
    AddedToken, Encoder, Matcher, Model, Normalizer, OffsetUnit, TokenId,
};
use super::support::input::{Input, text_of};
use super::support::models;

/// Texts of added tokens: parts of each other, and such that normalization changes.
const TEXTS: [&str; 10] = [
    "<s>", "a", "ab", " a", "é", "e\u{301}", "\u{301}", "ﬁ", "b ", "Å",
];

enum Part {
    Text(String),
    Token(u32),
}

pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    // Mostly none: to make an encoder that normalizes, the engine looks at every code point.
    let normalizer = match input.below(12) {
        1 => Some(Normalizer::Nfc),
        2 => Some(Normalizer::Nfkc),
        _ => None,
    };
    let mut added: Vec<AddedToken> = Vec::new();
    for _ in 0..input.below(5) {
        let flags = input.byte();
        let flag = |bit: u8| flags >> bit & 1 == 1;
        let own = if flag(5) { input.text() } else { String::new() };
        let known = input.pick(&TEXTS).to_owned();
        added.push(AddedToken {
            text: if own.is_empty() { known } else { own },
            id: TokenId(1000 + added.len() as u32),
            special: flag(0),
            lstrip: flag(1),
            rstrip: flag(2),
            single_word: flag(3),
            normalized: flag(4),
        });
    }
    let allowed = input.byte();
    let is_allowed = |index: usize| allowed >> (index % 8) & 1 == 1;
    let Some((model, _)) = models::model(&mut input) else {
        return;
    };
    let mut parts = model.parts().clone();
    parts.normalizer = normalizer;
    parts.added = added.clone();
    let Ok(model) = Model::build(parts) else {
        return;
    };
    let text = text_of(input.rest());
    if text.len() > 2000 {
        return;
    }
    let encoder = Encoder::new(Arc::new(model)).expect("a valid pattern");
    let index_of = |text: &str| added.iter().position(|token| token.text == text);
    let preparation = encoder.preparation(|text| index_of(text).is_some_and(is_allowed));
    let mut ids = Vec::new();
    if encoder.encode_into(&text, &preparation, &mut ids).is_err() {
        return;
    }
    let found =
        |token: &AddedToken| !token.special || index_of(&token.text).is_some_and(is_allowed);
    assert_eq!(
        ids,
        plainly(&encoder, &text, &added, normalizer, found),
        "{text:?} {added:?}"
    );
    for (unit, length) in [
        (OffsetUnit::Bytes, text.len()),
        (OffsetUnit::Characters, text.chars().count()),
    ] {
        let with_offsets = encoder.encode_with_offsets(&text, &preparation, unit);
        let (again, spans) = with_offsets.expect("the text was encoded before");
        assert_eq!(again, ids);
        assert_eq!(spans.len(), ids.len());
        assert!(
            spans
                .iter()
                .all(|&(start, end)| start <= end && end <= length)
        );
        assert!(spans.is_sorted_by_key(|&(start, _)| start), "{spans:?}");
    }
}

/// The ids by the plain steps. The pieces between added tokens are encoded by a model without any.
fn plainly(
    encoder: &Encoder,
    text: &str,
    added: &[AddedToken],
    normalizer: Option<Normalizer>,
    found: impl Fn(&AddedToken) -> bool,
) -> Vec<u32> {
    let mut parts = encoder.model().parts().clone();
    parts.added.clear();
    parts.normalizer = None;
    let plain = Encoder::new(Arc::new(Model::build(parts).expect("fewer parts")));
    let plain = plain.expect("the same pattern");
    let mut tokens: Vec<&AddedToken> = added.iter().collect();
    let plain_special =
        |token: &AddedToken| *token == AddedToken::special(token.text.clone(), token.id);
    if added.iter().all(plain_special) {
        // Trained models: a special token that is not allowed does not exist.
        tokens.retain(|token| found(token));
    }
    tokens.sort_by_key(|token| !token.special);
    let normalize = |text: &str| -> String {
        match normalizer {
            None => text.to_owned(),
            Some(Normalizer::Nfc) => text.nfc().collect(),
            Some(Normalizer::Nfkc) => text.nfkc().collect(),
            Some(other) => panic!("the target does not know {other:?}"),
        }
    };
    let (mut raw, mut normalized): (Vec<(String, &AddedToken)>, Vec<_>) = Default::default();
    for token in tokens {
        let (list, text) = match token.normalized {
            true => (&mut normalized, normalize(&token.text)),
            false => (&mut raw, token.text.clone()),
        };
        if list.iter().all(|(known, _)| *known != text) {
            list.push((text, token));
        }
    }
    let mut ids = Vec::new();
    for part in find(text, &raw, &found) {
        let Part::Text(piece) = part else {
            push(part, &plain, &mut ids);
            continue;
        };
        for part in find(&normalize(&piece), &normalized, &found) {
            push(part, &plain, &mut ids);
        }
    }
    ids
}

fn push(part: Part, plain: &Encoder, ids: &mut Vec<u32>) {
    match part {
        Part::Token(id) => ids.push(id),
        Part::Text(text) => plain
            .encode_ordinary(&text, ids)
            .expect("no pattern that fails"),
    }
}

/// Whether a pattern for one character matches it. Compiled once, because compiling is slow.
macro_rules! class {
    ($name:ident, $pattern:literal) => {
        fn $name(c: char) -> bool {
            thread_local! {
                static MATCHER: Matcher = Matcher::new($pattern).expect("a valid pattern");
            }
            MATCHER.with(|matcher| matcher.is_match(c.encode_utf8(&mut [0; 4])))
        }
    };
}

class!(is_space, r"^\p{White_Space}$");
class!(
    is_word,
    r"^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$"
);

/// The tokens that are found in a text, and the pieces between them. At each place the longest token
/// counts, even if its flags prevent it.
fn find(
    text: &str,
    tokens: &[(String, &AddedToken)],
    found: &impl Fn(&AddedToken) -> bool,
) -> Vec<Part> {
    let (mut parts, mut done, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let here = tokens
            .iter()
            .filter(|(token, _)| text[at..].starts_with(token));
        let Some((matched, token)) = here.max_by_key(|(token, _)| token.len()) else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let (mut start, mut end) = (at, at + matched.len());
        at = end;
        if !found(token) {
            continue;
        }
        let (before, after) = (
            text[..start].chars().next_back(),
            text[end..].chars().next(),
        );
        if token.single_word && [before, after].into_iter().flatten().any(is_word) {
            continue;
        }
        // White space before the token belongs to it, unless the token before has taken it.
        while token.lstrip && start > done {
            let before = text[done..start].chars().next_back();
            let Some(space) = before.filter(|&c| is_space(c)) else {
                break;
            };
            start -= space.len_utf8();
        }
        start = start.max(done);
        if token.rstrip {
            while let Some(c) = text[end..].chars().next().filter(|&c| is_space(c)) {
                end += c.len_utf8();
            }
        }
        if start >= end {
            continue;
        }
        if done < start {
            parts.push(Part::Text(text[done..start].to_owned()));
        }
        parts.push(Part::Token(token.id.0));
        done = end;
    }
    if done < text.len() {
        parts.push(Part::Text(text[done..].to_owned()));
    }
    parts
}
