//! Extracts the text from a line of JSON.
//!
//! The scanner in [`super::scan`] handles common lines at the speed of memory and copies only text
//! that is escaped. It leaves all other lines to `serde_json`, which decides whether they are valid
//! and words the error.

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

use super::scan::{Scan, scan};
use crate::corpus::CorpusError;

/// The most fields that an error lists.
const FIELDS_SHOWN: usize = 12;

/// Why a line holds no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::corpus) enum JsonFault {
    NotJson {
        column: u64,
        reason: String,
    },
    NotObject {
        found: &'static str,
    },
    Missing {
        fields: Vec<String>,
        more_fields: usize,
    },
    NotString {
        found: &'static str,
    },
    LoneSurrogate {
        column: u64,
        escape: String,
    },
}

impl JsonFault {
    /// The error for this line of a source.
    pub(in crate::corpus) fn at(self, source_name: &str, line: u64, field: &str) -> CorpusError {
        let source_name = source_name.to_string();
        let field = field.to_string();
        match self {
            JsonFault::NotJson { column, reason } => CorpusError::NotJson {
                source_name,
                line,
                column,
                reason,
            },
            JsonFault::NotObject { found } => CorpusError::NotObject {
                source_name,
                line,
                found,
            },
            JsonFault::Missing {
                fields,
                more_fields,
            } => CorpusError::FieldMissing {
                source_name,
                line,
                field,
                fields,
                more_fields,
            },
            JsonFault::NotString { found } => CorpusError::FieldNotString {
                source_name,
                line,
                field,
                found,
            },
            JsonFault::LoneSurrogate { column, escape } => CorpusError::LoneSurrogate {
                source_name,
                line,
                column,
                escape,
            },
        }
    }
}

/// Returns the string at `field` of the object in `line`. If the field occurs several times, the
/// last one counts. Text that contains escapes is unescaped into `scratch`.
///
/// `extract(r#"{"text": "a\tb"}"#, "text", ..)` returns `a`, a tab, `b`.
pub(in crate::corpus) fn extract<'a>(
    line: &'a str,
    field: &str,
    scratch: &'a mut String,
) -> Result<&'a str, JsonFault> {
    match scan(line, field, scratch) {
        Scan::Borrowed(text) => Ok(text),
        Scan::Unescaped => Ok(scratch),
        Scan::LoneSurrogate { at } => {
            let escape = line[at..].chars().take(6).collect();
            Err(JsonFault::LoneSurrogate {
                column: column(line, at),
                escape,
            })
        }
        Scan::Unsure => {
            *scratch = extract_slowly(line, field)?;
            Ok(scratch)
        }
    }
}

/// [`extract`] as a function of its own: the text of a line, or the error of line 1 of `line`.
pub(crate) fn jsonl_text(line: &str, field: &str) -> Result<String, CorpusError> {
    let mut scratch = String::new();
    let text = extract(line, field, &mut scratch).map(str::to_owned);
    text.map_err(|fault| fault.at("line", 1, field))
}

/// The same with [`extract_slowly`].
pub(crate) fn jsonl_text_slowly(line: &str, field: &str) -> Result<String, CorpusError> {
    extract_slowly(line, field).map_err(|fault| fault.at("line", 1, field))
}

/// The number of the character that holds byte `at`, from 1.
fn column(line: &str, at: usize) -> u64 {
    line.char_indices()
        .take_while(|&(start, _)| start < at)
        .count() as u64
        + 1
}

/// The same with `serde_json`, for any line.
pub(in crate::corpus) fn extract_slowly(line: &str, field: &str) -> Result<String, JsonFault> {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let result = Line { field }.deserialize(&mut deserializer);
    let shape = result
        .and_then(|shape| deserializer.end().map(|()| shape))
        .map_err(|error| {
            let message = error.to_string();
            let reason = message
                .rsplit_once(" at line ")
                .map_or(message.as_str(), |(reason, _)| reason);
            JsonFault::NotJson {
                column: column(line, error.column().saturating_sub(1)),
                reason: reason.to_string(),
            }
        })?;
    match shape {
        Shape::Other(found) => Err(JsonFault::NotObject { found }),
        Shape::Object {
            text: Some(Ok(text)),
            ..
        } => Ok(text),
        Shape::Object {
            text: Some(Err(found)),
            ..
        } => Err(JsonFault::NotString { found }),
        Shape::Object {
            text: None,
            fields,
            more_fields,
        } => Err(JsonFault::Missing {
            fields,
            more_fields,
        }),
    }
}

/// What a line holds.
enum Shape {
    Object {
        text: Option<Result<String, &'static str>>,
        fields: Vec<String>,
        more_fields: usize,
    },
    Other(&'static str),
}

/// Reads a whole line.
struct Line<'f> {
    field: &'f str,
}

/// Reads a value: a string, or the kind of any other value.
struct Value;

/// The methods of a visitor for kinds of values that are only named in errors.
macro_rules! name_other_kinds {
    ($wrap:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($wrap("a boolean"))
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($wrap("a number"))
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($wrap("null"))
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok($wrap("an array"))
        }
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }
    };
}

impl<'de> Visitor<'de> for Value {
    type Value = Result<String, &'static str>;

    name_other_kinds!(Err);

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Ok(text.to_string()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Err("an object"))
    }
}

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Result<String, &'static str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Line<'_> {
    type Value = Shape;

    name_other_kinds!(Shape::Other);

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Other("a string"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Shape, A::Error> {
        let mut text = None;
        let mut fields = Vec::new();
        let mut more_fields = 0;
        while let Some(key) = entries.next_key::<String>()? {
            if key == self.field {
                text = Some(entries.next_value_seed(Value)?);
            } else {
                entries.next_value::<IgnoredAny>()?;
                if fields.len() < FIELDS_SHOWN {
                    fields.push(key);
                } else {
                    more_fields += 1;
                }
            }
        }
        Ok(Shape::Object {
            text,
            fields,
            more_fields,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Line<'_> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

#[cfg(test)]
#[path = "jsonl_tests.rs"]
mod tests;
