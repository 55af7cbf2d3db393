//! Phase 2 by itself, from candidates; [`super::train`] stands on the same functions.

use super::finish::Learned;
use super::rules::SupermergeRules;
use super::supermerges::{Superwords, learn_boundless, learn_superbpe};
use super::words::Words;
use super::{GREEDY_FLOOR, GREEDY_LONGEST, GreedySplit, TrainError, TrainOptions, WatchMerges};
use crate::count::{CandidateCounts, count_ngrams, split_greedily};
use crate::model::{Facts, Method, Model};
use crate::observe::{Observer, Phase};
use crate::text::Matcher;
use crate::token::Symbol;

/// Phase 2 by itself: adds superwords to a model of the kind `bpe`, from candidates in its symbols
/// that were cut below `cut_below` (1: not cut). The tokens of a model with special tokens or ids
/// of its own keep their ids, and superwords get the ids after all of them; `options` then has no
/// special tokens.
///
/// BoundlessBPE gives what [`super::train`] gives if the words were learned at the full size,
/// special tokens aside; SuperBPE if they were learned at that size without the supermerges.
pub fn train_superwords(
    words: &Model,
    candidates: &CandidateCounts,
    cut_below: u64,
    options: &TrainOptions,
    text: Facts,
    observer: &dyn Observer,
) -> Result<(Model, Option<String>), TrainError> {
    options.check()?;
    if options.method == Method::Bpe {
        return Err(TrainError::SuperwordsOnly);
    }
    let keeps_ids = words.parts().ids.is_some() || !words.parts().specials.is_empty();
    let base = keeps_ids.then_some(words);
    let mut options = options.clone();
    if let Some(base) = base {
        if options.method != Method::SuperBpe {
            return Err(TrainError::BaseNeedsSuperBpe);
        }
        if !options.special_tokens.is_empty() {
            return Err(TrainError::BaseHasSpecials);
        }
        let specials = base.parts().specials.iter();
        options.special_tokens = specials.map(|special| special.text.clone()).collect();
        // Ids may leave gaps; the size is that of the tokens there are.
        options.vocab_size =
            base.vocabulary().n_tokens() + options.special_tokens.len() + options.supermerges;
    }
    let options = &options;
    let learned_words = Words::of_model(words)?;
    let veto = options.veto.as_deref().map(Matcher::new).transpose()?;
    let watch = WatchMerges::new(observer, Phase::Supermerge, options.threads);
    let floor = options.min_count.max(1);
    if let Some(floor) = greedy_floor(&learned_words, options)
        && cut_below > floor
    {
        return Err(TrainError::CutTooHigh { cut_below });
    }
    let split;
    let (candidates, ngrams) = match options.greedy_split {
        GreedySplit::Off => (candidates, Vec::new()),
        _ => {
            let ngrams;
            (split, ngrams) = split_candidates(candidates.clone(), &learned_words, options)?;
            (&split, ngrams)
        }
    };
    let superwords = learn_from(&learned_words, candidates, options, veto, floor, &watch)?;
    let enough = superwords.settled(cut_below, floor);
    if cut_below > 1 && (superwords.ambiguous || !enough) {
        return Err(TrainError::CutTooHigh { cut_below });
    }
    let learned = Learned {
        steps: superwords.steps,
        ngrams,
        size: superwords.size,
    };
    let shortfall = learned.shortfall(options);
    let pretokenizer = words.parts().pretokenizer.clone();
    let model = learned.build(options, pretokenizer, base, text)?;
    Ok((model, shortfall))
}

/// N-grams for greedy splitting occur at least this often; `None` where it is off.
pub(super) fn greedy_floor(words: &Words, options: &TrainOptions) -> Option<u64> {
    match options.greedy_split {
        GreedySplit::Off => None,
        _ => Some(words.smallest_count().unwrap_or(0).max(GREEDY_FLOOR)),
    }
}

/// Splits candidates greedily where that is asked for; the n-grams are those to be recorded.
pub(super) fn split_candidates(
    candidates: CandidateCounts,
    words: &Words,
    options: &TrainOptions,
) -> Result<(CandidateCounts, Vec<Vec<Symbol>>), TrainError> {
    let Some(floor) = greedy_floor(words, options) else {
        return Ok((candidates, Vec::new()));
    };
    let ngrams = count_ngrams(&candidates, floor, GREEDY_LONGEST)?;
    let split = split_greedily(&candidates, &ngrams)?;
    let recorded = match options.greedy_split {
        GreedySplit::Encoding => ngrams.to_sorted(),
        _ => Vec::new(),
    };
    Ok((split, recorded))
}

pub(super) fn learn_from(
    words: &Words,
    candidates: &CandidateCounts,
    options: &TrainOptions,
    veto: Option<Matcher>,
    min_count: u64,
    watch: &WatchMerges<'_>,
) -> Result<Superwords, TrainError> {
    let rules = SupermergeRules::new(
        options.max_words,
        options.same_script,
        options.boundary,
        veto,
        words.alive.clone(),
    );
    let alphabet = options.alphabet.size();
    match options.method {
        Method::SuperBpe => learn_superbpe(
            words,
            alphabet,
            candidates,
            rules,
            min_count,
            options.supermerges,
            watch,
        ),
        _ => learn_boundless(
            words,
            alphabet,
            candidates,
            rules,
            min_count,
            options.tokens(),
            watch,
        ),
    }
}
