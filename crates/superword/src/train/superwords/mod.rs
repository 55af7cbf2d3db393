//! Phase 2: learns superwords from candidates, by the method of the options.
//!
//! `boundless` and `superbpe` are the two algorithms, on top of `supermerger`. `allowed` decides
//! which pretokens may be joined, and `threshold` where candidates can be cut without harm.

mod allowed;
mod boundless;
#[cfg(feature = "files")]
mod guess;
mod seams;
mod superbpe;
mod supermerger;
mod threshold;

#[cfg(feature = "files")]
pub(super) use guess::{guess_superwords, guess_threshold};
pub(super) use supermerger::{Step, Superwords};
pub(super) use threshold::{lower_threshold, safe_threshold};

use std::borrow::Cow;

use self::allowed::Allowed;
use self::boundless::learn_boundless;
use self::seams::ExportableSeams;
use self::superbpe::learn_superbpe;
use super::options::SuperwordPatterns;
use super::words::Words;
use super::{GREEDY_FLOOR, GREEDY_LONGEST, GreedySplit, TrainError, TrainOptions, WatchMerges};
use crate::count::{CandidateCounts, count_ngrams, split_greedily};
use crate::model::Method;
use crate::token::Symbol;

/// The n-grams to save in the model; empty if it has none.
pub(super) type SavedNgrams = Vec<Vec<Symbol>>;

/// The words that superwords are made of, and the options.
pub(super) struct Phase2<'a> {
    words: &'a Words,
    options: &'a TrainOptions,
    patterns: SuperwordPatterns,
}

impl<'a> Phase2<'a> {
    /// `patterns` are those of the options: they are compiled before any text is read, so that an
    /// invalid pattern is reported at once.
    pub(super) fn new(
        words: &'a Words,
        options: &'a TrainOptions,
        patterns: SuperwordPatterns,
    ) -> Phase2<'a> {
        Phase2 {
            words,
            options,
            patterns,
        }
    }

    /// Splits candidates greedily; `None` if the options do not ask for it. Also returns the
    /// n-grams to save in the model.
    pub(super) fn split(
        &self,
        candidates: &CandidateCounts,
    ) -> Result<Option<(CandidateCounts, SavedNgrams)>, TrainError> {
        let Some(floor) = greedy_floor(self.words, self.options) else {
            return Ok(None);
        };
        let ngrams = count_ngrams(candidates, floor, GREEDY_LONGEST)?;
        let split = split_greedily(candidates, &ngrams)?;
        let saved = match self.options.greedy_split {
            GreedySplit::Encoding => ngrams.to_sorted(),
            GreedySplit::Off | GreedySplit::Training => Vec::new(),
        };
        Ok(Some((split, saved)))
    }

    /// Learns superwords. `min_count` is a lower bound on the count of any supermerge that can be
    /// chosen. Candidates that are owned are freed while they are read.
    pub(super) fn learn(
        &self,
        candidates: Cow<'_, CandidateCounts>,
        min_count: u64,
        watch: &WatchMerges<'_>,
    ) -> Result<Superwords, TrainError> {
        let (words, options) = (self.words, self.options);
        let allowed = Allowed::new(
            options.max_words,
            options.same_script,
            options.boundary,
            self.patterns.veto.clone(),
            self.seams(),
            words.alive.clone(),
        );
        // The tokens that exist before the first event.
        let initial = options.alphabet.size() + words.lookup.unmade;
        match options.method {
            Method::SuperBpe => learn_superbpe(
                words,
                initial,
                candidates,
                allowed,
                min_count,
                options.supermerges,
                watch,
            ),
            Method::Bpe | Method::Boundless => learn_boundless(
                words,
                initial,
                candidates,
                allowed,
                min_count,
                options.tokens(),
                watch,
            ),
        }
    }

    /// The check for superwords that have to be exportable.
    fn seams(&self) -> Option<ExportableSeams> {
        let shapes = self.patterns.exportable.clone();
        (!shapes.is_empty()).then(|| {
            ExportableSeams::new(shapes, self.words.encoder(self.options.alphabet).clone())
        })
    }
}

/// The smallest count of an n-gram for greedy splitting; `None` if there is no greedy splitting.
pub(super) fn greedy_floor(words: &Words, options: &TrainOptions) -> Option<u64> {
    match options.greedy_split {
        GreedySplit::Off => None,
        GreedySplit::Training | GreedySplit::Encoding => {
            Some(words.smallest_count().unwrap_or(0).max(GREEDY_FLOOR))
        }
    }
}
