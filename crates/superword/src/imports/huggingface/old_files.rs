//! `vocab.json` and `merges.txt`, the files of GPT-2 and of other models before `tokenizer.json`.
//!
//! The files do not say how text is split. `tokenizer_class` in `tokenizer_config.json` names the
//! program that does; without it, they are read as those of GPT-2.

use super::super::Source;
use super::super::error::{ImportError, Reason};
use super::super::json::{Json, Node, parse_object};
use super::super::shown::quoted;
use super::config::Config;
use super::convert;
use crate::model::Model;
use crate::text::PretokenizerConfig;

const GPT2: [&str; 8] = [
    "gpt2",
    "roberta",
    "longformer",
    "bart",
    "led",
    "deberta",
    "codegen",
    "phi",
];

/// The files of a tokenizer.
#[derive(Clone, Copy, Debug)]
pub struct OldFiles<'a> {
    /// `vocab.json`: the tokens with their ids.
    pub vocab: Source<'a>,
    /// `merges.txt`: two tokens per line.
    pub merges: Source<'a>,
    /// `added_tokens.json`, if there is one.
    pub added: Option<Source<'a>>,
}

/// Imports `vocab.json` and `merges.txt`. The other arguments are those of [`import`](super::import).
pub fn import_old(
    files: OldFiles<'_>,
    configs: &[Source<'_>],
    ignore_normalizer: bool,
) -> Result<Model, ImportError> {
    let config = Config::read(configs)?;
    read(files, &config)
        .and_then(|data| convert(&data, &config, ignore_normalizer))
        .map_err(|error| error.in_file(files.vocab.name))
}

/// The data of the files, laid out as in a `tokenizer.json`.
fn read<'a>(files: OldFiles<'a>, config: &Config<'_>) -> Result<Json<'a>, ImportError> {
    let vocab = parse_object(files.vocab)?;
    let merges = read_merges(files.merges.content).map_err(|reason| files.merges.error(reason))?;
    let (splits, normalizer) = splits(config)?;
    let added = match files.added {
        Some(file) if !config.is_set("added_tokens_decoder") => {
            let listed = parse_object(file)?;
            read_added(&listed).map_err(|reason| file.error(reason))?
        }
        _ => Vec::new(),
    };
    Ok(object([
        (
            "model",
            object([("vocab", vocab), ("merges", Json::List(merges))]),
        ),
        ("pre_tokenizer", splits),
        ("normalizer", normalizer),
        ("added_tokens", Json::List(added)),
    ]))
}

fn read_merges(content: &[u8]) -> Result<Vec<Json<'_>>, Reason> {
    let text = str::from_utf8(content).map_err(|error| Reason::NotUtf8 {
        byte: error.valid_up_to(),
    })?;
    let mut merges = Vec::new();
    for line in text.split('\n') {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || line.starts_with("#version") {
            continue;
        }
        if words.len() != 2 {
            let shown: String = words.join(" ").chars().take(60).collect();
            return Err(Reason::NotAMerge {
                number: merges.len() + 1,
                shown: quoted(&shown),
            });
        }
        let parts = words.into_iter().map(|word| Json::Text(word.into()));
        merges.push(Json::List(parts.collect()));
    }
    Ok(merges)
}

/// The tokens of `added_tokens.json`, by id.
fn read_added<'a>(listed: &Json<'_>) -> Result<Vec<Json<'a>>, Reason> {
    let mut by_id = Vec::new();
    for (text, id) in Node::root(listed).nodes()? {
        by_id.push((id.number()?, text));
    }
    by_id.sort_unstable();
    let token = |(id, text): (u32, &str)| {
        let content = Json::Text(text.to_owned().into());
        object([("content", content), ("id", Json::Number(id.into()))])
    };
    Ok(by_id.into_iter().map(token).collect())
}

/// The `pre_tokenizer` and the `normalizer` of a class.
fn splits<'a>(config: &Config<'_>) -> Result<(Json<'a>, Json<'a>), ImportError> {
    let class = config.text("tokenizer_class")?.unwrap_or("GPT2Tokenizer");
    let family = class.strip_suffix("Fast").unwrap_or(class);
    let family = family.strip_suffix("Tokenizer").unwrap_or(family);
    let family = family.to_ascii_lowercase();
    let byte_level = |use_regex| {
        object([
            ("type", Json::Text("ByteLevel".into())),
            (
                "add_prefix_space",
                Json::Bool(config.is_set("add_prefix_space")),
            ),
            ("use_regex", Json::Bool(use_regex)),
        ])
    };
    if GPT2.contains(&family.as_str()) {
        return Ok((byte_level(true), Json::Null));
    }
    let preset = PretokenizerConfig::preset("qwen2").filter(|_| family == "qwen2");
    let Some(preset) = preset else {
        let class = class.to_owned();
        return Err(Reason::UnknownClass { class }.into());
    };
    let split = object([
        ("type", Json::Text("Split".into())),
        (
            "pattern",
            object([("Regex", Json::Text(preset.pattern.into()))]),
        ),
        ("behavior", Json::Text("Isolated".into())),
    ]);
    let sequence = object([
        ("type", Json::Text("Sequence".into())),
        ("pretokenizers", Json::List(vec![split, byte_level(false)])),
    ]);
    Ok((sequence, object([("type", Json::Text("NFC".into()))])))
}

fn object<'a, const N: usize>(fields: [(&'static str, Json<'a>); N]) -> Json<'a> {
    let fields = fields.into_iter();
    Json::Object(fields.map(|(name, value)| (name.into(), value)).collect())
}
