//! What `tokenizer_config.json` and the files beside it say about a tokenizer.
//!
//! The roles of tokens, whether they are put around a text, the chat template, and a few options. It
//! becomes the settings of the model.

use serde_json::{Number, Value};

use super::super::Source;
use super::super::error::{ImportError, Reason};
use super::super::json::{Json, Node, parse_object};
use super::super::shown::quoted;
use super::added::{Added, added_token};
use super::template::Template;
use crate::model::{AddedToken, Facts};

/// The roles that an added token can have.
pub const ROLES: [&str; 7] = [
    "bos_token",
    "eos_token",
    "pad_token",
    "unk_token",
    "sep_token",
    "cls_token",
    "mask_token",
];
/// transformers writes 10^30 for "no limit".
const NO_LIMIT: f64 = 1e20;

/// The fields of the files beside a tokenizer. The last file that has a field counts.
pub(super) struct Config<'a> {
    files: Vec<(Option<&'a str>, Json<'a>)>,
}

/// A field, and the name of the file that has it.
struct Field<'n, 'a> {
    node: Node<'n, 'a>,
    file: Option<&'n str>,
}

impl Field<'_, '_> {
    fn error(&self, reason: Reason) -> ImportError {
        ImportError::from(reason).in_file(self.file)
    }
}

impl<'a> Config<'a> {
    pub(super) fn read(files: &[Source<'a>]) -> Result<Config<'a>, ImportError> {
        let parse = |file: &Source<'a>| Ok((file.name, parse_object(*file)?));
        let files: Result<_, ImportError> = files.iter().map(parse).collect();
        Ok(Config { files: files? })
    }

    /// A field that is neither missing nor null.
    fn field(&self, name: &str) -> Option<Field<'_, 'a>> {
        let has = |(_, data): &&(_, Json<'a>)| data.field(name).is_some();
        let (file, data) = self.files.iter().rev().find(has)?;
        let node = Node::root(data).get(name).ok()??;
        Some(Field { node, file: *file })
    }

    /// Whether a field is there and true.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.node.is_true())
    }

    /// The text of a field, or of its `content` if it is an object. `None` if there is none.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, ImportError> {
        let Some(field) = self.field(name) else {
            return Ok(None);
        };
        let text = || {
            let text = match field.node.value {
                Json::Object(_) => field.node.get("content")?,
                _ => Some(field.node.clone()),
            };
            text.map(|text| text.text()).transpose()
        };
        let text = text().map_err(|reason| field.error(reason))?;
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// The tokens of `added_tokens_decoder`, by id.
    pub(super) fn added(&self) -> Result<Vec<AddedToken>, ImportError> {
        let Some(listed) = self.field("added_tokens_decoder") else {
            return Ok(Vec::new());
        };
        read_added(&listed.node).map_err(|reason| listed.error(reason))
    }

    /// The settings of a model that has these added tokens.
    pub(super) fn settings(
        &self,
        added: &Added,
        mut template: Template,
    ) -> Result<Facts, ImportError> {
        let mut found = Facts::new();
        for role in ROLES {
            let Some(text) = self.text(role)? else {
                continue;
            };
            if !added.ids.contains_key(text) {
                let reason = Reason::RoleWithoutToken {
                    role,
                    shown: quoted(text),
                    token: text.to_owned(),
                };
                let file = self.field(role).and_then(|field| field.file);
                return Err(ImportError::from(reason).in_file(file));
            }
            found.insert(role.to_owned(), text.into());
        }
        // transformers 5 ignores the two switches if there is a tokenizer.json. They matter where
        // its post-processor adds nothing, as in DeepSeek V3.
        if template.is_plain() {
            let role = |switch: &str, role: &str| match self.is_set(switch) {
                true => found.get(role).and_then(Value::as_str),
                false => None,
            };
            let before = role("add_bos_token", "bos_token");
            let after = role("add_eos_token", "eos_token");
            template = Template::surrounded(before, after);
        }
        if !template.is_plain() {
            found.insert("single".to_owned(), template.single.into());
            found.insert("pair".to_owned(), template.pair.into());
        }
        for name in KEPT {
            if let Some(value) = self
                .field(name)
                .and_then(|field| kept(name, field.node.value))
            {
                found.insert(name.to_owned(), value);
            }
        }
        Ok(found)
    }
}

fn read_added(listed: &Node<'_, '_>) -> Result<Vec<AddedToken>, Reason> {
    let mut tokens = Vec::new();
    if listed.is_true() {
        for (id, token) in listed.nodes()? {
            let id = id.parse();
            let id = id.map_err(|_| token.wrong("the key is not an id"))?;
            tokens.push(added_token(&token, id)?);
        }
    }
    tokens.sort_by_key(|token| token.id);
    Ok(tokens)
}

/// The fields that become settings of the same name.
const KEPT: [&str; 5] = [
    "chat_template",
    "model_max_length",
    "padding_side",
    "truncation_side",
    "clean_up_tokenization_spaces",
];

/// The value of such a field in the settings. `None` if it says nothing.
fn kept(name: &str, field: &Json<'_>) -> Option<Value> {
    let says_something = match (name, field) {
        ("chat_template", _) => field.is_true(),
        ("model_max_length", Json::Number(limit)) => return limit_of(limit),
        ("padding_side" | "truncation_side", Json::Text(side)) => side == "left" || side == "right",
        ("clean_up_tokenization_spaces", Json::Bool(_)) => true,
        _ => false,
    };
    says_something.then(|| field.to_value())
}

/// A limit as a whole number. `None` if there is no limit.
fn limit_of(limit: &Number) -> Option<Value> {
    let size = limit.as_f64()?;
    if size <= 0.0 || size >= NO_LIMIT {
        return None;
    }
    match limit.is_u64() || size >= u64::MAX as f64 {
        true => Some(Value::Number(limit.clone())),
        false => Some((size as u64).into()),
    }
}
