//! **Promise:** any content of a `tokenizer.json`, a `.tiktoken` file with its sidecar or a
//! `tekken.json` is imported or refused with a reason. A model that is imported is saved, loaded, and
//! encodes and decodes.

use serde_json::{Map, Value, json};

use super::support::engine::{Content, Encoding, Kind, Options, byte_chars, open};
use super::support::input::{Input, text_of};
use super::support::usable::check_usable;

pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    match input.below(8) {
        0 => raw(input),
        1 | 2 => tiktoken(input),
        3 => tekken(input),
        _ => huggingface(input),
    }
}

fn import(file: &[u8], options: &Options<'_>, text: &str) {
    let content = Content::new("file", file);
    match open(content, options) {
        Ok(model) => {
            assert!(Kind::of(content).is_ok());
            check_usable(&model, text);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any bytes as a file, with any bytes as the files beside it.
fn raw(mut input: Input<'_>) {
    let (sidecar, config) = (input.bytes(), input.bytes());
    let file = input.rest();
    let options = Options {
        sidecar: Some(Content::new("sidecar", sidecar)),
        configs: vec![Content::new("config", config)],
        ..Options::default()
    };
    import(file, &options, "a text, ab");
}

/// A `tokenizer.json` in which some values are replaced.
fn huggingface(mut input: Input<'_>) {
    let mut vocab: Map<String, Value> = (byte_chars().zip(0..))
        .map(|(c, id)| (c.to_string(), json!(id)))
        .collect();
    let mut merges = Vec::new();
    let mut tokens: Vec<String> = ["a", "b", "Ġ", "c", "Ã", "©", "1", "."]
        .map(String::from)
        .into();
    for id in 256..256 + input.below(12) {
        let (left, right) = (input.pick(&tokens), input.pick(&tokens));
        let joined = format!("{left}{right}");
        if joined.len() < 60 {
            vocab.insert(joined.clone(), json!(id));
            merges.push(match input.one_in(2) {
                true => json!([left, right]),
                false => json!(format!("{left} {right}")),
            });
            tokens.push(joined);
        }
    }
    let mut file = json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [added(&mut input, 280), added(&mut input, 281)],
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
                          "use_regex": true},
        "post_processor": null,
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "dropout": null, "unk_token": null,
                  "continuing_subword_prefix": null, "end_of_word_suffix": null,
                  "fuse_unk": false, "byte_fallback": false, "ignore_merges": input.one_in(2),
                  "vocab": vocab, "merges": merges},
    });
    for _ in 0..input.below(4) {
        replace(&mut file, &mut input);
    }
    let config = input.bytes();
    let options = Options {
        configs: vec![Content::new("config", config)],
        ignore_normalizer: input.one_in(4),
        ..Options::default()
    };
    let text = text_of(input.rest());
    import(file.to_string().as_bytes(), &options, &text);
}

fn added(input: &mut Input<'_>, id: u32) -> Value {
    let flags = input.byte();
    let flag = |bit: u8| flags >> bit & 1 == 1;
    json!({
        "id": id, "content": input.pick(&["<s>", "ab", " a", "é", "<s>x", "\u{301}", ""]),
        "special": flag(0), "lstrip": flag(1), "rstrip": flag(2), "single_word": flag(3),
        "normalized": flag(4),
    })
}

/// Values that mean something somewhere in a `tokenizer.json`.
const PARTS: [&str; 16] = [
    "null",
    "[]",
    "{}",
    "-1",
    "1e400",
    r#""a""#,
    "true",
    r#"{"type":"NFC"}"#,
    r#"{"type":"NFKC"}"#,
    r#"{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"\\p{N}{1,3}"},"behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false}]}"#,
    r#"{"type":"Sequence","normalizers":[]}"#,
    r#"{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{"<s>":{"id":"<s>","ids":[280],"tokens":["<s>"]}}}"#,
    r#"{"type":"Split","pattern":{"String":" "},"behavior":"MergedWithNext","invert":true}"#,
    r#"{"type":"Digits","individual_digits":true}"#,
    r#"["a","b"]"#,
    "256",
];

/// Replaces a value somewhere in the file, by one of [`PARTS`] or by any JSON of the input.
fn replace(mut value: &mut Value, input: &mut Input<'_>) {
    for _ in 0..1 + input.below(6) {
        let at = input.below(256);
        let is_inner = match &*value {
            Value::Object(fields) => !fields.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        };
        if !is_inner {
            break;
        }
        value = match value {
            Value::Object(fields) => {
                let at = at % fields.len();
                fields.values_mut().nth(at).expect("not empty")
            }
            Value::Array(items) => {
                let at = at % items.len();
                &mut items[at]
            }
            _ => break,
        };
    }
    let own = serde_json::from_slice(input.bytes());
    let part = input.pick(&PARTS);
    *value = own
        .or_else(|_| serde_json::from_str(part))
        .unwrap_or(Value::Null);
}

/// Ranks of all bytes, and lines of the input.
fn tiktoken(mut input: Input<'_>) {
    let mut file = String::new();
    for byte in 0..=255u8 {
        file += &format!("{} {byte}\n", base64(&[byte]));
    }
    for rank in 256..256 + input.below(10) {
        let token = input.bytes();
        file += &format!("{} {rank}\n", base64(&token[..token.len().min(9)]));
    }
    let sidecar = input.bytes();
    let encoding = Encoding {
        pattern: input.one_in(2).then(|| "gpt2".to_owned()),
        special_tokens: input.one_in(2).then(|| vec![(input.text(), 400)]),
    };
    let options = Options {
        encoding,
        sidecar: Some(Content::new("sidecar", sidecar)),
        ..Options::default()
    };
    let lines = input.bytes();
    let text = text_of(input.rest());
    import(&[file.as_bytes(), lines].concat(), &options, &text);
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| chunk.get(at).copied().unwrap_or(0));
        let bits = u32::from_be_bytes([0, a, b, c]);
        for digit in 0..4 {
            out.push(match digit <= chunk.len() {
                true => char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]),
                false => '=',
            });
        }
    }
    out
}

/// A `tekken.json` in which some values are replaced.
fn tekken(mut input: Input<'_>) {
    let entry = |rank: usize, bytes: &[u8]| json!({"rank": rank, "token_bytes": base64(bytes), "token_str": null});
    let mut vocab: Vec<Value> = (0..=255u8)
        .map(|byte| entry(byte.into(), &[byte]))
        .collect();
    for rank in 256..256 + input.below(10) {
        let token = input.bytes();
        vocab.push(entry(rank, &token[..token.len().min(9)]));
    }
    let mut file = json!({
        "config": {"pattern": r"\p{L}+|\s|.", "num_vocab_tokens": vocab.len(),
                   "default_vocab_size": vocab.len() + 2, "default_num_special_tokens": 2,
                   "version": "v3"},
        "vocab": vocab,
        "special_tokens": [
            {"rank": 0, "token_str": "<unk>", "is_control": true},
            {"rank": 1, "token_str": "<s>", "is_control": true},
        ],
    });
    for _ in 0..input.below(4) {
        replace(&mut file, &mut input);
    }
    let text = text_of(input.rest());
    import(file.to_string().as_bytes(), &Options::default(), &text);
}
