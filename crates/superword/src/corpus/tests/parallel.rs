//! Whatever the threads and the blocks, the same documents, report and error as a naive reader.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use super::*;
use crate::observe::{Observer, Stopped};

/// A reader as simple as can be: documents, and line numbers of bad ones.
fn naive(bytes: &[u8], format: Format) -> (Vec<String>, Vec<u64>) {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut good = Vec::new();
    let mut bad = Vec::new();
    let mut keep = |line: u64, bytes: &[u8]| match String::from_utf8(bytes.to_vec()) {
        Ok(text) => good.push(text),
        Err(error) => {
            let valid = &bytes[..error.utf8_error().valid_up_to()];
            bad.push(line + valid.iter().filter(|&&byte| byte == b'\n').count() as u64);
        }
    };
    if format == Format::Text {
        if !bytes.is_empty() {
            keep(1, bytes);
        }
        return (good, bad);
    }
    let mut paragraph: Vec<u8> = Vec::new();
    let mut paragraph_line = 0;
    let strip = |line: &[u8]| {
        let line = line.to_vec();
        match line.strip_suffix(b"\n") {
            Some(line) => line.strip_suffix(b"\r").unwrap_or(line).to_vec(),
            None => line,
        }
    };
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let number = number as u64 + 1;
        let blank = line.iter().all(|byte| b" \t\r\n".contains(byte));
        match format {
            Format::Text | Format::Framed => unreachable!(),
            Format::Lines => {
                let line = strip(line);
                if !line.is_empty() {
                    keep(number, &line);
                }
            }
            Format::Jsonl if blank => {}
            Format::Jsonl => match serde_json::from_slice::<serde_json::Value>(line) {
                Ok(serde_json::Value::Object(fields))
                    if fields.get("text").is_some_and(|text| text.is_string()) =>
                {
                    keep(number, fields["text"].as_str().unwrap().as_bytes());
                }
                _ => keep(number, &[0xff]),
            },
            Format::Paragraphs if blank => {
                if !paragraph.is_empty() {
                    keep(paragraph_line, &strip(&paragraph));
                    paragraph.clear();
                }
            }
            Format::Paragraphs => {
                if paragraph.is_empty() {
                    paragraph_line = number;
                }
                paragraph.extend(line);
            }
        }
    }
    if !paragraph.is_empty() {
        keep(paragraph_line, &strip(&paragraph));
    }
    (good, bad)
}

fn random_bytes(random: &mut Random, format: Format, with_faults: bool) -> Vec<u8> {
    let mut pieces: Vec<&[u8]> = match format {
        Format::Jsonl => vec![
            b"{\"text\": \"plain\"}\n",
            b"{\"text\":\"esc\\t\\\"\\u00e9\\ud83d\\ude00\"}\r\n",
            b"\n",
            b" \r\n",
            b"{\"id\": [1, {\"a\": \"]\"}], \"text\": \"\xe4\xb8\xad\xe6\x96\x87\"}\n",
            b"{\"text\": \"\"}\n",
        ],
        _ => vec![
            b"a",
            b"bc",
            b" ",
            b"\t",
            b"\r",
            b"\n",
            b"\r\n",
            b"\n\n",
            b"\n \n",
            "\u{e9}".as_bytes(),
            "\u{1f600}".as_bytes(),
            b"a longer piece of text ",
            b"\n",
        ],
    };
    if with_faults {
        pieces.push(match format {
            Format::Jsonl => *random.pick::<&[u8]>(&[
                b"{\"text\": 1}\n".as_slice(),
                b"{\"body\": \"b\"}\n",
                b"[1]\n",
                b"{\"text\": \"\xff\"}\n",
                b"{\"text\": \"\n",
                b"{\"text\": \"a\"} x\n",
                b"{\"text\": \"\\ud800\"}\n",
            ]),
            _ => b"\xff",
        });
    }
    let mut bytes = Vec::new();
    if random.index(4) == 0 {
        bytes.extend("\u{feff}".as_bytes());
    }
    for _ in 0..random.index(30) {
        bytes.extend(*random.pick(&pieces));
    }
    if format == Format::Jsonl && random.index(2) == 0 && bytes.ends_with(b"\n") {
        bytes.pop();
    }
    bytes
}

fn line_of(error: &CorpusError) -> u64 {
    match error {
        CorpusError::NotJson { line, .. }
        | CorpusError::NotObject { line, .. }
        | CorpusError::FieldMissing { line, .. }
        | CorpusError::FieldNotString { line, .. }
        | CorpusError::LoneSurrogate { line, .. }
        | CorpusError::InvalidUtf8 { line, .. } => *line,
        other => panic!("no line in {other:?}"),
    }
}

#[test]
fn equals_a_naive_reader_on_random_input() {
    let mut random = Random(1);
    for round in 0..120 {
        let format = *random.pick(&[
            Format::Jsonl,
            Format::Lines,
            Format::Paragraphs,
            Format::Text,
        ]);
        let with_faults = random.index(2) == 0;
        let mut sources = Vec::new();
        let mut good = Vec::new();
        let mut bad = Vec::new();
        for index in 0..random.index(5) {
            let bytes = random_bytes(&mut random, format, with_faults);
            let (documents, lines) = naive(&bytes, format);
            good.extend(documents);
            bad.extend(lines.into_iter().map(|line| (index.to_string(), line)));
            let packed = match random.index(3) {
                0 => gzip(&bytes),
                1 => zstd(&bytes),
                _ => bytes,
            };
            sources.push(Source::memory(index.to_string(), packed, format));
        }
        good.sort();
        let options = ReadOptions {
            allow_empty: true,
            ..skipping()
        };
        let (documents, report) = read_all_ways(&sources, &options).unwrap();
        assert_eq!(documents, good, "round {round}, {format:?}");
        assert_eq!(report.documents, good.len() as u64);
        assert_eq!(
            report.bytes,
            good.iter().map(|text| text.len() as u64).sum::<u64>()
        );
        assert_eq!(report.skipped, bad.len() as u64);
        assert_eq!(report.first_skips.len(), bad.len().min(MAX_SKIPS_SHOWN));
        for (error, (name, line)) in report.first_skips.iter().zip(&bad) {
            assert_eq!(line_of(error), *line, "round {round}: {error}");
            assert!(
                error.to_string().starts_with(&format!("{name}:")),
                "{error}"
            );
        }

        let options = ReadOptions {
            allow_empty: true,
            ..ReadOptions::default()
        };
        match read_all_ways(&sources, &options) {
            Ok((documents, _)) => assert_eq!((documents, bad.len()), (good, 0)),
            Err(error) => assert_eq!(error, ReadError::Corpus(report.first_skips[0].clone())),
        }
    }
}

/// Documents with this text are refused.
struct Refuse(&'static str);

impl DocumentSink for Refuse {
    type Error = String;

    fn document(&mut self, text: &str) -> Result<(), String> {
        if text.contains(self.0) {
            Err(text.to_string())
        } else {
            Ok(())
        }
    }
}

#[test]
fn the_first_refusal_or_error_in_input_order_is_told() {
    let good = "fine\n".repeat(500);
    let first = format!("{good}bad one\n{good}bad two\n");
    let second = format!("bad three\n{good}");
    for (bytes, expected) in [
        ([first.as_bytes(), second.as_bytes()], "bad one"),
        ([second.as_bytes(), b"\xff\n".as_slice()], "bad three"),
    ] {
        let sources = bytes.map(|bytes| memory(bytes, Format::Lines));
        for threads in [1, 2, 8] {
            for _ in 0..20 {
                let options = ReadOptions {
                    threads,
                    block_size: 64,
                    ..ReadOptions::default()
                };
                let result =
                    read_parallel(&sources, &options, Phase::Count, &Silent, |_| Refuse("bad"));
                match result {
                    Err(ReadError::Sink(text)) => assert_eq!(text, expected),
                    Err(error) => panic!("{error:?}"),
                    Ok(_) => panic!("nothing was refused"),
                }
            }
        }
    }
}

#[test]
fn one_big_file_feeds_all_workers() {
    // Every worker waits in its first document until all have one.
    struct Meet<'a>(&'a AtomicU64, bool);
    impl DocumentSink for Meet<'_> {
        type Error = String;
        fn document(&mut self, _: &str) -> Result<(), String> {
            if !std::mem::replace(&mut self.1, true) {
                self.0.fetch_add(1, SeqCst);
                let start = Instant::now();
                while self.0.load(SeqCst) < 4 {
                    if start.elapsed() > Duration::from_secs(20) {
                        return Err("the others got nothing".into());
                    }
                    std::thread::yield_now();
                }
            }
            Ok(())
        }
    }
    let source = memory(&zstd(&noisy_lines(10_000, 3)), Format::Lines);
    let arrived = AtomicU64::new(0);
    let options = ReadOptions {
        threads: 4,
        block_size: 1 << 10,
        ..ReadOptions::default()
    };
    let result = read_parallel(&[source], &options, Phase::Count, &Silent, |_| {
        Meet(&arrived, false)
    });
    assert_eq!(
        result.map(|(sinks, report)| (sinks.len(), report.documents)),
        Ok((4, 10_000))
    );
}

impl std::fmt::Debug for Collect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} documents", self.0.len())
    }
}

#[derive(Default)]
struct Watch {
    stop: AtomicBool,
    stop_after: Option<u64>,
    last: AtomicU64,
    total: AtomicU64,
}

impl Observer for Watch {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        assert_eq!(phase, Phase::Count);
        self.last.fetch_max(done, SeqCst);
        self.total.store(total.unwrap_or(u64::MAX), SeqCst);
        if self.stop_after.is_some_and(|limit| done > limit) {
            self.stop.store(true, SeqCst);
        }
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(SeqCst)
    }
}

#[test]
fn progress_ends_at_the_stored_size() {
    let packed = zstd(&noisy_lines(5_000, 4));
    let watch = Watch::default();
    let options = ReadOptions {
        threads: 2,
        block_size: 1 << 12,
        ..ReadOptions::default()
    };
    let sources = [memory(&packed, Format::Lines), memory(b"x", Format::Text)];
    let (_, report) = read_parallel(&sources, &options, Phase::Count, &watch, |_| {
        Collect::default()
    })
    .unwrap();
    let size = packed.len() as u64 + 1;
    assert_eq!(
        (watch.last.into_inner(), watch.total.into_inner()),
        (size, size)
    );
    assert_eq!(
        report.per_source[0].raw_bytes + report.per_source[1].raw_bytes,
        size
    );
}

#[test]
fn a_stop_is_honoured_in_the_middle() {
    for threads in [1, 2, 8] {
        let watch = Watch {
            stop_after: Some(300_000),
            ..Watch::default()
        };
        let options = ReadOptions {
            threads,
            block_size: 1 << 12,
            ..ReadOptions::default()
        };
        let source = memory(&noisy_lines(40_000, 5), Format::Lines);
        let result = read_parallel(&[source], &options, Phase::Count, &watch, |_| {
            Collect::default()
        });
        assert_eq!(result.unwrap_err(), ReadError::Stopped(Stopped));
    }
}

#[test]
fn a_panic_of_a_sink_does_not_leave_workers_waiting() {
    struct Panic;
    impl DocumentSink for Panic {
        type Error = Infallible;
        fn document(&mut self, text: &str) -> Result<(), Infallible> {
            assert!(!text.starts_with("500 "), "on purpose");
            Ok(())
        }
    }
    let source = memory(&noisy_lines(1_000, 6), Format::Lines);
    let options = ReadOptions {
        threads: 4,
        block_size: 100,
        ..ReadOptions::default()
    };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = read_parallel(&[source], &options, Phase::Count, &Silent, |_| Panic);
    }));
    assert!(result.is_err());
}

#[test]
fn many_small_files_are_all_read() {
    let sources: Vec<Source> = (0..500)
        .map(|index| {
            Source::memory(
                index.to_string(),
                format!("{index:03}").into_bytes(),
                Format::Text,
            )
        })
        .collect();
    let expected: Vec<String> = (0..500).map(|index| format!("{index:03}")).collect();
    for threads in [1, 2, 8, 0] {
        let options = ReadOptions {
            threads,
            ..ReadOptions::default()
        };
        assert_eq!(read(&sources, &options).unwrap().0, expected);
    }
}
