//! Groups of sources, and how much their documents weigh.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Another seed than any that people give to a sample: the two draws have nothing to do with
/// each other.
const SEED: u64 = 0x7765_6967_6874_7321;

/// How often a document counts: `whole` times, and once more for a share of the documents.
///
/// A document's place in the draw is a hash of its text, so it does not depend on threads, on the
/// order of files or on how documents are spread over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    whole: u64,
    /// Of 2^64.
    share: u64,
}

impl Weight {
    /// The largest weight.
    pub const MAX: f64 = 1e6;

    /// The weight of ordinary documents.
    pub const ONE: Weight = Weight { whole: 1, share: 0 };

    /// From a number between 0 and [`Weight::MAX`]; `None` for others.
    ///
    /// 2.25 stands for twice, and a third time for a quarter of the documents.
    pub fn new(weight: f64) -> Option<Weight> {
        if !(0.0..=Weight::MAX).contains(&weight) {
            return None;
        }
        // 2^64 times a number below 1 with 53 bits is exact.
        let share = weight.fract() * 18_446_744_073_709_551_616.0;
        Some(Weight {
            whole: weight.trunc() as u64,
            share: share as u64,
        })
    }

    /// How often this document counts.
    pub fn times(self, text: &str) -> u64 {
        if self.share == 0 {
            return self.whole;
        }
        let place = xxh3_64_with_seed(text.as_bytes(), SEED);
        self.whole + u64::from(place < self.share)
    }
}

/// Which group each source is in, and the weights of the groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// Names and weights, as given.
    pub groups: Arc<[(String, f64)]>,
    /// By source: the index of its group.
    of_source: Arc<[usize]>,
    weights: Arc<[Weight]>,
}

impl Groups {
    /// `of_source` has an index into `groups` for each source. `None` if a weight cannot be used
    /// or an index leads nowhere.
    pub fn new(groups: Vec<(String, f64)>, of_source: Vec<usize>) -> Option<Groups> {
        let weights: Vec<Weight> = groups
            .iter()
            .map(|&(_, weight)| Weight::new(weight))
            .collect::<Option<_>>()?;
        if of_source.iter().any(|&group| group >= groups.len()) {
            return None;
        }
        Some(Groups {
            groups: groups.into(),
            of_source: of_source.into(),
            weights: weights.into(),
        })
    }

    /// The weight of the documents of a source.
    pub fn weight_of(&self, source: usize) -> Weight {
        match self.of_source.get(source) {
            Some(&group) => self.weights[group],
            None => Weight::ONE,
        }
    }

    /// The group of a source.
    pub fn group_of(&self, source: usize) -> Option<usize> {
        self.of_source.get(source).copied()
    }

    /// The same for some of the sources only.
    pub fn slice(&self, range: std::ops::Range<usize>) -> Groups {
        Groups {
            of_source: self.of_source[range].into(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_counts_whole_times_and_once_more_for_its_share() {
        let texts: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
        for weight in [0.0, 0.25, 1.0, 2.0, 2.75, 1e6] {
            let drawn = Weight::new(weight).unwrap();
            let total: u64 = texts.iter().map(|text| drawn.times(text)).sum();
            let mean = total as f64 / texts.len() as f64;
            assert!((mean - weight).abs() < 0.02, "{weight}: {mean}");
            let whole = weight.trunc() as u64;
            assert!(
                texts
                    .iter()
                    .all(|text| (whole..=whole + 1).contains(&drawn.times(text)))
            );
        }
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 2e6] {
            assert_eq!(Weight::new(wrong), None);
        }
    }
}
