//! Documents that do not fit into the memory for large documents.

use super::*;

const LIMIT: u64 = 300_000;

fn limited(threads: usize, on_error: OnError) -> ReadOptions {
    ReadOptions {
        threads,
        on_error,
        block_size: 1000,
        document_memory: Some(LIMIT),
        ..ReadOptions::default()
    }
}

/// Reads some bytes within the limit, plain and compressed.
fn within(bytes: &[u8], format: Format) -> Outcome {
    let plain = read(&[memory(bytes, format)], &limited(1, OnError::Stop));
    for on_error in [OnError::Stop, OnError::Skip] {
        for stored in [bytes.to_vec(), gzip(bytes), zstd(bytes)] {
            let outcome = read(&[memory(&stored, format)], &limited(3, on_error));
            match (&outcome, &plain) {
                // The raw bytes differ.
                (Ok((documents, _)), Ok((expected, _))) => assert_eq!(documents, expected),
                _ => assert_eq!(outcome, plain),
            }
        }
    }
    plain
}

fn too_large(line: Option<u64>, bytes: usize, memory: usize) -> Outcome {
    Err(ReadError::Corpus(CorpusError::DocumentTooLarge {
        source_name: "memory".into(),
        line,
        bytes: bytes as u64,
        memory: memory as u64,
    }))
}

#[test]
fn a_document_that_is_too_large_is_named_with_its_size() {
    let long = "word ".repeat(200_000);
    let bytes = long.len();
    assert_eq!(
        within(long.as_bytes(), Format::Text),
        too_large(None, bytes, bytes)
    );
    // Lines are not documents here.
    let text = long.replace(' ', "\n");
    assert_eq!(
        within(text.as_bytes(), Format::Text),
        too_large(None, bytes, bytes)
    );
    let lines = format!("a\nb\n{long}\nc\n");
    assert_eq!(
        within(lines.as_bytes(), Format::Lines),
        too_large(Some(3), bytes, bytes)
    );
    let paragraphs = format!("a\nb\n\n{text}\n \t\r\nc\n");
    let found = within(paragraphs.as_bytes(), Format::Paragraphs);
    // The ending of its last line counts.
    assert_eq!(found, too_large(Some(4), bytes, bytes));
    let line = format!("{{\"text\": \"{long}\"}}");
    let jsonl = format!("{{\"text\": \"a\"}}\n\n{line}\n{{\"text\": \"b\"}}\n");
    let found = within(jsonl.as_bytes(), Format::Jsonl);
    assert_eq!(found, too_large(Some(3), line.len(), 2 * line.len()));
    let mut framed = Vec::new();
    for text in ["a", "b", &long, "c"] {
        framed.extend((text.len() as u64).to_le_bytes());
        framed.extend(text.as_bytes());
    }
    let found = within(&framed, Format::Framed);
    assert_eq!(found, too_large(Some(3), bytes, 2 * bytes));
    let error = found.unwrap_err();
    assert_eq!(
        error.to_string(),
        "memory:3: the document has 1000000 bytes, which is too much"
    );
}

#[test]
fn documents_that_fit_are_read() {
    let long = "word ".repeat(25_000);
    let several = [long.clone(), long.clone(), "a".into(), long.clone()];
    for (format, text) in [
        (Format::Lines, several.join("\n")),
        (Format::Paragraphs, several.join("\n\n")),
        (
            Format::Jsonl,
            several
                .map(|text| format!("{{\"text\": \"{text}\"}}"))
                .join("\n"),
        ),
    ] {
        let (documents, _) = within(text.as_bytes(), format).unwrap();
        assert_eq!(
            documents,
            ["a".into(), long.clone(), long.clone(), long.clone()]
        );
    }
    assert_eq!(within(long.as_bytes(), Format::Text).unwrap().0, [long]);
}

#[test]
fn an_endless_document_is_not_read_to_its_end() {
    let endless = zstd(&vec![b'a'; 64 * LIMIT as usize * 2]);
    let found = read(
        &[memory(&endless, Format::Lines)],
        &limited(1, OnError::Stop),
    );
    let Err(ReadError::Corpus(CorpusError::DocumentTooLarge { bytes, .. })) = found else {
        panic!("{found:?}");
    };
    assert!((64 * LIMIT..65 * LIMIT).contains(&bytes), "{bytes}");
}

/// Notices if two documents are in memory at the same time.
struct Alone<'a>(&'a std::sync::Mutex<()>);

impl DocumentSink for Alone<'_> {
    type Error = Infallible;

    fn document(&mut self, text: &str) -> Result<(), Infallible> {
        if text.len() > 1000 {
            let _alone = self.0.try_lock().expect("there is another one");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Ok(())
    }
}

#[test]
fn large_documents_take_turns() {
    let long = "a".repeat(3 << 20);
    let source = memory(format!("{long}\nb\n{long}\n").as_bytes(), Format::Lines);
    let options = ReadOptions {
        document_memory: Some(4 << 20),
        ..limited(4, OnError::Stop)
    };
    let alone = std::sync::Mutex::new(());
    let sources = [source.clone(), source.clone(), source];
    let (_, report) =
        read_parallel(&sources, &options, Phase::Count, &Silent, |_| Alone(&alone)).unwrap();
    assert_eq!(report.documents, 9);
}
