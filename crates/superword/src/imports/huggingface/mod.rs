//! Byte-level BPE of Hugging Face: the `tokenizer.json` of GPT-2, Llama 3, Qwen and others.
//!
//! Older models have `vocab.json` and `merges.txt` instead. They become the same data as a
//! `tokenizer.json`.

mod added;
mod config;
mod old_files;
mod splits;
mod template;

use std::collections::{HashMap, HashSet};

use added::{Added, added_tokens};
use config::Config;
pub use config::ROLES;
pub use old_files::{OldFiles, import_old};
use splits::pretokenizer_of;
use template::Template;

use super::Source;
use super::build::Parts;
use super::byte_chars::to_bytes;
use super::error::{ImportError, Reason};
use super::json::{Json, Node, number_of, parse_object};
use super::rules::rules_of;
use super::shown::{quoted, quoted_bytes};
use crate::model::{Facts, Model, Normalizer};

/// Imports a `tokenizer.json`. `configs` are the `tokenizer_config.json` and similar files beside it,
/// of which the last one that has a field counts.
pub fn import(
    file: Source<'_>,
    configs: &[Source<'_>],
    ignore_normalizer: bool,
) -> Result<Model, ImportError> {
    let data = parse_object(file)?;
    import_data(&data, configs, ignore_normalizer).map_err(|error| error.in_file(file.name))
}

/// Imports the content of a `tokenizer.json`.
pub(super) fn import_data(
    data: &Json<'_>,
    configs: &[Source<'_>],
    ignore_normalizer: bool,
) -> Result<Model, ImportError> {
    convert(data, &Config::read(configs)?, ignore_normalizer)
}

fn convert(
    data: &Json<'_>,
    config: &Config<'_>,
    ignore_normalizer: bool,
) -> Result<Model, ImportError> {
    if !matches!(data.field("model"), Some(Json::Object(_))) {
        return Err(Reason::NoModel.into());
    }
    let data = Node::root(data);
    let model = data.need("model")?;
    check_model(&model)?;
    let pretokenizer = pretokenizer_of(data.get("pre_tokenizer")?)?;
    let mut facts = Facts::from_iter([("format".to_owned(), "huggingface".into())]);
    let mut normalizer = None;
    match data.get("normalizer")? {
        Some(left_out) if ignore_normalizer => {
            let kind = left_out.need_text("type")?;
            facts.insert("normalizer_left_out".into(), kind.into());
        }
        given => normalizer = normalizer_of(given)?,
    }
    let vocabulary = Vocabulary::read(&model.need("vocab")?)?;
    let added = added_tokens(&vocabulary.ids, data.get("added_tokens")?, config.added()?)?;
    if added.renumbered > 0 {
        facts.insert("added_tokens_renumbered".into(), added.renumbered.into());
    }
    let spelled = Spelled::of(&vocabulary, &added)?;
    let ranks = ranks_of(&model.need("merges")?)?;
    let tokens = spelled.tokens.iter().map(|(token, _)| token.as_slice());
    let mut rules = rules_of(tokens, |joined, at| {
        let pairs = ranks.of_joined.get(joined)?;
        let found = pairs.iter().rev().find(|(left, _)| *left == at);
        found.map(|&(_, rank)| rank)
    })?;
    let tokens = spelled.tokens.iter();
    let mut ids: HashMap<&[u8], u32> = tokens.map(|(token, id)| (&token[..], *id)).collect();
    for token in &spelled.listed {
        // Only the added token has this id.
        if rules.unmade.remove(&token[..]) {
            ids.remove(&token[..]);
        }
    }
    let whole_pieces = model.is_set("ignore_merges")?;
    if whole_pieces
        && !rules.unmade.is_empty()
        && let Some((first, _)) = spelled.names.iter().min_by_key(|(_, id)| id)
    {
        return Err(Reason::WholeNames {
            count: spelled.names.len(),
            first: quoted(&String::from_utf8_lossy(first)),
        }
        .into());
    }
    let left_out = ranks.pairs - rules.merges.len();
    facts.insert("merges_left_out".into(), left_out.into());
    let template = Template::of(data.get("post_processor")?)?;
    let settings = config.settings(&added, template)?;
    let parts = Parts {
        pretokenizer,
        rules,
        ids,
        added: added.tokens,
        names: spelled.names,
        normalizer,
        whole_pieces,
        settings,
        facts,
    };
    Ok(parts.build()?)
}

/// The tokens of `vocab` with their ids.
struct Vocabulary<'n> {
    listed: Vec<(&'n str, u32)>,
    ids: HashMap<&'n str, u32>,
}

impl<'n> Vocabulary<'n> {
    fn read(vocab: &Node<'n, '_>) -> Result<Vocabulary<'n>, Reason> {
        let fields = vocab.fields()?;
        let mut listed = Vec::with_capacity(fields.len());
        for (token, id) in fields {
            let Some(id) = number_of(id) else {
                return Err(vocab.need(token)?.not_a_number());
            };
            listed.push((token, id));
        }
        let ids = listed.iter().copied().collect();
        Ok(Vocabulary { listed, ids })
    }
}

/// The tokens of a vocabulary by what they stand for.
struct Spelled {
    /// Tokens that stand for bytes.
    tokens: Vec<(Vec<u8>, u32)>,
    /// Tokens with a name that no text is turned into.
    names: Vec<(Vec<u8>, u32)>,
    /// Added tokens that the vocabulary lists as well.
    listed: HashSet<Vec<u8>>,
}

impl Spelled {
    fn of(vocabulary: &Vocabulary<'_>, added: &Added) -> Result<Spelled, Reason> {
        let mut found = Spelled {
            tokens: Vec::with_capacity(vocabulary.listed.len()),
            names: Vec::new(),
            listed: HashSet::new(),
        };
        for &(token, id) in &vocabulary.listed {
            let added_id = added.ids.get(token);
            let Some(spelled) = to_bytes(token) else {
                if added_id.is_none() {
                    found.names.push((token.as_bytes().to_vec(), id));
                }
                continue;
            };
            if added_id == Some(&id) {
                if spelled != token.as_bytes() {
                    return Err(Reason::AddedIsAnother {
                        token: quoted(token),
                        other: quoted_bytes(&spelled),
                    });
                }
                found.listed.insert(spelled.clone());
            }
            found.tokens.push((spelled, id));
        }
        Ok(found)
    }
}

/// The ranks of pairs.
struct Ranks {
    /// The pairs that make a token: the length of the left part, and the rank.
    of_joined: HashMap<Vec<u8>, Vec<(usize, u32)>>,
    /// The number of different pairs.
    pairs: usize,
}

/// The rank of each pair. A pair that is listed twice has the last rank, as in Hugging Face.
fn ranks_of(merges: &Node<'_, '_>) -> Result<Ranks, Reason> {
    let listed = merges.list()?;
    let mut ranks = Ranks {
        of_joined: HashMap::with_capacity(listed.len()),
        pairs: 0,
    };
    for ((merge, rank), at) in listed.iter().zip(0u32..).zip(0..) {
        let parts = match merge {
            Json::Text(text) => text
                .split_once(' ')
                .filter(|(_, right)| !right.contains(' ')),
            Json::List(items) => match &items[..] {
                [Json::Text(left), Json::Text(right)] => Some((&left[..], &right[..])),
                _ => None,
            },
            _ => None,
        };
        let Some((left, right)) = parts else {
            return Err(merges.at(at)?.wrong("expected two tokens"));
        };
        // Otherwise no text is turned into these characters, so the merge never applies.
        if let (Some(mut joined), Some(right)) = (to_bytes(left), to_bytes(right)) {
            let left = joined.len();
            joined.extend(right);
            let pairs = ranks.of_joined.entry(joined).or_default();
            let known = pairs.iter_mut().find(|(length, _)| *length == left);
            match known {
                Some(pair) => pair.1 = rank,
                None => {
                    pairs.push((left, rank));
                    ranks.pairs += 1;
                }
            }
        }
    }
    Ok(ranks)
}

fn check_model(model: &Node<'_, '_>) -> Result<(), Reason> {
    let kind = model.get("type")?;
    let kind = kind.map_or(Ok("BPE"), |kind| kind.text())?;
    match kind {
        "BPE" => {}
        "Unigram" => {
            return Err(Reason::not_byte_level(
                "a Unigram model, as SentencePiece trains them (T5, XLM-R, ...)",
            ));
        }
        "WordPiece" => return Err(Reason::not_byte_level("a WordPiece model, as BERT has")),
        other => return Err(Reason::not_byte_level(format!("a {other} model"))),
    }
    if model.is_set("byte_fallback")? {
        return Err(Reason::not_byte_level(
            "BPE over characters with bytes as a fallback, as SentencePiece trains it (Llama 2, \
             Gemma, Mistral 7B, ...)",
        ));
    }
    if model.is_set("dropout")? {
        let dropout = model.need("dropout")?.value.to_value().to_string();
        return Err(Reason::Dropout { dropout });
    }
    for option in ["continuing_subword_prefix", "end_of_word_suffix"] {
        if model.is_set(option)? {
            let mark = quoted(model.need_text(option)?);
            return Err(Reason::not_byte_level(format!(
                "BPE that marks parts of words ({option} {mark})"
            )));
        }
    }
    Ok(())
}

/// A `Sequence` of one normalizer is that normalizer.
fn normalizer_of(config: Option<Node<'_, '_>>) -> Result<Option<Normalizer>, Reason> {
    let Some(config) = config else {
        return Ok(None);
    };
    let kind = config.need_text("type")?;
    if kind != "Sequence" {
        return match kind {
            "NFC" => Ok(Some(Normalizer::Nfc)),
            "NFKC" => Ok(Some(Normalizer::Nfkc)),
            _ => Err(Reason::Normalizers {
                kinds: format!("normalizer {kind}"),
            }),
        };
    }
    let steps: Vec<_> = config.need("normalizers")?.items()?.collect();
    if steps.len() < 2 {
        return normalizer_of(steps.into_iter().next());
    }
    let kinds: Result<Vec<&str>, Reason> =
        steps.iter().map(|step| step.need_text("type")).collect();
    let kinds = kinds?.join(", ");
    if kinds == "Prepend, Replace" {
        return Err(Reason::not_byte_level(
            "a SentencePiece tokenizer (the normalizers Prepend and Replace)",
        ));
    }
    Err(Reason::Normalizers {
        kinds: format!("normalizers {kinds}"),
    })
}
