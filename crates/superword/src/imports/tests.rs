//! Files of every kind, given as contents.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::rules::{Rules, check_alphabet, rules_of};
use super::tiktoken::Encoding;
use super::*;
use crate::model::Alphabet;
use crate::token::TokenId;

fn rules_of_ranks(ranks: &HashMap<&'static [u8], u32>) -> Rules<'static> {
    rules_of(ranks.keys().copied(), |joined, _| {
        ranks.get(joined).copied()
    })
    .unwrap()
}

fn parts<'a>(rules: &Rules<'a>) -> Vec<[&'a [u8]; 2]> {
    rules.merges.iter().map(|rule| rule.parts()).collect()
}

#[test]
fn ranks_in_order_need_no_ranks() {
    let ranks = HashMap::from([(&b"a"[..], 0), (b"ab", 3), (b"abc", 4)]);
    let rules = rules_of_ranks(&ranks);
    assert_eq!(parts(&rules), [[&b"a"[..], b"b"], [b"ab", b"c"]]);
    assert_eq!((rules.order, rules.unmade.len()), (None, 0));
}

#[test]
fn a_merge_before_those_of_its_parts_keeps_its_rank() {
    let ranks = HashMap::from([(&b"abc"[..], 3), (b"ab", 4), (b"bb", 5)]);
    let rules = rules_of_ranks(&ranks);
    assert_eq!(
        parts(&rules),
        [[&b"a"[..], b"b"], [b"ab", b"c"], [b"b", b"b"]]
    );
    assert_eq!(rules.order, Some(vec![1, 0, 2]));
}

#[test]
fn a_token_that_its_own_merges_do_not_make_is_unmade() {
    // "abc" is encoded as "a" and "bc", which nothing joins. The empty token is never made.
    let pairs = HashMap::from([((&b"bc"[..], 1), 0), ((b"ab", 1), 1), ((b"abc", 2), 2)]);
    let tokens = [&b"a"[..], b"b", b"c", b"bc", b"ab", b"abc", b""];
    let rules = rules_of(tokens, |joined, at| pairs.get(&(joined, at)).copied()).unwrap();
    assert_eq!(parts(&rules), [[&b"b"[..], b"c"], [b"a", b"b"]]);
    assert_eq!(rules.unmade, HashSet::from([&b"abc"[..], b""]));
}

#[test]
fn long_tokens_are_merged_as_short_ones_are() {
    let spaces = [b' '; 128];
    let ranks: HashMap<&[u8], u32> = (1..8).map(|power| (&spaces[..1 << power], power)).collect();
    for (length, made) in [(32, true), (64, true), (96, false), (128, true)] {
        let token = &spaces[..length];
        let tokens = ranks.keys().copied().chain([token]);
        let rules = rules_of(tokens, |joined, _| ranks.get(joined).copied()).unwrap();
        assert_eq!(rules.unmade.contains(token), !made);
        let half = [&spaces[..length / 2]; 2];
        assert_eq!(parts(&rules).contains(&half), made);
    }
}

#[test]
fn an_alphabet_has_all_bytes_or_those_of_utf8() {
    assert_eq!(check_alphabet(|_| true).unwrap(), Alphabet::Bytes);
    assert_eq!(
        check_alphabet(|byte| byte < 0xF5 && !matches!(byte, 0xC0 | 0xC1)).unwrap(),
        Alphabet::Utf8
    );
    for (has, expected) in [
        (
            (|byte| byte != b'q') as fn(u8) -> bool,
            "the vocabulary lacks 1 of the bytes that texts consist of: 0x71",
        ),
        (
            |byte| byte > 9,
            "the vocabulary lacks 10 of the bytes that texts consist of: 0x00, 0x01, 0x02, 0x03, \
             0x04, 0x05, 0x06, 0x07, ...",
        ),
        (
            |byte| byte != 0xFF && byte != 0xC0,
            "the vocabulary has some of the bytes that never occur in UTF-8 (0xC1, 0xF5, 0xF6, 0xF7, \
             0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE) and not all",
        ),
    ] {
        assert_eq!(check_alphabet(has).unwrap_err().to_string(), expected);
    }
}

/// A `tokenizer.json` with the bytes, `ab` and ` ab`.
fn tokenizer_json() -> Value {
    let mut vocab: serde_json::Map<String, Value> = (super::byte_chars::byte_chars().zip(0..))
        .map(|(c, id)| (c.to_string(), id.into()))
        .collect();
    vocab.extend([
        ("ab".to_owned(), 256.into()),
        ("Ġab".to_owned(), 257.into()),
    ]);
    json!({
        "added_tokens": [{"id": 258, "content": "<s>", "special": true}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "model": {"type": "BPE", "vocab": vocab, "merges": ["a b", ["Ġ", "ab"]]},
    })
}

fn open_text(name: &str, content: &str, options: &Options<'_>) -> Result<Model, ImportError> {
    open(Source::new(name, content.as_bytes()), options)
}

fn id_of(model: &Model, token: &[u8]) -> Option<TokenId> {
    model.vocabulary().id_of_bytes(token)
}

#[test]
fn a_tokenizer_json_is_opened_with_its_configuration() {
    let config =
        r#"{"bos_token": {"content": "<s>"}, "add_bos_token": true, "chat_template": "x"}"#;
    let options = Options {
        configs: vec![Source::new("tokenizer_config.json", config.as_bytes())],
        ..Options::default()
    };
    let content = format!("\u{feff}{}", tokenizer_json());
    let model = open_text("tokenizer.json", &content, &options).unwrap();
    assert_eq!(id_of(&model, b" ab"), Some(TokenId(257)));
    assert_eq!(model.parts().added[0].id, TokenId(258));
    let settings = Value::Object(model.parts().settings.clone());
    let pair = ["<s>", "$A", "<s>", "$B"];
    assert_eq!(
        settings,
        json!({"bos_token": "<s>", "chat_template": "x", "single": ["<s>", "$A"], "pair": pair})
    );
    let saved = model.to_bytes();
    assert_eq!(open(Source::new("any", &saved), &options).unwrap(), model);
}

/// The ranks of the bytes and of `ab`, as a `.tiktoken` file.
fn ranks() -> String {
    let mut lines = String::new();
    for byte in 0..=255u8 {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let [high, low] =
            [byte >> 2, byte << 4 & 0x30].map(|at| char::from(digits[usize::from(at)]));
        lines += &format!("{high}{low}== {byte}\r\n");
    }
    lines + "YWI= 256\n"
}

#[test]
fn ranks_need_a_pattern_or_a_sidecar() {
    let file = ranks();
    let error = open_text("m.tiktoken", &file, &Options::default()).unwrap_err();
    assert!(matches!(error.reason, Reason::PatternNeeded));
    let encoding = Encoding {
        pattern: Some("gpt2".into()),
        special_tokens: None,
    };
    let options = Options {
        encoding,
        ..Options::default()
    };
    let model = open_text("m.tiktoken", &file, &options).unwrap();
    assert_eq!(id_of(&model, b"ab"), Some(TokenId(256)));
    assert_eq!(model.parts().pretokenizer.name.as_deref(), Some("gpt2"));
    for wrong in ["[]", r#"{"pat_str": "."}"#] {
        let error = tiktoken::read_sidecar(Source::new("s", wrong.as_bytes())).unwrap_err();
        let expected = "s is not the sidecar of a tiktoken export: it has no pattern";
        assert_eq!(error.to_string(), expected);
    }
    // The special tokens keep the order of the file.
    let sidecar = r#"{"pat_str": ".", "special_tokens": {"z": 400, "a": 300, "m": 400}}"#;
    let options = Options {
        sidecar: Some(Source::new("m.tiktoken.json", sidecar.as_bytes())),
        ..options
    };
    let model = open_text("m.tiktoken", &file, &options).unwrap();
    assert_eq!(model.parts().pretokenizer.name.as_deref(), Some("gpt2"));
    let added = model.parts().added.iter();
    let added: Vec<(&str, u32)> = added
        .map(|token| (token.text.as_str(), token.id.0))
        .collect();
    assert_eq!(added, [("z", 400), ("a", 300), ("m", 400)]);
}

#[test]
fn a_tekken_json_is_recognised_by_its_content() {
    let mut vocab = Vec::new();
    for (line, rank) in ranks().lines().zip(0..) {
        let token = line.split(' ').next();
        vocab.push(json!({"rank": rank, "token_bytes": token}));
    }
    let config =
        json!({"pattern": ".", "default_vocab_size": 260, "default_num_special_tokens": 3});
    let data = json!({"config": config, "vocab": vocab}).to_string();
    let file = Source::new("any.json", data.as_bytes());
    assert_eq!(Kind::of(file).unwrap(), Kind::Tekken);
    let model = open(file, &Options::default()).unwrap();
    assert_eq!(id_of(&model, b"ab"), Some(TokenId(259)));
    assert_eq!(model.parts().settings["eos_token"], "</s>");
}

#[test]
fn a_value_that_is_laid_out_differently_is_named_with_its_place() {
    let change = |path: &str, value: Value| {
        let mut data = tokenizer_json();
        *data.pointer_mut(path).unwrap() = value;
        let error = open_text("t.json", &data.to_string(), &Options::default()).unwrap_err();
        assert!(error.hint().is_some());
        error.to_string()
    };
    for (path, value, place) in [
        (
            "/model/vocab",
            json!(5),
            "model.vocab: expected an object, found a number",
        ),
        (
            "/model/vocab/ab",
            json!("x"),
            "model.vocab.ab: expected a number, found a string",
        ),
        (
            "/model/vocab/ab",
            json!(-1),
            "model.vocab.ab: -1 is not a whole number below 2^32",
        ),
        (
            "/model/vocab/ab",
            json!(1u64 << 32),
            "model.vocab.ab: 4294967296 is not a whole number below 2^32",
        ),
        (
            "/model/vocab/ab",
            json!(1.5),
            "model.vocab.ab: 1.5 is not a whole number below 2^32",
        ),
        (
            "/model/merges",
            json!({}),
            "model.merges: expected a list, found an object",
        ),
        (
            "/model/merges/1",
            json!("a b c"),
            "model.merges[1]: expected two tokens",
        ),
        (
            "/model/merges/1",
            json!(["a"]),
            "model.merges[1]: expected two tokens",
        ),
        (
            "/added_tokens/0",
            json!({"id": 1}),
            "added_tokens[0].content: missing",
        ),
        (
            "/added_tokens/0/id",
            json!(null),
            "added_tokens[0].id: expected a number, found null",
        ),
        (
            "/pre_tokenizer",
            json!([]),
            "pre_tokenizer: expected an object, found a list",
        ),
    ] {
        let expected = format!("t.json: not laid out as expected ({place})");
        assert_eq!(change(path, value), expected);
    }
    let error = change("/model/vocab/ab", json!(3));
    assert_eq!(error, "t.json: id 3 is given twice");
    let config = Source::new("c.json", br#"{"added_tokens_decoder": {"x": {}}}"#);
    let options = Options {
        configs: vec![config],
        ..Options::default()
    };
    let error = open_text("t.json", &tokenizer_json().to_string(), &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "c.json: not laid out as expected (added_tokens_decoder.x: the key is not an id)"
    );
}

#[test]
fn merges_whose_token_is_not_in_the_vocabulary_are_an_error() {
    let mut data = tokenizer_json();
    data["model"]["vocab"].as_object_mut().unwrap().remove("ab");
    let error = open_text("t.json", &data.to_string(), &Options::default()).unwrap_err();
    let expected = "t.json: the vocabulary lacks the token b'ab', which its merges make";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    let content = tokenizer_json().to_string();
    let twice = content.replacen("\"ab\":256", "\"ab\":5,\"ab\":256", 1);
    assert_ne!(twice, content);
    let model = open_text("t.json", &twice, &Options::default()).unwrap();
    assert_eq!(
        model,
        open_text("t.json", &content, &Options::default()).unwrap()
    );
}

#[test]
fn files_of_other_kinds_are_refused() {
    for (name, content, expected) in [
        ("a", "", "a is not a tokenizer that superword knows"),
        (
            "a",
            "BoundlessBPE v2 word\n",
            "a is a model of the paper's program",
        ),
        ("a", "IQ== x\n", "a is not a tokenizer that superword knows"),
        (
            "a.model",
            "text",
            "a.model looks like a SentencePiece model, not byte-level BPE",
        ),
        (
            "a",
            "\n\u{e}\n\u{5}",
            "a looks like a SentencePiece model, not byte-level BPE",
        ),
        (
            "a",
            "{",
            "a is not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            "a",
            "{}",
            "a is not a tokenizer.json of Hugging Face: it has no model",
        ),
        (
            "a",
            r#"{"model": {"vocab": {"\ud800": 0}}}"#,
            "a is not JSON: unexpected end of hex escape at line 1 column 29",
        ),
        (
            "a",
            "IQ== 0\nx 1\n",
            "a:2: not a token in base64 and its rank: b'x 1'",
        ),
        (
            "a",
            "IQ== 0\nIg== 4294967296\n",
            "a:2: not a token in base64 and its rank: b'Ig== 4294967296'",
        ),
        (
            "a",
            "\u{feff}IQ== 0\n",
            "the ranks of tiktoken do not include the pattern: give `pattern`",
        ),
    ] {
        let error = open_text(name, content, &Options::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().is_some(), "{expected}");
    }
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let error = open_text("a", &deep, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("recursion limit exceeded"));
    let damaged = open(Source::new("m", b"\x89SWM\n"), &Options::default()).unwrap_err();
    assert!(matches!(damaged.reason, Reason::Load(_)));
}
