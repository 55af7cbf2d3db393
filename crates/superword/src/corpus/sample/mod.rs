//! A seeded sample of documents, drawn from all of the input.
//!
//! A hash of its text and the seed decides whether a document is in the sample. So the sample does
//! not depend on threads, on the order of files or on which file holds which document.
//!
//! The sample is drawn before weights apply: each document is measured once, whatever its weight.
//! Only the documents of groups of weight 0 are left out. They are not part of the text.
//!
//! [`plan_sample`] reads the text once and says which documents are in the sample. [`draw_sample`] also
//! keeps their texts ([`texts`]), so that later passes read only those.

mod drawn;
mod keep;
mod texts;

pub(crate) use drawn::{DrawnSample, TextsError, draw_sample, read_texts};
pub(crate) use texts::{Chunk, KeepError, Texts, ranges};

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    CorpusError, DocumentSink, Groups, ReadError, ReadOptions, ReadReport, Source, read_parallel,
};
use crate::observe::{Observer, Phase};

/// Documents are drawn in buckets, by this many leading bits of their hash. A bucket is about a
/// millionth of the corpus, so it often holds one document or none. This takes one pass and 8 MB.
/// A second pass with smaller buckets would gain less than a millionth of the corpus.
const BITS: u32 = 20;

/// The size of a sample, and the seed of the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The maximum size of the sample in bytes of text.
    pub max_bytes: u64,
    /// A different seed gives a different sample.
    pub seed: u64,
}

/// Which documents are in a sample. Every pass over the same input with the same plan sees the same
/// documents. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplePlan {
    sample: Sample,
    documents: u64,
    corpus_bytes: u64,
    bytes: u64,
    /// A bit per bucket; `None` if all documents are in.
    buckets: Option<Arc<[u64]>>,
}

impl SamplePlan {
    /// The requested size and the seed.
    pub fn sample(&self) -> Sample {
        self.sample
    }

    /// Bytes of text in the sample.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of text in the whole corpus.
    pub fn corpus_bytes(&self) -> u64 {
        self.corpus_bytes
    }

    /// Documents in the whole corpus.
    pub fn corpus_documents(&self) -> u64 {
        self.documents
    }

    /// The plan as bytes, for a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let numbers = [
            self.sample.max_bytes,
            self.sample.seed,
            self.documents,
            self.corpus_bytes,
            self.bytes,
        ];
        let buckets = self.buckets.iter().flat_map(|buckets| buckets.iter());
        numbers
            .iter()
            .chain(buckets)
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    /// The inverse of [`SamplePlan::to_bytes`]; `None` for anything else.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<SamplePlan> {
        let numbers: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|chunk| {
                let mut number = [0; 8];
                number.copy_from_slice(chunk);
                u64::from_le_bytes(number)
            })
            .collect();
        let [
            max_bytes,
            seed,
            documents,
            corpus_bytes,
            bytes,
            buckets @ ..,
        ] = &numbers[..]
        else {
            return None;
        };
        let buckets: Option<Arc<[u64]>> = match buckets.len() {
            0 => None,
            length if length == 1 << (BITS - 6) => Some(buckets.into()),
            _ => return None,
        };
        Some(SamplePlan {
            sample: Sample {
                max_bytes: *max_bytes,
                seed: *seed,
            },
            documents: *documents,
            corpus_bytes: *corpus_bytes,
            bytes: *bytes,
            buckets,
        })
    }

    /// True if a document is in the sample. Of documents with the same text, all are in or none.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.buckets.is_none() || self.has_bucket(bucket_of(text, self.sample.seed))
    }

    fn has_bucket(&self, bucket: usize) -> bool {
        match &self.buckets {
            None => true,
            Some(buckets) => buckets[bucket / 64] >> (bucket % 64) & 1 == 1,
        }
    }
}

fn bucket_of(text: &str, seed: u64) -> usize {
    (xxh3_64_with_seed(text.as_bytes(), seed) >> (64 - BITS)) as usize
}

/// Measures all documents in one pass ([`Phase::Sample`]) and decides which are in the sample: all
/// of them if they fit. Otherwise buckets of documents are taken in the order of their hash, except
/// those that no longer fit. The sample has at most `max_bytes`, and misses that by about the size
/// of one document.
pub fn plan_sample(
    sources: &[Source],
    options: &ReadOptions,
    sample: Sample,
    observer: &dyn Observer,
) -> Result<SamplePlan, ReadError<Infallible>> {
    let sizes = new_sizes();
    let reading = reading(sources, options)?;
    let (_, report) = read_parallel(sources, &reading, Phase::Sample, observer, |_| {
        Measure::new(sample.seed, &sizes)
    })?;
    Ok(plan(sample, &report, &sizes)?)
}

/// How the text is read to draw a sample from it.
fn reading(sources: &[Source], options: &ReadOptions) -> Result<ReadOptions, CorpusError> {
    if let Some(source) = sources.iter().find(|source| source.is_once_only()) {
        return Err(CorpusError::OnceOnly {
            source_name: source.name(),
        });
    }
    Ok(ReadOptions {
        sample: None,
        groups: options.groups.as_ref().map(Groups::without_weights),
        ..options.clone()
    })
}

/// The bytes of each bucket, before anything is read.
fn new_sizes() -> Vec<AtomicU64> {
    (0..1usize << BITS).map(|_| AtomicU64::new(0)).collect()
}

/// Decides which documents are in the sample, from the sizes of all buckets.
fn plan(
    sample: Sample,
    report: &ReadReport,
    sizes: &[AtomicU64],
) -> Result<SamplePlan, CorpusError> {
    let mut plan = SamplePlan {
        sample,
        documents: report.documents,
        corpus_bytes: report.bytes,
        bytes: report.bytes,
        buckets: None,
    };
    if report.bytes > sample.max_bytes {
        let sizes: Vec<u64> = sizes.iter().map(|size| size.load(Relaxed)).collect();
        let (buckets, bytes) = draw(&sizes, sample.max_bytes);
        if bytes == 0 {
            let smallest = sizes
                .iter()
                .copied()
                .filter(|&size| size > 0)
                .min()
                .unwrap_or(0);
            return Err(CorpusError::SampleTooSmall {
                max_bytes: sample.max_bytes,
                documents: report.documents,
                smallest,
            });
        }
        plan.buckets = Some(buckets.into());
        plan.bytes = bytes;
    }
    Ok(plan)
}

/// Takes buckets in order and skips those that no longer fit. Sizes `[3, 9, 4]` and a limit of 8
/// bytes give the first and the last bucket, 7 bytes in all.
fn draw(sizes: &[u64], max_bytes: u64) -> (Vec<u64>, u64) {
    let mut buckets = vec![0u64; sizes.len().div_ceil(64)];
    let mut bytes = 0;
    for (bucket, &size) in sizes.iter().enumerate() {
        if size <= max_bytes - bytes {
            bytes += size;
            buckets[bucket / 64] |= 1 << (bucket % 64);
        }
    }
    (buckets, bytes)
}

struct Measure<'a> {
    seed: u64,
    sizes: &'a [AtomicU64],
}

impl<'a> Measure<'a> {
    fn new(seed: u64, sizes: &'a [AtomicU64]) -> Measure<'a> {
        Measure { seed, sizes }
    }

    /// Returns the bucket of the document, and the size of the bucket so far.
    fn add(&self, text: &str) -> (usize, u64) {
        let bucket = bucket_of(text, self.seed);
        let bytes = text.len() as u64;
        let before = self.sizes[bucket].fetch_add(bytes, Relaxed);
        (bucket, before + bytes)
    }
}

impl DocumentSink for Measure<'_> {
    type Error = Infallible;

    fn document(&mut self, text: &str) -> Result<(), Infallible> {
        self.add(text);
        Ok(())
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn buckets_that_do_not_fit_are_skipped() {
        assert_eq!(draw(&[3, 9, 4], 8), (vec![0b101], 7));
        assert_eq!(draw(&[3, 9, 4], 16), (vec![0b111], 16));
        assert_eq!(draw(&[3, 9, 4], 2), (vec![0], 0));
    }
}
