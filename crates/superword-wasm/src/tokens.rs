//! One token: how it was made, and what is made of it.

use std::collections::HashSet;

use serde_json::{Value, json};
use superword::model::Origin;
use superword::token::{Symbol, TokenId};

use crate::error::PageError;
use crate::page_model::PageModel;

/// The most levels of a tree. Real tokens have fewer, and JSON is read recursively.
const MAX_LEVELS: usize = 100;

/// The most tokens in a tree. More could not be shown.
const MAX_NODES: usize = 2000;

impl PageModel {
    /// JSON: the token with this id.
    pub(crate) fn token(&self, id: u32) -> Result<String, PageError> {
        let (mut token, parts) = self.describe_token(id)?;
        let ids = parts.map(|parts| parts.map(|part| self.id_of(part)));
        let [left, right] = ids.unwrap_or_default();
        token["left"] = json!(left);
        token["right"] = json!(right);
        Ok(token.to_string())
    }

    /// JSON: the token with this id, with the tokens it was made of in place of their ids. A part
    /// that was deleted later has no id.
    pub(crate) fn tree(&self, id: u32) -> Result<String, PageError> {
        let (token, parts) = self.describe_token(id)?;
        let mut left = MAX_NODES;
        Ok(self.grow(token, parts, MAX_LEVELS, &mut left).to_string())
    }

    fn grow(
        &self,
        mut token: Value,
        parts: Option<[Symbol; 2]>,
        levels: usize,
        nodes: &mut usize,
    ) -> Value {
        let parts = parts.filter(|_| levels > 0 && *nodes >= 2);
        let [left, right] = match parts {
            None => [Value::Null, Value::Null],
            Some(parts) => {
                *nodes -= 2;
                parts.map(|part| {
                    let (token, parts) = self.describe_symbol(part);
                    self.grow(token, parts, levels - 1, nodes)
                })
            }
        };
        token["left"] = left;
        token["right"] = right;
        token
    }

    /// JSON: the tokens that this one is part of, directly or through others. At most `limit` ids,
    /// superwords and other tokens in the order of their ids, and the number of all of them.
    pub(crate) fn used_in(&self, id: u32, limit: usize) -> Result<String, PageError> {
        self.describe_token(id)?;
        let mut ids = Vec::new();
        if let Some(symbol) = self.model.vocabulary().symbol_with(TokenId(id)) {
            let uses = self.uses.get_or_init(|| self.all_uses());
            let mut seen = HashSet::from([symbol]);
            let mut todo = vec![symbol];
            while let Some(part) = todo.pop() {
                for &made in &uses[part.index()] {
                    if seen.insert(made) {
                        todo.push(made);
                        ids.extend(self.id_of(made));
                    }
                }
            }
        }
        ids.sort_unstable();
        let total = ids.len();
        ids.truncate(limit);
        Ok(json!({"total": total, "ids": ids}).to_string())
    }

    /// For each symbol, those that were made of it directly.
    fn all_uses(&self) -> Vec<Vec<Symbol>> {
        let vocabulary = self.model.vocabulary();
        let mut uses = vec![Vec::new(); vocabulary.len()];
        for made in (0..vocabulary.len() as u32).map(Symbol) {
            if let Some([left, right]) = parts_of(vocabulary.origin_of(made)) {
                uses[left.index()].push(made);
                if right != left {
                    uses[right.index()].push(made);
                }
            }
        }
        uses
    }

    fn id_of(&self, symbol: Symbol) -> Option<u32> {
        self.model.vocabulary().id_of(symbol).map(|id| id.0)
    }

    /// The fields of a token without its parts, and the parts.
    fn describe_token(&self, id: u32) -> Result<(Value, Option<[Symbol; 2]>), PageError> {
        let added = self.model.added_with(TokenId(id));
        match (self.model.vocabulary().symbol_with(TokenId(id)), added) {
            (None, None) => Err(PageError::with_hint(
                format!("no token has the id {id}"),
                format!("ids are below {}", self.model.n_vocab()),
            )),
            (Some(symbol), None) => Ok(self.describe_symbol(symbol)),
            (_, Some(added)) => {
                let kind = if added.special { "special" } else { "added" };
                Ok((fields(Some(id), added.text.as_bytes(), kind, None, 1), None))
            }
        }
    }

    fn describe_symbol(&self, symbol: Symbol) -> (Value, Option<[Symbol; 2]>) {
        let vocabulary = self.model.vocabulary();
        let origin = vocabulary.origin_of(symbol);
        let kind = match origin {
            Origin::Byte => "byte",
            Origin::Unmade => "unmade",
            Origin::Merge(..) => "merge",
            Origin::Supermerge(..) => "superword",
        };
        let bytes = vocabulary.bytes_of(symbol);
        let count = self.count(symbol);
        let words = self.words(symbol);
        let token = fields(self.id_of(symbol), bytes, kind, count, words);
        (token, parts_of(origin))
    }

    /// How many words a token joins.
    fn words(&self, symbol: Symbol) -> usize {
        let mut words = 0;
        let mut todo = vec![symbol];
        while let Some(symbol) = todo.pop() {
            match self.model.vocabulary().origin_of(symbol) {
                Origin::Supermerge(left, right) => todo.extend([left, right]),
                Origin::Byte | Origin::Unmade | Origin::Merge(..) => words += 1,
            }
        }
        words
    }
}

fn parts_of(origin: Origin) -> Option<[Symbol; 2]> {
    match origin {
        Origin::Byte | Origin::Unmade => None,
        Origin::Merge(left, right) | Origin::Supermerge(left, right) => Some([left, right]),
    }
}

fn fields(id: Option<u32>, bytes: &[u8], kind: &str, count: Option<u64>, words: usize) -> Value {
    json!({
        "id": id,
        "bytes": bytes,
        "text": std::str::from_utf8(bytes).ok(),
        "kind": kind,
        "count": count,
        "words": words,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::from_str;

    use super::*;
    use crate::testing::{id_of, model};

    fn parsed(json: Result<String, PageError>) -> Value {
        from_str(&json.unwrap()).unwrap()
    }

    #[test]
    fn a_token_names_its_parts() {
        let model = model("superbpe");
        let token = parsed(model.token(id_of(&model, " of the")));
        assert_eq!(token["kind"], "superword");
        assert_eq!(token["words"], 2);
        assert_eq!(token["text"], " of the");
        assert_eq!(token["left"], id_of(&model, " of"));
        assert_eq!(token["right"], id_of(&model, " the"));
        assert!(token["count"].as_u64().unwrap() > 1);
        let byte = parsed(model.token(0xC3));
        assert_eq!(
            (&byte["text"], &byte["kind"]),
            (&Value::Null, &json!("byte"))
        );
        assert_eq!(
            (&byte["count"], &byte["left"]),
            (&Value::Null, &Value::Null)
        );
    }

    #[test]
    fn a_tree_ends_in_bytes() {
        fn bytes(node: &Value, out: &mut Vec<u64>) {
            if node["left"].is_null() {
                out.push(node["bytes"][0].as_u64().unwrap());
            } else {
                bytes(&node["left"], out);
                bytes(&node["right"], out);
            }
        }
        let model = model("superbpe");
        let mut leaves = Vec::new();
        bytes(&parsed(model.tree(id_of(&model, " of the"))), &mut leaves);
        assert_eq!(leaves, b" of the".map(u64::from));
    }

    #[test]
    fn a_tree_has_a_limited_size() {
        let model = model("deep");
        let text = model.tree(model.model.n_vocab() as u32 - 1).unwrap();
        assert!(text.matches("\"kind\"").count() <= MAX_NODES + 1);
    }

    #[test]
    fn uses_include_superwords_of_superwords() {
        let model = model("superbpe");
        let used = parsed(model.used_in(id_of(&model, " of"), 100));
        let ids: Vec<u64> = used["ids"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(Value::as_u64)
            .collect();
        assert!(ids.contains(&u64::from(id_of(&model, " of the"))));
        assert!(ids.contains(&u64::from(id_of(&model, " of the low"))));
        assert_eq!(used["total"], ids.len());
        let first = parsed(model.used_in(id_of(&model, " of"), 1));
        assert_eq!(
            (&first["total"], first["ids"].as_array().unwrap().len()),
            (&used["total"], 1)
        );
    }

    #[test]
    fn an_id_without_a_token_is_an_error() {
        let model = model("bpe");
        for result in [model.token(9999), model.tree(9999), model.used_in(9999, 1)] {
            let error = result.unwrap_err();
            assert_eq!(error.message, "no token has the id 9999");
            assert!(error.hint.is_some());
        }
    }

    #[test]
    fn special_tokens_have_no_parts() {
        let model = model("special");
        let id = model.model.n_vocab() as u32 - 1;
        let token = parsed(model.token(id));
        assert_eq!(
            (&token["kind"], &token["text"]),
            (&json!("special"), &json!("<|end|>"))
        );
        assert_eq!(token["left"], Value::Null);
    }
}
