//! What shards are made from, and how that is recorded and compared.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::formats::{Dtype, ShardFormat};
use super::packed::packed_bits;
use crate::corpus::OnError;
use crate::disk::{self, Identity};

const SHARD_FORMAT: &str = "shard_format";

/// Everything that decides the bytes of the shards. A run resumes an earlier one only if both have
/// the same recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// SHA-256 of the model file, in hexadecimal.
    pub model_sha256: String,
    /// The size of the vocabulary.
    pub n_vocab: u64,
    /// The format of the shards.
    pub format: ShardFormat,
    /// The type of the ids.
    pub dtype: Dtype,
    /// The token that ends each document, if any.
    pub eot_token: Option<u32>,
    /// A shard ends with the document that brings it to this many tokens.
    pub shard_size: u64,
    /// The field of a JSON object that holds the text.
    pub text_field: String,
    /// What to do with a document that cannot be read.
    pub on_error: OnError,
    /// The inputs, in order.
    pub inputs: Vec<InputRecord>,
}

/// An input as the recipe records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRecord {
    path: String,
    format: Option<String>,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    File {
        bytes: u64,
        modified_ns: i64,
        /// `None` in records of older versions.
        ends: Option<u64>,
    },
    /// A dataset with a fingerprint of its content.
    Fingerprint(String),
    /// Whether the content has changed cannot be determined, for this reason.
    Unknown(&'static str),
}

impl InputRecord {
    /// A file, or a pipe that has a name.
    pub fn file(path: &Path, format: Option<String>) -> InputRecord {
        let content = match disk::identity(path) {
            Ok(Identity {
                bytes,
                modified_ns,
                ends,
            }) => Content::File {
                bytes,
                modified_ns,
                ends: Some(ends),
            },
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                Content::Unknown("is a pipe, which cannot be read again")
            }
            // Reading it will fail as well, with a better message.
            Err(_) => Content::Unknown("cannot be read"),
        };
        InputRecord {
            path: path.display().to_string(),
            format,
            content,
        }
    }

    /// Standard input.
    pub fn stdin(format: Option<String>) -> InputRecord {
        InputRecord {
            path: "standard input".into(),
            format,
            content: Content::Unknown("cannot be read again"),
        }
    }

    /// Data that a program holds in memory. A fingerprint shows whether it has changed.
    pub fn data(name: String, format: Option<String>, fingerprint: Option<String>) -> InputRecord {
        InputRecord {
            path: name,
            format,
            content: match fingerprint {
                Some(fingerprint) => Content::Fingerprint(fingerprint),
                None => Content::Unknown("is data in memory, which may have changed"),
            },
        }
    }

    fn is_same(&self, other: &InputRecord) -> bool {
        let content = match (&self.content, &other.content) {
            (
                Content::File {
                    bytes: a,
                    modified_ns: b,
                    ends: c,
                },
                Content::File {
                    bytes: x,
                    modified_ns: y,
                    ends: z,
                },
            ) => (a, b) == (x, y) && (c == z || c.is_none() || z.is_none()),
            (a, b) => a == b,
        };
        content && self.path == other.path && self.format == other.format
    }

    fn to_json(&self) -> Value {
        let mut record = json!({ "path": self.path, "format": self.format });
        match &self.content {
            Content::File {
                bytes,
                modified_ns,
                ends,
            } => {
                record["bytes"] = json!(bytes);
                record["modified_ns"] = json!(modified_ns);
                record["ends"] = json!(ends.map(|ends| format!("{ends:016x}")));
            }
            Content::Fingerprint(fingerprint) => record["fingerprint"] = json!(fingerprint),
            Content::Unknown(_) => {}
        }
        record
    }

    fn from_json(value: &Value) -> Option<InputRecord> {
        let content = if let Some(bytes) = value.get("bytes") {
            Content::File {
                bytes: bytes.as_u64()?,
                modified_ns: value.get("modified_ns")?.as_i64()?,
                ends: match value.get("ends") {
                    None | Some(Value::Null) => None,
                    Some(ends) => Some(u64::from_str_radix(ends.as_str()?, 16).ok()?),
                },
            }
        } else if let Some(fingerprint) = value.get("fingerprint") {
            Content::Fingerprint(fingerprint.as_str()?.into())
        } else {
            Content::Unknown("was not recorded")
        };
        Some(InputRecord {
            path: value.get("path")?.as_str()?.into(),
            format: optional(value, "format", |format| format.as_str().map(Into::into))?,
            content,
        })
    }
}

impl Recipe {
    /// The bits that hold every id of the vocabulary.
    pub(super) fn bits(&self) -> u32 {
        packed_bits(self.n_vocab)
    }

    /// How this recipe differs from that of an earlier run, in words. Inputs whose changes cannot be
    /// detected count as differences. Empty if the recipes are certainly the same.
    pub(super) fn changes_since(&self, before: &Recipe) -> Vec<String> {
        // Destructured so that a new part of the recipe cannot be forgotten here.
        let Recipe {
            model_sha256,
            n_vocab,
            format,
            dtype,
            eot_token,
            shard_size,
            text_field,
            on_error,
            inputs,
        } = self;
        let mut changes = Vec::new();
        if (model_sha256, n_vocab) != (&before.model_sha256, &before.n_vocab) {
            changes.push("the model is different".into());
        }
        let mut compare = |name: &str, before: String, now: String| {
            if before != now {
                changes.push(format!("{name} was {before} and is now {now}"));
            }
        };
        let id = |id: &Option<u32>| id.map_or_else(|| "none".into(), |id| id.to_string());
        compare("format", before.format.name().into(), format.name().into());
        compare("dtype", before.dtype.name().into(), dtype.name().into());
        compare("eot_token", id(&before.eot_token), id(eot_token));
        compare(
            "shard_size",
            before.shard_size.to_string(),
            shard_size.to_string(),
        );
        compare("text_field", before.text_field.clone(), text_field.clone());
        compare(
            "on_error",
            before.on_error.name().into(),
            on_error.name().into(),
        );
        let paths = |inputs: &[InputRecord]| -> Vec<String> {
            inputs.iter().map(|input| input.path.clone()).collect()
        };
        if paths(&before.inputs) != paths(inputs) {
            changes.push(match (before.inputs.len(), inputs.len()) {
                (before, now) if before == now => "the inputs or their order are different".into(),
                (before, now) => format!("there were {before} inputs and are now {now}"),
            });
            return changes;
        }
        for (before, now) in before.inputs.iter().zip(inputs) {
            if let Content::Unknown(why) = now.content {
                changes.push(format!("{} {why}", now.path));
            } else if !now.is_same(before) {
                changes.push(format!("{} has changed", now.path));
            }
        }
        changes
    }

    pub(super) fn to_json(&self) -> Map<String, Value> {
        let inputs: Vec<Value> = self.inputs.iter().map(InputRecord::to_json).collect();
        let mut record = Map::new();
        let mut put = |name: &str, value| record.insert(name.into(), value);
        put(
            "model",
            json!({ "sha256": self.model_sha256, "n_vocab": self.n_vocab }),
        );
        // `format` is the name of the field that says what kind of record it is.
        put(SHARD_FORMAT, json!(self.format.name()));
        put("dtype", json!(self.dtype.name()));
        put("eot_token", json!(self.eot_token));
        put("shard_size", json!(self.shard_size));
        put("text_field", json!(self.text_field));
        put("on_error", json!(self.on_error.name()));
        put("inputs", Value::Array(inputs));
        record
    }

    /// The inverse of [`Recipe::to_json`]; `None` for anything else.
    pub(super) fn from_json(value: &Value) -> Option<Recipe> {
        let model = value.get("model")?;
        let inputs = value.get("inputs")?.as_array()?;
        Some(Recipe {
            model_sha256: model.get("sha256")?.as_str()?.into(),
            n_vocab: model.get("n_vocab")?.as_u64()?,
            format: recorded_format(value)?,
            dtype: Dtype::from_name(value.get("dtype")?.as_str()?)?,
            eot_token: optional(value, "eot_token", |id| u32::try_from(id.as_u64()?).ok())?,
            shard_size: value.get("shard_size")?.as_u64()?,
            text_field: value.get("text_field")?.as_str()?.into(),
            on_error: OnError::from_name(value.get("on_error")?.as_str()?)?,
            inputs: inputs
                .iter()
                .map(InputRecord::from_json)
                .collect::<Option<_>>()?,
        })
    }
}

/// The format that a record names. Records of earlier versions name none, and mean npy.
pub(super) fn recorded_format(record: &Value) -> Option<ShardFormat> {
    match record.get(SHARD_FORMAT) {
        None => Some(ShardFormat::Npy),
        Some(name) => ShardFormat::from_name(name.as_str()?),
    }
}

/// A field that may be null: `Some(None)` if it is.
fn optional<T>(value: &Value, name: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
    match value.get(name)? {
        Value::Null => Some(None),
        value => read(value).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Recipe {
        pub(in super::super) fn example() -> Recipe {
            recipe()
        }
    }

    fn recipe() -> Recipe {
        let file = |bytes, ends| InputRecord {
            path: "a.txt".into(),
            format: None,
            content: Content::File {
                bytes,
                modified_ns: -5,
                ends,
            },
        };
        Recipe {
            model_sha256: "00ff".into(),
            n_vocab: 300,
            format: ShardFormat::Npy,
            dtype: Dtype::Uint16,
            eot_token: Some(299),
            shard_size: 1000,
            text_field: "text".into(),
            on_error: OnError::Stop,
            inputs: vec![
                file(7, Some(u64::MAX)),
                InputRecord::data("Dataset".into(), Some("jsonl".into()), Some("f".into())),
            ],
        }
    }

    #[test]
    fn a_recipe_is_read_back() {
        let written = Value::Object(recipe().to_json());
        let read = Recipe::from_json(&written).unwrap();
        assert_eq!(read, recipe());
        assert!(recipe().changes_since(&read).is_empty());
    }

    #[test]
    fn records_without_any_one_field_are_refused() {
        let written = recipe().to_json();
        for name in written.keys() {
            let mut less = written.clone();
            less.remove(name);
            // Earlier versions wrote npy only.
            let expected = (name == SHARD_FORMAT).then(recipe);
            assert_eq!(Recipe::from_json(&Value::Object(less)), expected, "{name}");
            let mut other = written.clone();
            other.insert(name.clone(), json!([{ "x": 1 }]));
            assert_eq!(Recipe::from_json(&Value::Object(other)), None, "{name}");
        }
    }

    #[test]
    fn every_difference_is_named() {
        let before = recipe();
        type Change = (fn(&mut Recipe), &'static str);
        let changes: [Change; 10] = [
            (|r| r.model_sha256.push('0'), "the model is different"),
            (|r| r.n_vocab = 1, "the model is different"),
            (
                |r| r.dtype = Dtype::Uint32,
                "dtype was uint16 and is now uint32",
            ),
            (
                |r| r.format = ShardFormat::Raw,
                "format was npy and is now raw",
            ),
            (|r| r.eot_token = None, "eot_token was 299 and is now none"),
            (|r| r.shard_size = 5, "shard_size was 1000 and is now 5"),
            (
                |r| r.text_field = "body".into(),
                "text_field was text and is now body",
            ),
            (
                |r| r.on_error = OnError::Skip,
                "on_error was stop and is now skip",
            ),
            (
                |r| r.inputs.truncate(1),
                "there were 2 inputs and are now 1",
            ),
            (
                |r| r.inputs.reverse(),
                "the inputs or their order are different",
            ),
        ];
        for (change, words) in changes {
            let mut now = before.clone();
            change(&mut now);
            assert_eq!(now.changes_since(&before), [words]);
        }
    }

    #[test]
    fn changed_and_unknown_content_is_named() {
        let mut now = recipe();
        for (bytes, ends, same) in [
            (7, Some(u64::MAX), true),
            (7, None, true),
            (7, Some(1), false),
            (8, Some(u64::MAX), false),
        ] {
            now.inputs[0].content = Content::File {
                bytes,
                modified_ns: -5,
                ends,
            };
            assert_eq!(now.changes_since(&recipe()).is_empty(), same);
        }
        now.inputs[1] = InputRecord::data("Dataset".into(), Some("jsonl".into()), None);
        let changes = now.changes_since(&recipe());
        assert_eq!(changes[0], "a.txt has changed");
        assert_eq!(
            changes[1],
            "Dataset is data in memory, which may have changed"
        );
    }
}
