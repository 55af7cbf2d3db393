//! Hostile files give a typed error or a valid model, never a panic, a hang or excessive memory use.

use serde_json::json;
use std::sync::Arc;
use superword::encode::Encoder;
use superword::model::{BuildError, Event, LoadError, Method, Model, PickySplit};
use superword::token::Symbol;

use crate::samples::{
    Random, file_of, file_of_version, imported, merge, merge_bytes, number, plain, rich, split,
    supermerge, tiny, with_checksum, with_header, with_sections,
};

/// Returns whether the file can be read. If so, writing the model again must give the same file.
fn check(file: &[u8]) -> bool {
    match Model::from_bytes(file) {
        Ok(model) => {
            let (header, _) = split(file);
            let (mut again, sections) = split(&model.to_bytes());
            again["written_by"] = header["written_by"].clone();
            let header = again.to_string();
            let again = file_of_version(model.format_version(), header.as_bytes(), &sections);
            assert_eq!(again, file);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty() && error.hint().is_some());
            false
        }
    }
}

#[test]
fn every_prefix_of_a_file_is_refused() {
    for model in [tiny(), rich(), imported()] {
        let file = model.to_bytes();
        for length in 0..file.len() {
            assert!(!check(&file[..length]), "{length} bytes");
            check(&with_checksum(file[..length].to_vec()));
        }
    }
}

#[test]
fn every_altered_byte_is_detected() {
    for model in [tiny(), rich(), imported()] {
        let file = model.to_bytes();
        for offset in 0..file.len() {
            for change in [0x01, 0x02, 0x10, 0x20, 0x80, 0xFF, file[offset].max(1)] {
                let mut altered = file.clone();
                altered[offset] ^= change;
                assert!(!check(&altered), "byte {offset} ^ {change}");
            }
        }
    }
}

#[test]
fn altered_bytes_with_a_correct_checksum_give_an_error_or_a_valid_model() {
    let mut sound = 0;
    for model in [tiny(), rich(), imported()] {
        let file = model.to_bytes();
        for offset in 0..file.len() - 8 {
            for change in [0x01, 0x02, 0x04, 0x10, 0x20, 0x40, 0x80, 0xFF] {
                let mut altered = file.clone();
                altered[offset] ^= change;
                sound += usize::from(check(&with_checksum(altered)));
            }
        }
    }
    // Patterns, facts and counts may have any value, so some altered files are valid.
    assert!(sound > 500, "{sound}");
}

#[test]
fn removed_inserted_or_repeated_bytes_give_an_error_or_a_valid_model() {
    let mut random = Random(11);
    for model in [tiny(), rich(), imported()] {
        let file = model.to_bytes();
        for _ in 0..5_000 {
            let (start, end) = (
                random.below(file.len() as u64),
                random.below(file.len() as u64),
            );
            let (start, end) = (start.min(end) as usize, start.max(end) as usize);
            let piece = &file[start..end.min(start + 40)];
            let put_in = [&file[..start], piece, piece, &file[end..]].concat();
            check(&put_in);
            check(&with_checksum(put_in));
        }
    }
}

#[test]
fn random_bytes_after_a_valid_start_are_refused() {
    let mut random = Random(3);
    let file = tiny().to_bytes();
    for case in 0..100_000 {
        let keep = [8, 12, 20, 21, file.len() - 40][case % 5];
        let mut bytes = file[..keep].to_vec();
        for _ in 0..random.below(120) {
            bytes.push(random.next() as u8);
        }
        assert!(!check(&bytes));
        // After the magic alone, the version is random too.
        if bytes.len() > 28 {
            assert!(!check(&with_checksum(bytes)));
        }
    }
}

#[test]
fn random_events_are_refused_or_replayed() {
    let mut random = Random(5);
    let mut sound = 0;
    for _ in 0..20_000 {
        let items = 1 + random.below(6);
        let mut bytes = Vec::new();
        for item in 0..items {
            let kind = random.below(10).saturating_sub(7) as u8;
            bytes.push(kind);
            for _ in 0..if kind == 2 { 1 } else { 2 } {
                let beyond = random.below(2);
                let token = 250 + random.below(6 + item + beyond);
                bytes.extend(number(token));
            }
            if kind != 2 {
                bytes.extend(number(random.next() >> random.below(64)));
            }
        }
        let file = with_header(|header| header["special_tokens"] = json!([]));
        let (mut header, _) = split(&file);
        header["sections"] = json!([{"name": "events", "items": items, "bytes": bytes.len()}]);
        sound += usize::from(check(&file_of(header.to_string().as_bytes(), &bytes)));
    }
    assert!((2_000..18_000).contains(&sound), "{sound}");
}

#[test]
fn tokens_that_double_a_hundred_times_are_refused() {
    let events: Vec<u8> = (0..100)
        .flat_map(|event| {
            let token = if event == 0 { 97 } else { 255 + event };
            merge_bytes(token, token, 1)
        })
        .collect();
    let error = Model::from_bytes(&with_sections(&[("events", 100, events)])).unwrap_err();
    let LoadError::Build(BuildError::TooManyBytes { event, .. }) = error else {
        panic!("{error:?}");
    };
    assert!(event < 30);
}

#[test]
fn making_a_long_token_many_times_is_refused_quickly() {
    // A token of 16 MB, then 100,000 merges that make it again.
    let mut events: Vec<u8> = merge_bytes(97, 97, 1);
    for token in 256..279 {
        events.extend(merge_bytes(token, token, 1));
    }
    for _ in 0..100_000 {
        events.extend(merge_bytes(278, 278, 1));
    }
    let error = Model::from_bytes(&with_sections(&[("events", 100_024, events)])).unwrap_err();
    assert!(
        matches!(error, LoadError::Build(BuildError::TooManyBytes { .. })),
        "{error:?}"
    );
}

#[test]
fn parts_defined_later_and_cycles_are_refused() {
    let cycles = [
        vec![merge_bytes(256, 256, 1)],
        vec![merge_bytes(257, 97, 1), merge_bytes(256, 97, 1)],
        vec![merge_bytes(97, u64::from(u32::MAX), 1)],
    ];
    for events in cycles {
        let file = with_sections(&[("events", events.len() as u64, events.concat())]);
        let error = Model::from_bytes(&file).unwrap_err();
        assert!(
            matches!(
                error,
                LoadError::Build(BuildError::PartDefinedLater { event: 0, .. })
            ),
            "{error:?}"
        );
    }
}

#[test]
fn the_largest_count_is_preserved_and_zero_is_refused() {
    let file = |count| with_sections(&[("events", 1, merge_bytes(97, 98, count))]);
    assert!(check(&file(u64::MAX)));
    assert!(!check(&file(0)));
}

#[test]
fn many_special_tokens_are_read_or_refused_by_size() {
    let specials = |count: u32| {
        with_header(|header| {
            header["special_tokens"] = (0..count)
                .map(|index| json!({"id": 259 + index, "text": format!("<{index}>")}))
                .collect();
        })
    };
    assert!(check(&specials(100_000)));
    let error = Model::from_bytes(&specials(400_000)).unwrap_err();
    assert!(
        matches!(error, LoadError::HeaderTooLarge { .. }),
        "{error:?}"
    );
    let same = with_header(|header| {
        header["special_tokens"] = vec![json!({"id": 259, "text": "x"}); 1000].into();
    });
    assert!(!check(&same));
}

#[test]
fn ids_that_are_huge_or_given_twice_are_refused() {
    let with_ids = |change: fn(&mut Vec<u32>)| {
        let mut ids: Vec<u32> = (0..257).collect();
        change(&mut ids);
        let bytes = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        with_sections(&[
            ("events", 1, merge_bytes(97, 98, 5)),
            ("ids", ids.len() as u64, bytes),
        ])
    };
    assert!(check(&with_ids(|_| ())));
    for change in [
        (|ids| ids[0] = u32::MAX) as fn(&mut Vec<u32>),
        |ids| ids[256] = u32::MAX - 1,
        |ids| ids[0] = 1 << 30,
        |ids| ids[0] = 1,
        |ids| ids[0] = 259, // that of the special token
        |ids| ids.push(700),
    ] {
        assert!(!check(&with_ids(change)));
    }
    // A huge id of a special token must not allocate a huge table either.
    assert!(!check(&with_header(|header| {
        header["special_tokens"][0]["id"] = json!(u32::MAX);
    })));
}

#[test]
fn ngrams_longer_than_their_section_are_refused() {
    for length in [5, 1 << 31, u64::MAX] {
        let bytes = [number(length), vec![97, 98]].concat();
        let file = with_sections(&[("events", 1, merge_bytes(97, 98, 5)), ("ngrams", 1, bytes)]);
        let error = Model::from_bytes(&file).unwrap_err();
        assert!(
            matches!(error, LoadError::SectionEnds { item: 0, .. }),
            "{error:?}"
        );
    }
}

#[test]
fn deleting_a_superword_changes_no_word() {
    let mut parts = plain(vec![
        supermerge(97, 98, 1),
        Event::Delete { token: Symbol(256) },
        merge(97, 99, 1),
    ]);
    parts.method = Method::SuperBpe;
    for split in [
        PickySplit::Parts,
        PickySplit::PartsThenBytes,
        PickySplit::Bytes,
    ] {
        parts.picky_split = split;
        let model = Model::build(parts.clone()).unwrap();
        assert!(check(&model.to_bytes()));
        let encoder = Encoder::new(Arc::new(model)).unwrap();
        let mut ids = Vec::new();
        encoder.encode_ordinary("abac", &mut ids).unwrap();
        assert_eq!(ids, [97, 98, 257]);
    }
}

#[test]
fn a_merge_of_a_superword_applies_to_no_word() {
    // `bA`, the superword `bAbA`, and a merge of both that no word can reach.
    let mut parts = plain(vec![
        merge(98, 65, 1),
        supermerge(256, 256, 1),
        merge(256, 257, 1),
    ]);
    parts.method = Method::SuperBpe;
    parts.pretokenizer.pattern = r"\w+|\W".to_owned();
    let encoder = Encoder::new(Arc::new(Model::build(parts).unwrap())).unwrap();
    let mut ids = Vec::new();
    encoder.encode_ordinary("bAbAbA", &mut ids).unwrap();
    assert_eq!(ids, [256, 256, 256]);
}
