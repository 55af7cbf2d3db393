//! Parts that do not make a valid model are refused, each with its own error.

use serde_json::{Value, json};
use superword::model::{AddedToken, BuildError, Event, Method, Model, ModelParts};
use superword::token::{Symbol, TokenId};

use crate::samples::{delete, facts, merge, plain, supermerge, tiny};

fn special(text: &str, id: u32) -> AddedToken {
    AddedToken::special(text.to_owned(), TokenId(id))
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

    let added = |added| {
        let mut parts = plain(Vec::new());
        parts.added = added;
        Model::build(parts).unwrap_err()
    };
    assert_eq!(
        added(vec![special("", 256)]),
        BuildError::EmptyAdded { index: 0 }
    );
    assert_eq!(
        added(vec![special("a", 256), special("a", 257)]),
        BuildError::AddedTwice { text: "a".into() }
    );
    assert_eq!(
        added(vec![special("a", 7)]),
        BuildError::IdTwice { id: TokenId(7) }
    );
    assert!(matches!(
        added(vec![special("a", u32::MAX)]),
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
fn ranks_and_unmade_tokens_are_checked() {
    let build = |change: &dyn Fn(&mut ModelParts)| {
        let mut parts = plain(vec![merge(97, 98, 1), merge(98, 99, 1)]);
        change(&mut parts);
        Model::build(parts)
    };
    let error = |change: &dyn Fn(&mut ModelParts)| build(change).unwrap_err();
    assert!(build(&|parts| parts.order = Some(vec![9, 3])).is_ok());
    assert_eq!(
        error(&|parts| parts.order = Some(vec![1])),
        BuildError::OrderOfOtherLength {
            given: 1,
            needed: 2
        }
    );
    assert_eq!(
        error(&|parts| parts.order = Some(vec![5, 5])),
        BuildError::RankTwice { rank: 5 }
    );
    assert_eq!(
        error(&|parts| {
            parts.order = Some(vec![1, 2]);
            parts.events.push(delete(256));
        }),
        BuildError::OrderWithDeletions
    );
    let unmade = |tokens: &[&str]| {
        tokens
            .iter()
            .map(|token| token.as_bytes().to_vec())
            .collect()
    };
    // Unmade tokens may have the bytes of other tokens.
    for again in [["x", "xy"], ["xy", "xy"], ["ab", "xy"]] {
        assert!(
            build(&|parts| parts.unmade = unmade(&again)).is_ok_and(|model| {
                let read = Model::from_bytes(&model.to_bytes());
                read.is_ok_and(|read| read == model)
            })
        );
    }
    // `xy` is token 256 here.
    let event = |event: Event| {
        error(&|parts| {
            parts.method = Method::SuperBpe;
            parts.unmade = unmade(&["xy", ""]);
            parts.events = vec![event];
        })
    };
    let token = Symbol(256);
    assert_eq!(
        event(merge(256, 97, 1)),
        BuildError::PartUnmade { event: 0, token }
    );
    assert_eq!(
        event(delete(256)),
        BuildError::PartUnmade { event: 0, token }
    );
    let token = Symbol(257);
    assert_eq!(
        event(supermerge(97, 257, 1)),
        BuildError::PartUnmade { event: 0, token }
    );
    // A supermerge may use an unmade token, and may make the bytes of another one.
    let model = build(&|parts| {
        parts.method = Method::SuperBpe;
        parts.unmade = unmade(&["xy", "axy"]);
        parts.events = vec![supermerge(97, 256, 1)];
    });
    assert_eq!(model.unwrap().vocabulary().made_by(0), Symbol(257));
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
