//! BoundlessBPE (Algorithm 1 of the paper): words and superwords compete for the vocabulary.

use std::borrow::Cow;

use super::allowed::Allowed;
use super::supermerger::{Members, Step, Supermerger, Superwords};
use crate::count::CandidateCounts;
use crate::merge::{Merger, PairCount};
use crate::observe::Stopped;
use crate::train::words::Words;
use crate::train::{TrainError, WatchMerges};

/// Replays the steps of phase 1 and inserts supermerges: at each step the merge with the larger count
/// is taken, the ordinary one if they are equal. `min_count` is a lower bound on the count of any
/// supermerge that can be chosen.
pub(super) fn learn_boundless(
    words: &Words,
    initial: usize,
    candidates: Cow<'_, CandidateCounts>,
    allowed: Allowed,
    min_count: u64,
    size: usize,
    watch: &WatchMerges<'_>,
) -> Result<Superwords, TrainError> {
    let mut supermerger = Supermerger::new(words, candidates, allowed, min_count, watch)?;
    let mut vocabulary = Members::new(initial);
    let mut steps = Vec::new();
    let mut pending = words.steps.iter().peekable();
    let mut settled_from = u64::MAX;
    // After a deletion, a pair may have to wait that was the next one before.
    let deletes = words.steps.iter().any(|step| step.is_deletion());
    let mut merging = watch.merging(vocabulary.size, size, supermerger.merger.most_joins());
    while vocabulary.size < size {
        merging.step(vocabulary.size, supermerger.merger.joins())?;
        if !deletes {
            let most = size - vocabulary.size;
            let is_member = |token| vocabulary.has(token);
            supermerger.merger.merge_ahead(most, is_member);
        }
        let ordinary = pending.peek().map_or(0, |step| step.count);
        match best_above(&mut supermerger.merger, &vocabulary, ordinary)? {
            Some(pair) => {
                let joined = supermerger.merge(pair)?;
                vocabulary.enter_superword(joined);
                settled_from = settled_from.min(pair.count);
                steps.push(Step::Super(pair, joined));
            }
            None => {
                let Some(step) = pending.next() else {
                    settled_from = 0;
                    break;
                };
                settled_from = settled_from.min(step.count.saturating_add(1));
                vocabulary.replay(&step.event);
                steps.push(Step::Word(step.clone()));
                // A deletion belongs to the merge before it.
                while let Some(deletion) = pending.next_if(|step| step.is_deletion()) {
                    vocabulary.replay(&deletion.event);
                    steps.push(Step::Word(deletion.clone()));
                }
            }
        }
        supermerger.merger.restore_deferred();
    }
    merging.done(vocabulary.size);
    Ok(Superwords {
        steps,
        size: vocabulary.size,
        ambiguous: supermerger.ambiguous,
        settled_from,
    })
}

/// The best supermerge whose count is larger than `ordinary` and whose parts are both in the
/// vocabulary. This is nearly always the best supermerge: a part that is not in the vocabulary yet
/// is made by an ordinary merge with at least the same count, which comes first. The exception is a
/// merge whose joined bytes existed before. It can make the counts of phase 1 rise again.
fn best_above(
    merger: &mut Merger<'_, Allowed>,
    vocabulary: &Members,
    ordinary: u64,
) -> Result<Option<PairCount>, Stopped> {
    loop {
        let Some(best) = merger.best()?.filter(|best| best.count > ordinary) else {
            return Ok(None);
        };
        if vocabulary.has(best.left) && vocabulary.has(best.right) {
            return Ok(Some(best));
        }
        merger.defer_best()?;
    }
}
