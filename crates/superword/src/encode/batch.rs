//! Many texts at once, on several threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Encoder, SpecialFinder};
use crate::observe::{Observer, Stopped, check_stop};
use crate::text::SplitError;

/// Texts are handed to threads in groups of about this many bytes.
const GROUP_BYTES: usize = 1 << 16;

/// Why many texts were not encoded.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A text cannot be split.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The observer asked for it.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The ids of many texts, in as few pieces as threads made of them.
#[derive(Debug, Default)]
pub struct EncodedBatch {
    groups: Vec<Group>,
}

/// The ids of some texts that follow each other; `ends` holds where each text ends in them.
#[derive(Debug, Default)]
struct Group {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

impl EncodedBatch {
    /// The number of texts.
    pub fn texts(&self) -> usize {
        self.groups.iter().map(|group| group.ends.len()).sum()
    }

    /// The number of ids of all texts.
    pub fn tokens(&self) -> usize {
        self.groups.iter().map(|group| group.ids.len()).sum()
    }

    /// The ids of each text, in order.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.groups.iter().flat_map(|group| {
            let starts = std::iter::once(0).chain(group.ends.iter().copied());
            starts
                .zip(&group.ends)
                .map(|(start, &end)| &group.ids[start..end])
        })
    }

    /// All ids in order, in pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &[u32]> {
        self.groups.iter().map(|group| &group.ids[..])
    }

    /// Where each text ends in the ids of all, after a 0: one more than there are texts.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        let mut before = 0;
        let ends = self.groups.iter().flat_map(move |group| {
            let start = before;
            before += group.ids.len();
            group.ends.iter().map(move |end| start + end)
        });
        std::iter::once(0).chain(ends)
    }
}

impl Encoder {
    /// The ids of each text, in order. `threads` 0 means one per core; the result is the same for
    /// any number. The error is the one of the first text that has one. Between texts the
    /// observer is asked whether to stop; it is told no progress.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        specials: &SpecialFinder,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<EncodedBatch, BatchError> {
        let groups = in_groups(texts, threads, observer, |texts| {
            let mut group = Group {
                ids: Vec::with_capacity(GROUP_BYTES / 3),
                ends: Vec::with_capacity(texts.len()),
            };
            for text in texts {
                self.encode(text, specials, &mut group.ids)?;
                group.ends.push(group.ids.len());
            }
            Ok(group)
        })?;
        Ok(EncodedBatch { groups })
    }

    /// The same on one thread, without keeping the ids: those of a few texts at a time are handed
    /// to `take`. Gives where each text ends in all of them, after a 0.
    pub fn encode_in_parts(
        &self,
        texts: &[&str],
        specials: &SpecialFinder,
        observer: &dyn Observer,
        mut take: impl FnMut(&[u32]),
    ) -> Result<Vec<usize>, BatchError> {
        let mut offsets = Vec::with_capacity(texts.len() + 1);
        offsets.push(0);
        let (mut part, mut before) = (Vec::new(), 0);
        for range in group(texts) {
            check_stop(observer)?;
            part.clear();
            for text in &texts[range] {
                self.encode(text, specials, &mut part)?;
                offsets.push(before + part.len());
            }
            before += part.len();
            take(&part);
        }
        Ok(offsets)
    }

    /// The number of tokens of each text. The ids are not kept.
    pub fn count_batch(
        &self,
        texts: &[&str],
        specials: &SpecialFinder,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<usize>, BatchError> {
        let counts = in_groups(texts, threads, observer, |texts| {
            let mut ids = Vec::new();
            let count = |text: &&str| {
                ids.clear();
                self.encode(text, specials, &mut ids).map(|()| ids.len())
            };
            texts.iter().map(count).collect::<Result<Vec<_>, _>>()
        })?;
        Ok(counts.concat())
    }
}

/// Lets threads work on groups of texts; the results in the order of the texts.
pub(super) fn in_groups<T: Send>(
    texts: &[&str],
    threads: usize,
    observer: &dyn Observer,
    work: impl Fn(&[&str]) -> Result<T, SplitError> + Sync,
) -> Result<Vec<T>, BatchError> {
    let work = |texts: &[&str]| -> Result<T, BatchError> {
        check_stop(observer)?;
        Ok(work(texts)?)
    };
    let groups = group(texts);
    let threads = crate::threads::resolve(threads).min(groups.len());
    if threads <= 1 {
        let texts = groups.into_iter().map(|range| &texts[range]);
        return texts.map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<T, BatchError>)>> =
        Mutex::new(Vec::with_capacity(groups.len()));
    let worker = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(range) = groups.get(number) else {
                return;
            };
            let result = work(&texts[range.clone()]);
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((number, result));
        }
    };
    std::thread::scope(
        |scope| match crate::threads::start(scope, threads, |_| worker()) {
            Ok(handles) => drop(crate::threads::join(handles)),
            // The system allows no other thread: this one does all the work.
            Err(_) => worker(),
        },
    );
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Ranges of texts with about [`GROUP_BYTES`] each.
fn group(texts: &[&str]) -> Vec<Range<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::{Phase, Silent};

    #[test]
    fn a_stop_is_heeded_between_groups() {
        struct Stop;
        impl Observer for Stop {
            fn progress(&self, _: Phase, _: u64, _: Option<u64>) {}
            fn stop_requested(&self) -> bool {
                true
            }
        }
        let text = "x".repeat(GROUP_BYTES);
        let texts = [&text[..]; 8];
        for threads in [1, 3] {
            let seen = AtomicUsize::new(0);
            let count = |texts: &[&str]| Ok(seen.fetch_add(texts.len(), Ordering::Relaxed));
            let stopped = in_groups(&texts, threads, &Stop, count);
            assert!(matches!(stopped, Err(BatchError::Stopped(_))));
            assert_eq!(seen.load(Ordering::Relaxed), 0);
            assert!(in_groups(&texts, threads, &Silent, count).is_ok());
            assert_eq!(seen.load(Ordering::Relaxed), 8);
        }
    }
}
