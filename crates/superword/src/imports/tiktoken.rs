//! Ranks of tiktoken, with their pattern and special tokens.

use std::collections::HashMap;

use super::build::{Parts, pretokenizer_for};
use super::error::{ImportError, Reason};
use super::json::{BYTE_ORDER_MARK, Json, Node, parse_object};
use super::rules::rules_of;
use super::shown::quoted_bytes;
use super::{Source, base64};
use crate::model::{AddedToken, Facts, Model};
use crate::text::PretokenizerConfig;
use crate::token::TokenId;

/// What the ranks of tiktoken lack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoding {
    /// The pattern that splits text, or the name of a preset.
    pub pattern: Option<String>,
    /// The special tokens with their ids.
    pub special_tokens: Option<Vec<(String, u32)>>,
}

impl Encoding {
    /// What is given, and otherwise what the sidecar says.
    pub(crate) fn or_sidecar(self, sidecar: Source<'_>) -> Result<Encoding, ImportError> {
        let found = read_sidecar(sidecar)?;
        Ok(Encoding {
            pattern: self.pattern.or(found.pattern),
            special_tokens: self.special_tokens.or(found.special_tokens),
        })
    }
}

/// The content of the `.json` file that superword writes beside a `.tiktoken` file.
pub fn read_sidecar(file: Source<'_>) -> Result<Encoding, ImportError> {
    let data = parse_object(file).map_err(|error| match error.reason {
        Reason::NotAnObject => file.error(Reason::NotASidecar),
        _ => error,
    })?;
    sidecar_of(&data).map_err(|reason| file.error(reason))
}

fn sidecar_of(data: &Json<'_>) -> Result<Encoding, Reason> {
    let has = |name| data.field(name).is_some();
    if !has("pat_str") || !has("special_tokens") {
        return Err(Reason::NotASidecar);
    }
    let root = Node::root(data);
    let mut special = Vec::new();
    for (text, id) in root.need("special_tokens")?.nodes()? {
        special.push((text.to_owned(), id.number()?));
    }
    Ok(Encoding {
        pattern: Some(root.need_text("pat_str")?.to_owned()),
        special_tokens: Some(special),
    })
}

/// Imports a `.tiktoken` file.
pub fn import(
    file: Source<'_>,
    sidecar: Option<Source<'_>>,
    given: Encoding,
) -> Result<Model, ImportError> {
    let ranks = read_ranks(file.content).map_err(|reason| file.error(reason))?;
    let encoding = match sidecar {
        Some(sidecar) if given.pattern.is_none() || given.special_tokens.is_none() => {
            given.or_sidecar(sidecar)?
        }
        _ => given,
    };
    from_ranks(&ranks, encoding).map_err(|error| error.in_file(file.name))
}

/// The model of ranks, which are the ids of their tokens.
pub fn from_ranks(ranks: &HashMap<Vec<u8>, u32>, given: Encoding) -> Result<Model, ImportError> {
    let pattern = given.pattern.ok_or(Reason::PatternNeeded)?;
    let pattern = match PretokenizerConfig::preset(&pattern) {
        Some(preset) => preset.pattern,
        None => pattern,
    };
    let special = given.special_tokens.unwrap_or_default().into_iter();
    let ranked = Ranked {
        ranks,
        pattern: &pattern,
        added: special
            .map(|(text, id)| AddedToken::special(text, TokenId(id)))
            .collect(),
        facts: Facts::from_iter([("format".to_owned(), "tiktoken".into())]),
        first_id: 0,
        settings: Facts::new(),
    };
    Ok(ranked.build()?)
}

/// A tokenizer that joins neighbours whose bytes together have the lowest rank. A pretoken that is a
/// token is never merged.
pub(super) struct Ranked<'a> {
    pub(super) ranks: &'a HashMap<Vec<u8>, u32>,
    pub(super) pattern: &'a str,
    pub(super) added: Vec<AddedToken>,
    pub(super) facts: Facts,
    /// The id of a token is its rank plus this number.
    pub(super) first_id: u32,
    pub(super) settings: Facts,
}

impl Ranked<'_> {
    pub(super) fn build(self) -> Result<Model, Reason> {
        let ranks = self.ranks;
        let rank_of = |joined: &[u8], _: usize| ranks.get(joined).copied();
        let ids = ranks.iter();
        let parts = Parts {
            rules: rules_of(ranks.keys().map(Vec::as_slice), rank_of)?,
            pretokenizer: pretokenizer_for(self.pattern)?,
            // An id beyond 32 bits is too large for any model, and so is the largest of 32 bits.
            ids: ids
                .map(|(token, rank)| (token.as_slice(), rank.saturating_add(self.first_id)))
                .collect(),
            added: self.added,
            names: Vec::new(),
            normalizer: None,
            whole_pieces: true,
            settings: self.settings,
            facts: self.facts,
        };
        parts.build()
    }
}

/// The ranks of a file: a token in base64 and its rank per line.
fn read_ranks(content: &[u8]) -> Result<HashMap<Vec<u8>, u32>, Reason> {
    let content = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
    let mut ranks = HashMap::new();
    for (line, number) in lines(content).zip(1..) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (token, rank) = rank_in(line).ok_or_else(|| Reason::NotARank {
            line: number,
            shown: quoted_bytes(&line[..line.len().min(60)]),
        })?;
        ranks.insert(token, rank);
    }
    Ok(ranks)
}

/// The lines of a file, which end with `\n`, `\r\n` or `\r`.
fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut left = content;
    std::iter::from_fn(move || {
        if left.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', left).unwrap_or(left.len());
        let (line, rest) = left.split_at(end);
        let ended = [&b"\r\n"[..], b"\n", b"\r"];
        left = ended
            .iter()
            .find_map(|end| rest.strip_prefix(*end))
            .unwrap_or(rest);
        Some(line)
    })
}

fn rank_in(line: &[u8]) -> Option<(Vec<u8>, u32)> {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let (token, rank) = (words.next()?, words.next()?);
    // Whisper writes its empty token as "=", which is not valid base64.
    let token = if token == b"=" {
        Vec::new()
    } else {
        base64::decode(token)?
    };
    let rank = str::from_utf8(rank).ok()?.parse().ok()?;
    words.next().is_none().then_some((token, rank))
}
