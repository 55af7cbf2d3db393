//! A model that the page has opened or trained.

use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::{Value, json};
use superword::encode::Encoder;
use superword::imports::{self, Source, tiktoken::Encoding};
use superword::model::{Event, Model, Origin};
use superword::token::{Symbol, TokenId};

use crate::encoded::{ADDED, Encoded, ORDINARY, PARTIAL, SPECIAL, SUPERWORD};
use crate::error::PageError;

/// A model, with the tables that the page needs. Tables that only some uses need are made by the
/// first of them.
pub(crate) struct PageModel {
    pub(crate) model: Arc<Model>,
    encoder: Encoder,
    /// Encodes with the words alone.
    words: OnceCell<Encoder>,
    /// The kind of each id, as [`Encoded::kinds`] has it.
    kinds: Vec<u8>,
    counts: OnceCell<Vec<u64>>,
    pub(crate) uses: OnceCell<Vec<Vec<Symbol>>>,
}

impl PageModel {
    pub(crate) fn new(model: Model) -> Result<PageModel, PageError> {
        let model = Arc::new(model);
        Ok(PageModel {
            encoder: Encoder::new(Arc::clone(&model))?,
            words: OnceCell::new(),
            kinds: kinds(&model),
            counts: OnceCell::new(),
            uses: OnceCell::new(),
            model,
        })
    }

    /// Opens a file of any kind, recognised by its content. `name` is its name, for messages.
    /// `options` is JSON: `config` and `sidecar` are the texts of files beside it, and `pattern` is the
    /// pattern of a `.tiktoken` file, or the name of a preset.
    pub(crate) fn open(name: &str, file: &[u8], options: &str) -> Result<PageModel, PageError> {
        let options: Value = serde_json::from_str(options)
            .map_err(|error| PageError::new(format!("the options are not JSON: {error}")))?;
        let text = |field: &str| options[field].as_str();
        let beside = |field, name| Some(Source::new(name, text(field)?.as_bytes()));
        let model = imports::open(
            Source::new(name, file),
            &imports::Options {
                encoding: Encoding {
                    pattern: text("pattern").map(str::to_owned),
                    special_tokens: None,
                },
                sidecar: beside("sidecar", "the file beside it"),
                configs: beside("config", "tokenizer_config.json")
                    .into_iter()
                    .collect(),
                ignore_normalizer: false,
            },
        )?;
        PageModel::new(model)
    }

    /// The tokens of a text. `superwords` false means the words of the same model, and `special` true
    /// means that special tokens in the text become their ids.
    pub(crate) fn encode(
        &self,
        text: &str,
        superwords: bool,
        special: bool,
    ) -> Result<Encoded, PageError> {
        let encoder = match superwords {
            true => &self.encoder,
            false => self.words_encoder()?,
        };
        Encoded::new(encoder, &self.kinds, text, special)
    }

    /// The kind of each id.
    pub(crate) fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    fn words_encoder(&self) -> Result<&Encoder, PageError> {
        if let Some(encoder) = self.words.get() {
            return Ok(encoder);
        }
        let encoder = Encoder::without_superwords(Arc::clone(&self.model))?;
        Ok(self.words.get_or_init(|| encoder))
    }

    /// How often the parts of a token were adjacent when it was made. `None` if it was not made by a
    /// merge, or if an import did not know the count.
    pub(crate) fn count(&self, symbol: Symbol) -> Option<u64> {
        let counts = self.counts.get_or_init(|| counts(&self.model));
        counts
            .get(symbol.index())
            .copied()
            .filter(|&count| count > 0)
    }

    /// JSON: what the model is and how it was trained.
    pub(crate) fn describe(&self) -> String {
        let parts = self.model.parts();
        let config = &parts.pretokenizer;
        let supermerges = supermerges(&self.model);
        let added = parts
            .added
            .iter()
            .map(|token| json!({"text": token.text, "id": token.id.0, "special": token.special}));
        json!({
            "method": parts.method.name(),
            "n_vocab": self.model.n_vocab(),
            "alphabet": parts.alphabet.name(),
            "pretokenizer": {
                "name": config.name,
                "pattern": config.pattern,
                "script": config.script.as_ref().map(|script| json!({
                    "pattern": script.pattern,
                    "scripts": script.scripts,
                })),
                "eligible": config.eligible,
                "splits_as": config.meaning(),
            },
            "merges": parts.merges(),
            "supermerges": supermerges,
            "superwords": self.kinds.iter().filter(|&&kind| kind & !PARTIAL == SUPERWORD).count(),
            "special_tokens": added.collect::<Vec<Value>>(),
            "normalizer": parts.normalizer.map(|normalizer| normalizer.name()),
            "facts": parts.facts,
            "settings": parts.settings,
            "counts_known": supermerges > 0 || !is_imported(&self.model),
        })
        .to_string()
    }
}

fn supermerges(model: &Model) -> usize {
    let events = model.parts().events.iter();
    events
        .filter(|event| matches!(event, Event::Supermerge { .. }))
        .count()
}

/// Whether the merges come from another program, which does not store their counts.
fn is_imported(model: &Model) -> bool {
    let imported = model.parts().facts.get("imported");
    imported.is_some_and(|facts| facts.get("counts").is_some())
}

/// The kind of each id. Ids that no token has are ordinary, and never occur.
fn kinds(model: &Model) -> Vec<u8> {
    (0..model.n_vocab() as u32)
        .map(TokenId)
        .map(|id| {
            let symbol = model.vocabulary().symbol_with(id);
            let kind = match (model.added_with(id), symbol) {
                (Some(added), _) if added.special => SPECIAL,
                (Some(_), _) => ADDED,
                (None, Some(symbol)) => match model.vocabulary().origin_of(symbol) {
                    Origin::Supermerge(..) => SUPERWORD,
                    Origin::Byte | Origin::Unmade | Origin::Merge(..) => ORDINARY,
                },
                (None, None) => ORDINARY,
            };
            let bytes = model.token_bytes(id).unwrap_or_default();
            match std::str::from_utf8(bytes) {
                Ok(_) => kind,
                Err(_) => kind | PARTIAL,
            }
        })
        .collect()
}

/// The count of each symbol, 0 if it is not known.
fn counts(model: &Model) -> Vec<u64> {
    let vocabulary = model.vocabulary();
    let merges_known = !is_imported(model);
    let mut counts = vec![0; vocabulary.len()];
    for (at, event) in model.parts().events.iter().enumerate() {
        let symbol = vocabulary.made_by(at);
        let made = match *event {
            Event::Merge { left, right, count } if merges_known => {
                (Origin::Merge(left, right), count)
            }
            Event::Supermerge { left, right, count } => (Origin::Supermerge(left, right), count),
            Event::Merge { .. } | Event::Delete { .. } => continue,
        };
        // The same token can be made more than once. Its origin says which time counts.
        if vocabulary.origin_of(symbol) == made.0 {
            counts[symbol.index()] = made.1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use serde_json::from_str;

    use super::*;
    use crate::testing::model;

    fn described(model: &PageModel) -> Value {
        from_str(&model.describe()).unwrap()
    }

    #[test]
    fn a_saved_model_opens_again() {
        let model = model("superbpe");
        let file = model.model.to_bytes();
        let again = PageModel::open("m.superword", &file, "{}").ok().unwrap();
        assert_eq!(again.model, model.model);
        assert_eq!(described(&again), described(&model));
    }

    #[test]
    fn a_model_describes_itself() {
        let told = described(&model("superbpe"));
        assert_eq!(told["method"], "superbpe");
        assert_eq!(
            (&told["n_vocab"], &told["supermerges"]),
            (&json!(282), &json!(6))
        );
        assert_eq!(told["superwords"], 6);
        assert_eq!(told["pretokenizer"]["name"], "gpt4o-portable");
        assert_eq!(told["counts_known"], true);
        let special = described(&model("special"));
        let end = json!([{"text": "<|end|>", "id": special["n_vocab"].as_u64().unwrap() - 1, "special": true}]);
        assert_eq!(special["special_tokens"], end);
    }

    #[test]
    fn damaged_files_and_newer_versions_are_errors() {
        let file = model("bpe").model.to_bytes();
        let error = |file: &[u8]| PageModel::open("m", file, "{}").err().unwrap();
        let mut newer = file.clone();
        newer[8] = 99;
        assert!(error(&newer).message.contains("newer version"));
        assert!(error(&newer).hint.unwrap().contains("upgrade"));
        assert!(error(&file[..file.len() - 9]).message.contains("checksum"));
        for nothing in [&b"hello"[..], b""] {
            assert!(error(nothing).message.contains("not a tokenizer"));
        }
    }

    #[test]
    fn ranks_need_a_pattern_or_the_file_beside_them() {
        let ranks: String = (0..=255u8)
            .map(|byte| vec![byte])
            .chain([b"lo".to_vec(), b"low".to_vec()])
            .enumerate()
            .map(|(rank, token)| format!("{} {rank}\n", base64(&token)))
            .collect();
        let open =
            |options: Value| PageModel::open("r.tiktoken", ranks.as_bytes(), &options.to_string());
        let error = open(json!({})).err().unwrap();
        assert_eq!(error.code, Some("pattern-needed"));
        assert!(!error.message.contains('`'), "{}", error.message);
        let sidecar = json!({"pat_str": "\\w+|\\W", "special_tokens": {"<|end|>": 258}});
        let sidecar = json!({"sidecar": sidecar.to_string()});
        for options in [json!({"pattern": "gpt2"}), sidecar] {
            let model = open(options).ok().unwrap();
            assert_eq!(model.encode("low", true, false).unwrap().ids, [257]);
            assert_eq!(described(&model)["counts_known"], false);
            assert!(model.token(257).unwrap().contains("\"count\":null"));
        }
        assert!(open(json!({"pattern": "("})).is_err());
    }

    #[test]
    fn tokenizers_of_hugging_face_open() {
        let vocab: serde_json::Map<String, Value> = superword::internal::byte_chars()
            .map(String::from)
            .chain(["lo".into(), "low".into()])
            .zip((0..).map(Value::from))
            .collect();
        let file = json!({
            "model": {"type": "BPE", "vocab": vocab, "merges": ["l o", "lo w"]},
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
            "added_tokens": [],
        });
        let model = PageModel::open("tokenizer.json", file.to_string().as_bytes(), "{}");
        let model = model.unwrap_or_else(|error| panic!("{}", error.message));
        assert_eq!(model.encode("low", true, false).unwrap().ids, [257]);
    }

    /// Base64 of at most three bytes.
    fn base64(bytes: &[u8]) -> String {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let number = (0..3).fold(0, |number, at| {
            number << 8 | usize::from(bytes.get(at).copied().unwrap_or(0))
        });
        let digit = |at: usize| match at <= bytes.len() {
            true => char::from(digits[number >> (18 - 6 * at) & 63]),
            false => '=',
        };
        (0..4).map(digit).collect()
    }
}
