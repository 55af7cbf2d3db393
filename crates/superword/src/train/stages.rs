//! The stages of training as separate functions: a text can be counted in parts or on many
//! machines, and words and superwords can be learned from the counts afterwards.

use super::build::Learned;
use super::counting::{Budget, Pass};
use super::inputs::Inputs;
use super::report::{GroupRead, PhaseTime, TextReport};
use super::superwords::{Phase2, greedy_floor, guess_threshold, lower_threshold, safe_threshold};
use super::words::Words;
use super::work::Store;
use super::{Resources, TrainError, TrainOptions, WatchMerges};
use crate::corpus::{ReadOptions, ReadReport, Sample, Source, plan_sample};
use crate::count::{BigramBounds, CandidateCounts, EarlyCut, Eligible, PretokenCounts};
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
    /// Upper bounds on the counts of bigrams, if they were asked for.
    pub bounds: Option<BigramBounds>,
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

/// Counts the pretokens of a text, and its bigrams as well `with_bounds`. Bounds of all parts of a
/// text tell where candidates can be cut in every part; see [`count_candidates`].
pub fn count_pretokens(
    text: &Text<'_>,
    pretokenizer: &Pretokenizer,
    with_bounds: bool,
    observer: &dyn Observer,
) -> Result<CountedPretokens, TrainError> {
    let ((counts, tally), times) = text.pass(pretokenizer, observer, Phase::Count, |pass| {
        let sketch_size = with_bounds.then(|| pass.sketch_size());
        let mut tally = pass.pretokens(sketch_size, piece_key)?;
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
        bounds: tally.extras.sketch.as_ref().map(BigramBounds::from),
        text,
        times,
    })
}

/// Where candidates are cut.
#[derive(Clone, Copy, Debug)]
pub enum Cut<'a> {
    /// At bigrams that occur less often in the text that is read; 1 means nowhere.
    InThisText(u64),
    /// At bigrams that occur less often in a larger text, of which this text is a part. Candidates
    /// of several parts can be added up if they were cut in the same way.
    InWholeText(u64, &'a BigramBounds),
}

/// Counts the candidates of a text. Texts are prepared as encoding does it, and candidates end at
/// added tokens.
pub fn count_candidates(
    text: &Text<'_>,
    pretokenizer: &Pretokenizer,
    preparation: &Preparation,
    eligible: &Eligible,
    cut: Cut<'_>,
    observer: &dyn Observer,
) -> Result<CountedCandidates, TrainError> {
    let ((counts, tally), times) =
        text.pass(pretokenizer, observer, Phase::Candidates, |pass| {
            let preparation = (!preparation.is_nothing()).then_some(preparation);
            match cut {
                Cut::InThisText(below) => {
                    pass.candidates(preparation, eligible, None, below, piece_key)
                }
                Cut::InWholeText(below, bounds) => {
                    let sketch = bounds.at_least(below);
                    let early = EarlyCut {
                        sketch: &sketch,
                        threshold: below,
                    };
                    pass.whole_candidates(preparation, eligible, Some(early), piece_key)
                }
            }
        })?;
    Ok(CountedCandidates {
        counts,
        read: tally.read,
        times,
    })
}

/// Where to cut candidates so that the same superwords are learned from them: a guess, which
/// [`train_superwords`] checks. The options are those of [`train_superwords`].
pub fn guess_cut(
    words: &Model,
    bounds: &BigramBounds,
    options: &TrainOptions,
) -> Result<u64, TrainError> {
    options.check()?;
    let words = Words::of_model(words)?;
    let safe = safe_threshold(&words, options);
    let guess = guess_threshold(&words, bounds, options, safe).max(1);
    let floor = greedy_floor(&words, options).unwrap_or(u64::MAX);
    Ok(guess.min(floor))
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
    let safe = safe_threshold(&learned_words, options).max(1);
    if let Some(next) = greedy_floor(&learned_words, options).filter(|&floor| cut_below > floor) {
        return Err(TrainError::CutTooHigh { cut_below, next });
    }
    let split = phase2.split(candidates)?;
    let (candidates, ngrams) = match split {
        Some((ref split, ngrams)) => (split, ngrams),
        None => (candidates, Vec::new()),
    };
    let superwords = phase2.learn(candidates, cut_below.max(safe), &watch)?;
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
