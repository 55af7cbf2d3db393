//! Each defect of a file has its own error, which says what is wrong and where.

use serde_json::{Value, json};
use superword::model::{BuildError, LoadError, LooksLike, MAGIC, Model, Section};

use crate::samples::{
    file_of, merge_bytes, split, tiny, with_checksum, with_header, with_sections,
};

fn error(file: &[u8]) -> LoadError {
    let error = Model::from_bytes(file).unwrap_err();
    assert!(error.hint().is_some(), "{error}");
    error
}

/// The pattern must match the error of the file.
macro_rules! refused {
    ($file:expr, $pattern:pat $(if $guard:expr)?) => {{
        let error = error(&$file);
        assert!(matches!(&error, $pattern $(if $guard)?), "{error:?}");
        error
    }};
}

#[test]
fn other_kinds_of_files_are_recognised() {
    let looks_like = |bytes: &[u8]| match error(bytes) {
        LoadError::BadMagic { looks_like } => looks_like,
        other => panic!("{other:?}"),
    };
    assert_eq!(looks_like(b" \n{\"version\": \"1.0\"}"), LooksLike::Json);
    assert_eq!(looks_like(b"PK\x03\x04rest"), LooksLike::Zip);
    assert_eq!(looks_like(b"\x1f\x8b\x08rest"), LooksLike::Gzip);
    assert_eq!(looks_like(b"\x28\xb5\x2f\xfdrest"), LooksLike::Zstd);
    assert_eq!(looks_like("Ein Löwe".as_bytes()), LooksLike::Text);
    assert_eq!(looks_like("é".repeat(600).as_bytes()), LooksLike::Text);
    assert_eq!(looks_like(b"a\0b"), LooksLike::Unknown);
    assert_eq!(looks_like(b"\xff\xfe"), LooksLike::Unknown);
    let pointer = b"version https://git-lfs.github.com/spec/v1\n";
    assert_eq!(looks_like(pointer), LooksLike::LfsPointer);
    // Copied as text: line endings changed, or read as Latin-1 and written as UTF-8.
    assert_eq!(looks_like(b"\x89SWM\n\x1a\n\x01"), LooksLike::MangledModel);
    assert_eq!(
        looks_like(b"\xc2\x89SWM\r\n\x1a\n"),
        LooksLike::MangledModel
    );
    assert_eq!(
        error(b"{}").to_string(),
        "not a superword model: it looks like JSON"
    );
}

#[test]
fn truncated_extended_and_altered_files_are_distinguished() {
    let file = tiny().to_bytes();
    refused!([], LoadError::TooShort { bytes: 0, .. });
    refused!(
        file[..27],
        LoadError::TooShort {
            bytes: 27,
            needed: 28
        }
    );
    for length in 28..file.len() {
        let error = refused!(file[..length], LoadError::Checksum { .. });
        // If the header is truncated too, the original length is unknown.
        if length >= 36 {
            assert!(
                error.hint().unwrap().contains("cut short"),
                "{length}: {error}"
            );
        }
    }
    let error = refused!([&file[..], b"\n"].concat(), LoadError::Checksum { .. });
    assert!(error.hint().unwrap().contains("added"), "{error}");
    let mut altered = file.clone();
    altered[file.len() - 12] ^= 1;
    let error = refused!(altered, LoadError::Checksum { .. });
    assert!(error.hint().unwrap().contains("altered"), "{error}");
}

#[test]
fn the_version_is_checked_before_everything_else() {
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&3u32.to_le_bytes());
    let error = refused!(
        file,
        LoadError::NewerVersion {
            found: 3,
            supported: 2
        }
    );
    assert!(error.to_string().starts_with("written by a newer version"));
    assert!(error.hint().unwrap().starts_with("upgrade superword"));
    file[8] = 0;
    refused!(file, LoadError::VersionZero);
}

#[test]
fn the_length_of_the_header_is_checked() {
    let with_length = |length: u64| {
        let mut file = tiny().to_bytes();
        file[12..20].copy_from_slice(&length.to_le_bytes());
        with_checksum(file)
    };
    refused!(
        with_length(u64::MAX),
        LoadError::HeaderTooLarge {
            length: u64::MAX,
            ..
        }
    );
    refused!(
        with_length(1 << 23),
        LoadError::HeaderBeyondEnd {
            length: 0x80_0000,
            ..
        }
    );
    refused!(with_length(0), LoadError::HeaderNotJson { offset: 20, .. });
}

#[test]
fn invalid_json_in_the_header_is_reported_with_its_position() {
    refused!(
        file_of(b"{\"a\xff\"}", b""),
        LoadError::HeaderNotUtf8 { offset: 23 }
    );
    refused!(
        file_of(b"{\"a\":?}", b""),
        LoadError::HeaderNotJson { offset: 25, .. }
    );
    refused!(
        file_of(b"{\n\"a\":?}", b""),
        LoadError::HeaderNotJson { offset: 26, .. }
    );
    let nested = "[".repeat(1_000_000);
    refused!(
        file_of(nested.as_bytes(), b""),
        LoadError::HeaderNotJson { .. }
    );
    refused!(
        file_of(b"[]", b""),
        LoadError::FieldType {
            expected: "an object",
            ..
        }
    );
}

#[test]
fn fields_are_checked_by_name_and_type() {
    let (header, _) = split(&tiny().to_bytes());
    for field in header.as_object().unwrap().keys() {
        let missing = with_header(|header| {
            header.as_object_mut().unwrap().remove(field);
        });
        refused!(missing, LoadError::FieldMissing { field: f } if f == field);
        let mistyped = with_header(|header| header[field] = json!(1.5));
        refused!(mistyped, LoadError::FieldType { field: f, .. } if f == field);
    }
    let with = |pointer: &str, value: Value| {
        with_header(|header| *header.pointer_mut(pointer).unwrap() = value)
    };
    let cases = [
        ("/pretokenizer/name", json!(1), "pretokenizer.name"),
        ("/pretokenizer/script", json!(1), "pretokenizer.script"),
        ("/special_tokens/0/id", json!(-1), "special_tokens[0].id"),
        (
            "/special_tokens/0/id",
            json!(1u64 << 32),
            "special_tokens[0].id",
        ),
        ("/special_tokens/0", json!("x"), "special_tokens[0]"),
        ("/sections/0/items", json!(1e30), "sections[0].items"),
        (
            "/pretokenizer/script",
            json!({"pattern": "x", "scripts": ["Han", 3]}),
            "pretokenizer.script.scripts[1]",
        ),
    ];
    for (pointer, value, name) in cases {
        refused!(with(pointer, value), LoadError::FieldType { field, .. } if field == name);
    }
    for (pointer, name) in [
        ("/method", "method"),
        ("/alphabet", "alphabet"),
        ("/picky_split", "picky_split"),
        ("/sections/0/name", "sections[0].name"),
    ] {
        refused!(with(pointer, json!("huh")), LoadError::FieldName { field, .. } if field == name);
    }
    for (pointer, name) in [
        ("", "more"),
        ("/pretokenizer", "pretokenizer.more"),
        ("/special_tokens/0", "special_tokens[0].more"),
        ("/sections/0", "sections[0].more"),
    ] {
        let file = with_header(|header| header.pointer_mut(pointer).unwrap()["more"] = json!(1));
        refused!(file, LoadError::FieldUnknown { field } if field == name);
    }
}

#[test]
fn a_header_that_is_not_canonical_is_refused() {
    let (header, sections) = split(&tiny().to_bytes());
    let text = header.to_string();
    let blank = text.replacen("{\"alphabet\"", "{ \"alphabet\"", 1);
    refused!(
        file_of(blank.as_bytes(), &sections),
        LoadError::HeaderNotCanonical { offset: 21 }
    );
    let twice = text.replacen('{', "{\"alphabet\":\"utf8\",", 1);
    refused!(
        file_of(twice.as_bytes(), &sections),
        LoadError::HeaderNotCanonical { .. }
    );
}

#[test]
fn sections_are_checked() {
    let events = || ("events", 1, merge_bytes(97, 98, 5));
    let ids = || ("ids", 257, vec![0; 4 * 257]);
    refused!(with_sections(&[]), LoadError::NoEvents);
    refused!(with_sections(&[ids()]), LoadError::NoEvents);
    refused!(
        with_sections(&[events(), events()]),
        LoadError::SectionOrder {
            section: Section::Events
        }
    );
    refused!(
        with_sections(&[events(), ("ngrams", 1, vec![2, 97, 98]), ids()]),
        LoadError::SectionOrder {
            section: Section::Ids
        }
    );
    refused!(
        with_sections(&[events(), ("ngrams", 0, vec![])]),
        LoadError::SectionEmpty {
            section: Section::Ngrams
        }
    );
    for bytes in [0, u64::MAX] {
        let file = with_header(|header| header["sections"][0]["bytes"] = json!(bytes));
        refused!(file, LoadError::SectionsLength { described, .. } if *described == bytes);
    }
    for items in [9, u64::MAX] {
        let file = with_header(|header| header["sections"][0]["items"] = json!(items));
        refused!(file, LoadError::TooManyItems { items: i, .. } if *i == items);
    }
    let file = with_header(|header| header["sections"][0]["items"] = json!(4));
    refused!(file, LoadError::SectionEnds { item: 3, .. });
    let file = with_header(|header| header["sections"][0]["items"] = json!(2));
    refused!(file, LoadError::BytesLeft { left: 7, .. });
}

#[test]
fn events_and_numbers_are_checked() {
    let event = |bytes: &[u8]| with_sections(&[("events", 1, bytes.to_vec())]);
    refused!(
        event(&[3, 1, 1, 1]),
        LoadError::EventKind {
            event: 0,
            kind: 3,
            ..
        }
    );
    refused!(
        event(&[0, 97, 98, 0x85]),
        LoadError::SectionEnds { item: 0, .. }
    );
    refused!(
        event(&[0, 97, 98, 0x85, 0]),
        LoadError::NumberNotShortest { item: 0, .. }
    );
    let large = [&[0, 97, 98][..], &[0xFF; 9], &[2]].concat();
    refused!(
        event(&large),
        LoadError::NumberTooLarge {
            limit: u64::MAX,
            ..
        }
    );
    let endless = [&[0, 97, 98][..], &[0xFF; 30]].concat();
    refused!(
        event(&endless),
        LoadError::NumberTooLarge {
            limit: u64::MAX,
            ..
        }
    );
    refused!(
        event(&merge_bytes(1 << 32, 1, 1)),
        LoadError::NumberTooLarge {
            limit: 0xFFFF_FFFF,
            ..
        }
    );
    refused!(
        event(&merge_bytes(97, 98, 0)),
        LoadError::Build(BuildError::ZeroCount { event: 0 })
    );
}
