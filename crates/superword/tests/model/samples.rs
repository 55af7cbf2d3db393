//! Sample models and handmade files.

use serde_json::{Value, json};
use superword::model::{
    AddedToken, Alphabet, Event, Facts, MAGIC, Method, Model, ModelParts, Normalizer, PickySplit,
};
use superword::text::{PretokenizerConfig, ScriptPattern};
use superword::token::{Symbol, TokenId};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use crate::testing::Random;

pub(crate) fn merge(left: u32, right: u32, count: u64) -> Event {
    Event::Merge {
        left: Symbol(left),
        right: Symbol(right),
        count,
    }
}

pub(crate) fn supermerge(left: u32, right: u32, count: u64) -> Event {
    Event::Supermerge {
        left: Symbol(left),
        right: Symbol(right),
        count,
    }
}

pub(crate) fn delete(token: u32) -> Event {
    Event::Delete {
        token: Symbol(token),
    }
}

pub(crate) fn facts(value: Value) -> Facts {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

/// A BPE model over all bytes with these events and nothing else.
pub(crate) fn plain(events: Vec<Event>) -> ModelParts {
    ModelParts {
        method: Method::Bpe,
        pretokenizer: PretokenizerConfig {
            name: None,
            pattern: r"\s?\S+|\s+".to_owned(),
            script: None,
            eligible: r"\p{L}".to_owned(),
        },
        alphabet: Alphabet::Bytes,
        picky_split: PickySplit::Parts,
        events,
        ids: None,
        added: Vec::new(),
        normalizer: None,
        whole_pieces: false,
        order: None,
        unmade: Vec::new(),
        settings: Facts::new(),
        ngrams: Vec::new(),
        facts: Facts::new(),
    }
}

/// The example in docs/file-format.md: ` a`, ` b` and ` a b`, and an end-of-text token.
pub(crate) fn tiny() -> Model {
    let mut parts = plain(vec![
        merge(32, 97, 300),
        merge(32, 98, 200),
        supermerge(256, 257, 150),
    ]);
    parts.method = Method::Boundless;
    parts.added = vec![AddedToken::special("<|end|>".to_owned(), TokenId(259))];
    parts.facts = facts(json!({"bytes": 1000}));
    Model::build(parts).unwrap()
}

/// A model with every feature: deletions, a token that is added twice, custom ids, n-grams.
pub(crate) fn rich() -> Model {
    let mut parts = plain(vec![
        merge(97, 98, 90),
        merge(243, 99, 80),
        delete(243),
        merge(98, 99, 70),
        merge(97, 245, 65),
        merge(97, 98, u64::MAX),
        supermerge(243, 244, 1),
    ]);
    parts.method = Method::SuperBpe;
    parts.alphabet = Alphabet::Utf8;
    parts.picky_split = PickySplit::Bytes;
    parts.pretokenizer = PretokenizerConfig {
        name: Some("gpt4o-script".to_owned()),
        pattern: "\\w+|\"\\\"\u{1}\u{7f}é漢\u{1F600}".to_owned(),
        script: Some(ScriptPattern {
            pattern: r"\X".to_owned(),
            scripts: vec!["Han".to_owned(), "Thai".to_owned()],
        }),
        eligible: r"\p{L}".to_owned(),
    };
    // 243 bytes and four joined strings, with ids in reverse order and a gap.
    parts.ids = Some((0..247).rev().map(|id| TokenId(id + 10)).collect());
    parts.added = vec![
        AddedToken::special("<|fin é|>".to_owned(), TokenId(0)),
        AddedToken::special(" ".to_owned(), TokenId(1000)),
    ];
    parts.ngrams = vec![vec![Symbol(243), Symbol(244)], vec![Symbol(97); 200]];
    parts.facts = facts(json!({
        "z": [1, -2, 0.1, 1e-7, 1e300, true, null, u64::MAX, -0.0, 2.0, 0.6],
        "a": {"options": {"vocab_size": 300}, "é": "\n\u{2028}"},
    }));
    Model::build(parts).unwrap()
}

/// A model with everything that only version 2 of the format has.
///
/// The symbols are the 256 bytes, ` the` (256) and the empty token (257), which no merge makes, and
/// ` a` (258), ` ab` (259), `bc` (260), ` the a` (261).
pub(crate) fn imported() -> Model {
    let mut parts = plain(vec![
        merge(32, 97, 1),
        merge(258, 98, 1),
        merge(98, 99, 1),
        supermerge(256, 258, 1),
    ]);
    parts.method = Method::SuperBpe;
    parts.normalizer = Some(Normalizer::Nfc);
    parts.whole_pieces = true;
    parts.order = Some(vec![300, 7, 12]); // ` ab` comes before its part ` a`
    parts.unmade = vec![b" the".to_vec(), Vec::new()];
    parts.ids = Some((0..262).map(|id| TokenId(id + 2)).collect());
    let added = |text: &str, id| AddedToken::special(text.to_owned(), TokenId(id));
    parts.added = vec![
        added("<|end|>", 0),
        added("<|fin|>", 0), // two texts, one id
        AddedToken {
            special: false,
            lstrip: true,
            normalized: true,
            ..added("<think>", 300)
        },
        AddedToken {
            special: false,
            single_word: true,
            rstrip: true,
            ..added("bc", 262) // the id of the token `bc`
        },
    ];
    parts.settings = facts(json!({"eos_token": "<|end|>", "single": ["$A", "<|end|>"]}));
    Model::build(parts).unwrap()
}

/// A large vocabulary like those of training: pairs of earlier tokens with decreasing counts.
pub(crate) fn large(tokens: u32) -> Model {
    let mut random = Random(7);
    let mut seen = std::collections::HashSet::new();
    let mut events = Vec::new();
    let mut texts: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    while (texts.len() as u32) < tokens {
        let size = texts.len() as u64;
        // The smaller of two numbers, so that early tokens are used more often and tokens stay short.
        let mut pick = || random.below(size).min(random.below(size)) as usize;
        let (left, right) = (pick(), pick());
        let joined = [&texts[left][..], &texts[right][..]].concat();
        if joined.len() <= 24 && seen.insert(joined.clone()) {
            let count = 500_000_000 / (events.len() as u64 + 10);
            events.push(merge(left as u32, right as u32, count));
            texts.push(joined);
        }
    }
    Model::build(plain(events)).unwrap()
}

/// A file of version 1 with these parts and a correct checksum.
pub(crate) fn file_of(header: &[u8], sections: &[u8]) -> Vec<u8> {
    file_of_version(1, header, sections)
}

/// A file with these parts and a correct checksum.
pub(crate) fn file_of_version(version: u32, header: &[u8], sections: &[u8]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&version.to_le_bytes());
    file.extend_from_slice(&(header.len() as u64).to_le_bytes());
    file.extend_from_slice(header);
    file.extend_from_slice(sections);
    file.extend_from_slice(&[0; 8]);
    with_checksum(file)
}

/// The file with a correct checksum in its last eight bytes.
pub(crate) fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let end = file.len().saturating_sub(8);
    let checksum = xxh3_64(&file[..end]).to_le_bytes();
    let length = file.len().min(8);
    file[end..].copy_from_slice(&checksum[..length]);
    file
}

/// The parsed header of a file and its sections.
pub(crate) fn split(file: &[u8]) -> (Value, Vec<u8>) {
    let length = u64::from_le_bytes(file[12..20].try_into().unwrap()) as usize;
    let header = serde_json::from_slice(&file[20..20 + length]).unwrap();
    (header, file[20 + length..file.len() - 8].to_vec())
}

/// The file of the tiny model with a changed header.
pub(crate) fn with_header(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut header, sections) = split(&tiny().to_bytes());
    change(&mut header);
    file_of(header.to_string().as_bytes(), &sections)
}

/// The file of the tiny model with other sections, given as name, items and bytes.
pub(crate) fn with_sections(sections: &[(&str, u64, Vec<u8>)]) -> Vec<u8> {
    let (mut header, _) = split(&tiny().to_bytes());
    header["sections"] = sections
        .iter()
        .map(|(name, items, bytes)| json!({"name": name, "items": items, "bytes": bytes.len()}))
        .collect();
    let bodies: Vec<&[u8]> = sections.iter().map(|section| &section.2[..]).collect();
    file_of(header.to_string().as_bytes(), &bodies.concat())
}

pub(crate) fn number(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A merge event as bytes.
pub(crate) fn merge_bytes(left: u64, right: u64, count: u64) -> Vec<u8> {
    [vec![0], number(left), number(right), number(count)].concat()
}
