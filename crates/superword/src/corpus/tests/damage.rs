//! Compressed files that are cut short or altered.

use std::collections::HashSet;

use super::*;

type Packer = fn(&[u8]) -> Vec<u8>;

const PACKERS: [(Compression, Packer); 2] = [(Compression::Gzip, gzip), (Compression::Zstd, zstd)];

fn packed(bytes: Vec<u8>, compression: Compression) -> Source {
    Source {
        compression,
        ..Source::memory("packed", bytes, Format::Lines)
    }
}

/// Reads leniently, in three ways that must agree.
fn read_leniently(source: &Source) -> (Vec<String>, ReadReport) {
    let mut outcomes = [(1, 1 << 20), (2, 1000), (8, 100_000)].map(|(threads, block_size)| {
        let options = ReadOptions {
            threads,
            block_size,
            allow_empty: true,
            ..skipping()
        };
        read(std::slice::from_ref(source), &options).unwrap()
    });
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
    std::mem::take(&mut outcomes[0])
}

/// How many of the first lines were read. Panics if anything else was read.
fn prefix_length(documents: &[String], text: &[u8]) -> usize {
    let lines: Vec<&str> = std::str::from_utf8(text).unwrap().lines().collect();
    let mut expected: Vec<&str> = lines[..documents.len()].to_vec();
    expected.sort();
    assert!(
        documents == expected,
        "not the first {} lines",
        documents.len()
    );
    documents.len()
}

#[test]
fn a_stream_cut_anywhere_gives_the_whole_lines_before_and_one_error() {
    let text = noisy_lines(20_000, 11);
    let mut random = Random(12);
    for (compression, pack) in PACKERS {
        let bytes = pack(&text);
        for round in 0..12 {
            let cut = match round {
                0 => 0,
                1 => 3,
                2 => bytes.len() - 1,
                _ => random.index(bytes.len()),
            };
            let source = packed(bytes[..cut].to_vec(), compression);
            let (documents, report) = read_leniently(&source);
            let kept = prefix_length(&documents, &text);
            // Compressed at a steady rate, so that little more than a block may be missing.
            let possible = 20_000 * cut / bytes.len();
            assert!(
                kept + 6_000 > possible,
                "{compression:?} cut at {cut}: {kept} of {possible}"
            );
            assert_eq!((report.skipped, report.first_skips.len()), (1, 1));
            let error = &report.first_skips[0];
            let CorpusError::Truncated {
                offset,
                compressed_offset,
                ..
            } = error
            else {
                panic!("{error:?}")
            };
            assert!(*compressed_offset <= cut as u64, "{error:?}");
            assert!(*offset >= report.bytes, "{error:?}");
            assert_eq!(
                read(&[source], &ReadOptions::default()),
                Err(error.clone().into())
            );
        }
    }
}

#[test]
fn a_changed_byte_is_found_and_what_comes_before_is_kept() {
    let text = noisy_lines(20_000, 13);
    let lines: Vec<&str> = std::str::from_utf8(&text).unwrap().lines().collect();
    let mut random = Random(14);
    for (compression, pack) in PACKERS {
        let bytes = pack(&text);
        let packed_size = bytes.len();
        let mut found = 0;
        for _ in 0..25 {
            let mut bytes = bytes.clone();
            let place = random.index(bytes.len());
            bytes[place] ^= 1 << random.index(8);
            let source = packed(bytes, compression);
            let (documents, report) = read_leniently(&source);
            // Damaged text may be returned before the damage is noticed, and some bytes of a gzip
            // header have no effect. But a noticed error is reported, and all lines before it are
            // returned.
            let there: HashSet<&str> = documents.iter().map(String::as_str).collect();
            let clean = lines
                .iter()
                .take_while(|line| there.contains(*line))
                .count();
            let possible = 20_000 * place / packed_size;
            assert!(
                clean + 6_000 > possible,
                "{compression:?} at {place}: {clean} of {possible}"
            );
            if report.skipped == 0 {
                assert!(
                    place < 10,
                    "{compression:?}: a change at {place} was not noticed"
                );
                continue;
            }
            found += 1;
            let last = report.first_skips.last().unwrap();
            assert!(
                matches!(
                    last,
                    CorpusError::Damaged { .. }
                        | CorpusError::Truncated { .. }
                        | CorpusError::InvalidUtf8 { .. }
                ),
                "{last:?}"
            );
            let strict = read(&[source], &ReadOptions::default());
            assert_eq!(strict, Err(report.first_skips[0].clone().into()));
        }
        assert!(found > 20, "{compression:?}: {found}");
    }
}

#[test]
fn only_the_damaged_file_loses_its_rest() {
    for (compression, pack) in PACKERS {
        let text = noisy_lines(10_000, 15);
        let mut bytes = pack(&text);
        let length = bytes.len();
        bytes.truncate(length / 2);
        let sources = [
            Source::memory("before", b"before\n".as_slice(), Format::Lines),
            packed(bytes, compression),
            Source::memory("after", b"after\n".as_slice(), Format::Lines),
        ];
        let (documents, report) = read(&sources, &skipping()).unwrap();
        assert!(
            documents.contains(&"before".to_string()) && documents.contains(&"after".to_string())
        );
        assert!(documents.len() > 1_000 && documents.len() < 10_000);
        let skipped: Vec<u64> = report
            .per_source
            .iter()
            .map(|source| source.skipped)
            .collect();
        assert_eq!(skipped, [0, 1, 0]);
    }
}

#[test]
fn a_damaged_document_is_never_given_in_part() {
    for (compression, pack) in PACKERS {
        let mut bytes = pack(&noisy_lines(10_000, 16));
        bytes.truncate(bytes.len() - 20);
        for format in [Format::Text, Format::Paragraphs] {
            let source = Source {
                format,
                ..packed(bytes.clone(), compression)
            };
            let options = ReadOptions {
                allow_empty: true,
                ..skipping()
            };
            let (documents, report) = read_all_ways(&[source], &options).unwrap();
            assert_eq!((documents.len(), report.skipped), (0, 1));
        }
    }
}

#[test]
fn garbage_behind_the_data_is_damage() {
    for (compression, pack) in PACKERS {
        let mut bytes = pack(b"a\nb\n");
        let length = bytes.len() as u64;
        bytes.extend(b"garbage");
        let source = packed(bytes, compression);
        let (documents, report) = read_all_ways(&[source], &skipping()).unwrap();
        assert_eq!(documents, ["a", "b"]);
        let error = &report.first_skips[0];
        assert!(
            matches!(error, CorpusError::Damaged { offset: 4, compressed_offset, .. } if *compressed_offset == length),
            "{error:?}"
        );
    }
}
