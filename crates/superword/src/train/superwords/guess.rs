//! A first guess at where candidates are cut; see `threshold`.

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

/// About how many superwords are learned if `threshold` is the guess at the count of the rarest one.
pub(in crate::train) fn guess_superwords(
    words: &Words,
    options: &TrainOptions,
    threshold: u64,
) -> u64 {
    match options.method {
        Method::SuperBpe => options.supermerges as u64,
        Method::Bpe | Method::Boundless => {
            // Words that occur less often make room for superwords.
            let rarest = threshold.saturating_mul(BOUNDLESS_MARGIN);
            let is_rare =
                |step: &&crate::train::words::WordStep| !step.is_deletion() && step.count < rarest;
            words.steps.iter().filter(is_rare).count() as u64
        }
    }
}
