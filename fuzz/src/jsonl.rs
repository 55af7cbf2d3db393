//! **Promise:** any bytes in any format are read or give an error, the same for any block size, any
//! number of threads and any compression. Lines that `serde_json` can read give the text that it reads.

use std::convert::Infallible;
use std::io::Write;

use super::support::engine::{
    CorpusError, DocumentSink, Format, OnError, Phase, ReadError, ReadOptions, ReadReport, Silent,
    Source, frame, read_parallel,
};
use super::support::input::Input;

type Outcome = Result<(Vec<String>, ReadReport), ReadError<Infallible>>;

#[derive(Default)]
struct Collect(Vec<String>);

impl DocumentSink for Collect {
    type Error = Infallible;

    fn document(&mut self, text: &str) -> Result<(), Infallible> {
        self.0.push(text.to_owned());
        Ok(())
    }
}

pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let format = input.pick(&[
        Format::Jsonl,
        Format::Jsonl,
        Format::Jsonl,
        Format::Lines,
        Format::Paragraphs,
        Format::Text,
        Format::Framed,
    ]);
    let options = ReadOptions {
        text_field: input
            .pick(&["text", "text", "", "a", "te\"xt", "é"])
            .to_owned(),
        on_error: input.pick(&[OnError::Skip, OnError::Stop]),
        threads: 1,
        allow_empty: input.one_in(2),
        ..ReadOptions::default()
    };
    let block_size = 1 + input.below(40);
    let threads = if input.one_in(128) { 3 } else { 1 };
    let wrapped = input.below(8);
    let bytes = input.rest();

    let expected = read(bytes, format, &options);
    let in_blocks = ReadOptions {
        block_size,
        threads,
        ..options.clone()
    };
    assert_eq!(
        read(bytes, format, &in_blocks),
        expected,
        "blocks of {block_size}"
    );
    match wrapped {
        6 => compare_compressed(&gzip(bytes), bytes, &expected, format, &in_blocks),
        7 => {
            let packed = zstd::bulk::compress(bytes, 1).expect("memory is written");
            compare_compressed(&packed, bytes, &expected, format, &in_blocks);
        }
        _ => {}
    }
    if format == Format::Jsonl && options.on_error == OnError::Skip {
        compare_with_serde(bytes, &options.text_field, &expected);
    }
    if let (Format::Text, Ok(text)) = (format, std::str::from_utf8(bytes)) {
        compare_framed(text, &options);
    }
}

fn read(bytes: &[u8], format: Format, options: &ReadOptions) -> Outcome {
    let source = Source::memory("memory", bytes, format);
    let sink = |_| Collect::default();
    let (sinks, report) = read_parallel(&[source], options, Phase::Count, &Silent, sink)?;
    let mut documents: Vec<String> = sinks.into_iter().flat_map(|sink| sink.0).collect();
    documents.sort();
    Ok((documents, report))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory is written");
    encoder.finish().expect("memory is written")
}

/// Whether bytes start like gzip or zstd. They are decompressed then, so nothing can be compared.
fn looks_packed(bytes: &[u8]) -> bool {
    let zstd = [[0xb5, 0x2f, 0xfd], [0x2a, 0x4d, 0x18]];
    bytes.starts_with(&[0x1f])
        || bytes
            .get(1..4)
            .is_some_and(|start| zstd.iter().any(|z| z == start))
}

fn compare_compressed(
    packed: &[u8],
    bytes: &[u8],
    expected: &Outcome,
    format: Format,
    options: &ReadOptions,
) {
    if looks_packed(bytes) {
        return;
    }
    let documents = |outcome: Outcome| outcome.ok().map(|(documents, _)| documents);
    let read = documents(read(packed, format, options));
    assert_eq!(read, documents(expected.clone()));
}

/// The documents are the lines that hold an object with a string.
fn compare_with_serde(bytes: &[u8], field: &str, outcome: &Outcome) {
    // Text in UTF-16 is one fault, however many lines it has.
    let is_utf16 = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
    if looks_packed(bytes) || is_utf16 {
        return;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let (mut texts, mut faults) = (Vec::new(), 0u64);
    for line in bytes.split(|&byte| byte == b'\n') {
        if line.iter().all(|byte| b" \t\r".contains(byte)) {
            continue;
        }
        match serde_json::from_slice::<serde_json::Value>(line) {
            Ok(value) => match value.get(field).and_then(|text| text.as_str()) {
                Some(text) => texts.push(text.to_owned()),
                None => faults += 1,
            },
            Err(error) if is_only_refused_by_value(&error.to_string()) => return,
            Err(_) => faults += 1,
        }
    }
    texts.sort();
    match outcome {
        Ok((documents, report)) => {
            assert_eq!(documents, &texts);
            assert_eq!(report.skipped, faults);
        }
        Err(ReadError::Corpus(CorpusError::Empty { .. })) => {
            assert!(texts.iter().all(String::is_empty));
        }
        Err(ReadError::Corpus(_)) => assert!(std::str::from_utf8(bytes).is_err()),
        Err(error) => panic!("{error:?}"),
    }
}

/// Whether an error is about a value that `Value` has to understand. The reader skips the values of
/// other fields: they may be nested deeply, be huge numbers, or contain half a surrogate pair.
fn is_only_refused_by_value(error: &str) -> bool {
    let limits = [
        "recursion limit",
        "out of range",
        "surrogate",
        "hex escape",
        "code point",
    ];
    limits.iter().any(|limit| error.contains(limit))
}

/// A text in a frame is the same text.
fn compare_framed(text: &str, options: &ReadOptions) {
    let mut framed = Vec::new();
    frame(Some(text.as_bytes()), &mut framed);
    let options = ReadOptions {
        allow_empty: true,
        ..options.clone()
    };
    let (documents, _) = read(&framed, Format::Framed, &options).expect("a whole frame");
    assert_eq!(documents, [text]);
}
