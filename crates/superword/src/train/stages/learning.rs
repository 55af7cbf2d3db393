//! Learning words and superwords from counts.

use std::borrow::Cow;

use crate::count::{CandidateCounts, PretokenCounts};
use crate::model::{Facts, Method, Model};
use crate::observe::{Observer, Phase};
use crate::text::Pretokenizer;
use crate::train::build::Learned;
use crate::train::superwords::{Phase2, greedy_floor, lower_threshold, safe_threshold};
use crate::train::words::Words;
use crate::train::{TrainError, TrainOptions, WatchMerges};

/// Phase 1 alone: learns a model of words from counts, on `threads` threads (0: one per core).
/// `text` has the facts to save about the text (`TextReport::facts`). The second result says why
/// the vocabulary is smaller than requested, if it is.
pub fn train_words(
    counts: &PretokenCounts,
    pretokenizer: &Pretokenizer,
    options: &TrainOptions,
    text: Facts,
    threads: usize,
    observer: &dyn Observer,
) -> Result<(Model, Option<String>), TrainError> {
    options.check()?;
    if options.method != Method::Bpe {
        return Err(TrainError::WordsOnly);
    }
    let watch = WatchMerges::new(observer, Phase::Merge, threads);
    let learned = Learned::from_words(&Words::learn(Cow::Borrowed(counts), options, &watch)?);
    let shortfall = learned.shortfall(options);
    let model = learned.build(options, pretokenizer.config().clone(), None, text)?;
    Ok((model, shortfall))
}

/// Phase 2 alone: adds superwords to a model of words, on `threads` threads (0: one per core).
/// The symbols of the candidates are those of the model. The candidates were cut at bigrams that
/// occur fewer than `cut_below` times (1: not cut).
///
/// If the model has added tokens, custom ids or anything else that only imports have, its tokens keep
/// their ids, and superwords get the ids after all of them. `options` must not have special tokens
/// then.
///
/// BoundlessBPE gives the result of a whole run if the words were learned at the full
/// vocabulary size without special tokens. SuperBPE does if they were learned at that size minus
/// the number of supermerges.
pub fn train_superwords(
    words: &Model,
    candidates: &CandidateCounts,
    cut_below: u64,
    options: &TrainOptions,
    text: Facts,
    threads: usize,
    observer: &dyn Observer,
) -> Result<(Model, Option<String>), TrainError> {
    options.check()?;
    if options.method == Method::Bpe {
        return Err(TrainError::SuperwordsOnly);
    }
    let is_imported = words.parts().ids.is_some()
        || !words.parts().added.is_empty()
        || words.format_version() > 1;
    let base = is_imported.then_some(words);
    let mut options = options.clone();
    if let Some(base) = base {
        if options.method != Method::SuperBpe {
            return Err(TrainError::BaseNeedsSuperBpe);
        }
        if !options.special_tokens.is_empty() {
            return Err(TrainError::BaseHasSpecials);
        }
        let added = base.parts().added.iter();
        options.special_tokens = added.map(|token| token.text.clone()).collect();
        // Ids may have gaps, so the size is the number of tokens.
        options.vocab_size =
            base.vocabulary().n_tokens() + options.special_tokens.len() + options.supermerges;
    }
    let options = &options;
    let learned_words = Words::of_model(words)?;
    let patterns = options.patterns(&words.parts().pretokenizer)?;
    let phase2 = Phase2::new(&learned_words, options, patterns);
    let watch = WatchMerges::new(observer, Phase::Supermerge, threads);
    let safe = safe_threshold(&learned_words, options).max(1);
    if let Some(next) = greedy_floor(&learned_words, options).filter(|&floor| cut_below > floor) {
        return Err(TrainError::CutTooHigh { cut_below, next });
    }
    let split = phase2.split(candidates)?;
    let (candidates, ngrams) = match split {
        Some((ref split, ngrams)) => (split, ngrams),
        None => (candidates, Vec::new()),
    };
    let superwords = phase2.learn(Cow::Borrowed(candidates), cut_below.max(safe), &watch)?;
    if superwords.ambiguous && cut_below > 1 {
        return Err(TrainError::CutTooHigh { cut_below, next: 1 });
    }
    if !superwords.settled(cut_below, safe) {
        let next = lower_threshold(cut_below, safe);
        return Err(TrainError::CutTooHigh { cut_below, next });
    }
    let learned = Learned::from_superwords(superwords, ngrams);
    let shortfall = learned.shortfall(options);
    let pretokenizer = words.parts().pretokenizer.clone();
    let model = learned.build(options, pretokenizer, base, text)?;
    Ok((model, shortfall))
}
