//! Each model has exactly one file, as described in docs/file-format.md.

use std::sync::Arc;

use serde_json::json;
use superword::encode::Encoder;
use superword::model::{AddedToken, LoadError, Model, ModelParts, Normalizer, PickySplit};
use superword::token::TokenId;

use crate::samples::{
    delete, facts, file_of, file_of_version, imported, large, merge, plain, rich, split, tiny,
    with_header,
};

#[test]
fn models_round_trip_through_their_files() {
    let empty = Model::build(plain(vec![])).unwrap();
    for model in [tiny(), rich(), imported(), empty] {
        let bytes = model.to_bytes();
        let read = Model::from_bytes(&bytes).unwrap();
        assert_eq!(read, model);
        assert_eq!(read.n_vocab(), model.n_vocab());
        assert_eq!(read.to_bytes(), bytes);
    }
}

#[test]
fn the_order_of_facts_does_not_change_the_file() {
    let with = |keys: &[&str]| {
        let mut parts = plain(vec![]);
        for key in keys {
            parts.facts.insert((*key).to_owned(), json!({}));
        }
        Model::build(parts).unwrap().to_bytes()
    };
    assert_eq!(with(&["b", "é", "a", "z"]), with(&["z", "a", "b", "é"]));
}

#[test]
fn numbers_in_facts_are_always_written_the_same_way() {
    // Otherwise old files would become unreadable. This fails if the JSON library changes how it
    // writes numbers.
    let mut parts = plain(vec![]);
    parts.facts = facts(json!({"n": [0.6, 1e-7, 1e21, 1.5e300, 100.0, -0.0, 5e-324]}));
    let file = Model::build(parts).unwrap().to_bytes();
    let text = String::from_utf8_lossy(&file);
    let start = text.find("\"n\":").unwrap();
    let end = start + text[start..].find(']').unwrap();
    assert_eq!(
        &text[start..end],
        "\"n\":[0.6,1e-7,1e+21,1.5e+300,100.0,-0.0,5e-324"
    );
}

#[test]
fn files_of_version_1_stay_readable() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/rich-v1.superword"
    );
    assert_eq!(Model::load(path).unwrap(), rich());
}

/// Models without anything new are written as before, so that older programs read them.
#[test]
fn version_2_is_written_only_where_version_1_cannot_hold_the_model() {
    assert_eq!(tiny().to_bytes()[8], 1);
    assert_eq!(rich().to_bytes()[8], 1);
    let special = |text: &str, id| AddedToken::special(text.to_owned(), TokenId(id));
    let changes: [fn(&mut ModelParts); 7] = [
        |parts| parts.normalizer = Some(Normalizer::Nfkc),
        |parts| parts.whole_pieces = true,
        |parts| parts.order = Some(vec![3]),
        |parts| parts.unmade = vec![b"xyz".to_vec()],
        |parts| {
            parts.settings.insert("eos_token".into(), json!("<|end|>"));
        },
        |parts| parts.added[0].special = false,
        |parts| parts.added[0].rstrip = true,
    ];
    let mut base = plain(vec![merge(97, 98, 1)]);
    base.added = vec![special("<|end|>", 300)];
    assert_eq!(Model::build(base.clone()).unwrap().format_version(), 1);
    for change in changes {
        let mut parts = base.clone();
        change(&mut parts);
        let model = Model::build(parts).unwrap();
        let file = model.to_bytes();
        assert_eq!(file[8], 2);
        assert_eq!(Model::from_bytes(&file).unwrap(), model);
    }
    base.added.push(special("<|fin|>", 300));
    let shared = Model::build(base.clone()).unwrap();
    assert_eq!(shared.format_version(), 2);
    assert_eq!(shared.token_bytes(TokenId(300)), Some(&b"<|end|>"[..]));
    base.added = vec![special("ab", 256)];
    assert_eq!(Model::build(base).unwrap().format_version(), 2);
}

#[test]
fn a_model_has_no_file_of_another_version() {
    let (mut header, sections) = split(&tiny().to_bytes());
    let fields = header.as_object_mut().unwrap();
    fields.remove("special_tokens");
    fields.insert("added_tokens".into(), json!([]));
    fields.insert("normalizer".into(), json!(null));
    fields.insert("settings".into(), json!({}));
    fields.insert("whole_pieces".into(), json!(false));
    let newer = file_of_version(2, header.to_string().as_bytes(), &sections);
    assert!(matches!(
        Model::from_bytes(&newer).unwrap_err(),
        LoadError::WrongVersion {
            found: 2,
            needed: 1
        }
    ));
    let shared = with_header(|header| {
        header["special_tokens"] = json!([{"id": 259, "text": "a"}, {"id": 259, "text": "b"}]);
    });
    assert!(matches!(
        Model::from_bytes(&shared).unwrap_err(),
        LoadError::WrongVersion {
            found: 1,
            needed: 2
        }
    ));
    let (mut header, sections) = split(&imported().to_bytes());
    let fields = header.as_object_mut().unwrap();
    for name in ["added_tokens", "normalizer", "settings", "whole_pieces"] {
        fields.remove(name);
    }
    fields.insert("special_tokens".into(), json!([]));
    let older = file_of(header.to_string().as_bytes(), &sections);
    assert!(matches!(
        Model::from_bytes(&older).unwrap_err(),
        LoadError::SectionOfLaterVersion { version: 1, .. }
    ));
}

/// `es`, `esk`, `top`, `esktop` and `desktop`; `esk` is deleted, then `esktop`.
fn with_deletions(split: PickySplit) -> ModelParts {
    let mut parts = plain(vec![
        merge(101, 115, 9), // es: 256
        merge(256, 107, 9), // esk: 257
        merge(111, 112, 9), // op: 258
        merge(116, 258, 9), // top: 259
        merge(257, 259, 9), // esktop: 260
        delete(257),
        merge(100, 260, 9), // desktop: 261
        delete(260),
    ]);
    parts.picky_split = split;
    parts
}

fn pieces(parts: ModelParts, text: &str) -> Vec<String> {
    let encoder = Encoder::new(Arc::new(Model::build(parts).unwrap())).unwrap();
    let mut ids = Vec::new();
    encoder.encode_ordinary(text, &mut ids).unwrap();
    let bytes = |&id: &u32| encoder.token_bytes(TokenId(id)).unwrap().to_vec();
    ids.iter()
        .map(|id| String::from_utf8(bytes(id)).unwrap())
        .collect()
}

/// Early versions split a part that was deleted before into bytes and wrote `parts`. Their files
/// still encode as they did. New models write `nearest_parts`.
#[test]
fn files_of_early_versions_keep_their_encodings() {
    let early = with_deletions(PickySplit::PartsThenBytes);
    let now = with_deletions(PickySplit::Parts);
    assert_eq!(pieces(early.clone(), "esktop"), ["e", "s", "k", "top"]);
    assert_eq!(pieces(now.clone(), "esktop"), ["es", "k", "top"]);
    for (parts, name) in [(early, "parts"), (now, "nearest_parts")] {
        let file = Model::build(parts.clone()).unwrap().to_bytes();
        assert_eq!(split(&file).0["picky_split"], name);
        let read = Model::from_bytes(&file).unwrap();
        assert_eq!(read.parts(), &parts);
        assert_eq!(read.to_bytes(), file);
    }
}

/// Without deletions nothing is ever split. These files did not change when `nearest_parts` was
/// added.
#[test]
fn models_without_deletions_still_say_parts() {
    let file = tiny().to_bytes();
    assert_eq!(split(&file).0["picky_split"], "parts");
    let mut early = tiny().parts().clone();
    early.picky_split = PickySplit::PartsThenBytes;
    assert_eq!(Model::build(early).unwrap().to_bytes(), file);
    let other = with_header(|header| header["picky_split"] = json!("nearest_parts"));
    assert!(matches!(
        Model::from_bytes(&other).unwrap_err(),
        LoadError::HeaderNotCanonical { .. }
    ));
}

#[test]
fn the_documented_example_is_what_is_written() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/file-format.md");
    let page = std::fs::read_to_string(page).unwrap();
    let dump = page.split("```hex\n").nth(1).unwrap();
    let dump = dump.split("```").next().unwrap();
    let documented: Vec<u8> = dump
        .lines()
        .flat_map(|line| line.split('|').nth(1).unwrap().split_whitespace())
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect();
    assert_eq!(Model::from_bytes(&documented).unwrap(), tiny());
    // The same bytes except for the version of the program, which the page does not have to follow.
    let (mut header, sections) = split(&tiny().to_bytes());
    header["written_by"] = split(&documented).0["written_by"].clone();
    assert_eq!(
        file_of(header.to_string().as_bytes(), &sections),
        documented
    );
}

#[test]
fn a_vocabulary_of_131072_takes_one_to_two_megabytes() {
    let model = large(131_072);
    let bytes = model.to_bytes();
    assert_eq!(model.n_vocab(), 131_072);
    assert!(
        (1_000_000..2_000_000).contains(&bytes.len()),
        "{}",
        bytes.len()
    );
    // A generous limit for slow machines and unoptimised builds. It takes about 20 ms.
    let start = std::time::Instant::now();
    let read = Model::from_bytes(&bytes).unwrap();
    let time = start.elapsed();
    assert!(time < std::time::Duration::from_secs(2), "{time:?}");
    assert_eq!(read, model);
}
