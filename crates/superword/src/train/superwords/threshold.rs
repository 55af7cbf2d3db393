//! Where candidates are cut: as high as possible, without changing the result.
//!
//! A threshold that is known to be safe is often so low that cutting helps little. So a run starts
//! with a higher guess. Afterwards it can tell whether the guess was safe too
//! ([`Superwords::settled`](super::supermerger::Superwords::settled)), and tries again with a lower
//! one if not.

use crate::count::Ranked;
use crate::model::Method;
use crate::train::TrainOptions;
use crate::train::words::Words;

/// What the guess for BoundlessBPE is divided by, to be on the safe side. The guess counts bigrams
/// in place of superwords: it misses superwords of three or more words, and it includes bigrams
/// that can never be superwords because a pretoken in them is more than one token.
const BOUNDLESS_MARGIN: u64 = 2;

/// The same for SuperBPE. Its guess rests on bigrams alone, so the margin is larger.
const SUPERBPE_MARGIN: u64 = 4;

/// A count below which no supermerge can be chosen.
pub(in crate::train) fn safe_threshold(words: &Words, options: &TrainOptions) -> u64 {
    let complete = words.size >= options.word_tokens();
    match options.method {
        Method::Boundless if complete => words.smallest_count().unwrap_or(0).max(options.min_count),
        _ => options.min_count.max(1),
    }
}

/// A guess at the count of the rarest supermerge, on the low side. Never below `safe`.
pub(in crate::train) fn guess_threshold(
    words: &Words,
    bigrams: &impl Ranked,
    options: &TrainOptions,
    safe: u64,
) -> u64 {
    let guess = match options.method {
        Method::SuperBpe => bigrams.ranked_among(options.supermerges, &[]) / SUPERBPE_MARGIN,
        // Words and superwords share the vocabulary: it holds the most frequent of both.
        Method::Bpe | Method::Boundless => {
            let mut counts: Vec<u64> = words.steps.iter().map(|step| step.count).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let learned = options.tokens() - options.alphabet.size();
            bigrams.ranked_among(learned, &counts) / BOUNDLESS_MARGIN
        }
    };
    guess.max(safe)
}

/// The next threshold after one that was too high.
pub(in crate::train) fn lower_threshold(threshold: u64, safe: u64) -> u64 {
    (threshold / 8).max(safe)
}
