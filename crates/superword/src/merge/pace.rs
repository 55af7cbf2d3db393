//! Whether rounds are worth it.
//!
//! Threads that meet all the time wait for each other, and what one of them writes has to travel to the others. How long
//! that takes depends on the machine and on the text. So both ways are tried again and again, for a few merges each, and
//! the faster one is used until the next trial. The result is the same either way.

use std::time::{Duration, Instant};

/// The number of merges between two trials.
const BETWEEN: u64 = if cfg!(test) { 8 } else { 6144 };

/// The number of merges of a trial whose time is measured, each time.
const MEASURED: u64 = if cfg!(test) { 4 } else { 128 };

/// The number of merges after each change of the way, before times are taken. Threads wake up in these.
const SETTLING: u64 = if cfg!(test) { 2 } else { 32 };

/// What a merge costs apart from its places, in places.
const MERGE: u64 = 16;

/// A part of the merges.
struct Part {
    merges: u64,
    /// Whether the other way is tried.
    is_other: bool,
    is_measured: bool,
}

/// Between two trials, and the parts of a trial. Merges get smaller and smaller, so the way that is in use is measured before the
/// other one and after it.
const PARTS: [Part; 6] = [
    Part::new(BETWEEN, false, false),
    Part::new(MEASURED, false, true),
    Part::new(SETTLING, true, false),
    Part::new(MEASURED, true, true),
    Part::new(SETTLING, false, false),
    Part::new(MEASURED, false, true),
];

impl Part {
    const fn new(merges: u64, is_other: bool, is_measured: bool) -> Part {
        Part {
            merges,
            is_other,
            is_measured,
        }
    }
}

/// What one way to make merges has taken.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    time: Duration,
    /// In places.
    work: u64,
}

impl Taken {
    /// The time for each place.
    fn each(self) -> f64 {
        self.time.as_secs_f64() / self.work.max(1) as f64
    }
}

/// How much was done at a point in time.
#[derive(Clone, Copy, Debug)]
struct Point {
    time: Instant,
    merges: u64,
    places: u64,
}

/// Finds out whether rounds are faster than one merge after the other.
#[derive(Debug)]
pub(super) struct Pace {
    /// The part that the next merges belong to.
    part: usize,
    /// The start of this part.
    start: Option<Point>,
    /// Whether there are rounds, trials aside.
    uses_rounds: bool,
    with_rounds: Taken,
    without: Taken,
}

impl Pace {
    /// Starts with a trial.
    pub(super) fn new() -> Pace {
        Pace {
            part: 1,
            start: None,
            uses_rounds: true,
            with_rounds: Taken::default(),
            without: Taken::default(),
        }
    }

    /// Whether the next merges should be made in a round, after this many merges that have joined pairs at this many places.
    /// `time` is asked for the time only when it matters.
    #[inline(always)]
    pub(super) fn has_rounds(
        &mut self,
        merges: u64,
        places: u64,
        time: impl FnOnce() -> Instant,
    ) -> bool {
        let is_over = |start: Point| merges >= start.merges + PARTS[self.part].merges;
        if self.start.is_none_or(is_over) {
            self.turn(Point {
                time: time(),
                merges,
                places,
            });
        }
        self.is_round()
    }

    /// Whether this part has rounds.
    fn is_round(&self) -> bool {
        self.uses_rounds != PARTS[self.part].is_other
    }

    /// Ends this part and starts the next one.
    #[cold]
    fn turn(&mut self, now: Point) {
        let Some(start) = self.start.replace(now) else {
            return;
        };
        if PARTS[self.part].is_measured {
            let taken = match self.is_round() {
                true => &mut self.with_rounds,
                false => &mut self.without,
            };
            taken.time += now.time - start.time;
            taken.work += now.places - start.places + (now.merges - start.merges) * MERGE;
        }
        self.part += 1;
        if self.part == PARTS.len() {
            self.part = 0;
            // Rounds keep several cores busy, so they have to save some time.
            self.uses_rounds = self.with_rounds.each() < self.without.each() * 0.95;
            (self.with_rounds, self.without) = Default::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes merges that take this long for each place, with rounds and without. Returns how many were made in rounds.
    fn rounds(merges: u64, with_rounds: u64, without: u64) -> u64 {
        let mut pace = Pace::new();
        let (mut now, mut joined, mut rounds) = (Instant::now(), 0, 0);
        for number in 0..merges {
            let is_round = pace.has_rounds(number, joined, || now);
            let each = if is_round { with_rounds } else { without };
            // Smaller and smaller merges.
            let places = 1000 - number * 1000 / merges;
            now += Duration::from_nanos(each * (places + MERGE));
            joined += places;
            rounds += u64::from(is_round);
        }
        rounds
    }

    #[test]
    fn the_faster_way_is_used() {
        let merges = 10 * PARTS.iter().map(|part| part.merges).sum::<u64>();
        // All but the first of ten trials are made while the faster way is in use.
        let (of_other, of_own) = (SETTLING + MEASURED, 2 * MEASURED + SETTLING);
        assert_eq!(rounds(merges, 10, 20), merges - 10 * of_other);
        assert_eq!(rounds(merges, 20, 10), of_own + 9 * of_other);
        // Not worth the cores.
        assert_eq!(rounds(merges, 99, 100), rounds(merges, 20, 10));
    }
}
