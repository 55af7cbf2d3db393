//! A seeded sample of documents, drawn from all of the input.
//!
//! A document's place in the draw is a hash of its text and the seed, so the sample does not
//! depend on threads, on the order of files or on how documents are spread over them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{CorpusError, DocumentSink, ReadError, ReadOptions, Source, read_parallel};
use crate::observe::{Observer, Phase};

/// Documents are drawn in groups by this many leading bits of their hash: a group is about a
/// millionth of the corpus, mostly one document or none. One pass and 8 MB; a second pass with finer
/// groups would gain less than a millionth of the corpus.
const BITS: u32 = 20;

/// How much to draw, and the seed of the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The most text bytes that the sample may hold.
    pub max_bytes: u64,
    /// Another seed gives another sample.
    pub seed: u64,
}

/// Which documents a sample holds. Cheap to clone; every pass over the same input with the same
/// plan sees the same documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplePlan {
    sample: Sample,
    documents: u64,
    corpus_bytes: u64,
    bytes: u64,
    /// A bit per group; `None` if all are in.
    groups: Option<Arc<[u64]>>,
}

impl SamplePlan {
    /// What was asked for.
    pub fn sample(&self) -> Sample {
        self.sample
    }

    /// Text bytes of the sample.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Text bytes of the whole corpus.
    pub fn corpus_bytes(&self) -> u64 {
        self.corpus_bytes
    }

    /// Documents of the whole corpus.
    pub fn corpus_documents(&self) -> u64 {
        self.documents
    }

    /// The plan, for a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = [
            self.sample.max_bytes,
            self.sample.seed,
            self.documents,
            self.corpus_bytes,
            self.bytes,
        ];
        let groups = self.groups.iter().flat_map(|groups| groups.iter());
        numbers
            .iter()
            .chain(groups)
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    /// The inverse of [`SamplePlan::to_bytes`]; `None` if that did not write it.
    pub fn from_bytes(bytes: &[u8]) -> Option<SamplePlan> {
        let numbers: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|chunk| {
                let mut number = [0; 8];
                number.copy_from_slice(chunk);
                u64::from_le_bytes(number)
            })
            .collect();
        let [max_bytes, seed, documents, corpus_bytes, bytes, groups @ ..] = &numbers[..] else {
            return None;
        };
        let groups: Option<Arc<[u64]>> = match groups.len() {
            0 => None,
            length if length == 1 << (BITS - 6) => Some(groups.into()),
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
            groups,
        })
    }

    /// Whether a document is in the sample. Documents of the same text are in together or not at all.
    pub fn contains(&self, text: &str) -> bool {
        match &self.groups {
            None => true,
            Some(groups) => {
                let group = group_of(text, self.sample.seed);
                groups[group / 64] >> (group % 64) & 1 == 1
            }
        }
    }
}

fn group_of(text: &str, seed: u64) -> usize {
    (xxh3_64_with_seed(text.as_bytes(), seed) >> (64 - BITS)) as usize
}

/// Measures all documents (one pass, [`Phase::Sample`]) and decides which are in the sample: all if
/// they fit, else groups of documents in the order of their hash, leaving out each that would
/// overfill it. The sample never holds more than `max_bytes`, and less by about one document.
pub fn plan_sample(
    sources: &[Source],
    options: &ReadOptions,
    sample: Sample,
    observer: &dyn Observer,
) -> Result<SamplePlan, ReadError<Infallible>> {
    if let Some(source) = sources.iter().find(|source| source.is_once_only()) {
        return Err(CorpusError::OnceOnly {
            source_name: source.name(),
        }
        .into());
    }
    let sizes: Vec<AtomicU64> = (0..1usize << BITS).map(|_| AtomicU64::new(0)).collect();
    let options = ReadOptions {
        sample: None,
        ..options.clone()
    };
    let (_, report) = read_parallel(sources, &options, Phase::Sample, observer, |_| Measure {
        seed: sample.seed,
        sizes: &sizes,
    })?;
    let mut plan = SamplePlan {
        sample,
        documents: report.documents,
        corpus_bytes: report.bytes,
        bytes: report.bytes,
        groups: None,
    };
    if report.bytes > sample.max_bytes {
        let sizes: Vec<u64> = sizes.into_iter().map(AtomicU64::into_inner).collect();
        let (groups, bytes) = draw(&sizes, sample.max_bytes);
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
            }
            .into());
        }
        plan.groups = Some(groups.into());
        plan.bytes = bytes;
    }
    Ok(plan)
}

/// Takes groups in order while they fit, passing over those that do not:
/// sizes `[3, 9, 4]` and 8 bytes give the first and the last, 7 bytes.
fn draw(sizes: &[u64], max_bytes: u64) -> (Vec<u64>, u64) {
    let mut groups = vec![0u64; sizes.len().div_ceil(64)];
    let mut bytes = 0;
    for (group, &size) in sizes.iter().enumerate() {
        if size <= max_bytes - bytes {
            bytes += size;
            groups[group / 64] |= 1 << (group % 64);
        }
    }
    (groups, bytes)
}

struct Measure<'a> {
    seed: u64,
    sizes: &'a [AtomicU64],
}

impl DocumentSink for Measure<'_> {
    type Error = Infallible;

    fn document(&mut self, text: &str) -> Result<(), Infallible> {
        self.sizes[group_of(text, self.seed)].fetch_add(text.len() as u64, Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn groups_that_do_not_fit_are_passed_over() {
        assert_eq!(draw(&[3, 9, 4], 8), (vec![0b101], 7));
        assert_eq!(draw(&[3, 9, 4], 16), (vec![0b111], 16));
        assert_eq!(draw(&[3, 9, 4], 2), (vec![0], 0));
    }
}
