//! Tests of the whole reader. Helpers first.

mod damage;
mod faults;
mod formats;
mod large;
mod parallel;
mod real;
mod sampling;

use std::convert::Infallible;
use std::io::Write;

use super::*;
use crate::observe::{Phase, Silent};
use crate::testing::Random;

/// Collects documents; the order is lost between workers, so they are compared sorted.
#[derive(Default)]
pub(super) struct Collect(pub(super) Vec<String>);

impl DocumentSink for Collect {
    type Error = Infallible;

    fn document(&mut self, text: &str) -> Result<(), Infallible> {
        self.0.push(text.to_string());
        Ok(())
    }
}

pub(super) type Outcome = Result<(Vec<String>, ReadReport), ReadError<Infallible>>;

pub(super) fn read(sources: &[Source], options: &ReadOptions) -> Outcome {
    let (sinks, report) = read_parallel(sources, options, Phase::Count, &Silent, |_| {
        Collect::default()
    })?;
    let mut documents: Vec<String> = sinks.into_iter().flat_map(|sink| sink.0).collect();
    documents.sort();
    Ok((documents, report))
}

/// Reads with 1, 2 and 8 threads and several block sizes, all of which must agree.
pub(super) fn read_all_ways(sources: &[Source], options: &ReadOptions) -> Outcome {
    let expected = read(
        sources,
        &ReadOptions {
            threads: 1,
            ..options.clone()
        },
    );
    for threads in [1, 2, 8] {
        for block_size in [1, 7, 64, 1000, 1 << 20] {
            let options = ReadOptions {
                threads,
                block_size,
                ..options.clone()
            };
            let outcome = read(sources, &options);
            assert_eq!(
                outcome, expected,
                "{threads} threads, blocks of {block_size}"
            );
        }
    }
    expected
}

pub(super) fn skipping() -> ReadOptions {
    ReadOptions {
        on_error: OnError::Skip,
        ..ReadOptions::default()
    }
}

pub(super) fn memory(bytes: &[u8], format: Format) -> Source {
    Source::memory("memory", bytes, format)
}

/// The documents of some bytes, which must read without errors, sorted.
pub(super) fn documents(bytes: &[u8], format: Format) -> Vec<String> {
    let options = ReadOptions {
        allow_empty: true,
        ..ReadOptions::default()
    };
    read_all_ways(&[memory(bytes, format)], &options).unwrap().0
}

pub(super) fn error(bytes: &[u8], format: Format) -> CorpusError {
    match read_all_ways(&[memory(bytes, format)], &ReadOptions::default()) {
        Err(ReadError::Corpus(error)) => error,
        outcome => panic!("expected an error of the corpus, got {outcome:?}"),
    }
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Text that does not shrink much, one numbered line after another.
pub(super) fn noisy_lines(count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut text = Vec::new();
    for number in 0..count {
        writeln!(text, "{number} {:x}{:x}", random.next(), random.next()).unwrap();
    }
    text
}
