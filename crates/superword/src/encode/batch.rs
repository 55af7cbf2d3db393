//! Many texts at once, on several threads.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Encoder, SpecialFinder};
use crate::text::SplitError;

/// Texts are handed to threads in groups of about this many bytes.
const GROUP_BYTES: usize = 1 << 16;

impl Encoder {
    /// The ids of each text, in order. `threads` 0 means one per core; the result is the same for
    /// any number. The error is the one of the first text that has one.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        specials: &SpecialFinder,
        threads: usize,
    ) -> Result<Vec<Vec<u32>>, SplitError> {
        let groups = group(texts);
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
        .min(groups.len());
        let encode = |text: &&str| {
            let mut ids = Vec::new();
            self.encode(text, specials, &mut ids).map(|()| ids)
        };
        if threads <= 1 {
            return texts.iter().map(encode).collect();
        }
        type Done = Vec<Result<Vec<u32>, SplitError>>;
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Done)>> = Mutex::new(Vec::with_capacity(groups.len()));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(range) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let results = texts[range.clone()].iter().map(encode).collect();
                        done.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push((range.start, results));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|&(start, _)| start);
        done.into_iter().flat_map(|(_, results)| results).collect()
    }
}

/// Ranges of texts with about [`GROUP_BYTES`] each.
fn group(texts: &[&str]) -> Vec<std::ops::Range<usize>> {
    let mut groups = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len() + 32;
        if bytes >= GROUP_BYTES {
            groups.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < texts.len() {
        groups.push(start..texts.len());
    }
    groups
}
