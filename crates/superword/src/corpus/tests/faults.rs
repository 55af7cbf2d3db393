//! Every kind of error, and what its message says.

use super::*;

fn source_name() -> String {
    "memory".into()
}

#[test]
fn a_line_that_is_not_json_names_line_and_column() {
    let error = error(
        "{\"text\": \"a\"}\n\n{\"é\": tru}\n".as_bytes(),
        Format::Jsonl,
    );
    let CorpusError::NotJson {
        line: 3,
        column,
        ref reason,
        ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((column, reason.as_str()), (10, "expected ident"));
    assert_eq!(error.to_string(), "memory:3:10: not JSON: expected ident");
    assert!(error.hint().unwrap().contains("`on_error=\"skip\"`"));
}

#[test]
fn json_of_another_shape_is_named() {
    for (json, found) in [
        ("[1, 2]", "an array"),
        ("\"text\"", "a string"),
        ("12", "a number"),
        ("-1", "a number"),
        ("1.5", "a number"),
        ("true", "a boolean"),
        ("null", "null"),
    ] {
        let after_another = format!("{{\"text\": \"a\"}}\n{json}");
        assert_eq!(
            error(after_another.as_bytes(), Format::Jsonl),
            CorpusError::NotObject {
                source_name: source_name(),
                line: 2,
                found
            }
        );
        let line = format!("{{\"text\": {json}, \"x\": 1}}");
        if found != "a string" {
            assert_eq!(
                error(line.as_bytes(), Format::Jsonl),
                CorpusError::FieldNotString {
                    source_name: source_name(),
                    line: 1,
                    field: "text".into(),
                    found
                }
            );
        }
    }
    assert!(
        error(b"{\"text\": {\"a\": 1}}", Format::Jsonl)
            .to_string()
            .contains("holds an object")
    );
}

#[test]
fn a_missing_field_lists_those_that_are_there() {
    let missing = error(b"{\"id\": 1, \"body\": \"b\"}\n", Format::Jsonl);
    assert_eq!(
        missing.to_string(),
        "memory:1: no field \"text\"; the fields are \"id\", \"body\""
    );
    assert!(missing.hint().unwrap().contains("`text_field`"));
    assert!(
        error(b"{}", Format::Jsonl)
            .to_string()
            .contains("the object is empty")
    );
    let many: Vec<String> = (0..20).map(|i| format!("\"f{i}\": {i}")).collect();
    let many = error(format!("{{{}}}", many.join(",")).as_bytes(), Format::Jsonl);
    assert!(many.to_string().ends_with("and 8 more"), "{many}");
}

#[test]
fn a_json_array_is_named_as_such() {
    for (text, line) in [
        ("[\n  {\"text\": \"a\"},\n  {\"text\": \"b\"}\n]\n", 1),
        ("[{\"text\": \"a\"}, {\"text\": \"b\"}]", 1),
        ("\u{feff}  [\n", 1),
        ("\n \n\n\n\n\n\n\n\n[\n", 10), // whatever the size of blocks is
    ] {
        let array = error(text.as_bytes(), Format::Jsonl);
        let source_name = source_name();
        assert_eq!(array, CorpusError::JsonArray { source_name, line });
        assert!(array.to_string().contains("a JSON array, not JSON Lines"));
        assert!(array.hint().unwrap().contains("jq -c"));
    }
}

#[test]
fn utf16_is_named_in_every_format_and_compression() {
    let text = "{\"text\": \"one\"}\nand more text than a block\n".repeat(9);
    for mark in ["\u{feff}", ""] {
        let encoded = format!("{mark}{text}");
        let bytes: Vec<u8> = encoded.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [gzip(&bytes), bytes] {
            for format in [
                Format::Jsonl,
                Format::Text,
                Format::Lines,
                Format::Paragraphs,
            ] {
                let foreign = error(&bytes, format);
                let expected = CorpusError::ForeignEncoding {
                    source_name: source_name(),
                    encoding: "UTF-16",
                };
                assert_eq!(foreign, expected);
                assert!(foreign.hint().unwrap().contains("iconv -f utf-16 -t utf-8"));
            }
        }
    }
}

#[test]
fn weights_that_are_all_zero_are_an_error_of_their_own() {
    let source = memory(b"text", Format::Text);
    for (weights, wrong) in [(vec![0.0, 0.0], true), (vec![0.0, 1.0], false)] {
        let groups = weights.iter().map(|&weight| ("g".into(), weight)).collect();
        let options = ReadOptions {
            groups: Groups::new(groups, vec![0, 1]),
            ..ReadOptions::default()
        };
        let outcome = read(&[source.clone(), source.clone()], &options);
        let expected = wrong.then_some(ReadError::Corpus(CorpusError::ZeroWeights));
        assert_eq!(outcome.err(), expected);
    }
}

#[test]
fn half_a_surrogate_pair_is_not_text() {
    for (text, column, escape) in [
        ("é\\ud800", 12, "\\ud800"),
        ("\\ud83d\\u0041", 11, "\\ud83d"),
        ("\\udc00", 11, "\\udc00"),
        ("a\\uD83Dx", 12, "\\uD83D"),
    ] {
        assert_eq!(
            error(
                format!("{{\"text\": \"{text}\"}}").as_bytes(),
                Format::Jsonl
            ),
            CorpusError::LoneSurrogate {
                source_name: source_name(),
                line: 1,
                column,
                escape: escape.into()
            }
        );
    }
}

#[test]
fn invalid_utf8_names_line_and_bytes() {
    let invalid = |line, offset_in_line, offset| CorpusError::InvalidUtf8 {
        source_name: source_name(),
        line,
        offset_in_line,
        offset,
    };
    let bytes = b"\xef\xbb\xbfone\ntwo\n\xc3\xa9\xff\n";
    assert_eq!(error(bytes, Format::Text), invalid(3, 2, 13));
    assert_eq!(error(bytes, Format::Lines), invalid(3, 2, 13));
    assert_eq!(error(bytes, Format::Paragraphs), invalid(3, 2, 13));
    assert_eq!(
        error(b"{\"text\": \"a\"}\n{\"text\": \"\xff\"}\n", Format::Jsonl),
        invalid(2, 10, 24)
    );
    // A character that is cut off by the end.
    assert_eq!(error(b"a\xe4\xb8", Format::Text), invalid(1, 1, 1));
}

#[test]
fn skipped_documents_are_counted_and_shown() {
    let bytes =
        b"{\"text\": \"a\"}\nnot json\n{\"text\": 1}\n{\"text\": \"\xff\"}\n{\"text\": \"b\"}\n";
    let (documents, report) = read_all_ways(&[memory(bytes, Format::Jsonl)], &skipping()).unwrap();
    assert_eq!(documents, ["a", "b"]);
    assert_eq!((report.documents, report.bytes, report.skipped), (2, 2, 3));
    assert_eq!(report.per_source[0].skipped, 3);
    let messages: Vec<String> = report
        .first_skips
        .iter()
        .map(|error| error.to_string())
        .collect();
    assert!(messages[0].starts_with("memory:2:"), "{messages:?}");
    assert!(messages[1].starts_with("memory:3:"), "{messages:?}");
    assert!(messages[2].starts_with("memory:4:"), "{messages:?}");
}

#[test]
fn files_that_cannot_be_opened_are_errors_even_when_skipping() {
    let directory = tempfile::tempdir().unwrap();
    let good = memory(b"text", Format::Text);
    for options in [ReadOptions::default(), skipping()] {
        let path = directory.path().join("missing.txt");
        let missing = Source::from_path(&path, None).unwrap();
        assert_eq!(
            read(&[good.clone(), missing], &options),
            Err(CorpusError::NotFound {
                source_name: path.display().to_string()
            }
            .into())
        );
        let folder = Source::from_path(directory.path(), None).unwrap();
        assert_eq!(
            read(&[good.clone(), folder], &options),
            Err(CorpusError::IsDirectory {
                source_name: directory.path().display().to_string()
            }
            .into())
        );
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    std::fs::write(&path, "text").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let source = Source::from_path(&path, None).unwrap();
    let outcome = read(&[source], &ReadOptions::default());
    if std::fs::File::open(&path).is_ok() {
        // The superuser may read everything.
        assert_eq!(outcome.unwrap().0, ["text"]);
    } else {
        let source_name = path.display().to_string();
        assert_eq!(
            outcome,
            Err(CorpusError::PermissionDenied { source_name }.into())
        );
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_once_and_can_be_buffered() {
    let directory = tempfile::tempdir().unwrap();
    // A pipe for each use: what is written while an old reader is not closed yet would be lost.
    let paths = ["pipe.jsonl", "other.jsonl"].map(|name| directory.path().join(name));
    let status = std::process::Command::new("mkfifo").args(&paths).status();
    if !status.is_ok_and(|status| status.success()) {
        return;
    }
    let [path, other] = paths;
    let source = Source::from_path(&path, None).unwrap();
    assert!(source.is_once_only());
    let sample = Sample {
        max_bytes: 1,
        seed: 0,
    };
    let refused = plan_sample(
        std::slice::from_ref(&source),
        &ReadOptions::default(),
        sample,
        &Silent,
    );
    assert!(matches!(
        refused,
        Err(ReadError::Corpus(CorpusError::OnceOnly { .. }))
    ));
    let write = |path: std::path::PathBuf| {
        std::thread::spawn(move || {
            std::fs::write(path, zstd(b"{\"text\": \"a\"}\n{\"text\": \"b\"}")).unwrap()
        })
    };
    let writer = write(path);
    assert_eq!(
        read(std::slice::from_ref(&source), &ReadOptions::default())
            .unwrap()
            .0,
        ["a", "b"]
    );
    writer.join().unwrap();
    let source = Source::from_path(&other, None).unwrap();
    let writer = write(other);
    let buffered = source.buffer(&Silent).unwrap();
    writer.join().unwrap();
    for _ in 0..2 {
        assert_eq!(
            read_all_ways(std::slice::from_ref(&buffered), &ReadOptions::default())
                .unwrap()
                .0,
            ["a", "b"]
        );
    }
}

#[test]
fn stdin_is_there_only_once() {
    let sources = [
        Source::stdin(Format::Jsonl),
        memory(b"x", Format::Text),
        Source::stdin(Format::Text),
    ];
    let error = CorpusError::StdinTwice {
        first: 0,
        second: 2,
    };
    assert_eq!(
        error.to_string(),
        "stdin is given twice, as input 1 and as input 3"
    );
    assert_eq!(read(&sources, &ReadOptions::default()), Err(error.into()));
}

#[test]
fn a_corpus_without_text_is_an_error() {
    let empty = |bytes: &[u8], options: &ReadOptions| match read_all_ways(
        &[memory(bytes, Format::Jsonl)],
        options,
    ) {
        Err(ReadError::Corpus(error @ CorpusError::Empty { .. })) => error,
        outcome => panic!("{outcome:?}"),
    };
    assert_eq!(
        empty(b"\n\n", &ReadOptions::default()).to_string(),
        "no text in memory: 0 documents of 0 bytes, 0 skipped"
    );
    let error = empty(b"{\"text\": \"\"}", &ReadOptions::default());
    assert!(matches!(error, CorpusError::Empty { documents: 1, .. }));
    let error = empty(b"x\ny\n", &skipping());
    assert!(matches!(
        error,
        CorpusError::Empty {
            documents: 0,
            skipped: 2,
            ..
        }
    ));
    assert!(
        error.hint().unwrap().contains("memory:1:1: not JSON"),
        "{error:?}"
    );
    let nothing = read(&[], &ReadOptions::default()).unwrap_err();
    assert!(
        nothing.to_string().contains("an empty list of files"),
        "{nothing}"
    );
}
