//! A truncated model is the model that training with the smaller size would have made.

use serde_json::json;
use superword::model::{AddedToken, BuildError, Event, Method, Model, ModelParts};
use superword::token::{Symbol, TokenId};

use crate::samples::{Random, delete, facts, merge, plain, rich, supermerge};

fn parts() -> ModelParts {
    // ab, bc, abc (twice: the second does not grow the vocabulary), then "ab c" and "abc c".
    let mut parts = plain(vec![
        merge(97, 98, 90),
        merge(98, 99, 80),
        merge(256, 99, 70),
        merge(97, 257, 60),
        supermerge(256, 257, 50),
        supermerge(259, 257, 40),
    ]);
    parts.method = Method::SuperBpe;
    parts.added = (0..2)
        .map(|index| AddedToken::special(format!("<|{index}|>"), TokenId(261 + index)))
        .collect();
    parts.ngrams = vec![
        vec![Symbol(256), Symbol(257)],
        vec![Symbol(257), Symbol(258)],
        vec![Symbol(97), Symbol(260)],
    ];
    parts.facts = facts(json!({
        "bytes": 12,
        "options": {"vocab_size": 300, "supermerges": 20, "min_count": 1},
        "shortfall": {"reason": "no pair is left"},
    }));
    parts
}

#[test]
fn each_size_keeps_the_events_until_it_was_reached() {
    let model = Model::build(parts()).unwrap();
    assert_eq!(model.n_vocab(), 263);
    // The second merge that makes `abc` comes after size 261 was reached, so it is not kept.
    let kept = [(258, 0), (259, 1), (260, 2), (261, 3), (262, 5), (263, 6)];
    for (size, events) in kept {
        let cut = model.truncate(size).unwrap();
        assert_eq!(cut.n_vocab(), size);
        assert_eq!(cut.parts().events, parts().events[..events], "size {size}");
        let specials: Vec<usize> = cut.parts().added.iter().map(|s| s.id.index()).collect();
        assert_eq!(specials, [size - 2, size - 1]);
        // Truncating in two steps gives the same as truncating once.
        for smaller in 258..=size {
            assert_eq!(
                cut.truncate(smaller).unwrap().to_bytes(),
                model.truncate(smaller).unwrap().to_bytes()
            );
        }
    }
}

#[test]
fn facts_and_ngrams_are_updated() {
    let model = Model::build(parts()).unwrap();
    let cut = model.truncate(262).unwrap();
    assert_eq!(
        cut.parts().facts,
        facts(json!({
            "bytes": 12,
            "options": {"vocab_size": 262, "supermerges": 1, "min_count": 1},
        }))
    );
    assert_eq!(cut.parts().ngrams, parts().ngrams[..2]);
    assert_eq!(
        model.truncate(260).unwrap().parts().ngrams,
        parts().ngrams[..1]
    );
    assert!(model.truncate(259).unwrap().parts().ngrams.is_empty());

    let mut boundless = parts();
    boundless.method = Method::Boundless;
    let cut = Model::build(boundless).unwrap().truncate(258).unwrap();
    assert_eq!(cut.parts().facts["options"]["supermerges"], 20);
    assert_eq!(cut.parts().facts["options"]["vocab_size"], 258);
}

#[test]
fn the_same_size_gives_the_same_model() {
    let model = Model::build(parts()).unwrap();
    assert_eq!(model.truncate(263).unwrap(), model);
    // Even if the size was reached before and deletions made the vocabulary smaller again.
    let events = vec![
        merge(97, 98, 9),
        merge(256, 99, 8),
        delete(256),
        merge(97, 98, 7),
        delete(257),
    ];
    let model = Model::build(plain(events)).unwrap();
    assert_eq!(model.truncate(257).unwrap(), model);
}

#[test]
fn deletions_stay_with_their_merge() {
    let events = vec![
        merge(97, 98, 9),  // ab: 257
        merge(256, 99, 8), // abc: 258 ...
        delete(256),       // ... and back to 257
        merge(98, 99, 7),  // bc: 258
        merge(98, 98, 6),  // bb: 259
        delete(258),       // 258
        merge(97, 97, 5),  // aa: 259
    ];
    let model = Model::build(plain(events.clone())).unwrap();
    assert_eq!(model.n_vocab(), 259);
    let kept = |size| model.truncate(size).unwrap().parts().events.clone();
    assert_eq!(kept(256), []);
    assert_eq!(kept(257), events[..1]);
    // Not after `abc`, because with the deletion that follows it the size was 257.
    assert_eq!(kept(258), events[..4]);
    assert_eq!(kept(259), events);
}

#[test]
fn sizes_out_of_range_say_the_limits() {
    let model = Model::build(parts()).unwrap();
    for asked in [0, 257, 264, usize::MAX] {
        assert_eq!(
            model.truncate(asked).unwrap_err(),
            BuildError::TruncateSize {
                asked,
                smallest: 258,
                largest: 263
            }
        );
    }
}

#[test]
fn imported_ids_are_not_changed() {
    assert_eq!(rich().truncate(250).unwrap_err(), BuildError::TruncateIds);
    let mut gap = parts();
    gap.added[1].id = TokenId(500);
    let gap = Model::build(gap).unwrap();
    assert_eq!(gap.truncate(260).unwrap_err(), BuildError::TruncateIds);
}

#[test]
fn ranks_and_unmade_tokens_are_kept() {
    let mut parts = plain(vec![merge(97, 98, 9), merge(98, 99, 8), merge(257, 99, 7)]);
    parts.unmade = vec![b"xyz".to_vec()];
    parts.order = Some(vec![5, 9, 1]);
    let model = Model::build(parts).unwrap();
    assert_eq!(model.n_vocab(), 260);
    let cut = model.truncate(259).unwrap();
    assert_eq!(cut.parts().order, Some(vec![5, 9]));
    assert_eq!(cut.parts().unmade, [b"xyz"]);
    assert_eq!(cut.n_vocab(), 259);
    assert!(matches!(
        model.truncate(256).unwrap_err(),
        BuildError::TruncateSize { smallest: 257, .. }
    ));
}

/// Random merges, supermerges and deletions that make a valid model.
fn random_events(random: &mut Random, length: usize) -> Vec<Event> {
    let mut parts = plain(Vec::new());
    parts.method = Method::Boundless;
    while parts.events.len() < length {
        let tokens = Model::build(parts.clone()).unwrap().vocabulary().len() as u64;
        let mut pick = || (254 + random.below(tokens - 254)) as u32;
        let (left, right) = (pick(), pick());
        let event = match random.below(6) {
            0 | 1 if !parts.events.is_empty() => delete(left),
            2 => supermerge(left, right, 5),
            _ => merge(left, right, 5),
        };
        parts.events.push(event);
        if Model::build(parts.clone()).is_err() {
            parts.events.pop();
        }
    }
    parts.events
}

#[test]
fn random_models_are_truncated_where_the_size_is_first_reached() {
    let mut random = Random(23);
    let mut with_deletions = 0;
    for _ in 0..300 {
        let mut parts = plain(Vec::new());
        parts.method = Method::Boundless;
        parts.events = random_events(&mut random, 20);
        let model = Model::build(parts.clone()).unwrap();
        with_deletions += usize::from(model.has_deletions());
        for size in 256..model.n_vocab() {
            // The slow way: build the model after each merge with the deletions that follow it.
            let first = (0..=20).map(|kept| &parts.events[..kept]).find(|kept| {
                let next = parts.events.get(kept.len());
                let whole = !matches!(next, Some(Event::Delete { .. }));
                let mut prefix = parts.clone();
                prefix.events = kept.to_vec();
                whole && Model::build(prefix).unwrap().n_vocab() == size
            });
            let cut = model.truncate(size).unwrap();
            assert_eq!(Some(&cut.parts().events[..]), first, "size {size}");
            assert_eq!(cut.n_vocab(), size);
        }
    }
    assert!(with_deletions > 100, "{with_deletions}");
}
