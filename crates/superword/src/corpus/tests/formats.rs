//! Each format, with the line endings and edges that files have.

use super::*;

#[test]
fn jsonl_gives_the_text_of_each_line() {
    let bytes = concat!(
        "\u{feff}{\"text\": \"one\"}\r\n",
        "\n",
        " \t\r\n",
        "{\"id\": 7, \"text\": \"tw\\u00f6\\n\", \"meta\": {\"a\": [1, 2.5e-3, null]}}\n",
        "  {\"text\":\"\"}  \n",
        "{\"text\": \"no line ending\"}"
    );
    assert_eq!(
        documents(bytes.as_bytes(), Format::Jsonl),
        ["", "no line ending", "one", "twö\n"]
    );
}

#[test]
fn another_field_can_hold_the_text() {
    let source = memory(b"{\"text\": 1, \"body\": \"b\"}\n", Format::Jsonl);
    let options = ReadOptions {
        text_field: "body".into(),
        ..ReadOptions::default()
    };
    assert_eq!(read_all_ways(&[source], &options).unwrap().0, ["b"]);
}

#[test]
fn the_last_of_equal_fields_wins() {
    let bytes = b"{\"text\": \"a\\n\", \"text\": \"b\"}\n{\"text\": 1, \"text\": \"c\"}\n";
    assert_eq!(documents(bytes, Format::Jsonl), ["b", "c"]);
}

#[test]
fn text_is_one_document_and_is_not_altered() {
    assert_eq!(
        documents("\u{feff}a\r\n\r\nb\r\n".as_bytes(), Format::Text),
        ["a\r\n\r\nb\r\n"]
    );
    assert_eq!(
        documents("a\u{feff}".as_bytes(), Format::Text),
        ["a\u{feff}"]
    );
    assert_eq!(documents(b"", Format::Text), Vec::<String>::new());
    assert_eq!(
        documents("\u{feff}".as_bytes(), Format::Text),
        Vec::<String>::new()
    );
}

#[test]
fn lines_lose_their_endings_only() {
    assert_eq!(
        documents(
            "\u{feff}a\n\r\n b \r\n\n\tc\r\rd\r".as_bytes(),
            Format::Lines
        ),
        ["\tc\r\rd\r", " b ", "a"]
    );
}

#[test]
fn paragraphs_are_parted_by_blank_lines() {
    assert_eq!(
        documents(b"\n\na\nb\r\n \t\r\n\n  c\n\nd", Format::Paragraphs),
        ["  c", "a\nb", "d"]
    );
    assert_eq!(documents(b"a\n\n", Format::Paragraphs), ["a"]);
    assert_eq!(
        documents(b"\n \n", Format::Paragraphs),
        Vec::<String>::new()
    );
}

#[test]
fn gzip_members_and_zstd_frames_follow_one_another() {
    let (first, second) = (b"a\nb".as_slice(), b"c\nd\n".as_slice());
    let expected = ["a", "bc", "d"];
    let mut gz = gzip(first);
    gz.extend(gzip(b""));
    gz.extend(gzip(second));
    assert_eq!(documents(&gz, Format::Lines), expected);
    gz.extend([0; 700]);
    assert_eq!(documents(&gz, Format::Lines), expected);

    let mut zst = zstd(first);
    // A skippable frame of three bytes.
    zst.extend([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    zst.extend(zstd(b""));
    zst.extend(zstd(second));
    assert_eq!(documents(&zst, Format::Lines), expected);
}

#[test]
fn gzip_headers_may_carry_names_and_extras() {
    let mut gz = flate2::GzBuilder::new()
        .filename("name")
        .comment("some words")
        .extra(vec![1; 300])
        .write(Vec::new(), flate2::Compression::new(1));
    gz.write_all(b"text").unwrap();
    assert_eq!(documents(&gz.finish().unwrap(), Format::Text), ["text"]);
}

#[test]
fn zstd_windows_may_be_long() {
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(29).unwrap();
    encoder.long_distance_matching(true).unwrap();
    encoder.write_all(b"far away\n").unwrap();
    let bytes = encoder.finish().unwrap();
    assert_eq!(documents(&bytes, Format::Lines), ["far away"]);
}

#[test]
fn a_name_may_be_wrong_about_compression_one_way_only() {
    // Compressed, though the name does not say so: detected by its first bytes.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    std::fs::write(&path, gzip(b"text")).unwrap();
    let source = Source::from_path(&path, None).unwrap();
    assert_eq!(
        read(&[source], &ReadOptions::default()).unwrap().0,
        ["text"]
    );

    // Not compressed, though the name says so.
    let path = directory.path().join("a.txt.gz");
    std::fs::write(&path, b"text").unwrap();
    let source = Source::from_path(&path, None).unwrap();
    let Err(ReadError::Corpus(error)) = read(&[source], &ReadOptions::default()) else {
        panic!("expected an error");
    };
    assert!(
        matches!(
            error,
            CorpusError::Damaged {
                compressed_offset: 0,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(error.hint().unwrap().contains("may not be gzip data"));
}

#[test]
fn a_line_may_be_much_longer_than_a_block() {
    let long = "x".repeat(3 << 20);
    let bytes =
        format!("{{\"text\": \"short\"}}\n{{\"text\": \"{long}\\n\"}}\n{{\"text\": \"last\"}}\n");
    for compressed in [
        bytes.clone().into_bytes(),
        gzip(bytes.as_bytes()),
        zstd(bytes.as_bytes()),
    ] {
        let source = memory(&compressed, Format::Jsonl);
        let options = ReadOptions {
            threads: 2,
            block_size: 1 << 10,
            ..ReadOptions::default()
        };
        let (documents, report) = read(&[source], &options).unwrap();
        assert_eq!(documents, ["last", "short", &format!("{long}\n")]);
        assert_eq!(report.per_source[0].raw_bytes, compressed.len() as u64);
    }
}

/// `cargo test --release -p superword gigabyte -- --ignored`
#[test]
#[ignore = "takes some gigabytes of memory: run it by name"]
fn a_document_of_a_gigabyte_on_one_line() {
    struct Lengths(Vec<usize>);
    impl DocumentSink for Lengths {
        type Error = Infallible;
        fn document(&mut self, text: &str) -> Result<(), Infallible> {
            self.0.push(text.len());
            Ok(())
        }
    }
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.write_all(b"{\"text\": \"").unwrap();
    for _ in 0..1 << 10 {
        encoder.write_all(&[b'x'; 1 << 20]).unwrap();
    }
    encoder
        .write_all(b"\\n\"}\n{\"text\": \"last\"}\n")
        .unwrap();
    let source = memory(&encoder.finish().unwrap(), Format::Jsonl);
    let options = ReadOptions {
        threads: 2,
        ..ReadOptions::default()
    };
    let (sinks, _) = read_parallel(&[source], &options, Phase::Count, &Silent, |_| {
        Lengths(Vec::new())
    })
    .unwrap();
    let mut lengths: Vec<usize> = sinks.into_iter().flat_map(|sink| sink.0).collect();
    lengths.sort();
    assert_eq!(lengths, [4, (1 << 30) + 1]);
}
