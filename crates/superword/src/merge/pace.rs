//! Whether rounds are worth it.
//!
//! Threads that meet all the time wait for each other, and what one of them writes has to travel to the others. How long
//! that takes depends on the machine and on the text. So both ways are tried again and again, for a few merges each, and
//! the faster one is used until the next trial. The result is the same either way.

use std::time::{Duration, Instant};

/// The number of merges of each part of a trial.
const TRIAL: u64 = 64;

/// The number of merges between two trials.
const BETWEEN: u64 = 2048;

/// A merge takes as long as this many places, apart from its own.
const MERGE: u64 = 16;

/// The parts of a trial: whether there are rounds. Merges get smaller and smaller, so each way comes once before the other
/// and once after it.
const PARTS: [bool; 4] = [true, false, false, true];

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
    /// The part of the trial, or the number of parts between trials.
    part: usize,
    has_rounds: bool,
    /// The start of this part.
    start: Option<Point>,
    with_rounds: Taken,
    without: Taken,
}

impl Pace {
    pub(super) fn new() -> Pace {
        Pace {
            part: 0,
            has_rounds: PARTS[0],
            start: None,
            with_rounds: Taken::default(),
            without: Taken::default(),
        }
    }

    /// Whether the next merges should be made in a round, after this many merges that have joined pairs at this many places.
    #[inline(always)]
    pub(super) fn has_rounds(&mut self, merges: u64, places: u64) -> bool {
        if self
            .start
            .is_none_or(|start| merges >= start.merges + self.length())
        {
            let time = Instant::now();
            self.turn(Point {
                time,
                merges,
                places,
            });
        }
        self.has_rounds
    }

    /// The number of merges of this part.
    fn length(&self) -> u64 {
        match self.part < PARTS.len() {
            true => TRIAL,
            false => BETWEEN,
        }
    }

    /// Ends this part and starts the next one.
    #[cold]
    fn turn(&mut self, now: Point) {
        let Some(start) = self.start.replace(now) else {
            return;
        };
        if self.part < PARTS.len() {
            let taken = match self.has_rounds {
                true => &mut self.with_rounds,
                false => &mut self.without,
            };
            taken.time += now.time - start.time;
            taken.work += now.places - start.places + (now.merges - start.merges) * MERGE;
        }
        self.part = (self.part + 1) % (PARTS.len() + 1);
        self.has_rounds = match PARTS.get(self.part) {
            Some(&has_rounds) => has_rounds,
            None => {
                let is_worth_it = self.is_worth_it();
                (self.with_rounds, self.without) = Default::default();
                is_worth_it
            }
        };
    }

    /// Rounds keep several cores busy, so they have to save some time.
    fn is_worth_it(&self) -> bool {
        self.with_rounds.each() < self.without.each() * 0.95
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes merges that take this long for each place, with rounds and without, and returns how many of them were made in rounds.
    fn rounds(merges: u64, with_rounds: u64, without: u64) -> u64 {
        let mut pace = Pace::new();
        let mut now = Point {
            time: Instant::now(),
            merges: 0,
            places: 0,
        };
        let mut rounds = 0;
        for number in 0..merges {
            if pace
                .start
                .is_none_or(|start| now.merges >= start.merges + pace.length())
            {
                pace.turn(now);
            }
            // Smaller and smaller merges.
            let places = 1000 - number * 1000 / merges;
            let each = if pace.has_rounds {
                with_rounds
            } else {
                without
            };
            now.time += Duration::from_nanos(each * (places + MERGE));
            now.merges += 1;
            now.places += places;
            rounds += u64::from(pace.has_rounds);
        }
        rounds
    }

    #[test]
    fn the_faster_way_is_used() {
        let merges = 10 * (BETWEEN + PARTS.len() as u64 * TRIAL);
        let trials = 20 * TRIAL;
        assert_eq!(rounds(merges, 10, 20), merges - trials);
        assert_eq!(rounds(merges, 20, 10), trials);
        // Not worth the cores.
        assert_eq!(rounds(merges, 99, 100), trials);
    }
}
