//! How much of the work of a loop of merges is done.
//!
//! The number of tokens says little about it: the first hundred merges of a large text join a pair at
//! millions of places, and the last ten thousand at a few each. The time of a merge is nearly
//! proportional to its places plus a constant. So the work that is done is known. What is left is
//! estimated: the number of places falls about as 1/n with the number of the merge, as all
//! frequencies of words do, and no more pairs can be joined than there are.

/// What a merge costs besides its places, in places: the queue, and the pairs around it.
const MERGE_COST: f64 = 16.0;

/// The work of making a given number of tokens.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    /// Tokens to make.
    total: f64,
    /// The most joins that are possible.
    most_joins: f64,
    /// Tokens made and joins at some points in the past, each with a quarter more tokens than the
    /// one before.
    past: Vec<(f64, f64)>,
}

impl Effort {
    /// The work of making `total` tokens, with at most `most_joins` joins.
    pub(super) fn new(total: usize, most_joins: u64) -> Effort {
        Effort {
            total: total as f64,
            most_joins: most_joins as f64,
            past: Vec::new(),
        }
    }

    /// The share of the work that is done, from 0 to 1, after `made` tokens and `joins` joins.
    pub(super) fn share(&mut self, made: usize, joins: u64) -> f64 {
        let (made, joins) = (made as f64, joins as f64);
        let left = (self.total - made).max(0.0);
        if left == 0.0 {
            return 1.0;
        }
        let possible = (self.most_joins - joins).max(0.0);
        let expected = match self.past.iter().rev().find(|past| past.0 <= made / 2.0) {
            // Places that fall as a/n add up to a ln(m/n) between the merges n and m.
            Some(&(n, before)) => (joins - before) / (made / n).ln() * (self.total / made).ln(),
            None => possible,
        };
        if made >= 1.0 && self.past.last().is_none_or(|past| made >= 1.25 * past.0) {
            self.past.push((made, joins));
        }
        let done = joins + MERGE_COST * made;
        let left = expected.min(possible) + MERGE_COST * left;
        done / (done + left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges whose places fall as 1/n.
    fn joins_of(merge: usize, places: f64) -> u64 {
        (places / merge as f64) as u64
    }

    #[test]
    fn shares_are_those_of_the_work_from_early_on() {
        let (merges, places) = (20_000, 400_000.0);
        let cost = |merge: usize| joins_of(merge, places) as f64 + MERGE_COST;
        let work: f64 = (1..=merges).map(cost).sum();
        let mut effort = Effort::new(merges, 6_000_000);
        let (mut joins, mut done, mut last) = (0, 0.0, 0.0);
        for merge in 1..=merges {
            joins += joins_of(merge, places);
            done += cost(merge);
            let share = effort.share(merge, joins);
            assert!(share <= 1.0);
            if merge > 10 {
                let ratio = share / (done / work);
                assert!((0.8..1.25).contains(&ratio), "{merge}: {share} for {ratio}");
            }
            assert!(share > last - 0.05, "{merge}: {share} after {last}");
            last = share;
        }
        assert_eq!(last, 1.0);
    }

    #[test]
    fn numbers_that_cannot_be_are_no_problem() {
        assert_eq!(Effort::new(0, 0).share(0, 0), 1.0);
        assert_eq!(Effort::new(5, 0).share(9, 9), 1.0);
        let mut effort = Effort::new(10, 0);
        for made in [0, 1, 2, 1, 9] {
            let share = effort.share(made, u64::MAX);
            assert!(
                (0.0..1.0).contains(&share) || share == 1.0,
                "{made}: {share}"
            );
        }
        assert_eq!(Effort::new(10, 100).share(0, 0), 0.0);
    }
}
