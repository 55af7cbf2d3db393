//! Limits the work that a pattern may do on one text.
//!
//! A pattern such as `(a+)+$|.` looks at all the rest of the text for every pretoken, so its time
//! grows with the square of the text. A budget of a fixed number of steps per byte stops it early.
//! The steps are counted, not timed, so the same text always gives the same result.
//!
//! The backtracking engine does not report all of its steps. A generous limit on its time catches
//! patterns that the count misses.

use std::time::{Duration, Instant};

/// Steps allowed on any text. A step takes a few nanoseconds.
const FLAT: u64 = 1 << 26;

/// Additional steps allowed for each byte of the text. Common patterns take one or two.
const PER_BYTE: u64 = 1 << 8;

/// One in this many pretokens is measured.
const EVERY: u64 = 64;

/// The steps that are left for a text.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    /// The text is too short to exceed the budget even if every pretoken looks at all of it.
    unlimited: bool,
    pretokens: u64,
    /// The time that the search has taken, and when it was last measured.
    time: Duration,
    measured: Option<Instant>,
}

/// How long a slow search may go on before its speed is judged.
const PATIENCE: Duration = Duration::from_secs(10);

/// A longer time between two measurements counts as this long. Otherwise a process that was suspended
/// would look slow.
const LONGEST_GAP: Duration = Duration::from_secs(1);

/// The lowest speed in bytes per second. Ordinary patterns are a hundred times as fast.
const LOWEST_SPEED: f64 = 10_000.0;

/// True if a search that came this far in this time will take too long.
fn is_too_slow(bytes: usize, time: Duration) -> bool {
    time > PATIENCE && (bytes as f64) < time.as_secs_f64() * LOWEST_SPEED
}

impl Budget {
    /// The budget for a text of `len` bytes.
    pub(super) fn for_text(len: usize) -> Budget {
        let len = len as u64;
        Budget {
            left: FLAT.saturating_add(len.saturating_mul(PER_BYTE)),
            unlimited: len.saturating_mul(len) <= FLAT,
            pretokens: 0,
            time: Duration::ZERO,
            measured: None,
        }
    }

    /// Counts a pretoken. True if its steps should be measured and passed to
    /// [`Budget::spend_sample`].
    #[inline]
    pub(super) fn is_sample(&mut self) -> bool {
        if self.unlimited {
            return false;
        }
        self.pretokens += 1;
        self.pretokens.is_multiple_of(EVERY)
    }

    /// Spends the steps of one measured pretoken, for all those that are not measured as well.
    /// Returns false if the budget is exhausted.
    pub(super) fn spend_sample(&mut self, steps: u64) -> bool {
        self.spend(steps.saturating_mul(EVERY))
    }

    /// Returns false if the first `bytes` bytes of the text took too long.
    pub(super) fn is_in_time(&mut self, bytes: usize) -> bool {
        if !self.is_sample() {
            return true;
        }
        // A browser has no clock for the engine. There, only the steps are limited.
        if cfg!(target_family = "wasm") {
            return true;
        }
        let now = Instant::now();
        if let Some(before) = self.measured.replace(now) {
            self.time += now.duration_since(before).min(LONGEST_GAP);
        }
        !is_too_slow(bytes, self.time)
    }

    /// Spends steps. Returns false if the budget is exhausted.
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        let enough = steps <= self.left;
        self.left = self.left.saturating_sub(steps);
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_and_slow_searches_are_too_slow() {
        assert!(!is_too_slow(0, PATIENCE));
        assert!(is_too_slow(0, PATIENCE + Duration::from_secs(1)));
        assert!(is_too_slow(10_000, Duration::from_secs(60)));
        assert!(!is_too_slow(1 << 30, Duration::from_secs(60)));
    }

    #[test]
    fn short_texts_are_not_measured() {
        let mut short = Budget::for_text(1 << 13);
        let mut long = Budget::for_text(1 << 14);
        assert_eq!((0..EVERY).filter(|_| short.is_sample()).count(), 0);
        assert_eq!((0..EVERY).filter(|_| long.is_sample()).count(), 1);
        assert!(long.spend(FLAT) && !long.spend(FLAT));
    }
}
