//! Where the texts of a batch come from, and how threads share them.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::BatchError;
use crate::observe::{Observer, Stopped, check_stop};
use crate::text::SplitError;

/// Texts are given to threads in chunks of about this many bytes.
pub(super) const CHUNK_BYTES: usize = 1 << 16;

/// Texts that need not be UTF-8 where they are stored. The thread that encodes a text asks for it,
/// so several threads can convert or check different texts at the same time.
pub trait TextSource: Sync {
    /// What can be wrong with a text.
    type Error: Send;

    /// The number of texts.
    fn count(&self) -> usize;

    /// About how many bytes a text has. It only decides how the texts are shared among threads.
    fn size(&self, index: usize) -> usize;

    /// A text. It may be written to `buffer`, which is empty, and returned from there.
    fn get<'a>(&'a self, index: usize, buffer: &'a mut Vec<u8>) -> Result<&'a str, Self::Error>;
}

impl TextSource for [&str] {
    type Error = Infallible;

    fn count(&self) -> usize {
        self.len()
    }

    fn size(&self, index: usize) -> usize {
        self[index].len()
    }

    fn get<'a>(&'a self, index: usize, _: &'a mut Vec<u8>) -> Result<&'a str, Infallible> {
        Ok(self[index])
    }
}

/// Why texts from a source were not encoded.
#[derive(Debug)]
pub enum SourceError<E> {
    /// As for a batch of strings.
    Batch(BatchError),
    /// The source could not give a text.
    Text {
        /// The number of the text.
        index: usize,
        /// What the source says.
        error: E,
    },
}

impl<E> From<SplitError> for SourceError<E> {
    fn from(error: SplitError) -> SourceError<E> {
        SourceError::Batch(error.into())
    }
}

impl<E> From<Stopped> for SourceError<E> {
    fn from(stopped: Stopped) -> SourceError<E> {
        SourceError::Batch(stopped.into())
    }
}

impl From<SourceError<Infallible>> for BatchError {
    fn from(error: SourceError<Infallible>) -> BatchError {
        match error {
            SourceError::Batch(error) => error,
            SourceError::Text { error, .. } => match error {},
        }
    }
}

/// Some consecutive texts of a source, for one thread.
pub(in crate::encode) struct Portion<'a, S: ?Sized> {
    source: &'a S,
    pub(super) range: Range<usize>,
    /// The thread's own memory for texts.
    buffer: &'a mut Vec<u8>,
}

impl<S: TextSource + ?Sized> Portion<'_, S> {
    pub(in crate::encode) fn len(&self) -> usize {
        self.range.len()
    }

    /// Calls `take` with each text, in order.
    pub(in crate::encode) fn each(
        self,
        mut take: impl FnMut(&str) -> Result<(), SplitError>,
    ) -> Result<(), SourceError<S::Error>> {
        for index in self.range {
            self.buffer.clear();
            let text = self.source.get(index, self.buffer);
            take(text.map_err(|error| SourceError::Text { index, error })?)?;
        }
        Ok(())
    }
}

/// The texts of a source in chunks that threads take one after the other.
pub(super) struct Chunks<'a, S: ?Sized> {
    source: &'a S,
    ranges: Vec<Range<usize>>,
    next: AtomicUsize,
    /// The lowest number of a chunk that failed. No later one is started.
    failed: AtomicUsize,
}

impl<'a, S: TextSource + ?Sized> Chunks<'a, S> {
    pub(super) fn new(source: &'a S) -> Chunks<'a, S> {
        Chunks {
            source,
            ranges: ranges(source),
            next: AtomicUsize::new(0),
            failed: AtomicUsize::new(usize::MAX),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.ranges.len()
    }

    /// Calls `work` with the number and the texts of each chunk, on several threads. If several
    /// chunks fail, the error of the first one is returned.
    pub(super) fn share<E: From<Stopped> + Send>(
        &self,
        threads: usize,
        observer: &dyn Observer,
        work: impl Fn(usize, Portion<'_, S>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let first_error: Mutex<Option<(usize, E)>> = Mutex::new(None);
        let worker = || {
            let mut buffer = Vec::new();
            loop {
                let number = self.next.fetch_add(1, Ordering::Relaxed);
                let Some(range) = self.ranges.get(number) else {
                    return;
                };
                if number > self.failed.load(Ordering::Relaxed) {
                    return;
                }
                let texts = Portion {
                    source: self.source,
                    range: range.clone(),
                    buffer: &mut buffer,
                };
                let done = check_stop(observer).map_err(E::from);
                if let Err(error) = done.and_then(|()| work(number, texts)) {
                    self.failed.fetch_min(number, Ordering::Relaxed);
                    let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|&(before, _)| number < before) {
                        *first = Some((number, error));
                    }
                }
            }
        };
        match crate::threads::resolve(threads).min(self.count()) {
            0 | 1 => worker(),
            threads => crate::threads::share(threads, worker),
        }
        let first_error = first_error.into_inner();
        match first_error.unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}

/// Calls `work` for each chunk of texts, on several threads. The results are in the order of the
/// texts.
pub(in crate::encode) fn in_chunks<S: TextSource + ?Sized, T: Send>(
    source: &S,
    threads: usize,
    observer: &dyn Observer,
    work: impl Fn(Portion<'_, S>) -> Result<T, SourceError<S::Error>> + Sync,
) -> Result<Vec<T>, SourceError<S::Error>> {
    let chunks = Chunks::new(source);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(chunks.count()));
    chunks.share(threads, observer, |number, texts| {
        let result = work(texts)?;
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push((number, result));
        Ok::<_, SourceError<S::Error>>(())
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(number, _)| number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// Ranges of texts with about [`CHUNK_BYTES`] each.
pub(super) fn ranges<S: TextSource + ?Sized>(source: &S) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for index in 0..source.count() {
        bytes += source.size(index) + 32;
        if bytes >= CHUNK_BYTES {
            ranges.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < source.count() {
        ranges.push(start..source.count());
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
            let count =
                |texts: Portion<'_, [&str]>| Ok(seen.fetch_add(texts.len(), Ordering::Relaxed));
            let stopped = in_chunks(&texts[..], threads, &Stop, count);
            let stopped = stopped.map_err(BatchError::from);
            assert!(matches!(stopped, Err(BatchError::Stopped(_))));
            assert_eq!(seen.load(Ordering::Relaxed), 0);
            assert!(in_chunks(&texts[..], threads, &Silent, count).is_ok());
            assert_eq!(seen.load(Ordering::Relaxed), 8);
        }
    }

    /// Texts of one chunk each, some of which fail.
    struct Failing(Vec<bool>);

    impl TextSource for Failing {
        type Error = usize;

        fn count(&self) -> usize {
            self.0.len()
        }

        fn size(&self, _: usize) -> usize {
            CHUNK_BYTES
        }

        fn get<'a>(&'a self, index: usize, buffer: &'a mut Vec<u8>) -> Result<&'a str, usize> {
            assert!(buffer.is_empty());
            buffer.push(b'x');
            match self.0[index] {
                true => Err(10 * index),
                false => Ok("text"),
            }
        }
    }

    #[test]
    fn the_first_text_that_fails_is_named_and_later_ones_are_skipped() {
        let mut fails = vec![false; 1000];
        fails[7] = true;
        fails[20] = true;
        for threads in [1, 4] {
            let seen = AtomicUsize::new(0);
            let result = in_chunks(&Failing(fails.clone()), threads, &Silent, |texts| {
                seen.fetch_add(1, Ordering::Relaxed);
                texts.each(|text| {
                    assert_eq!(text, "text");
                    Ok(())
                })
            });
            let first = SourceError::Text {
                index: 7,
                error: 70,
            };
            assert_eq!(format!("{:?}", result.unwrap_err()), format!("{first:?}"));
            if threads == 1 {
                assert_eq!(seen.into_inner(), 8);
            }
        }
    }
}
