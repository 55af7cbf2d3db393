//! Imports a tokenizer of another program: `cargo run --example import [FILE]`, where the file is a
//! `tokenizer.json`, a `.tiktoken` file with a known pattern beside it, or a `tekken.json`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use serde_json::{Map, json};
use superword::Encoder;
use superword::imports::{Kind, Options, Source, open};

/// A tokenizer of Hugging Face with all bytes and one merge. Each byte is written as a character.
fn small_tokenizer() -> String {
    let mut vocabulary = Map::new();
    let mut others = (256u32..).filter_map(char::from_u32);
    for byte in 0..=255u8 {
        let character = match char::from(byte) {
            shown @ ('!'..='~' | '¡'..='¬' | '®'..='ÿ') => Some(shown),
            _ => others.next(),
        };
        vocabulary.extend(character.map(|character| (character.to_string(), json!(byte))));
    }
    vocabulary.insert("lo".into(), json!(256));
    json!({
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": [["l", "o"]]},
        "added_tokens": [],
    })
    .to_string()
}

fn main() -> Result<(), Box<dyn Error>> {
    let (name, content) = match std::env::args().nth(1) {
        Some(path) => (path.clone(), std::fs::read(path)?),
        None => ("tokenizer.json".into(), small_tokenizer().into_bytes()),
    };
    let file = Source::new(&name, &content);
    println!("{name} is a tokenizer of {}", Kind::of(file)?.name());
    let model = open(file, &Options::default())?;
    let encoder = Encoder::new(model)?;
    println!("{:?}", encoder.encode("hello world")?);
    Ok(())
}
