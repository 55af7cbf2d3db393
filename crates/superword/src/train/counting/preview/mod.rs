//! Refuses a memory limit before a pass if the counts surely will not fit.
//!
//! *Windows* are measured: parts of the text, chosen at random, some of whose keys are collected. If even a low estimate of
//! the keys of the whole text does not fit, the pass is refused, and the hint names a limit that is enough for a high one. In
//! all other cases the pass decides; see [`super::forecast`]. The beginning of the text would not do: texts are often
//! sorted by topic or language. Neither would windows at regular distances: a text may repeat itself at that distance.
//!
//! Both estimates follow from how many keys are in exactly one window, in two, and so on; see [`bounds`].

mod bounds;
mod windows;

use super::Pass;
use super::budget::{Budget, Size};
use super::counter::Counter;
use super::some_keys::SomeKeys;
use crate::corpus::{Before, DocumentSink, ReadError, ReadOptions, Section};
use crate::corpus::{read_parallel, read_section};
use crate::count::Counts;
use crate::observe::{Observer, Phase};
use crate::text::SplitError;
use crate::threads;
use crate::train::TrainError;
use crate::train::extent::Extent;
use bounds::{Occurrences, TIMES};
use windows::Places;

/// A text of fewer stored bytes is read at once.
const LEAST_BYTES: u64 = if cfg!(test) { 1 << 14 } else { 128 << 20 };

/// The text is estimated after this many windows, and then whenever their number has doubled. A limit that is probably
/// large enough is accepted then. A limit that is too small is only refused after the last window, when the bounds are closest.
const FIRST: usize = 16;

/// If the high estimate needs this many times the memory of the low one, its number would be of no use. Then the pass
/// measures the text.
const FAR_APART: f64 = 2.0;

impl Pass<'_> {
    /// Returns [`TrainError::MemoryExceeded`] if the counts of the text surely do not fit.
    pub(in crate::train::counting) fn preview<C: Counter>(
        &self,
        make: impl Fn() -> C + Sync,
    ) -> Result<(), TrainError> {
        let Some(budget) = self.budget.filter(|_| self.sample.is_none()) else {
            return Ok(());
        };
        let sources = self.inputs.sources();
        let Some(places) = Places::new(sources, LEAST_BYTES) else {
            return Ok(());
        };
        let threads = threads::resolve(self.read.threads);
        let windows = places.windows();
        let mut seen = Seen::default();
        for some in windows.chunks(FIRST) {
            let measured = threads::map(threads, some.to_vec(), |place| {
                let extents = places.at(place, self.observer)?;
                extents
                    .map(|extents| self.measure(&extents, &make))
                    .transpose()
            });
            for counts in measured {
                match counts {
                    Ok(Some(counts)) => seen.add(&counts),
                    Err(ReadError::Stopped(stopped)) => return Err(stopped.into()),
                    // The pass finds the same error, and says where it is.
                    Ok(None) | Err(ReadError::Corpus(_) | ReadError::Sink(_)) => return Ok(()),
                }
            }
            let is_last = seen.windows == windows.len();
            if !is_last && !seen.windows.is_power_of_two() {
                continue;
            }
            let (occurrences, share) = (seen.occurrences(), places.share(seen.windows));
            let size = seen.size::<C::Counts>();
            let needed =
                |growth| Budget::needed(size.times(growth), self.purpose, self.other_bytes());
            if !budget.is_below(needed(occurrences.likely(share))) {
                return Ok(());
            }
            if is_last {
                let (least, most) = occurrences.growth(share);
                let (least, most) = (needed(least), needed(most));
                if budget.is_below(least) && (most as f64) < least as f64 * FAR_APART {
                    return Err(self.exceeded::<C::Counts>(&budget, most));
                }
            }
        }
        Ok(())
    }

    /// The counts of some keys of a window.
    fn measure<C: Counter>(
        &self,
        window: &[Extent],
        make: &(impl Fn() -> C + Sync),
    ) -> Result<Vec<C::Counts>, ReadError<SplitError>> {
        let make_sink = |_| {
            let mut counter = make();
            counter.measure();
            Measuring(counter)
        };
        let quiet = Quiet(self.observer);
        let read_of = |sources| ReadOptions {
            allow_empty: true,
            // Each thread measures other windows.
            threads: 1,
            groups: self
                .read
                .groups
                .as_ref()
                .map(|groups| groups.slice(sources)),
            ..self.read.clone()
        };
        let mut counts = Vec::new();
        for extent in window {
            let sinks = match extent {
                Extent::Section { source, bytes } => {
                    let section = Section {
                        bytes: bytes.clone(),
                        // Only messages need the number of lines.
                        before: Before {
                            lines: 0,
                            is_blank: bytes.start == 0,
                        },
                    };
                    let read = read_of(*source..source + 1);
                    let source = &self.inputs.sources()[*source];
                    read_section(source, &section, &read, Phase::Count, &quiet, make_sink)?.0
                }
                Extent::Sources(range) => {
                    let read = read_of(range.clone());
                    let sources = &self.inputs.sources()[range.clone()];
                    read_parallel(sources, &read, Phase::Count, &quiet, make_sink)?.0
                }
                Extent::Sample { .. } => Vec::new(),
            };
            counts.extend(sinks.into_iter().map(|mut sink| sink.0.take_counts()));
        }
        Ok(counts)
    }
}

/// Some keys of the windows so far.
#[derive(Debug, Default)]
struct Seen {
    keys: SomeKeys<Key>,
    windows: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Key {
    length: u32,
    /// In how many windows it is.
    windows: u32,
    /// The first of them, and the last one.
    first: [u16; TIMES],
    last: u16,
}

impl Seen {
    /// Adds a window.
    fn add(&mut self, counts: &[impl Counts]) {
        self.windows += 1;
        let window = self.windows as u16;
        for counts in counts {
            self.keys.add(counts, |key, length| {
                if key.last != window {
                    key.length = length;
                    key.last = window;
                    if let Some(place) = key.first.get_mut(key.windows as usize) {
                        *place = window;
                    }
                    key.windows += 1;
                }
            });
        }
    }

    /// The size of all keys of the windows.
    fn size<C: Counts>(&self) -> Size {
        self.keys.size::<C>(|key| key.length)
    }

    /// In how many windows the keys are.
    fn occurrences(&self) -> Occurrences {
        let mut occurrences = Occurrences::new(self.windows);
        for key in self.keys.known() {
            occurrences.add(key.windows as usize, &key.first);
        }
        occurrences
    }
}

/// Collects keys, however often their documents count.
struct Measuring<C>(C);

impl<C: Counter> DocumentSink for Measuring<C> {
    type Error = SplitError;

    fn document(&mut self, text: &str) -> Result<(), SplitError> {
        self.0.document(text)
    }

    fn document_times(&mut self, text: &str, _times: u64) -> Result<(), SplitError> {
        self.0.document(text)
    }
}

/// Reports nothing: the pass has not started.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn progress(&self, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop_requested(&self) -> bool {
        self.0.stop_requested()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;
    use crate::Method;
    use crate::corpus::{Format, Source};
    use crate::count::PretokenCounts;
    use crate::text::{Pretokenizer, PretokenizerConfig};
    use crate::train::{Resources, TrainOptions, train};

    #[test]
    fn nothing_is_added_to_what_is_known() {
        let growth = |seen: &Seen, share| {
            let occurrences = seen.occurrences();
            let (least, most) = occurrences.growth(share);
            [least, occurrences.likely(share), most]
        };
        let mut seen = Seen::default();
        assert_eq!(growth(&seen, 0.5), [1.0; 3]);
        let mut counts = PretokenCounts::default();
        (0..20_000u32).for_each(|word| counts.add(word.to_string().as_bytes(), 1).unwrap());
        seen.add(std::slice::from_ref(&counts));
        assert_eq!(growth(&seen, 1.0), [1.0; 3]);
        (0..16).for_each(|_| seen.add(std::slice::from_ref(&counts)));
        assert_eq!(growth(&seen, 0.01), [1.0; 3]);
        assert_eq!(seen.windows, 17);
    }

    fn pretokenizer() -> Pretokenizer {
        Pretokenizer::new(PretokenizerConfig::default()).unwrap()
    }

    /// Notes whether the pass has started.
    #[derive(Default)]
    struct Started(AtomicBool);

    impl Observer for Started {
        fn progress(&self, _phase: Phase, _done: u64, _total: Option<u64>) {
            self.0.store(true, Relaxed);
        }

        fn stop_requested(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_limit_that_is_far_too_small_is_refused_before_the_pass() {
        let mut text = String::new();
        for number in 0..900_000u64 {
            let word = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
            let letters = (0..7).map(|at| char::from(b'a' + (word >> (5 * at) & 15) as u8));
            text.extend(letters);
            text.push(if number % 20 == 19 { '\n' } else { ' ' });
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("text");
        let options = TrainOptions::new(Method::Bpe, 260);
        let read = ReadOptions {
            threads: 1,
            ..ReadOptions::default()
        };
        let run = |text: &str, max_memory: u64| {
            std::fs::write(&path, text).unwrap();
            let source = Source::from_path(&path, Some(Format::Lines)).unwrap();
            let resources = Resources {
                max_memory: Some(max_memory),
                ..Resources::default()
            };
            let started = Started::default();
            let result = train(
                &[source],
                &read,
                &pretokenizer(),
                &options,
                &resources,
                &started,
            );
            (result.map(|_| ()), started.0.into_inner())
        };
        let (error, started) = run(&text, 90_000_000);
        let Err(TrainError::MemoryExceeded { what, needed, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!((what, started), ("distinct words", false));
        // Whoever follows the hint is not refused again.
        assert_eq!(run(&text, needed), (Ok(()), true));
        // The same words again and again take little memory.
        let few = text[..100_000].repeat(text.len() / 100_000);
        assert_eq!(run(&few, 90_000_000), (Ok(()), true));
    }
}
