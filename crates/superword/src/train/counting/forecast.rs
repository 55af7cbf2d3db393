//! Tells early in a pass whether its counts will fit into the memory limit, and how much memory they need.
//!
//! While the text is read, a share of the keys is collected. The number of distinct keys of a text grows about like a power
//! of its size (Heaps' law), so the number of all keys can be estimated after a part of the text. The estimate can be
//! wrong by a third: texts are often sorted by topic or language. So it decides nothing but how the pass goes on. If the counts will not fit,
//! nothing more is counted or written to files, and the rest of the text is only *measured*: the same share of the keys is
//! collected, which takes a fraction of the time. Then the number of keys is known, and so is the memory that they need.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::budget::{Budget, Purpose};
use super::some_keys::SomeKeys;
use crate::count::Counts;
use crate::observe::{Observer, Phase, Step};

/// The share of the text after which the size of the whole is estimated.
const FROM: f64 = 0.1;

/// How much of the text lies between two estimates.
const EVERY: f64 = 1.25;

/// The curve is continued from this share of the part that was read.
const BACK: f64 = 0.3;

/// The power of most texts. The power of a part is between it and the power of the whole.
const USUAL_POWER: f64 = 0.65;

/// The estimate has to be this many times the limit before the text is only measured.
const CLEARLY: f64 = 1.15;

/// What is known after a part of the text.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// The share of the text that was counted.
    share: f64,
    keys: f64,
}

#[derive(Debug, Default)]
struct Collected {
    /// The length of each key.
    keys: SomeKeys<u32>,
    /// The bytes of text that were counted.
    text: u64,
    points: Vec<Point>,
}

/// Watches a pass with a memory limit.
pub(super) struct Forecast<'a> {
    observer: &'a dyn Observer,
    budget: Budget,
    purpose: Purpose,
    /// The memory of everything else.
    other: u64,
    /// Whether the text can be read again, if the estimate was wrong.
    is_repeatable: bool,
    done: AtomicU64,
    total: AtomicU64,
    /// The bytes of text that were read.
    text: AtomicU64,
    collected: Mutex<Collected>,
    measures: AtomicBool,
}

impl<'a> Forecast<'a> {
    pub(super) fn new(
        observer: &'a dyn Observer,
        budget: Budget,
        purpose: Purpose,
        other: u64,
        is_repeatable: bool,
    ) -> Forecast<'a> {
        Forecast {
            observer,
            budget,
            purpose,
            other,
            is_repeatable,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            text: AtomicU64::new(0),
            collected: Mutex::default(),
            measures: AtomicBool::new(false),
        }
    }

    /// True if the rest of the text is only measured.
    #[inline]
    pub(super) fn measures(&self) -> bool {
        self.measures.load(Relaxed)
    }

    /// A worker has read this many bytes of text.
    pub(super) fn read(&self, bytes: u64) {
        self.text.fetch_add(bytes, Relaxed);
    }

    /// Takes what a worker has counted into account, with the bytes of text since its last report.
    pub(super) fn take<C: Counts>(&self, counts: &C, text: u64) {
        let mut collected = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        collected.keys.add(counts, |known, length| *known = length);
        collected.text += text;
        if self.measures() || collected.keys.is_empty() {
            return;
        }
        let last = collected.points.last().map_or(0.0, |point| point.share);
        let share = self.share(collected.text);
        if share < last * EVERY {
            return;
        }
        let size = collected.keys.size::<C>(|&length| length);
        let keys = size.keys as f64;
        collected.points.push(Point { share, keys });
        let growth = match self.is_repeatable {
            true => growth(&collected.points),
            // Only what is there already is certain.
            false => 1.0,
        };
        let needed = Budget::needed(size.times(growth), self.purpose, self.other);
        if self.budget.is_clearly_below(needed, CLEARLY) {
            self.measures.store(true, Relaxed);
        }
    }

    /// How much of the text was counted, given that so many bytes were. It is less than what was read.
    fn share(&self, text: u64) -> f64 {
        let share = |part: &AtomicU64, whole: u64| part.load(Relaxed) as f64 / whole.max(1) as f64;
        let counted = 1.0 / share(&self.text, text).max(1.0);
        counted * share(&self.done, self.total.load(Relaxed))
    }

    /// The memory that everything needs that was counted or measured.
    pub(super) fn needed<C: Counts>(&self) -> u64 {
        let collected = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Budget::needed(
            collected.keys.size::<C>(|&length| length),
            self.purpose,
            self.other,
        )
    }
}

/// How many times as many keys as now the whole text has, as far as is known.
fn growth(points: &[Point]) -> f64 {
    let Some(last) = points.last().filter(|point| point.share >= FROM) else {
        return 1.0;
    };
    let earlier = points.iter().rev();
    let earlier = earlier.filter(|point| point.share > 0.0);
    let earlier = earlier
        .into_iter()
        .find(|point| point.share <= last.share * BACK);
    let power = earlier.map_or(USUAL_POWER, |earlier| {
        let power = (last.keys / earlier.keys.max(1.0)).ln() / (last.share / earlier.share).ln();
        (power.clamp(0.0, 1.0) + USUAL_POWER) / 2.0
    });
    (1.0 / last.share).max(1.0).powf(power)
}

impl Observer for Forecast<'_> {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        self.done.fetch_max(done, Relaxed);
        self.total.store(total.unwrap_or(0), Relaxed);
        self.observer.progress(phase, done, total);
    }

    fn step(&self, phase: Phase, step: Step, share: f64) {
        self.observer.step(phase, step, share);
    }

    fn expect(&self, phase: Phase, tokens: Option<u64>, merges: Option<u64>) {
        self.observer.expect(phase, tokens, merges);
    }

    fn stop_requested(&self) -> bool {
        self.observer.stop_requested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_continued_between_their_own_and_the_usual_power() {
        for power in [0.3, 0.65, 1.0] {
            let points: Vec<Point> = (1..20)
                .map(|number| 0.001 * 1.3f64.powi(number))
                .map(|share| Point {
                    share,
                    keys: 1e7 * share.powf(power),
                })
                .collect();
            let last = points[points.len() - 1].share;
            let expected = (1.0 / last).powf((power + USUAL_POWER) / 2.0);
            let found = growth(&points);
            assert!((0.99..1.01).contains(&(found / expected)), "{found}");
            assert_eq!(growth(&points[..3]), 1.0);
        }
        assert_eq!(growth(&[]), 1.0);
        let only = Point {
            share: 1.0,
            keys: 5.0,
        };
        assert_eq!(growth(&[only]), 1.0);
    }
}
