//! The whole run for texts in memory: no files, no threads, each text is read where it is.

use std::borrow::Cow;

use super::build::{Learned, TextFacts};
use super::superwords::{Phase2, safe_threshold};
use super::words::Words;
use super::{TrainError, TrainOptions, WatchMerges};
use crate::count::{CandidateCounter, CandidateCounts, PretokenCounter};
use crate::model::{Method, Model};
use crate::observe::{Observer, Phase, check_stop};
use crate::text::{Pretokenizer, SplitError};

/// Trains a model on texts, each of which is one document. All of them are used: there is no sample.
/// The second result says why the vocabulary is smaller than requested, if it is.
///
/// The model is the one that `train` learns from the same documents in files.
///
/// ```
/// use superword::model::Method;
/// use superword::observe::Silent;
/// use superword::text::{Pretokenizer, PretokenizerConfig};
/// use superword::train::{TrainOptions, train_documents};
///
/// let config = PretokenizerConfig::preset("gpt2").ok_or("no such preset")?;
/// let pretokenizer = Pretokenizer::new(config)?;
/// let options = TrainOptions::new(Method::Bpe, 258);
/// let (model, _) = train_documents(&["low lower", "lowest"], &pretokenizer, &options, &Silent)?;
/// assert_eq!(model.n_vocab(), 258);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn train_documents(
    documents: &[&str],
    pretokenizer: &Pretokenizer,
    options: &TrainOptions,
    observer: &dyn Observer,
) -> Result<(Model, Option<String>), TrainError> {
    options.check()?;
    let config = pretokenizer.config();
    // Compiled before anything is counted, so that an invalid pattern is reported at once.
    let patterns = options.patterns(config)?;
    let mut counter = PretokenCounter::new(pretokenizer.clone(), None);
    let bytes = read(documents, Phase::Count, observer, |text| {
        counter.document(text)
    })?;
    let (counts, _, pretokens) = counter.finish();
    let facts = TextFacts {
        documents: documents.len() as u64,
        bytes,
        skipped_documents: 0,
        pretokens,
        unique_pretokens: counts.len() as u64,
    };
    let watch = WatchMerges::new(observer, Phase::Merge, 1);
    let words = Words::learn(Cow::Owned(counts), options, &watch)?;
    let learned = match options.method {
        Method::Bpe => Learned::from_words(&words),
        Method::Boundless | Method::SuperBpe => {
            let all = count_candidates(documents, &words, pretokenizer, options, observer)?;
            let phase2 = Phase2::new(&words, options, patterns);
            let (candidates, ngrams) = match phase2.split(&all)? {
                Some(split) => split,
                None => (all, Vec::new()),
            };
            let watch = WatchMerges::new(observer, Phase::Supermerge, 1);
            let least = safe_threshold(&words, options).max(1);
            Learned::from_superwords(phase2.learn(Cow::Owned(candidates), least, &watch)?, ngrams)
        }
    };
    let shortfall = learned.shortfall(options);
    let model = learned.build(options, config.clone(), None, facts.into_facts())?;
    Ok((model, shortfall))
}

/// Counts candidates without cutting them: texts in memory are small.
fn count_candidates(
    documents: &[&str],
    words: &Words,
    pretokenizer: &Pretokenizer,
    options: &TrainOptions,
    observer: &dyn Observer,
) -> Result<CandidateCounts, TrainError> {
    let eligible = words.eligible(options.alphabet, pretokenizer);
    let mut counter = CandidateCounter::new(pretokenizer.clone(), None, &eligible, None);
    read(documents, Phase::Candidates, observer, |text| {
        counter.document(text)
    })?;
    Ok(counter.take_counts())
}

/// Passes every document to `count` and returns their bytes.
fn read(
    documents: &[&str],
    phase: Phase,
    observer: &dyn Observer,
    mut count: impl FnMut(&str) -> Result<(), SplitError>,
) -> Result<u64, TrainError> {
    let total = documents.iter().map(|text| text.len() as u64).sum();
    let mut done = 0;
    for text in documents {
        check_stop(observer)?;
        observer.progress(phase, done, Some(total));
        count(text)?;
        done += text.len() as u64;
    }
    observer.progress(phase, done, Some(total));
    Ok(total)
}
