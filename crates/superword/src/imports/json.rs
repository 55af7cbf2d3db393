//! JSON of other programs: objects keep their order, and a value that is not laid out as expected
//! gives an error that says where it stands.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use super::Source;
use super::error::{ImportError, Reason};

/// A JSON value. If a key is given twice, the last one counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// The JSON object in a file.
pub(super) fn parse_object<'a>(file: Source<'a>) -> Result<Json<'a>, ImportError> {
    let content = file.content.strip_prefix(BYTE_ORDER_MARK);
    let parsed = serde_json::from_slice(content.unwrap_or(file.content));
    let reason = match parsed {
        Ok(Json::Object(fields)) => return Ok(Json::Object(fields)),
        Ok(_) => Reason::NotAnObject,
        Err(error) => Reason::NotJson {
            problem: error.to_string(),
        },
    };
    Err(ImportError::from(reason).in_file(file.name))
}

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Json<'_> {
    /// Whether Python takes the value for true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Json::Null => false,
            Json::Bool(value) => *value,
            Json::Number(number) => number.as_f64() != Some(0.0),
            Json::Text(text) => !text.is_empty(),
            Json::List(items) => !items.is_empty(),
            Json::Object(fields) => !fields.is_empty(),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "true or false",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        }
    }

    /// The field of an object. `None` for other values, and if the field is missing.
    pub(super) fn field(&self, key: &str) -> Option<&Self> {
        match self {
            Json::Object(fields) => {
                let found = fields.iter().rev().find(|(name, _)| name == key);
                found.map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The value as models store it.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => Value::Number(number.clone()),
            Json::Text(text) => Value::String(text.clone().into_owned()),
            Json::List(items) => items.iter().map(Json::to_value).collect(),
            Json::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(name, value)| (name.clone().into_owned(), value.to_value()))
                    .collect(),
            ),
        }
    }
}

/// A value with its place in the file, such as `added_tokens[3].id`.
#[derive(Clone, Debug)]
pub(super) struct Node<'n, 'a> {
    pub(super) value: &'n Json<'a>,
    place: String,
}

impl<'n, 'a> Node<'n, 'a> {
    pub(super) fn root(value: &'n Json<'a>) -> Self {
        Node {
            value,
            place: String::new(),
        }
    }

    /// An error at this place.
    pub(super) fn wrong(&self, problem: impl fmt::Display) -> Reason {
        Reason::Layout {
            at: self.place.clone(),
            problem: problem.to_string(),
        }
    }

    fn expected(&self, what: &str) -> Reason {
        self.wrong(format_args!("expected {what}, found {}", self.value.kind()))
    }

    fn below(&self, value: &'n Json<'a>, key: &str) -> Self {
        let dot = if self.place.is_empty() { "" } else { "." };
        Node {
            value,
            place: format!("{}{dot}{key}", self.place),
        }
    }

    fn item(&self, value: &'n Json<'a>, at: usize) -> Self {
        Node {
            value,
            place: format!("{}[{at}]", self.place),
        }
    }

    /// The field of an object. `None` if it is missing or null.
    pub(super) fn get(&self, key: &str) -> Result<Option<Self>, Reason> {
        self.object()?;
        let found = self.value.field(key);
        let found = found.filter(|&value| *value != Json::Null);
        Ok(found.map(|value| self.below(value, key)))
    }

    /// The field of an object, which must be there.
    pub(super) fn need(&self, key: &str) -> Result<Self, Reason> {
        self.object()?;
        match self.value.field(key) {
            Some(value) => Ok(self.below(value, key)),
            None => Err(self.below(self.value, key).wrong("missing")),
        }
    }

    /// The text of a field, which must be there.
    pub(super) fn need_text(&self, key: &str) -> Result<&'n str, Reason> {
        self.need(key)?.text()
    }

    /// Whether a field is there and true.
    pub(super) fn is_set(&self, key: &str) -> Result<bool, Reason> {
        Ok(self.get(key)?.is_some_and(|field| field.is_true()))
    }

    pub(super) fn is_true(&self) -> bool {
        self.value.is_true()
    }

    pub(super) fn text(&self) -> Result<&'n str, Reason> {
        match self.value {
            Json::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    /// A number that can be an id or a rank.
    pub(super) fn number(&self) -> Result<u32, Reason> {
        number_of(self.value).ok_or_else(|| self.not_a_number())
    }

    /// The error for a value that cannot be an id or a rank.
    pub(super) fn not_a_number(&self) -> Reason {
        match self.value {
            Json::Number(number) => {
                self.wrong(format_args!("{number} is not a whole number below 2^32"))
            }
            _ => self.expected("a number"),
        }
    }

    pub(super) fn list(&self) -> Result<&'n [Json<'a>], Reason> {
        match self.value {
            Json::List(items) => Ok(items),
            _ => Err(self.expected("a list")),
        }
    }

    /// The items of a list.
    pub(super) fn items(&self) -> Result<impl Iterator<Item = Self>, Reason> {
        let items = self.list()?.iter().enumerate();
        Ok(items.map(|(at, item)| self.item(item, at)))
    }

    /// An item of a list, which must be there.
    pub(super) fn at(&self, at: usize) -> Result<Self, Reason> {
        match self.list()?.get(at) {
            Some(value) => Ok(self.item(value, at)),
            None => Err(self.item(self.value, at).wrong("missing")),
        }
    }

    fn object(&self) -> Result<&'n [(Cow<'a, str>, Json<'a>)], Reason> {
        match self.value {
            Json::Object(fields) => Ok(fields),
            _ => Err(self.expected("an object")),
        }
    }

    /// The fields of an object in order, each key once.
    pub(super) fn fields(&self) -> Result<Vec<(&'n str, &'n Json<'a>)>, Reason> {
        let fields = self.object()?;
        let mut found: Vec<(&str, &Json<'a>)> = Vec::with_capacity(fields.len());
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(fields.len());
        for (name, value) in fields {
            let place = *places.entry(name).or_insert(found.len());
            match found.get_mut(place) {
                Some(earlier) => earlier.1 = value,
                None => found.push((name, value)),
            }
        }
        Ok(found)
    }

    /// The fields of an object as nodes.
    pub(super) fn nodes(&self) -> Result<impl Iterator<Item = (&'n str, Self)>, Reason> {
        let fields = self.fields()?.into_iter();
        Ok(fields.map(|(name, value)| (name, self.below(value, name))))
    }
}

/// The number, if it can be an id or a rank.
pub(super) fn number_of(value: &Json<'_>) -> Option<u32> {
    match value {
        Json::Number(number) => u32::try_from(number.as_u64()?).ok(),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Builder)
    }
}

struct Builder;

impl<'de> Visitor<'de> for Builder {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json<'de>, A::Error> {
        let mut object = Vec::new();
        while let Some((Json::Text(name), value)) = fields.next_entry()? {
            object.push((name, value));
        }
        Ok(Json::Object(object))
    }
}
