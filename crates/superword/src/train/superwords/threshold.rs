//! Where candidates are cut: as high as possible, without changing the result.
//!
//! A threshold that is known to be safe is often so low that cutting helps little. So a run starts
//! with a higher guess. Afterwards it can tell whether the guess was safe too
//! ([`Superwords::settled`](super::supermerger::Superwords::settled)), and tries again with a lower
//! one if not.

use crate::model::Method;
use crate::train::TrainOptions;
use crate::train::words::Words;

/// A count below which no supermerge can be chosen.
pub(in crate::train) fn safe_threshold(words: &Words, options: &TrainOptions) -> u64 {
    let complete = words.size >= options.word_tokens();
    match options.method {
        Method::Boundless if complete => words.smallest_count().unwrap_or(0).max(options.min_count),
        _ => options.min_count.max(1),
    }
}

/// The next threshold after one that was too high.
pub(in crate::train) fn lower_threshold(threshold: u64, safe: u64) -> u64 {
    (threshold / 8).max(safe)
}
