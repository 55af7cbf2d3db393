//! What surrounds a text: the post-processor of a `tokenizer.json` as lists of tokens.

use super::super::error::Reason;
use super::super::json::Node;

/// What surrounds one text (`$A`), and what surrounds two (`$A` and `$B`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) single: Vec<String>,
    pub(super) pair: Vec<String>,
}

impl Template {
    fn new(single: &[&str], pair: &[&str]) -> Template {
        let owned = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        Template {
            single: owned(single),
            pair: owned(pair),
        }
    }

    /// Nothing surrounds a text.
    fn plain() -> Template {
        Template::new(&["$A"], &["$A", "$B"])
    }

    pub(super) fn is_plain(&self) -> bool {
        *self == Template::plain()
    }

    /// The template of a post-processor. ByteLevel only changes offsets, so it has none.
    pub(super) fn of(config: Option<Node<'_, '_>>) -> Result<Template, Reason> {
        let Some(config) = config else {
            return Ok(Template::plain());
        };
        match config.need_text("type")? {
            "ByteLevel" => Ok(Template::plain()),
            "Sequence" => {
                let mut found = Template::plain();
                for step in config.need("processors")?.items()? {
                    let made = Template::of(Some(step))?;
                    if !made.is_plain() {
                        if !found.is_plain() {
                            return Err(Reason::SeveralTemplates);
                        }
                        found = made;
                    }
                }
                Ok(found)
            }
            "TemplateProcessing" => Ok(Template {
                single: items(&config, "single")?,
                pair: items(&config, "pair")?,
            }),
            kind @ ("RobertaProcessing" | "BertProcessing") => {
                let token = |name: &str| config.need(name)?.at(0)?.text();
                let (first, last) = (token("cls")?, token("sep")?);
                let pair: &[&str] = match kind {
                    "RobertaProcessing" => &[first, "$A", last, last, "$B", last],
                    _ => &[first, "$A", last, "$B", last],
                };
                Ok(Template::new(&[first, "$A", last], pair))
            }
            kind => Err(Reason::UnknownPostProcessor {
                kind: kind.to_owned(),
            }),
        }
    }

    /// The template that transformers makes for `add_bos_token` and `add_eos_token`.
    pub(super) fn surrounded(before: Option<&str>, after: Option<&str>) -> Template {
        let around = |text| before.into_iter().chain([text]).chain(after);
        let single: Vec<&str> = around("$A").collect();
        let pair: Vec<&str> = around("$A").chain(around("$B")).collect();
        Template::new(&single, &pair)
    }
}

fn items(config: &Node<'_, '_>, which: &str) -> Result<Vec<String>, Reason> {
    let mut found = Vec::new();
    for item in config.need(which)?.items()? {
        if let Some(text) = item.get("Sequence")? {
            found.push(format!("${}", text.need_text("id")?));
            continue;
        }
        let token = item.need("SpecialToken")?;
        let special = config
            .need("special_tokens")?
            .need(token.need_text("id")?)?;
        for text in special.need("tokens")?.items()? {
            found.push(text.text()?.to_owned());
        }
    }
    Ok(found)
}
