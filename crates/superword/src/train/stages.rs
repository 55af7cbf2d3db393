//! The stages of training as separate functions: a text can be counted in parts or on many
//! machines, and words and superwords can be learned from the counts afterwards.

use super::build::Learned;
use super::counting::{Budget, Pass};
use super::inputs::Inputs;
use super::report::{GroupRead, PhaseTime, TextReport};
use super::superwords::{Phase2, greedy_floor};
use super::words::Words;
use super::work::Store;
use super::{Resources, TrainError, TrainOptions, WatchMerges};
use crate::corpus::{ReadOptions, ReadReport, Sample, Source, plan_sample};
use crate::count::{CandidateCounts, Eligible, PretokenCounts};
use crate::model::{Facts, Method, Model};
use crate::observe::{Observer, Phase};
use crate::prepare::Preparation;
use crate::text::Pretokenizer;

/// A text to count, and how to read it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The inputs. Pipes must be buffered if there is a sample.
    pub sources: &'a [Source],
    /// How to read them.
    pub read: &'a ReadOptions,
    /// Count only a sample of the documents.
    pub sample: Option<Sample>,
    /// Count within about this many bytes of memory. Counts that do not fit go to temporary files.
    /// [`TrainError::MemoryExceeded`] if the sum of all counts does not fit.
    pub max_memory: Option<u64>,
}

/// The pretokens of a text.
#[derive(Clone, Debug)]
pub struct CountedPretokens {
    /// How often each pretoken occurs.
    pub counts: PretokenCounts,
    /// What was read.
    pub text: TextReport,
    /// How long it took.
    pub times: Vec<PhaseTime>,
}

/// The candidates of a text.
#[derive(Clone, Debug)]
pub struct CountedCandidates {
    /// How often each candidate occurs.
    pub counts: CandidateCounts,
    /// What was read.
    pub read: ReadReport,
    /// How long it took.
    pub times: Vec<PhaseTime>,
}

/// Returns an error if nothing can be counted within `max_memory` bytes. The error says how much is
/// needed.
///
/// ```
/// use superword::corpus::ReadOptions;
/// use superword::train::{TrainError, check_memory};
/// let read = ReadOptions { threads: 1, ..ReadOptions::default() };
/// assert!(check_memory(1 << 30, &read).is_ok());
/// assert!(matches!(check_memory(1 << 20, &read), Err(TrainError::MemoryTooSmall { .. })));
/// ```
pub fn check_memory(max_memory: u64, read: &ReadOptions) -> Result<(), TrainError> {
    Budget::new(max_memory, read).map(|_| ())
}

/// Counts the pretokens of a text.
pub fn count_pretokens(
    text: &Text<'_>,
    pretokenizer: &Pretokenizer,
    observer: &dyn Observer,
) -> Result<CountedPretokens, TrainError> {
    let ((counts, tally), times) = text.pass(pretokenizer, observer, Phase::Count, |pass| {
        let mut tally = pass.pretokens(None, piece_key)?;
        let counts = pass.gather(std::mem::take(&mut tally.parts))?;
        Ok((counts, tally))
    })?;
    let text = TextReport {
        groups: GroupRead::of(text.read.groups.as_ref(), &tally.read),
        read: tally.read,
        pretokens: tally.extras.pretokens,
        unique_pretokens: counts.len() as u64,
    };
    Ok(CountedPretokens {
        counts,
        text,
        times,
    })
}

/// Counts the candidates of a text, cut at bigrams that occur fewer than `cut_below` times (1: not
/// cut). Texts are prepared as encoding does it, and candidates end at added tokens.
pub fn count_candidates(
    text: &Text<'_>,
    pretokenizer: &Pretokenizer,
    preparation: &Preparation,
    eligible: &Eligible,
    cut_below: u64,
    observer: &dyn Observer,
) -> Result<CountedCandidates, TrainError> {
    let ((counts, tally), times) =
        text.pass(pretokenizer, observer, Phase::Candidates, |pass| {
            let preparation = (!preparation.is_nothing()).then_some(preparation);
            pass.candidates(preparation, eligible, None, cut_below, piece_key)
        })?;
    Ok(CountedCandidates {
        counts,
        read: tally.read,
        times,
    })
}

/// No stage keeps its work, so there is only one piece.
fn piece_key(_: std::ops::Range<usize>) -> String {
    "all".into()
}

impl Text<'_> {
    /// Draws the sample if there is one, and makes one pass over the text.
    fn pass<T>(
        &self,
        pretokenizer: &Pretokenizer,
        observer: &dyn Observer,
        phase: Phase,
        count: impl FnOnce(&Pass<'_>) -> Result<T, TrainError>,
    ) -> Result<(T, Vec<PhaseTime>), TrainError> {
        let budget = self.max_memory.map(|limit| Budget::new(limit, self.read));
        let budget = budget.transpose()?;
        let store = Store::open(&Resources {
            max_memory: self.max_memory,
            ..Resources::default()
        })?;
        let inputs = match self.sample {
            Some(_) => Inputs::unchanging(self.sources),
            None => Inputs::read_once(self.sources),
        };
        let mut read = self.read.clone();
        let mut times = Vec::new();
        if let Some(sample) = self.sample {
            let plan = PhaseTime::measure(&mut times, Phase::Sample, || {
                plan_sample(self.sources, &read, sample, observer)
            });
            read.sample = Some(plan?);
        }
        let pass = Pass {
            inputs: &inputs,
            read: &read,
            pretokenizer,
            store: &store,
            budget,
            piece_bytes: None,
            observer,
        };
        let counted = PhaseTime::measure(&mut times, phase, || count(&pass))?;
        inputs.check_all()?;
        Ok((counted, times))
    }
}

/// Phase 1 alone: learns a model of words from counts, on `threads` threads (0: one per core).
/// `text` has the facts to save about the text ([`TextReport::facts`]). The second result says why
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
    let learned = Learned::from_words(&Words::learn(counts, options, &watch)?);
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
/// BoundlessBPE gives the result of [`super::train`] if the words were learned at the full
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
    let floor = options.min_count.max(1);
    if greedy_floor(&learned_words, options).is_some_and(|floor| cut_below > floor) {
        return Err(TrainError::CutTooHigh { cut_below });
    }
    let split = phase2.split(candidates)?;
    let (candidates, ngrams) = match split {
        Some((ref split, ngrams)) => (split, ngrams),
        None => (candidates, Vec::new()),
    };
    let superwords = phase2.learn(candidates, floor, &watch)?;
    let exact = !superwords.ambiguous && superwords.settled(cut_below, floor);
    if cut_below > 1 && !exact {
        return Err(TrainError::CutTooHigh { cut_below });
    }
    let learned = Learned::from_superwords(superwords, ngrams);
    let shortfall = learned.shortfall(options);
    let pretokenizer = words.parts().pretokenizer.clone();
    let model = learned.build(options, pretokenizer, base, text)?;
    Ok((model, shortfall))
}
