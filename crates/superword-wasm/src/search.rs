//! Tokens by text or pattern.

use std::cmp::Reverse;

use serde_json::{Value, json};
use superword::text::Matcher;
use superword::token::TokenId;

use crate::encoded::{PARTIAL, SUPERWORD};
use crate::error::PageError;
use crate::page_model::PageModel;

/// What to search for, and which results to return.
struct Query {
    wanted: Wanted,
    only_superwords: bool,
    order: Order,
    offset: usize,
    limit: usize,
}

enum Wanted {
    Everything,
    Text(String),
    Pattern(Matcher),
}

enum Order {
    Id,
    Longest,
    Frequent,
}

impl Query {
    fn parse(query: &str) -> Result<Query, PageError> {
        let query: Value = serde_json::from_str(query)
            .map_err(|error| PageError::new(format!("the query is not JSON: {error}")))?;
        let text = query["text"].as_str().unwrap_or_default();
        let number = |name: &str, default: u64| query[name].as_u64().unwrap_or(default) as usize;
        Ok(Query {
            wanted: match (text, query["regex"] == true) {
                ("", _) => Wanted::Everything,
                (text, false) => Wanted::Text(text.to_owned()),
                (text, true) => Wanted::Pattern(Matcher::new(text)?),
            },
            only_superwords: query["only_superwords"] == true,
            order: match query["order"].as_str().unwrap_or("id") {
                "id" => Order::Id,
                "longest" => Order::Longest,
                "frequent" => Order::Frequent,
                other => return Err(PageError::new(format!("there is no order {other:?}"))),
            },
            offset: number("offset", 0),
            limit: number("limit", 100),
        })
    }
}

impl Wanted {
    fn is_in(&self, bytes: &[u8]) -> Result<bool, PageError> {
        Ok(match self {
            Wanted::Everything => true,
            Wanted::Text(text) => contains(bytes, text.as_bytes()),
            // A pattern describes characters, so it never matches a part of one.
            Wanted::Pattern(pattern) => match std::str::from_utf8(bytes) {
                Ok(text) => pattern.try_is_match(text)?,
                Err(_) => false,
            },
        })
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

impl PageModel {
    /// JSON: the ids of the tokens that a query asks for, and their number.
    pub(crate) fn search(&self, query: &str) -> Result<String, PageError> {
        let query = Query::parse(query)?;
        let mut ids = Vec::new();
        for (id, kind) in (0..).zip(self.kinds()) {
            if query.only_superwords && kind & !PARTIAL != SUPERWORD {
                continue;
            }
            if let Some(bytes) = self.model.token_bytes(TokenId(id))
                && query.wanted.is_in(bytes)?
            {
                ids.push(id);
            }
        }
        match query.order {
            Order::Id => {}
            Order::Longest => ids.sort_by_cached_key(|&id| Reverse(self.characters(id))),
            Order::Frequent => ids.sort_by_cached_key(|&id| Reverse(self.count_of(id))),
        }
        let found: Vec<u32> = ids
            .iter()
            .copied()
            .skip(query.offset)
            .take(query.limit)
            .collect();
        Ok(json!({"total": ids.len(), "ids": found}).to_string())
    }

    /// How many characters start in a token.
    fn characters(&self, id: u32) -> usize {
        let bytes = self.model.token_bytes(TokenId(id)).unwrap_or_default();
        bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
    }

    fn count_of(&self, id: u32) -> u64 {
        let symbol = self.model.vocabulary().symbol_with(TokenId(id));
        symbol.and_then(|symbol| self.count(symbol)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::from_str;

    use super::*;
    use crate::testing::{model, text_of};

    fn found(model: &PageModel, query: Value) -> (u64, Vec<String>) {
        let answer: Value = from_str(&model.search(&query.to_string()).unwrap()).unwrap();
        let ids = answer["ids"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(Value::as_u64);
        let texts = ids.map(|id| text_of(model, id as u32)).collect();
        (answer["total"].as_u64().unwrap(), texts)
    }

    #[test]
    fn text_and_patterns_are_found() {
        let model = model("superbpe");
        let (total, all) = found(&model, json!({"limit": 10_000}));
        assert_eq!(
            (total as usize, all.len()),
            (model.model.n_vocab(), model.model.n_vocab())
        );
        let (_, texts) = found(&model, json!({"text": " of", "limit": 10_000}));
        assert!(texts.contains(&" of the".to_owned()));
        assert!(texts.iter().all(|text| text.contains(" of")));
        let (_, texts) = found(&model, json!({"text": "^ l.w$", "regex": true}));
        assert_eq!(texts, [" low"]);
        let (_, texts) = found(&model, json!({"text": "^ l.w$"}));
        assert!(texts.is_empty());
    }

    #[test]
    fn results_come_in_the_order_that_is_asked_for() {
        let model = model("superbpe");
        let superwords = |order| found(&model, json!({"only_superwords": true, "order": order})).1;
        let longest = superwords("longest");
        assert!(
            longest
                .windows(2)
                .all(|pair| pair[0].len() >= pair[1].len())
        );
        assert!(longest.iter().all(|text| text.trim().contains(' ')));
        let mut by_id = superwords("id");
        assert_ne!(by_id, longest);
        let mut frequent = superwords("frequent");
        frequent.sort();
        by_id.sort();
        assert_eq!(frequent, by_id);
    }

    #[test]
    fn results_come_in_pages() {
        let model = model("bpe");
        let (total, all) = found(&model, json!({"text": "o", "limit": 1000}));
        let (same, page) = found(&model, json!({"text": "o", "offset": 1, "limit": 2}));
        assert_eq!((total, &all[1..3]), (same, &page[..]));
    }

    #[test]
    fn a_wrong_pattern_is_an_error_with_a_hint() {
        let query = json!({"text": "(", "regex": true}).to_string();
        let error = model("bpe").search(&query).unwrap_err();
        assert!(error.message.contains("pattern"), "{}", error.message);
        assert!(error.hint.is_some());
        assert!(model("bpe").search("{").is_err());
        assert!(model("bpe").search(r#"{"order": "random"}"#).is_err());
    }
}
