//! Counting a text, in one pass.

use crate::corpus::{ReadOptions, ReadReport, Sample, Source};
use crate::count::{BigramBounds, CandidateCounts, PretokenCounts};
use crate::model::Model;
use crate::observe::{Observer, Phase};
use crate::prepare::Preparations;
use crate::text::Pretokenizer;
use crate::train::counting::{Budget, Pass, Purpose};
use crate::train::extent::Extent;
use crate::train::inputs::Inputs;
use crate::train::report::{GroupRead, PhaseTime, TextReport};
use crate::train::sampling;
use crate::train::superwords::{greedy_floor, guess_threshold, safe_threshold};
use crate::train::words::Words;
use crate::train::work::{SampleNames, Store};
use crate::train::{Resources, TrainError, TrainOptions};

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
#[non_exhaustive]
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
#[non_exhaustive]
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
    Budget::new(max_memory, read, true).map(|_| ())
}

/// Counts the pretokens of a text, and its bigrams as well `with_bounds`. Bounds of all parts of a
/// text tell where candidates can be cut in every part; see [`count_candidates`].
pub fn count_pretokens(
    text: &Text<'_>,
    pretokenizer: &Pretokenizer,
    with_bounds: bool,
    observer: &dyn Observer,
) -> Result<CountedPretokens, TrainError> {
    let ((counts, tally), times) =
        text.pass(pretokenizer, observer, Phase::Count, with_bounds, |pass| {
            let sketch_size = with_bounds.then(|| pass.sketch_size());
            let mut tally = pass.pretokens(sketch_size, piece_key)?;
            let counts = pass.gather(Phase::Count, std::mem::take(&mut tally.parts))?;
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

/// Counts the candidates of a text, in the symbols of a model without superwords.
///
/// Texts are prepared as encoding does it: special tokens are plain text, and candidates end at other
/// added tokens.
pub fn count_candidates(
    text: &Text<'_>,
    words: &Model,
    cut: Cut<'_>,
    observer: &dyn Observer,
) -> Result<CountedCandidates, TrainError> {
    let pretokenizer = &Pretokenizer::new(words.parts().pretokenizer.clone())?;
    let eligible = &Words::of_model(words)?.eligible(words.parts().alphabet, pretokenizer);
    let preparations = Preparations::new(words);
    let preparation = Some(preparations.ordinary()).filter(|ordinary| !ordinary.is_nothing());
    let ((counts, tally), times) = text.pass(
        pretokenizer,
        observer,
        Phase::Candidates,
        false,
        |pass| match cut {
            Cut::InThisText(below) => {
                pass.candidates(preparation, eligible, None, below, piece_key)
            }
            Cut::InWholeText(below, bounds) => {
                let early = bounds.at_least(below);
                pass.whole_candidates(preparation, eligible, Some(&early), piece_key)
            }
        },
    )?;
    Ok(CountedCandidates {
        counts,
        read: tally.read,
        times,
    })
}

/// Where to cut candidates so that the same superwords are learned from them: a guess, which
/// [`train_superwords`](super::train_superwords) checks. The options are those of that function.
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
fn piece_key(_: &Extent) -> String {
    "all".into()
}

impl Text<'_> {
    /// Draws the sample if there is one, and makes one pass over the text.
    fn pass<T>(
        &self,
        pretokenizer: &Pretokenizer,
        observer: &dyn Observer,
        phase: Phase,
        has_sketch: bool,
        count: impl FnOnce(&Pass<'_>) -> Result<T, TrainError>,
    ) -> Result<(T, Vec<PhaseTime>), TrainError> {
        let budget = self
            .max_memory
            .map(|limit| Budget::new(limit, self.read, has_sketch));
        let budget = budget.transpose()?;
        let passed = self.pass_within(budget, pretokenizer, observer, phase, has_sketch, count);
        passed.map_err(|error| match budget {
            Some(budget) => budget.explain(error, self.read),
            None => error,
        })
    }

    fn pass_within<T>(
        &self,
        budget: Option<Budget>,
        pretokenizer: &Pretokenizer,
        observer: &dyn Observer,
        phase: Phase,
        has_sketch: bool,
        count: impl FnOnce(&Pass<'_>) -> Result<T, TrainError>,
    ) -> Result<(T, Vec<PhaseTime>), TrainError> {
        let store = Store::open(&Resources {
            max_memory: self.max_memory,
            ..Resources::default()
        })?;
        let inputs = match self.sample {
            Some(_) => Inputs::unchanging(self.sources),
            None => Inputs::read_once(self.sources),
        };
        let mut read = match budget {
            Some(budget) => budget.reading(self.read),
            None => self.read.clone(),
        };
        let mut times = Vec::new();
        let mut kept = None;
        if let Some(sample) = self.sample {
            // Nothing is kept after this pass, so the name does not matter.
            let names = SampleNames::new("all");
            let drawn = PhaseTime::measure(&mut times, Phase::Sample, || {
                sampling::draw(&inputs, &read, sample, &store, &names, observer)
            });
            let (plan, texts) = drawn?;
            (read.sample, kept) = (Some(plan), texts);
        }
        let pass = Pass {
            inputs: &inputs,
            sample: kept.as_ref(),
            read: &read,
            pretokenizer,
            store: &store,
            budget,
            has_sketch,
            purpose: Purpose::Counting,
            piece_bytes: None,
            observer,
        };
        let counted = PhaseTime::measure(&mut times, phase, || count(&pass))?;
        if kept.is_none() {
            inputs.check_all()?;
        }
        Ok((counted, times))
    }
}
