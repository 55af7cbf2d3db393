//! Bounds of the number of distinct keys of a text, from some of its parts.
//!
//! Parts of the text are chosen at random, the *windows*.
//!
//! **The lower bound.** If the windows are a share `q` of all parts, a key that is in `m` parts is in exactly `j` windows with
//! probability `C(m, j) q^j (1 - q)^(m - j)`. Let `G(m)` be the number of keys that are in `m` parts and in no window. Then the
//! number of keys in exactly `j` windows is the sum of `G(m) C(m, j) r^j` over all `m`, where `r` is `q / (1 - q)`. So the sums
//! of `G(m) C(m, j)` are known for small `j`, and the sum of all `G(m)` is wanted.
//!
//! Every polynomial `p` with `p(0) = 0` and `p(m) <= 1` for `m = 1, 2, 3, ...` gives a lower bound: the sum of `G(m) p(m)`. That
//! is a sum of known numbers, because `p(m)` is the sum of its differences at 0 times `C(m, j)` (Newton). The polynomials are
//! `1 - (m - k)(m - k - 1)(m - l)(m - l - 1) / (k (k + 1) l (l + 1))` for all `k` and `l`, and the best of their bounds is taken.
//! It holds however often the keys are in the text, also if most of the text was copied.
//!
//! **The upper bound.** `p(m) = m` is a polynomial too, and at least 1 everywhere. So there are at most as many keys in no window
//! as in exactly one, divided by `r`. Keys that are in a single part of the text, such as numbers and addresses, make it exact.
//!
//! What another choice of windows may change is estimated by leaving out each of them (jackknife).

/// How many numbers are known: of the keys in exactly one window, in two, and so on. One more than a bound needs, so that any
/// window can be left out.
pub(super) const TIMES: usize = DEGREE + 1;

const DEGREE: usize = 4;

/// The largest `k` and `l`.
const LARGEST_K: u32 = 64;
const LARGEST_L: f64 = 1e6;

/// The bounds are this many standard errors below and above the estimates.
const ERRORS: f64 = 2.0;

/// In how many windows the keys are.
#[derive(Clone, Debug)]
pub(super) struct Occurrences {
    keys: f64,
    /// How many keys are in exactly one window, in two, and so on.
    times: [f64; TIMES],
    /// How many of these are in each window.
    of_windows: Vec<[f64; TIMES]>,
}

impl Occurrences {
    pub(super) fn new(windows: usize) -> Occurrences {
        Occurrences {
            keys: 0.0,
            times: [0.0; TIMES],
            of_windows: vec![[0.0; TIMES]; windows],
        }
    }

    /// Adds a key that is in this many windows. `first` has the first ones. Windows have numbers from 1.
    pub(super) fn add(&mut self, windows: usize, first: &[u16; TIMES]) {
        self.keys += 1.0;
        let Some(first) = first.get(..windows).filter(|first| !first.is_empty()) else {
            return;
        };
        self.times[windows - 1] += 1.0;
        for &window in first {
            self.of_windows[usize::from(window) - 1][windows - 1] += 1.0;
        }
    }

    /// At least and at most how many times as many keys the whole text has, if the windows are this share of all parts.
    pub(super) fn growth(&self, share: f64) -> (f64, f64) {
        if self.keys == 0.0 || self.of_windows.len() < 2 || share >= 1.0 {
            return (1.0, 1.0);
        }
        let (_, k, l) = best(&moments(&self.times, share));
        let (least, error) = self.estimate(share, |moments| unseen(moments, k, l));
        // Those that were seen are certain.
        let least = (least - ERRORS * error).max(self.keys);
        let (most, error) = self.estimate(share, |moments| moments[0]);
        let most = (most + ERRORS * error).max(least);
        (least / self.keys, most / self.keys)
    }

    /// The keys of the whole text, if so many are `unseen`, and the standard error.
    fn estimate(&self, share: f64, unseen: impl Fn(&[f64; DEGREE]) -> f64) -> (f64, f64) {
        let windows = self.of_windows.len() as f64;
        // The estimate without each of the windows.
        let share_of_others = share * (windows - 1.0) / windows;
        let without = self.of_windows.iter().map(|own| {
            let times = std::array::from_fn(|at| {
                self.times[at] - own[at] + own.get(at + 1).unwrap_or(&0.0)
            });
            self.keys - own[0] + unseen(&moments(&times, share_of_others))
        });
        let without: Vec<f64> = without.collect();
        let variance = squares(&without) * (windows - 1.0) / windows * (1.0 - share);
        let estimate = self.keys + unseen(&moments(&self.times, share));
        (estimate, variance.sqrt())
    }

    /// About how many times as many keys the whole text has. The number of keys of a part of a text often grows like a power
    /// of its size (Heaps' law). At the end of the windows, the power is the share of the keys that are in exactly one.
    pub(super) fn likely(&self, share: f64) -> f64 {
        match self.keys == 0.0 || share >= 1.0 {
            true => 1.0,
            false => share.powf(-self.times[0] / self.keys),
        }
    }
}

/// The sum of the squares of the distances from the mean.
fn squares(numbers: &[f64]) -> f64 {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    numbers.iter().map(|number| (number - mean).powi(2)).sum()
}

/// The best bound for the number of keys in no window, with the `k` and `l` of its polynomial.
fn best(moments: &[f64; DEGREE]) -> (f64, f64, f64) {
    let steps = std::iter::successors(Some(2.0f64), |l| Some((l * 1.1).ceil()));
    let steps: Vec<f64> = steps.take_while(|&l| l < LARGEST_L).collect();
    let mut best = (0.0, 1.0, LARGEST_L);
    for k in (1..=LARGEST_K).map(f64::from) {
        for &l in steps.iter().filter(|&&l| l > k) {
            let unseen = unseen(moments, k, l);
            if unseen > best.0 {
                best = (unseen, k, l);
            }
        }
    }
    best
}

/// The sums of `G(m) C(m, j)` for `j` from 1.
fn moments(times: &[f64; TIMES], share: f64) -> [f64; DEGREE] {
    let odds = share / (1.0 - share);
    std::array::from_fn(|at| times[at] / odds.powi(at as i32 + 1))
}

/// The bound of one polynomial for the number of keys in no window.
fn unseen(moments: &[f64; DEGREE], k: f64, l: f64) -> f64 {
    let scale = k * (k + 1.0) * l * (l + 1.0);
    let mut differences: [f64; DEGREE + 1] = std::array::from_fn(|m| {
        let m = m as f64;
        1.0 - (m - k) * (m - k - 1.0) * (m - l) * (m - l - 1.0) / scale
    });
    let mut sum = 0.0;
    for (done, moment) in moments.iter().enumerate() {
        for at in 0..DEGREE - done {
            differences[at] = differences[at + 1] - differences[at];
        }
        sum += differences[0] * moment;
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::testing::Random;

    /// The numbers that are expected if `keys[m - 1]` keys are in `m` parts.
    fn expected(keys: &[f64], share: f64) -> [f64; TIMES] {
        std::array::from_fn(|at| {
            let windows = at as i32 + 1;
            let of = |(m, keys): (i32, &f64)| {
                let ways = (0..windows).map(|i| f64::from(m - i) / f64::from(i + 1));
                let chance = share.powi(windows) * (1.0 - share).powi((m - windows).max(0));
                keys * ways.product::<f64>() * chance
            };
            (1..).zip(keys).map(of).sum()
        })
    }

    #[test]
    fn the_bound_is_below_the_truth_and_often_equal() {
        let share = 0.3;
        let found = |keys: &[f64]| best(&moments(&expected(keys, share), share)).0;
        let truth = |keys: &[f64]| -> f64 {
            let unseen = |(m, keys): (i32, &f64)| keys * (1.0 - share).powi(m);
            (1..).zip(keys).map(unseen).sum()
        };
        let mut some = vec![0.0; 40];
        // Two pairs of neighbours: the polynomial for them is 1 at each.
        for (m, keys) in [(1, 500.0), (2, 90.0), (7, 1000.0), (8, 10.0)] {
            some[m - 1] = keys;
            let (found, truth) = (found(&some), truth(&some));
            assert!((found / truth - 1.0).abs() < 1e-9, "{found} {truth}");
        }
        let many: Vec<f64> = (1..200).map(|m| 1000.0 / f64::from(m * m)).collect();
        let (found, truth) = (found(&many), truth(&many));
        assert!(0.9 * truth < found && found < truth, "{found} {truth}");
    }

    /// The distinct words of a part of a text. Their frequencies are like those of a language.
    fn part(random: &mut Random) -> BTreeSet<u64> {
        let word = |_| {
            // The word with number n has a probability of about 1 / n^1.5.
            let uniform = 1.0 - random.below(1 << 40) as f64 / (1u64 << 40) as f64;
            (uniform.powf(-2.0) as u64).min(1 << 40)
        };
        (0..6000).map(word).collect()
    }

    /// The bounds and the truth for a text of these parts, `windows` of which are chosen at random.
    fn bounds(random: &mut Random, text: &[BTreeSet<u64>], windows: usize) -> [f64; 3] {
        let mut order: Vec<usize> = (0..text.len()).collect();
        (1..order.len()).for_each(|at| order.swap(at, random.index(at + 1)));
        let mut known = BTreeMap::<u64, Vec<u16>>::new();
        for (window, &number) in (1..).zip(&order[..windows]) {
            for &word in &text[number] {
                known.entry(word).or_default().push(window);
            }
        }
        let mut occurrences = Occurrences::new(windows);
        for list in known.values() {
            let first = std::array::from_fn(|at| list.get(at).copied().unwrap_or(0));
            occurrences.add(list.len(), &first);
        }
        let all: BTreeSet<_> = text.iter().flatten().collect();
        let (least, most) = occurrences.growth(windows as f64 / text.len() as f64);
        [least, all.len() as f64 / known.len() as f64, most]
    }

    #[test]
    fn the_bounds_hold_the_truth() {
        let mut random = Random(77);
        for (windows, parts, copies) in [
            (64, 256, 1),
            (64, 512, 1),
            (64, 256, 2),
            (64, 256, 4),
            (128, 512, 8),
        ] {
            let text: Vec<_> = (0..parts / copies).map(|_| part(&mut random)).collect();
            let text = vec![text; copies].concat();
            let [least, truth, most] = bounds(&mut random, &text, windows);
            let found = format!("{windows} {parts} {copies}: {least} {truth} {most}");
            assert!(least <= truth && truth <= most, "{found}");
            assert!(truth < 2.0 * least, "{found}");
            assert!(copies > 1 || most < 3.0 * truth, "{found}");
        }
    }

    /// Every line of many texts has an address or a number that is nowhere else.
    #[test]
    fn the_bounds_hold_where_many_keys_occur_once() {
        let mut random = Random(78);
        for (common, once) in [(4000, 20), (2000, 60), (500, 200), (0, 50)] {
            let text: Vec<BTreeSet<u64>> = (0..400)
                .map(|part| {
                    let own = (0..once).map(|word| 1_000_000 + part * 1000 + word);
                    (0..common).chain(own).collect()
                })
                .collect();
            let [least, truth, most] = bounds(&mut random, &text, 100);
            let found = format!("{common} {once}: {least} {truth} {most}");
            assert!(least <= truth && truth <= most, "{found}");
            assert!(0.95 * truth < least && most < 1.05 * truth, "{found}");
        }
    }
}
