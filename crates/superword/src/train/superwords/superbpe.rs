//! SuperBPE: all words first, then a given number of supermerges.

use std::borrow::Cow;

use super::allowed::Allowed;
use super::supermerger::{Members, Step, Supermerger, Superwords};
use crate::count::CandidateCounts;
use crate::train::words::Words;
use crate::train::{TrainError, WatchMerges};

/// All steps of phase 1, then this many supermerges, or fewer if no pair is left.
pub(super) fn learn_superbpe(
    words: &Words,
    initial: usize,
    candidates: Cow<'_, CandidateCounts>,
    allowed: Allowed,
    min_count: u64,
    supermerges: usize,
    watch: &WatchMerges<'_>,
) -> Result<Superwords, TrainError> {
    let mut supermerger = Supermerger::new(words, candidates, allowed, min_count, watch)?;
    let mut vocabulary = Members::new(initial);
    let mut steps = Vec::new();
    for step in &words.steps {
        vocabulary.replay(&step.event);
        steps.push(Step::Word(step.clone()));
    }
    let mut settled_from = u64::MAX;
    let mut merging = watch.merging(0, supermerges, supermerger.merger.most_joins());
    for made in 0..supermerges {
        merging.step(made, supermerger.merger.joins())?;
        supermerger.merger.merge_ahead(supermerges - made, |_| true);
        let Some(pair) = supermerger.merger.best()? else {
            settled_from = 0;
            break;
        };
        settled_from = settled_from.min(pair.count);
        let joined = supermerger.merge(pair)?;
        vocabulary.enter_superword(joined);
        steps.push(Step::Super(pair, joined));
    }
    merging.done(supermerges);
    Ok(Superwords {
        steps,
        size: vocabulary.size,
        ambiguous: supermerger.ambiguous,
        settled_from,
    })
}
