//! One model, one file, as docs/file-format.md says.

use serde_json::json;
use superword::model::Model;

use crate::samples::{facts, file_of, large, plain, rich, split, tiny};

#[test]
fn what_is_written_is_read_and_written_again_the_same() {
    for model in [tiny(), rich(), Model::build(plain(vec![])).unwrap()] {
        let bytes = model.to_bytes();
        let read = Model::from_bytes(&bytes).unwrap();
        assert_eq!(read, model);
        assert_eq!(read.n_vocab(), model.n_vocab());
        assert_eq!(read.to_bytes(), bytes);
    }
}

#[test]
fn the_order_in_which_facts_are_recorded_does_not_show() {
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
fn numbers_in_facts_keep_their_form() {
    // Files of old versions must stay readable: if the JSON library writes numbers in another
    // way, this shows it.
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
    // The same bytes, but for the version of the program, which the page need not follow.
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
    // Generous, for slow machines and builds without optimisation; some 20 ms with it.
    let start = std::time::Instant::now();
    let read = Model::from_bytes(&bytes).unwrap();
    let time = start.elapsed();
    assert!(time < std::time::Duration::from_secs(2), "{time:?}");
    assert_eq!(read, model);
}
