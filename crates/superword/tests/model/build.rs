//! Parts that do not make a valid model are refused, each with its own error.

use serde_json::{Value, json};
use superword::model::{BuildError, Method, Model, SpecialToken};
use superword::token::{Symbol, TokenId};

use crate::samples::{delete, facts, merge, plain, supermerge, tiny};

fn special(text: &str, id: u32) -> SpecialToken {
    SpecialToken {
        text: text.to_owned(),
        id: TokenId(id),
    }
}

#[test]
fn each_invalid_part_has_its_own_error() {
    let events = |events| Model::build(plain(events)).unwrap_err();
    let token = Symbol(256);
    assert_eq!(
        events(vec![merge(256, 97, 1)]),
        BuildError::PartDefinedLater { event: 0, token }
    );
    assert_eq!(
        events(vec![merge(97, 98, 1), delete(256), merge(256, 97, 1)]),
        BuildError::PartDeleted { event: 2, token }
    );
    assert_eq!(
        events(vec![merge(97, 98, 1), delete(256), delete(256)]),
        BuildError::PartDeleted { event: 2, token }
    );
    assert_eq!(
        events(vec![delete(97)]),
        BuildError::DeletesByte {
            event: 0,
            token: Symbol(97)
        }
    );
    assert_eq!(
        events(vec![merge(97, 98, 0)]),
        BuildError::ZeroCount { event: 0 }
    );
    assert_eq!(
        events(vec![supermerge(97, 98, 1)]),
        BuildError::SupermergeInBpe { event: 0 }
    );

    let specials = |specials| {
        let mut parts = plain(Vec::new());
        parts.specials = specials;
        Model::build(parts).unwrap_err()
    };
    assert_eq!(
        specials(vec![special("", 256)]),
        BuildError::EmptySpecial { index: 0 }
    );
    assert_eq!(
        specials(vec![special("a", 256), special("a", 257)]),
        BuildError::SpecialTwice { text: "a".into() }
    );
    for twice in [
        vec![special("a", 7)],
        vec![special("a", 256), special("b", 256)],
    ] {
        assert!(matches!(specials(twice), BuildError::IdTwice { .. }));
    }
    assert!(matches!(
        specials(vec![special("a", u32::MAX)]),
        BuildError::IdTooLarge { .. }
    ));

    let ngrams = |ngrams| {
        let mut parts = plain(Vec::new());
        parts.ngrams = ngrams;
        Model::build(parts).unwrap_err()
    };
    assert_eq!(
        ngrams(vec![vec![Symbol(97)]]),
        BuildError::NgramTooShort { index: 0 }
    );
    assert_eq!(
        ngrams(vec![vec![Symbol(97), token]]),
        BuildError::NgramPart { index: 0, token }
    );
}

#[test]
fn custom_ids_are_checked() {
    let build = |change: fn(&mut Vec<TokenId>)| {
        let mut ids: Vec<TokenId> = (0..256).map(TokenId).collect();
        change(&mut ids);
        let mut parts = plain(Vec::new());
        parts.ids = Some(ids);
        Model::build(parts)
    };
    assert!(build(|_| ()).is_ok());
    assert_eq!(
        build(|ids| ids[5] = TokenId(6)).unwrap_err(),
        BuildError::IdTwice { id: TokenId(6) }
    );
    // Tables use the largest number for "no id", so it must be refused.
    for large in [u32::MAX, u32::MAX - 1, 1 << 26] {
        let mut ids: Vec<TokenId> = (0..256).map(TokenId).collect();
        ids[5] = TokenId(large);
        let mut parts = plain(Vec::new());
        parts.ids = Some(ids);
        assert!(matches!(
            Model::build(parts).unwrap_err(),
            BuildError::IdTooLarge { id, .. } if id.0 == large
        ));
    }
    assert_eq!(
        build(|ids| ids.truncate(255)).unwrap_err(),
        BuildError::IdsOfOtherLength {
            given: 255,
            needed: 256
        }
    );
}

#[test]
fn what_a_file_cannot_store_is_refused_before_saving() {
    let mut deep = json!(1);
    for _ in 0..99 {
        deep = json!([deep]);
    }
    let mut parts = plain(Vec::new());
    parts.facts = facts(json!({"deep": deep}));
    let model = Model::build(parts.clone()).unwrap();
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);

    let deep = parts.facts.remove("deep").map(|deep| json!([deep]));
    parts.facts = facts(json!({ "deep": deep }));
    assert!(matches!(
        Model::build(parts.clone()).unwrap_err(),
        BuildError::FactsTooDeep { limit: 100 }
    ));

    parts.facts = facts(json!({"long": Value::String("x".repeat(1 << 23))}));
    assert!(matches!(
        Model::build(parts).unwrap_err(),
        BuildError::DescriptionTooLarge { .. }
    ));
}

#[test]
fn events_have_the_token_they_made() {
    let mut parts = plain(vec![
        merge(97, 98, 9),
        merge(98, 99, 8),
        merge(256, 99, 7),
        merge(97, 257, 7),
        delete(257),
    ]);
    parts.method = Method::Bpe;
    let model = Model::build(parts).unwrap();
    let made: Vec<u32> = (0..5)
        .map(|event| model.vocabulary().made_by(event).0)
        .collect();
    assert_eq!(made, [256, 257, 258, 258, 257]);
    assert_eq!(model.vocabulary().bytes_of(Symbol(258)), b"abc");
    assert_eq!(model.n_vocab(), 258);
}

#[test]
fn truncation_to_a_wrong_size_says_the_limits_and_a_hint() {
    let error = tiny().truncate(3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this model cannot be truncated to 3 tokens; the size must be from 257 to 260"
    );
    assert_eq!(
        error.hint().unwrap(),
        "choose a size from 257 to 260; for a larger vocabulary, train a new model"
    );
}
