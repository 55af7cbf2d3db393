//! The pattern that splits text as the pre-tokenizers of Hugging Face do.
//!
//! A model has one pattern. Two sequences of several splits are published by families that many
//! people use, and presets express them as one pattern each: that of Command R and Aya, and that of
//! DeepSeek.

use std::borrow::Cow;

use super::super::build::pretokenizer_for;
use super::super::error::Reason;
use super::super::json::Node;
use crate::text::PretokenizerConfig;
use crate::text::presets::DEEPSEEK_SPLITS;

/// The pattern of ByteLevel, as Hugging Face writes it.
const BYTE_LEVEL: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// What a step splits by.
#[derive(PartialEq)]
enum Split<'n> {
    Pattern(Cow<'n, str>),
    /// Single digits.
    Digits,
}

/// The pretokenizer of a `pre_tokenizer`: splits, and then ByteLevel.
pub(super) fn pretokenizer_of(config: Option<Node<'_, '_>>) -> Result<PretokenizerConfig, Reason> {
    let Some(config) = config else {
        return Err(Reason::not_byte_level("BPE without a pre-tokenizer"));
    };
    let mut steps = Vec::new();
    flatten(config, &mut steps)?;
    let kinds: Vec<&str> = steps.iter().map(|(kind, _)| *kind).collect();
    let Some(byte_level) = kinds.iter().position(|kind| *kind == "ByteLevel") else {
        let kinds = match kinds.is_empty() {
            true => "Sequence".to_owned(),
            false => listed(&kinds),
        };
        let what = format!("a tokenizer with the pre-tokenizer {kinds}");
        return Err(Reason::not_byte_level(what));
    };
    if let Some(after) = kinds.get(byte_level + 1) {
        let kind = (*after).to_owned();
        return Err(Reason::AfterByteLevel { kind });
    }
    let mut splits = Vec::new();
    for (kind, step) in &steps {
        splits.extend(split_of(kind, step)?);
    }
    match &splits[..] {
        [] => pretokenizer_for(r"[\s\S]+"), // Nothing splits the text.
        [Split::Pattern(pattern)] => pretokenizer_for(pattern),
        _ => match preset_of(&splits).and_then(PretokenizerConfig::preset) {
            Some(preset) => Ok(preset),
            None => Err(Reason::SeveralSplits {
                steps: splits.len(),
                kinds: listed(&kinds),
            }),
        },
    }
}

/// The kinds of steps for a message.
fn listed(kinds: &[&str]) -> String {
    const SHOWN: usize = 10;
    let more = if kinds.len() > SHOWN { ", ..." } else { "" };
    kinds[..kinds.len().min(SHOWN)].join(", ") + more
}

/// The preset that splits as this sequence does.
fn preset_of(splits: &[Split<'_>]) -> Option<&'static str> {
    let pattern = |text: &'static str| Split::Pattern(text.into());
    if splits == [Split::Digits, pattern(BYTE_LEVEL)] {
        return Some("command-r");
    }
    (splits == DEEPSEEK_SPLITS.map(pattern)).then_some("deepseek-v3")
}

/// The steps of a pre-tokenizer with their types, in order.
fn flatten<'n, 'a>(
    config: Node<'n, 'a>,
    steps: &mut Vec<(&'n str, Node<'n, 'a>)>,
) -> Result<(), Reason> {
    let kind = config.need_text("type")?;
    if kind != "Sequence" {
        steps.push((kind, config));
        return Ok(());
    }
    for part in config.need("pretokenizers")?.items()? {
        flatten(part, steps)?;
    }
    Ok(())
}

/// What a step splits by. `None`: it does not split.
fn split_of<'n>(kind: &str, step: &Node<'n, '_>) -> Result<Option<Split<'n>>, Reason> {
    match kind {
        "ByteLevel" => {
            if step.is_set("add_prefix_space")? {
                return Err(Reason::PrefixSpace);
            }
            let uses_pattern = step
                .value
                .field("use_regex")
                .is_none_or(|field| field.is_true());
            Ok(uses_pattern.then(|| Split::Pattern(BYTE_LEVEL.into())))
        }
        "Digits" if step.is_set("individual_digits")? => Ok(Some(Split::Digits)),
        "Split" => Ok(Some(Split::Pattern(pattern_of(step)?))),
        "Metaspace" => Err(Reason::not_byte_level(
            "a SentencePiece tokenizer (the pre-tokenizer Metaspace)",
        )),
        _ => Err(Reason::UnknownStep {
            kind: kind.to_owned(),
        }),
    }
}

fn pattern_of<'n>(step: &Node<'n, '_>) -> Result<Cow<'n, str>, Reason> {
    let behavior = step.need_text("behavior")?;
    let inverted = step.is_set("invert")?;
    // Isolated keeps the text that does not match, and so does superword. Removed with invert drops
    // it, but the published patterns that are used in this way match all text.
    let is_known = match behavior.to_ascii_lowercase().as_str() {
        "isolated" => true,
        "removed" => inverted,
        _ => false,
    };
    if !is_known {
        let behavior = behavior.to_owned();
        return Err(Reason::SplitBehavior { behavior, inverted });
    }
    let pattern = step.need("pattern")?;
    match pattern.get("Regex")? {
        Some(regex) => Ok(regex.text()?.into()),
        None => Ok(regex_syntax::escape(pattern.need_text("String")?).into()),
    }
}
