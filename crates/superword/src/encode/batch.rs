//! Encoding many texts on several threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Encoder;
use crate::observe::{Observer, Stopped, check_stop};
use crate::prepare::Preparation;
use crate::text::SplitError;

/// Texts are given to threads in chunks of about this many bytes.
const CHUNK_BYTES: usize = 1 << 16;

/// Why a batch was not encoded.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A text cannot be split into pretokens.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The ids of many texts, stored in chunks.
#[derive(Debug, Default)]
pub struct EncodedBatch {
    chunks: Vec<Chunk>,
}

/// The ids of consecutive texts. `ends` holds the end of each text in `ids`.
#[derive(Debug, Default)]
struct Chunk {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

impl EncodedBatch {
    /// The number of texts.
    pub fn texts(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.ends.len()).sum()
    }

    /// The number of ids of all texts.
    pub fn tokens(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.ids.len()).sum()
    }

    /// The ids of each text, in order.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.chunks.iter().flat_map(|chunk| {
            let starts = std::iter::once(0).chain(chunk.ends.iter().copied());
            starts
                .zip(&chunk.ends)
                .map(|(start, &end)| &chunk.ids[start..end])
        })
    }

    /// All ids in order, chunk by chunk.
    pub fn chunks(&self) -> impl Iterator<Item = &[u32]> {
        self.chunks.iter().map(|chunk| &chunk.ids[..])
    }

    /// The offsets of the texts in the concatenated ids: 0, then the end of each text.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        let mut before = 0;
        let ends = self.chunks.iter().flat_map(move |chunk| {
            let start = before;
            before += chunk.ids.len();
            chunk.ends.iter().map(move |end| start + end)
        });
        std::iter::once(0).chain(ends)
    }
}

impl Encoder {
    /// The ids of each text, in order. With `threads` 0, one thread per core is used; the result is
    /// the same for any number. If several texts fail, the error of the first one is returned. The
    /// observer can stop the work between texts. It receives no progress.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<EncodedBatch, BatchError> {
        let chunks = in_chunks(texts, threads, observer, |texts| {
            let mut chunk = Chunk {
                ids: Vec::with_capacity(CHUNK_BYTES / 3),
                ends: Vec::with_capacity(texts.len()),
            };
            for text in texts {
                self.encode_into(text, preparation, &mut chunk.ids)?;
                chunk.ends.push(chunk.ids.len());
            }
            Ok(chunk)
        })?;
        Ok(EncodedBatch { chunks })
    }

    /// Encodes on one thread and passes the ids of a few texts at a time to `take`. Returns the
    /// offsets of the texts: 0, then the end of each text in all ids.
    pub fn encode_in_chunks(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        observer: &dyn Observer,
        mut take: impl FnMut(&[u32]),
    ) -> Result<Vec<usize>, BatchError> {
        let mut offsets = Vec::with_capacity(texts.len() + 1);
        offsets.push(0);
        let (mut ids, mut before) = (Vec::new(), 0);
        for range in chunk_ranges(texts) {
            check_stop(observer)?;
            ids.clear();
            for text in &texts[range] {
                self.encode_into(text, preparation, &mut ids)?;
                offsets.push(before + ids.len());
            }
            before += ids.len();
            take(&ids);
        }
        Ok(offsets)
    }

    /// The number of tokens of each text. The ids are not stored.
    pub fn count_batch(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<usize>, BatchError> {
        let counts = in_chunks(texts, threads, observer, |texts| {
            let mut ids = Vec::new();
            let count = |text: &&str| {
                ids.clear();
                self.encode_into(text, preparation, &mut ids)
                    .map(|()| ids.len())
            };
            texts.iter().map(count).collect::<Result<Vec<_>, _>>()
        })?;
        Ok(counts.concat())
    }
}

/// Calls `work` for each chunk of texts, on several threads. The results are in the order of the
/// texts.
pub(super) fn in_chunks<T: Send>(
    texts: &[&str],
    threads: usize,
    observer: &dyn Observer,
    work: impl Fn(&[&str]) -> Result<T, SplitError> + Sync,
) -> Result<Vec<T>, BatchError> {
    let work = |texts: &[&str]| -> Result<T, BatchError> {
        check_stop(observer)?;
        Ok(work(texts)?)
    };
    let chunks = chunk_ranges(texts);
    let threads = crate::threads::resolve(threads).min(chunks.len());
    if threads <= 1 {
        let texts = chunks.into_iter().map(|range| &texts[range]);
        return texts.map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<T, BatchError>)>> =
        Mutex::new(Vec::with_capacity(chunks.len()));
    let worker = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(range) = chunks.get(number) else {
                return;
            };
            let result = work(&texts[range.clone()]);
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((number, result));
        }
    };
    crate::threads::share(threads, worker);
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Ranges of texts with about [`CHUNK_BYTES`] each.
fn chunk_ranges(texts: &[&str]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len() + 32;
        if bytes >= CHUNK_BYTES {
            ranges.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < texts.len() {
        ranges.push(start..texts.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::{Phase, Silent};

    #[test]
    fn a_batch_stops_between_chunks() {
        struct Stop;
        impl Observer for Stop {
            fn progress(&self, _: Phase, _: u64, _: Option<u64>) {}
            fn stop_requested(&self) -> bool {
                true
            }
        }
        let text = "x".repeat(CHUNK_BYTES);
        let texts = [&text[..]; 8];
        for threads in [1, 3] {
            let seen = AtomicUsize::new(0);
            let count = |texts: &[&str]| Ok(seen.fetch_add(texts.len(), Ordering::Relaxed));
            let stopped = in_chunks(&texts, threads, &Stop, count);
            assert!(matches!(stopped, Err(BatchError::Stopped(_))));
            assert_eq!(seen.load(Ordering::Relaxed), 0);
            assert!(in_chunks(&texts, threads, &Silent, count).is_ok());
            assert_eq!(seen.load(Ordering::Relaxed), 8);
        }
    }
}
