//! Tells before a pass that its counts will not fit into the memory limit.
//!
//! *Windows* that are spread evenly over the text are measured: a small share of their keys is collected. If even a low
//! estimate of the keys of the whole text does not fit, the pass is refused, and the hint names a limit that is enough for
//! a high one. In all other cases the pass decides; see [`super::forecast`]. The beginning of the text would not do:
//! texts are often sorted by topic or language.
//!
//! The number of distinct keys `n` of a part of the text grows like a power of its size, and the power slowly falls (Heaps'
//! law). The power at the end of the windows is `f / n`, where `f` is the number of keys in exactly one window: one window
//! more or less changes `n` by `f` divided by the number of windows. How fast the power falls follows from the same numbers
//! for an average part of the windows.

use super::super::TrainError;
use super::super::extent::Extent;
use super::Pass;
use super::budget::{Budget, Size};
use super::counter::Counter;
use crate::corpus::{Before, DocumentSink, ReadError, ReadOptions, Section, Source};
use crate::corpus::{read_parallel, read_section};
use crate::count::{Counts, ONE_IN};
use crate::hash::NumberMap;
use crate::memory;
use crate::observe::{Observer, Phase, Stopped, check_stop};
use crate::text::SplitError;

/// A text of fewer stored bytes is read at once.
const LEAST_BYTES: u64 = if cfg!(test) { 1 << 14 } else { 128 << 20 };

/// The number of windows, a power of two. All are about equally long.
const WINDOWS: u64 = 1024;

/// About one in this many bytes is in a window.
const ONE_BYTE_IN: u64 = 4;

/// The most bytes in all windows together.
const MOST_BYTES: u64 = 2 << 30;

/// A source that cannot be divided must not be longer than this many windows.
const LONGEST: u64 = 4;

/// The text is estimated after this many windows, and then whenever their number has doubled. A limit that is clearly
/// large enough is accepted then. A limit that is too small is refused after the last window, so that the hint is exact.
const FIRST: u32 = 16;

/// How fast the power falls is seen in an average part of this share of the windows.
const PART: f64 = 0.25;

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
        let (mut seen, mut stored) = (Seen::default(), 0u64);
        for window in &windows {
            check_stop(self.observer)?;
            match self.measure(window, &make) {
                Ok(counts) => seen.add(&counts),
                Err(ReadError::Stopped(stopped)) => return Err(stopped.into()),
                // The pass finds the same error, and says where it is.
                Err(ReadError::Corpus(_) | ReadError::Sink(_)) => return Ok(()),
            }
            stored += self.stored_bytes(window);
            let is_last = seen.windows as usize == windows.len();
            let is_due = seen.windows >= FIRST && seen.windows.is_power_of_two();
            if !is_last && !is_due {
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

    /// Windows of a text of `total` stored bytes. The first few of them are spread over the whole text too. `None` if the
    /// text cannot be read in parts.
    fn windows(&self, total: u64) -> Result<Option<Vec<Extent>>, Stopped> {
        let sources = self.inputs.sources();
        if !sources.iter().all(Source::is_stored) {
            return Ok(None);
        }
        let bytes = (total / ONE_BYTE_IN).min(MOST_BYTES) / WINDOWS;
        let ends: Vec<u64> = sources
            .iter()
            .scan(0u64, |end, source| {
                *end += source.stored_bytes();
                Some(*end)
            })
            .collect();
        let mut windows: Vec<Extent> = Vec::new();
        for number in 0..WINDOWS {
            // The bits in reverse order: 0, 1/2, 1/4, 3/4, 1/8, ...
            let turned = number.reverse_bits() >> (WINDOWS.leading_zeros() + 1);
            let from = (u128::from(turned) * u128::from(total) / u128::from(WINDOWS)) as u64;
            let source = ends.partition_point(|&end| end <= from);
            let Some(end) = ends.get(source) else {
                continue;
            };
            let size = sources[source].stored_bytes();
            let at = from.saturating_sub(end.saturating_sub(size));
            let at = at.min(size.saturating_sub(bytes));
            let window = match sources[source].section_at(at, bytes, self.observer)? {
                Some(bytes) => Extent::Section { source, bytes },
                None if size <= bytes * LONGEST => Extent::Sources(source..source + 1),
                None => return Ok(None),
            };
            if !windows.contains(&window) {
                windows.push(window);
            }
        }
        Ok(Some(windows))
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
    keys: NumberMap<u64, Key>,
    windows: u32,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    length: u32,
    /// In how many windows it is.
    windows: u32,
    /// The last of them.
    last: u32,
}

impl Seen {
    /// Adds a window.
    fn add(&mut self, counts: &[impl Counts]) {
        self.windows += 1;
        let window = self.windows;
        for counts in counts {
            counts.for_some_keys(|hash, length| {
                memory::reserve_key(&mut self.keys);
                let key = self.keys.entry(hash).or_insert(Key {
                    length: length.min(u32::MAX as usize) as u32,
                    windows: 0,
                    last: 0,
                });
                key.windows += u32::from(key.last != window);
                key.last = window;
            });
        }
    }

    /// The size of all keys of the windows.
    fn size<C: Counts>(&self) -> Size {
        let lengths = self.keys.values().map(|key| key.length as usize);
        Size::of_keys::<C>(lengths).times(ONE_IN as f64)
    }

    /// At least and at most how many times as many keys the whole text has, if the windows are this share of it.
    fn growth(&self, share: f64) -> (f64, f64) {
        let (keys, once) = self.expected(1.0);
        // What another choice of windows may change.
        let error = self.deviation() / keys;
        let power = once / keys;
        let (part, once_in_part) = self.expected(PART);
        let falls = (once_in_part / part - power).max(0.0) / -PART.ln();
        let rest = (1.0 / share).max(1.0).ln();
        // The average power between the windows and the whole text, if it falls at twice this speed, and if it does not fall.
        let least = (power - falls * rest).max(power / 2.0) - 2.0 * error;
        let most = power + error;
        (
            (1.0 - 2.0 * error).max(0.0) * (least.max(0.0) * rest).exp(),
            (1.0 + error) * (most.min(1.0) * rest).exp(),
        )
    }

    /// The standard error of the number of keys, if the windows are a random choice of parts of the text: a jackknife estimate.
    fn deviation(&self) -> f64 {
        let mut alone = vec![0.0; self.windows as usize];
        for key in self.keys.values().filter(|key| key.windows == 1) {
            alone[key.last as usize - 1] += 1.0;
        }
        let count = f64::from(self.windows);
        let mean = alone.iter().sum::<f64>() / count;
        alone
            .iter()
            .map(|alone| (alone - mean).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    /// How many keys are in an average part of the windows, and how many of these in exactly one of its windows.
    fn expected(&self, part: f64) -> (f64, f64) {
        let (mut keys, mut once) = (0.0, 0.0);
        for key in self.keys.values() {
            // Each window is in the part with this probability.
            let windows = key.windows as i32;
            keys += 1.0 - (1.0 - part).powi(windows);
            once += f64::from(windows) * part * (1.0 - part).powi(windows - 1);
        }
        (f64::max(keys, 1.0), once)
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
    use crate::testing::Random;
    use crate::text::{Pretokenizer, PretokenizerConfig};
    use crate::train::counting::Purpose;
    use crate::train::inputs::Inputs;
    use crate::train::work::Store;
    use crate::train::{Resources, TrainOptions, train};

    /// Windows whose words have frequencies like those of a language.
    #[test]
    fn the_bounds_hold_the_truth() {
        let mut random = Random(77);
        for (windows, all) in [(64, 256), (128, 1024)] {
            let mut seen = Seen::default();
            let mut whole = Seen::default();
            let mut seen_size = 0;
            for number in 0..all {
                let mut counts = PretokenCounts::default();
                for _ in 0..1000 {
                    // The word with number n has a probability of about 1 / n^1.5.
                    let uniform = 1.0 - random.below(1 << 40) as f64 / (1u64 << 40) as f64;
                    let word = (uniform.powf(-2.0) as u64).min(1 << 40);
                    counts.add(word.to_string().as_bytes(), 1).unwrap();
                }
                let counts = [counts];
                whole.add(&counts);
                if number < windows {
                    seen.add(&counts);
                    seen_size = seen.keys.len();
                }
            }
            let (least, most) = seen.growth(f64::from(windows) / f64::from(all));
            let truth = whole.keys.len() as f64 / seen_size as f64;
            assert!(least <= truth && truth <= most, "{least} {truth} {most}");
            assert!(
                least > 0.4 * truth && most < 1.5 * truth,
                "{least} {truth} {most}"
            );
        }
        // All keys are known after the first window.
        let mut seen = Seen::default();
        let mut counts = PretokenCounts::default();
        (0..20_000u32).for_each(|word| counts.add(word.to_string().as_bytes(), 1).unwrap());
        (0..16).for_each(|_| seen.add(std::slice::from_ref(&counts)));
        assert_eq!(seen.growth(0.01), (1.0, 1.0));
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
        for first in [16, found.len()] {
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
            assert!((1.5..2.7).contains(&ratio), "{first} {bytes:?}");
            assert!(starts[0] == 0 && starts[2] < 100_000, "{first} {starts:?}");
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
