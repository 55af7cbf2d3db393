//! The header of a model file: a JSON object with sorted keys and no whitespace.

use serde_json::{Map, Value, json};

use super::sections::{Section, SectionLength};
use super::{LoadError, PREAMBLE_BYTES};
use crate::model::{AddedToken, Alphabet, Facts, Method, ModelParts, Normalizer, PickySplit};
use crate::text::{PretokenizerConfig, ScriptPattern};
use crate::token::TokenId;

/// The name of this program in the header.
pub(super) const PROGRAM: &str = concat!("superword ", env!("CARGO_PKG_VERSION"));

/// The content of a header.
pub(super) struct Header {
    pub(super) method: Method,
    pub(super) pretokenizer: PretokenizerConfig,
    pub(super) alphabet: Alphabet,
    pub(super) picky_split: PickySplit,
    pub(super) added: Vec<AddedToken>,
    pub(super) normalizer: Option<Normalizer>,
    pub(super) whole_pieces: bool,
    pub(super) settings: Facts,
    pub(super) facts: Facts,
    pub(super) sections: Vec<SectionLength>,
    pub(super) written_by: String,
}

impl Header {
    /// Writes a header. There is exactly one way to write each header of a version.
    pub(super) fn to_json(
        parts: &ModelParts,
        version: u32,
        sections: &[SectionLength],
        written_by: &str,
    ) -> Vec<u8> {
        let pretokenizer = &parts.pretokenizer;
        let script = pretokenizer
            .script
            .as_ref()
            .map(|script| json!({"pattern": script.pattern, "scripts": script.scripts}));
        let sections: Vec<Value> = sections
            .iter()
            .map(|length| {
                json!({
                    "bytes": length.bytes,
                    "items": length.items,
                    "name": length.section.name(),
                })
            })
            .collect();
        let mut header = json!({
            "alphabet": parts.alphabet.name(),
            "facts": parts.facts,
            "method": parts.method.name(),
            "picky_split": parts.recorded_split(),
            "pretokenizer": {
                "eligible": pretokenizer.eligible,
                "name": pretokenizer.name,
                "pattern": pretokenizer.pattern,
                "script": script,
            },
            "sections": sections,
            "written_by": written_by,
        });
        let added = parts.added.iter();
        if version == 1 {
            header["special_tokens"] = added
                .map(|token| json!({"id": token.id.0, "text": token.text}))
                .collect();
        } else {
            header["added_tokens"] = added.map(added_json).collect();
            header["normalizer"] = json!(parts.normalizer.map(Normalizer::name));
            header["settings"] = json!(parts.settings);
            header["whole_pieces"] = json!(parts.whole_pieces);
        }
        header.to_string().into_bytes()
    }

    /// Reads a header. Every field must be present and have the right type, and there must be no other
    /// fields.
    pub(super) fn parse(bytes: &[u8], version: u32) -> Result<Header, LoadError> {
        let text = std::str::from_utf8(bytes).map_err(|error| LoadError::HeaderNotUtf8 {
            offset: PREAMBLE_BYTES + error.valid_up_to(),
        })?;
        let value: Value =
            serde_json::from_str(text).map_err(|error| LoadError::HeaderNotJson {
                offset: PREAMBLE_BYTES + offset_of(bytes, error.line(), error.column()),
                problem: error.to_string(),
            })?;
        let mut fields = Fields::of(String::new(), value)?;
        let (added, normalizer, whole_pieces, settings) = match version {
            1 => {
                let added = fields.objects("special_tokens", special)?;
                (added, None, false, Facts::new())
            }
            _ => (
                fields.objects("added_tokens", added)?,
                match fields.take("normalizer")? {
                    Value::Null => None,
                    value => {
                        fields.map.insert("normalizer".into(), value);
                        Some(fields.name("normalizer", "nfc, nfkc", Normalizer::from_name)?)
                    }
                },
                fields.flag("whole_pieces")?,
                fields.object("settings")?.map,
            ),
        };
        let header = Header {
            added,
            normalizer,
            whole_pieces,
            settings,
            method: fields.name("method", "bpe, boundless, superbpe", Method::from_name)?,
            pretokenizer: pretokenizer(fields.object("pretokenizer")?)?,
            alphabet: fields.name("alphabet", "bytes, utf8", Alphabet::from_name)?,
            picky_split: fields.name(
                "picky_split",
                "parts, nearest_parts, bytes",
                PickySplit::from_recorded,
            )?,
            facts: fields.object("facts")?.map,
            sections: fields.objects("sections", section)?,
            written_by: fields.string("written_by")?,
        };
        fields.end()?;
        Ok(header)
    }
}

fn pretokenizer(mut fields: Fields) -> Result<PretokenizerConfig, LoadError> {
    let config = PretokenizerConfig {
        name: match fields.take("name")? {
            Value::Null => None,
            Value::String(name) => Some(name),
            other => return Err(fields.mistyped("name", "a string or null", &other)),
        },
        pattern: fields.string("pattern")?,
        script: match fields.take("script")? {
            Value::Null => None,
            value => Some(script(Fields::of(fields.path("script"), value)?)?),
        },
        eligible: fields.string("eligible")?,
    };
    fields.end()?;
    Ok(config)
}

fn script(mut fields: Fields) -> Result<ScriptPattern, LoadError> {
    let pattern = fields.string("pattern")?;
    let names = fields.array("scripts")?;
    let scripts = (0..).zip(names).map(|(index, name)| match name {
        Value::String(name) => Ok(name),
        other => Err(fields.mistyped(&format!("scripts[{index}]"), "a string", &other)),
    });
    let scripts = scripts.collect::<Result<Vec<String>, LoadError>>()?;
    fields.end()?;
    Ok(ScriptPattern { pattern, scripts })
}

fn special(mut fields: Fields) -> Result<AddedToken, LoadError> {
    let id = fields.id()?;
    let text = fields.string("text")?;
    fields.end()?;
    Ok(AddedToken::special(text, id))
}

fn added(mut fields: Fields) -> Result<AddedToken, LoadError> {
    let token = AddedToken {
        id: fields.id()?,
        text: fields.string("text")?,
        special: fields.flag("special")?,
        lstrip: fields.flag("lstrip")?,
        rstrip: fields.flag("rstrip")?,
        single_word: fields.flag("single_word")?,
        normalized: fields.flag("normalized")?,
    };
    fields.end()?;
    Ok(token)
}

fn added_json(token: &AddedToken) -> Value {
    json!({
        "id": token.id.0,
        "lstrip": token.lstrip,
        "normalized": token.normalized,
        "rstrip": token.rstrip,
        "single_word": token.single_word,
        "special": token.special,
        "text": token.text,
    })
}

fn section(mut fields: Fields) -> Result<SectionLength, LoadError> {
    let length = SectionLength {
        section: fields.name(
            "name",
            "events, ids, ngrams, order, unmade",
            Section::from_name,
        )?,
        bytes: fields.number("bytes")?,
        items: fields.number("items")?,
    };
    fields.end()?;
    Ok(length)
}

/// The fields of an object that have not been read yet, and the position of the object in the
/// header.
struct Fields {
    place: String,
    map: Map<String, Value>,
}

impl Fields {
    fn of(place: String, value: Value) -> Result<Fields, LoadError> {
        match value {
            Value::Object(map) => Ok(Fields { place, map }),
            other => Err(LoadError::FieldType {
                field: if place.is_empty() {
                    "the whole".to_owned()
                } else {
                    place
                },
                expected: "an object",
                found: kind_of(&other),
            }),
        }
    }

    /// The full name of a field: `pretokenizer.script`.
    fn path(&self, field: &str) -> String {
        if self.place.is_empty() {
            field.to_owned()
        } else {
            format!("{}.{field}", self.place)
        }
    }

    fn mistyped(&self, field: &str, expected: &'static str, found: &Value) -> LoadError {
        LoadError::FieldType {
            field: self.path(field),
            expected,
            found: kind_of(found),
        }
    }

    fn take(&mut self, field: &str) -> Result<Value, LoadError> {
        self.map
            .remove(field)
            .ok_or_else(|| LoadError::FieldMissing {
                field: self.path(field),
            })
    }

    fn string(&mut self, field: &str) -> Result<String, LoadError> {
        match self.take(field)? {
            Value::String(text) => Ok(text),
            other => Err(self.mistyped(field, "a string", &other)),
        }
    }

    fn flag(&mut self, field: &str) -> Result<bool, LoadError> {
        match self.take(field)? {
            Value::Bool(flag) => Ok(flag),
            other => Err(self.mistyped(field, "true or false", &other)),
        }
    }

    fn id(&mut self) -> Result<TokenId, LoadError> {
        let id = self.take("id")?;
        match id.as_u64().map(u32::try_from) {
            Some(Ok(id)) => Ok(TokenId(id)),
            _ => Err(self.mistyped("id", "a whole number below 2^32", &id)),
        }
    }

    fn number(&mut self, field: &str) -> Result<u64, LoadError> {
        let value = self.take(field)?;
        value
            .as_u64()
            .ok_or_else(|| self.mistyped(field, "a whole number below 2^64", &value))
    }

    fn array(&mut self, field: &str) -> Result<Vec<Value>, LoadError> {
        match self.take(field)? {
            Value::Array(items) => Ok(items),
            other => Err(self.mistyped(field, "a list", &other)),
        }
    }

    fn object(&mut self, field: &str) -> Result<Fields, LoadError> {
        let value = self.take(field)?;
        Fields::of(self.path(field), value)
    }

    fn objects<T>(
        &mut self,
        field: &str,
        read: impl Fn(Fields) -> Result<T, LoadError>,
    ) -> Result<Vec<T>, LoadError> {
        let items = self.array(field)?;
        let read_item = |(index, item): (usize, Value)| {
            read(Fields::of(format!("{}[{index}]", self.path(field)), item)?)
        };
        items.into_iter().enumerate().map(read_item).collect()
    }

    fn name<T>(
        &mut self,
        field: &str,
        allowed: &'static str,
        from_name: impl Fn(&str) -> Option<T>,
    ) -> Result<T, LoadError> {
        let name = self.string(field)?;
        from_name(&name).ok_or_else(|| LoadError::FieldName {
            field: self.path(field),
            name,
            allowed,
        })
    }

    /// Returns an error if there are fields that were not read.
    fn end(self) -> Result<(), LoadError> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(field) => Err(LoadError::FieldUnknown {
                field: self.path(field),
            }),
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "another number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The offset of a line and a column as the JSON reader reports them, both counted from 1.
fn offset_of(bytes: &[u8], line: usize, column: usize) -> usize {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let before: usize = lines.take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (before + column.saturating_sub(1)).min(bytes.len())
}
