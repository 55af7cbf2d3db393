//! Tells early in a pass whether its counts will fit into the memory limit.
//!
//! While the text is read, a share of the keys is collected. The number of distinct keys of a text grows like a power of
//! its size (Heaps' law). The power falls slowly, so a curve that is continued far overestimates the number. An estimate
//! from little text therefore has to be far above the limit before the work is stopped.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::budget::{Budget, Purpose, Size};
use crate::count::{Counts, ONE_IN};
use crate::observe::{Observer, Phase, Step};

/// The share of the text after which the size of the whole is estimated.
const FROM: f64 = 0.02;

/// How much of the text lies between two estimates.
const EVERY: f64 = 1.25;

/// The curve is continued from this share of the part that was read.
const BACK: f64 = 0.3;

/// The work is stopped if the estimate is this many times the limit, once a tenth of the text was read. Below that it
/// may still fit.
const CLEARLY: f64 = 1.25;

/// How much the power falls towards the end of the text.
const DAMPING: f64 = 0.93;

/// The estimate is raised by one in this many parts. Files are read ahead of what is counted, so it can be a little low.
const MARGIN: u64 = 8;

/// What is known after a part of the text.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// The share of the text that was read.
    share: f64,
    size: Size,
}

#[derive(Debug, Default)]
struct Collected {
    /// The hashes of the keys.
    keys: HashSet<u64>,
    items: u64,
    points: Vec<Point>,
}

/// Watches a pass with a memory limit, and stops it if the counts will not fit.
pub(super) struct Forecast<'a> {
    observer: &'a dyn Observer,
    budget: Budget,
    purpose: Purpose,
    /// The memory of everything else.
    other: u64,
    done: AtomicU64,
    total: AtomicU64,
    collected: Mutex<Collected>,
    refused: AtomicBool,
    needed: AtomicU64,
}

impl<'a> Forecast<'a> {
    pub(super) fn new(
        observer: &'a dyn Observer,
        budget: Budget,
        purpose: Purpose,
        other: u64,
    ) -> Forecast<'a> {
        Forecast {
            observer,
            budget,
            purpose,
            other,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            collected: Mutex::default(),
            refused: AtomicBool::new(false),
            needed: AtomicU64::new(0),
        }
    }

    /// Takes what a worker has counted into account.
    pub(super) fn take(&self, counts: &impl Counts) {
        let mut collected = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Collected { keys, items, .. } = &mut *collected;
        counts.for_some_keys(|hash, length| {
            if keys.insert(hash) {
                *items += length as u64;
            }
        });
        let total = self.total.load(Relaxed);
        let share = self.done.load(Relaxed) as f64 / total as f64;
        let last = collected.points.last().map_or(0.0, |point| point.share);
        if total == 0 || share < last * EVERY || collected.keys.is_empty() {
            return;
        }
        let keys = collected.keys.len() as u64;
        let table = counts.most_memory() as u64 / (counts.len() as u64).max(1);
        let size = Size {
            keys,
            items: collected.items,
            table: keys * table,
        };
        let size = size.times(ONE_IN as f64);
        collected.points.push(Point { share, size });
        if let Some(size) = estimate(&collected.points) {
            let needed = Budget::needed(size, self.purpose, self.other);
            self.needed.store(needed, Relaxed);
            let clearly = CLEARLY + 0.45 * (0.1 / share - 1.0).max(0.0);
            if self.budget.is_clearly_below(needed, clearly) {
                self.refused.store(true, Relaxed);
            }
        }
    }

    /// The memory that the text needs, if the pass was stopped because of that. It is an estimate on the high side.
    pub(super) fn refused(&self) -> Option<u64> {
        let needed = self.needed.load(Relaxed);
        self.refused
            .load(Relaxed)
            .then_some(needed + needed / MARGIN)
    }
}

/// The size of the whole text, once enough of it was read.
fn estimate(points: &[Point]) -> Option<Size> {
    let last = points.last().filter(|point| point.share >= FROM)?;
    let earlier = points
        .iter()
        .rev()
        .find(|point| point.share <= last.share * BACK)?;
    let growth = last.size.keys as f64 / (earlier.size.keys as f64).max(1.0);
    let power = (growth.ln() / (last.share / earlier.share).ln()).clamp(0.0, 1.0) * DAMPING;
    Some(last.size.times((1.0 / last.share).max(1.0).powf(power)))
}

impl Observer for Forecast<'_> {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        self.done.store(done, Relaxed);
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
        self.refused.load(Relaxed) || self.observer.stop_requested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_that_grow_like_a_power_are_continued_a_little_below_it() {
        for power in [0.3, 0.7, 1.0] {
            let size_at = |share: f64| Size {
                keys: (1e7 * share.powf(power)) as u64,
                items: (9e7 * share.powf(power)) as u64,
                table: (4e8 * share.powf(power)) as u64,
            };
            let points: Vec<Point> = (1..20)
                .map(|number| 0.001 * 1.3f64.powi(number))
                .map(|share| Point {
                    share,
                    size: size_at(share),
                })
                .collect();
            let size = estimate(&points).unwrap();
            let last = points[points.len() - 1].share;
            let damped = last.powf(power - power * DAMPING);
            let error = size.keys as f64 / (size_at(1.0).keys as f64 * damped);
            assert!((0.99..1.01).contains(&error), "{error}");
            assert!(estimate(&points[..3]).is_none());
        }
        assert!(estimate(&[]).is_none());
    }
}
