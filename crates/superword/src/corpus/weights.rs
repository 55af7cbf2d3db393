//! Groups of sources, and the weights of their documents.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A seed that nobody gives to a sample by chance, so that the two draws are independent.
const SEED: u64 = 0x7765_6967_6874_7321;

/// How often a document counts: `whole` times, and once more for a share of the documents.
///
/// A hash of its text decides whether a document belongs to that share. So the result does not
/// depend on threads, on the order of files or on which file holds which document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    whole: u64,
    /// In units of 2^-64.
    share: u64,
}

impl Weight {
    /// The largest weight.
    pub const MAX: f64 = 1e6;

    /// The weight of ordinary documents.
    pub const ONE: Weight = Weight { whole: 1, share: 0 };

    /// A weight between 0 and [`Weight::MAX`]; `None` for other numbers.
    ///
    /// 2.25 means twice, and a third time for a quarter of the documents.
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

    /// True if no document of this weight counts at all.
    pub fn is_zero(self) -> bool {
        self == Weight { whole: 0, share: 0 }
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
    /// The names and weights, as given.
    pub groups: Arc<[(String, f64)]>,
    /// By source: the index of its group.
    of_source: Arc<[usize]>,
    weights: Arc<[Weight]>,
}

impl Groups {
    /// `of_source` has an index into `groups` for each source. `None` if a weight or an index is
    /// out of range.
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

    /// The weight of the documents of a source, given by its index.
    pub(crate) fn weight_of(&self, source: usize) -> Weight {
        match self.of_source.get(source) {
            Some(&group) => self.weights[group],
            None => Weight::ONE,
        }
    }

    /// The index of the group of a source.
    pub(crate) fn group_of(&self, source: usize) -> Option<usize> {
        self.of_source.get(source).copied()
    }

    /// The same groups without their weights, for work that looks at each document once. Groups of
    /// weight 0 keep it: their documents are not part of the text.
    pub(crate) fn without_weights(&self) -> Groups {
        let weights = self.weights.iter().map(|weight| match weight.is_zero() {
            true => *weight,
            false => Weight::ONE,
        });
        Groups {
            weights: weights.collect(),
            ..self.clone()
        }
    }

    /// The groups of a range of the sources.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> Groups {
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
