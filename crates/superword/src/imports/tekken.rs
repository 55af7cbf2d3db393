//! The `tekken.json` files of Mistral.
//!
//! `config` has the pattern and the sizes, `vocab` the tokens with their ranks as in tiktoken, and
//! `special_tokens` the special tokens with their ids. Special tokens come first: the id of any other
//! token is its rank plus `default_num_special_tokens`. Only the first tokens of `vocab` are used, so
//! that there are `default_vocab_size` ids. Ids of special tokens that have no name are named
//! `<SPECIAL_20>` and so on, as Mistral's own program does.

use std::collections::HashMap;

use super::error::{ImportError, Reason};
use super::json::{Json, Node, parse_object};
use super::tiktoken::Ranked;
use super::{Source, base64};
use crate::model::{AddedToken, Facts, Model};
use crate::token::TokenId;

/// The special tokens of files that do not list them (versions up to v7).
const UNLISTED: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];
const ROLES: [(&str, &str); 4] = [
    ("unk_token", "<unk>"),
    ("bos_token", "<s>"),
    ("eos_token", "</s>"),
    ("pad_token", "<pad>"),
];
/// More special tokens than any file has. A damaged number must not take all memory.
const MOST_SPECIAL: u32 = 1 << 20;

/// Imports a `tekken.json`.
pub fn import(file: Source<'_>) -> Result<Model, ImportError> {
    let data = parse_object(file)?;
    convert(&data).map_err(|reason| file.error(reason))
}

/// Whether this is the content of a `tekken.json`.
pub(super) fn is_tekken(data: &Json<'_>) -> bool {
    let (vocab, config) = (data.field("vocab"), data.field("config"));
    matches!(
        (vocab, config),
        (Some(Json::List(_)), Some(Json::Object(_)))
    )
}

pub(super) fn convert(data: &Json<'_>) -> Result<Model, Reason> {
    if !is_tekken(data) {
        return Err(Reason::NotTekken);
    }
    let data = Node::root(data);
    let config = data.need("config")?;
    let special = config.need("default_num_special_tokens")?;
    let reserved = special.number()?;
    if reserved > MOST_SPECIAL {
        return Err(special.wrong(format_args!("{reserved} is too large")));
    }
    let size = config.need("default_vocab_size")?.number()?;
    let used = size.saturating_sub(reserved);
    let mut ranks = HashMap::new();
    for entry in data.need("vocab")?.items()? {
        let rank = entry.need("rank")?.number()?;
        if rank < used {
            let bytes = entry.need("token_bytes")?;
            let token = base64::decode(bytes.text()?.as_bytes());
            ranks.insert(token.ok_or_else(|| bytes.wrong("not base64"))?, rank);
        }
    }
    let mut named: HashMap<u32, &str> = HashMap::new();
    match data.get("special_tokens")? {
        None => named.extend((0..).zip(UNLISTED)),
        Some(listed) => {
            for token in listed.items()? {
                named.insert(token.need("rank")?.number()?, token.need_text("token_str")?);
            }
        }
    }
    let name = |id: u32| match named.get(&id) {
        Some(&text) => text.to_owned(),
        None => format!("<SPECIAL_{id}>"),
    };
    let added: Vec<AddedToken> = (0..reserved)
        .map(|id| AddedToken::special(name(id), TokenId(id)))
        .collect();
    let has = |text: &str| added.iter().any(|token| token.text == text);
    let settings = ROLES.into_iter().filter(|(_, text)| has(text));
    let version = config
        .get("version")?
        .map(|version| version.value.to_value());
    let ranked = Ranked {
        ranks: &ranks,
        pattern: config.need_text("pattern")?,
        facts: Facts::from_iter([
            ("format".to_owned(), "tekken".into()),
            ("version".to_owned(), version.into()),
        ]),
        first_id: reserved,
        settings: settings
            .map(|(role, text)| (role.to_owned(), text.into()))
            .collect(),
        added,
    };
    ranked.build()
}
