//! Tells before a pass that its counts will not fit into the memory limit.
//!
//! *Windows* are measured: parts of the text, chosen at random, some of whose keys are collected. If even a low estimate of
//! the keys of the whole text does not fit, the pass is refused, and the hint names a limit that is enough for a high one. In
//! all other cases the pass decides; see [`super::forecast`]. The beginning of the text would not do: texts are often
//! sorted by topic or language. Neither would windows at regular distances: a text may repeat itself at that distance.
//!
//! Both estimates follow from how many keys are in exactly one window, in two, and so on; see [`super::bounds`].

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use super::super::TrainError;
use super::super::extent::Extent;
use super::Pass;
use super::bounds::{Occurrences, TIMES};
use super::budget::{Budget, Size};
use super::counter::Counter;
use super::some_keys::SomeKeys;
use crate::corpus::{Before, DocumentSink, ReadError, ReadOptions, Section, Source};
use crate::corpus::{read_parallel, read_section};
use crate::count::Counts;
use crate::observe::{Observer, Phase, Stopped};
use crate::text::SplitError;
use crate::threads;

/// A text of fewer stored bytes is read at once.
const LEAST_BYTES: u64 = if cfg!(test) { 1 << 14 } else { 128 << 20 };

/// The number of windows. All are about equally long.
const WINDOWS: usize = 1024;

/// About one in this many bytes is in a window.
const ONE_BYTE_IN: u64 = 4;

/// The most bytes in all windows together.
const MOST_BYTES: u64 = 2 << 30;

/// A source that cannot be divided must not be longer than this many windows.
const LONGEST_WINDOW: u64 = 4;

/// So many places without a window are passed over. If there are more, the windows do not represent the text.
const MOST_WITHOUT: usize = WINDOWS / 32;

/// The text is estimated after this many windows, and then whenever their number has doubled. A limit that is clearly
/// large enough is accepted then. A limit that is too small is refused after the last window, so that the hint is exact.
const FIRST: usize = 16;

impl Pass<'_> {
    /// Returns [`TrainError::MemoryExceeded`] if the counts of the text surely do not fit.
    pub(super) fn preview<C: Counter>(
        &self,
        make: impl Fn() -> C + Sync,
    ) -> Result<(), TrainError> {
        let Some(budget) = self.budget.filter(|_| self.sample.is_none()) else {
            return Ok(());
        };
        let total = self.inputs.sources().iter();
        let total = total.fold(0, |sum: u64, source| {
            sum.saturating_add(source.stored_bytes())
        });
        if total < LEAST_BYTES {
            return Ok(());
        }
        let Some(windows) = self.windows(total)? else {
            return Ok(());
        };
        let threads = threads::resolve(self.read.threads);
        let (mut seen, mut stored) = (Seen::default(), 0u64);
        for some in windows.chunks(FIRST) {
            let measured = threads::map(threads, some.iter().collect(), |window| {
                self.measure(window, &make)
            });
            for (window, counts) in some.iter().zip(measured) {
                match counts {
                    Ok(counts) => seen.add(&counts),
                    Err(ReadError::Stopped(stopped)) => return Err(stopped.into()),
                    // The pass finds the same error, and says where it is.
                    Err(ReadError::Corpus(_) | ReadError::Sink(_)) => return Ok(()),
                }
                stored += self.stored_bytes(window);
            }
            let is_last = seen.windows == windows.len();
            if !is_last && !seen.windows.is_power_of_two() {
                continue;
            }
            let (least, most) = seen.growth(stored as f64 / total as f64);
            let size = seen.size::<C::Counts>();
            let needed =
                |growth| Budget::needed(size.times(growth), self.purpose, self.other_bytes());
            if !budget.is_below(needed(most)) {
                return Ok(());
            }
            if is_last && budget.is_below(needed(least)) {
                return Err(budget.exceeded(C::Counts::NAME, needed(most)));
            }
        }
        Ok(())
    }

    /// Windows of a text of `total` stored bytes, in random order. `None` if the text cannot be read in parts.
    fn windows(&self, total: u64) -> Result<Option<Vec<Extent>>, Stopped> {
        let sources = self.inputs.sources();
        if !sources.iter().all(Source::is_stored) {
            return Ok(None);
        }
        let ends = sources.iter().scan(0u64, |end, source| {
            *end = end.saturating_add(source.stored_bytes());
            Some(*end)
        });
        let ends: Vec<u64> = ends.collect();
        let length = ((total / ONE_BYTE_IN).min(MOST_BYTES) / WINDOWS as u64).max(1);
        let places = total / length;
        let mut windows: Vec<Extent> = Vec::new();
        let mut taken = BTreeSet::new();
        let mut without = 0;
        // The same windows in every run.
        for number in 0u64.. {
            let random = xxh3_64(&number.to_le_bytes());
            let place = ((u128::from(random) * u128::from(places)) >> 64) as u64;
            if !taken.insert(place) {
                continue;
            }
            match self.window_at(place * length, length, &ends)? {
                Some(window) if windows.contains(&window) => {}
                Some(window) => windows.push(window),
                None if without == MOST_WITHOUT => return Ok(None),
                None => without += 1,
            }
            if taken.len() >= WINDOWS + without {
                break;
            }
        }
        Ok(Some(windows))
    }

    /// The window of about `length` bytes that starts near this place of the text. `ends` are the places where sources end.
    fn window_at(&self, place: u64, length: u64, ends: &[u64]) -> Result<Option<Extent>, Stopped> {
        let source = ends.partition_point(|&end| end <= place);
        let Some(end) = ends.get(source) else {
            return Ok(None);
        };
        let file = &self.inputs.sources()[source];
        let size = file.stored_bytes();
        let from = place.saturating_sub(end.saturating_sub(size));
        let from = from.min(size.saturating_sub(length));
        let bytes = file.section_at(from, length, self.observer)?;
        Ok(match bytes {
            Some(bytes) => Some(Extent::Section { source, bytes }),
            None if size <= length * LONGEST_WINDOW => Some(Extent::Sources(source..source + 1)),
            None => None,
        })
    }

    /// The counts of some keys of a window.
    fn measure<C: Counter>(
        &self,
        window: &Extent,
        make: &(impl Fn() -> C + Sync),
    ) -> Result<Vec<C::Counts>, ReadError<SplitError>> {
        let make_sink = |_| {
            let mut counter = make();
            counter.measure();
            Measuring(counter)
        };
        let quiet = Quiet(self.observer);
        let sources = self.inputs.sources();
        let read_of = |source: usize| ReadOptions {
            allow_empty: true,
            // Each thread measures other windows.
            threads: 1,
            groups: self
                .read
                .groups
                .as_ref()
                .map(|groups| groups.slice(source..source + 1)),
            ..self.read.clone()
        };
        let sinks = match window {
            Extent::Section { source, bytes } => {
                let section = Section {
                    bytes: bytes.clone(),
                    // Only messages need the number of lines.
                    before: Before {
                        lines: 0,
                        is_blank: bytes.start == 0,
                    },
                };
                let (source, read) = (&sources[*source], read_of(*source));
                read_section(source, &section, &read, Phase::Count, &quiet, make_sink)?.0
            }
            Extent::Sources(range) => {
                let (sources, read) = (&sources[range.clone()], read_of(range.start));
                read_parallel(sources, &read, Phase::Count, &quiet, make_sink)?.0
            }
            Extent::Sample { .. } => Vec::new(),
        };
        let counts = sinks.into_iter().map(|mut sink| sink.0.take_counts());
        Ok(counts.collect())
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

    /// At least and at most how many times as many keys the whole text has, if the windows are this share of it.
    fn growth(&self, share: f64) -> (f64, f64) {
        let mut occurrences = Occurrences::new(self.windows);
        for key in self.keys.known() {
            occurrences.add(key.windows as usize, &key.first);
        }
        (occurrences.least(share), occurrences.most(share))
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
    use crate::corpus::Format;
    use crate::count::PretokenCounts;
    use crate::observe::Silent;
    use crate::text::{Pretokenizer, PretokenizerConfig};
    use crate::train::counting::Purpose;
    use crate::train::inputs::Inputs;
    use crate::train::work::Store;
    use crate::train::{Resources, TrainOptions, train};

    #[test]
    fn nothing_is_added_to_what_is_known() {
        let mut seen = Seen::default();
        assert_eq!(seen.growth(0.5), (1.0, 1.0));
        let mut counts = PretokenCounts::default();
        (0..20_000u32).for_each(|word| counts.add(word.to_string().as_bytes(), 1).unwrap());
        seen.add(std::slice::from_ref(&counts));
        assert_eq!(seen.growth(1.0), (1.0, 1.0));
        (0..16).for_each(|_| seen.add(std::slice::from_ref(&counts)));
        assert_eq!(seen.growth(0.01), (1.0, 1.0));
        assert_eq!(seen.windows, 17);
    }

    fn pretokenizer() -> Pretokenizer {
        Pretokenizer::new(PretokenizerConfig::default()).unwrap()
    }

    fn windows(sources: &[Source]) -> Option<Vec<Extent>> {
        let inputs = Inputs::read_once(sources);
        let pass = Pass {
            inputs: &inputs,
            sample: None,
            read: &ReadOptions::default(),
            pretokenizer: &pretokenizer(),
            store: &Store::open(&Resources::default()).unwrap(),
            budget: None,
            has_sketch: false,
            purpose: Purpose::Learning,
            piece_bytes: None,
            observer: &Silent,
        };
        let total = sources.iter().map(Source::stored_bytes).sum();
        pass.windows(total).unwrap()
    }

    #[test]
    fn windows_are_spread_over_all_sources() {
        let directory = tempfile::tempdir().unwrap();
        let source = |name: &str, format: Format, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            Source::from_path(path, Some(format)).unwrap()
        };
        let line = "some words of a line\n";
        let large = source("large", Format::Lines, &line.repeat(80_000));
        let other = source("other", Format::Lines, &line.repeat(40_000));
        let small = source("small.md", Format::Text, "undivided");
        let found = windows(&[large, small.clone(), other.clone()]).unwrap();
        for (first, expected) in [(64, 1.0..4.0), (found.len(), 1.6..2.5)] {
            let mut bytes = [0u64; 3];
            let (mut starts, mut ends) = ([u64::MAX; 3], [0; 3]);
            for window in &found[..first] {
                let Extent::Section {
                    source,
                    bytes: place,
                } = window
                else {
                    continue;
                };
                bytes[*source] += place.end - place.start;
                starts[*source] = starts[*source].min(place.start);
                ends[*source] = ends[*source].max(place.end);
            }
            let ratio = bytes[0] as f64 / bytes[2] as f64;
            assert!(expected.contains(&ratio), "{first} {bytes:?}");
            assert!(
                starts[0] < 200_000 && starts[2] < 200_000,
                "{first} {starts:?}"
            );
            assert!(ends[0] > 1_500_000 && ends[2] > 600_000, "{first} {ends:?}");
        }
        // One that is large and cannot be divided.
        let text = source("large.txt", Format::Text, &line.repeat(9000));
        assert_eq!(windows(&[text, other.clone()]), None);
        let stdin = Source::stdin(Format::Lines);
        assert_eq!(windows(&[other, stdin]), None);
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
