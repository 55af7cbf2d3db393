//! The whole run: read and count, merge, read again for candidates, supermerge, build the model.

use std::time::{Duration, Instant};

use super::finish::Learned;
use super::kept::Kept;
use super::stages::{Counted, count_candidates, count_pretokens, words_from};
use super::supermerges::Superwords;
use super::superwords::{greedy_floor, learn_from, split_candidates};
use super::words::Words;
use super::{TrainError, TrainOptions, WatchMerges};
use crate::corpus::{ReadOptions, ReadReport, Source, plan_sample};
use crate::count::{BigramSketch, CandidateCounts, Eligible, PretokenCounts};
use crate::model::{Facts, Method, Model};
use crate::observe::{Observer, Phase};
use crate::text::{Matcher, Pretokenizer};
use crate::token::Symbol;

/// What the guess is divided by. Superwords of three words and more are not counted, and pretokens
/// of several tokens are, so the guess alone may be too high or too low.
const BOUNDLESS_CAUTION: u64 = 2;

/// How long a phase took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTime {
    /// The phase.
    pub phase: Phase,
    /// Wall-clock time.
    pub time: Duration,
}

/// What a run did, for people. Nothing of it is saved in the model.
#[derive(Clone, Debug, Default)]
pub struct TrainReport {
    /// What was read.
    pub read: ReadReport,
    /// The phases in the order in which they ran; one may have run more than once.
    pub times: Vec<PhaseTime>,
    /// Pretokens in all documents.
    pub pretokens: u64,
    /// Distinct pretokens.
    pub unique_pretokens: u64,
    /// Distinct candidates after cutting, and the tokens in them.
    pub unique_candidates: u64,
    /// Tokens in the distinct candidates.
    pub candidate_tokens: u64,
    /// Bigrams rarer than this were cut; 1 where nothing was cut.
    pub cut_below: u64,
    /// Why the vocabulary is smaller than asked for, if it is.
    pub shortfall: Option<String>,
}

/// Trains a model. `sources` are read twice where superwords are learned, so pipes must have
/// been buffered; `read` says how.
pub fn train(
    sources: &[Source],
    read: &ReadOptions,
    pretokenizer: &Pretokenizer,
    options: &TrainOptions,
    observer: &dyn Observer,
) -> Result<(Model, TrainReport), TrainError> {
    options.check()?;
    let mut options = options.clone();
    options.threads = read.threads;
    let options = &options;
    let veto = options.veto.as_deref().map(Matcher::new).transpose()?;
    let mut read = read.clone();
    let mut times = Vec::new();
    let mut kept = Kept::open(options, &read)?;
    if let Some(kept) = &mut kept {
        Run::identify(kept, sources, options)?;
    }
    if let Some(sample) = options.sample {
        let start = Instant::now();
        read.sample = match &kept {
            Some(kept) => kept.plan_sample(sources, &read, options, observer)?,
            None => Some(plan_sample(sources, &read, sample, observer)?),
        };
        times.push(PhaseTime {
            phase: Phase::Sample,
            time: start.elapsed(),
        });
    }
    let mut run = Run {
        sources,
        read: &read,
        pretokenizer,
        options,
        veto,
        observer,
        kept: None,
        report: TrainReport {
            times,
            ..TrainReport::default()
        },
    };
    let (words, text, sketch) = match &mut kept {
        Some(kept) => run.words_kept(kept)?,
        None => run.words()?,
    };
    run.kept = kept;
    if let Some(model) = run.kept.as_ref().and_then(|kept| run.find_model(kept)) {
        let shortfall = model.parts().facts.get("shortfall");
        run.report.shortfall = shortfall.and_then(|said| Some(said.as_str()?.to_owned()));
        return Ok((model, run.report));
    }
    let learned = match options.method {
        Method::Bpe => Learned::from_words(words),
        Method::Boundless | Method::SuperBpe => run.learn_superwords(&words, sketch.as_ref())?,
    };
    run.report.shortfall = learned.shortfall(options);
    let model = learned.build(options, pretokenizer.config().clone(), None, text)?;
    if let Some(kept) = &run.kept {
        run.keep_model(kept, &model)?;
    }
    Ok((model, run.report))
}

pub(super) struct Run<'a> {
    pub(super) sources: &'a [Source],
    pub(super) read: &'a ReadOptions,
    pub(super) pretokenizer: &'a Pretokenizer,
    pub(super) options: &'a TrainOptions,
    veto: Option<Matcher>,
    pub(super) observer: &'a dyn Observer,
    kept: Option<Kept>,
    pub(super) report: TrainReport,
}

impl Run<'_> {
    pub(super) fn timed<T>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = work(self);
        self.report.times.push(PhaseTime {
            phase,
            time: start.elapsed(),
        });
        result
    }

    /// Reads all documents and counts their pretokens, and bigrams for cutting.
    fn count(&mut self) -> Result<Counted, TrainError> {
        self.timed(Phase::Count, |run| {
            let sketch = run.options.method != Method::Bpe && run.options.cutting;
            let counted = count_pretokens(
                run.sources,
                run.read,
                run.pretokenizer,
                sketch,
                run.observer,
            )?;
            run.report.read = counted.read.clone();
            run.report.pretokens = counted.pretokens;
            run.report.unique_pretokens = counted.counts.len() as u64;
            Ok(counted)
        })
    }

    /// The words, what is recorded about the text, and the sketch of its bigrams.
    fn words(&mut self) -> Result<(Words, Facts, Option<BigramSketch>), TrainError> {
        let counted = self.count()?;
        let words = self.learn_words(&counted.counts)?;
        Ok((words, counted.facts(), counted.sketch))
    }

    fn learn_words(&mut self, counts: &PretokenCounts) -> Result<Words, TrainError> {
        self.timed(Phase::Merge, |run| {
            words_from(counts, run.options, run.observer)
        })
    }

    /// Phase 2 with the cheapest cutting that is safe: a threshold that turns out too high is
    /// lowered, down to one that is known to be safe.
    fn learn_superwords(
        &mut self,
        words: &Words,
        sketch: Option<&BigramSketch>,
    ) -> Result<Learned, TrainError> {
        let eligible = words.eligible(self.options.alphabet, self.pretokenizer);
        let safe = self.safe_threshold(words);
        let mut threshold = match sketch {
            Some(sketch) if self.options.method == Method::SuperBpe => {
                (sketch.ranked(self.options.supermerges) / 4).max(safe)
            }
            Some(sketch) => self.boundless_guess(words, sketch).max(safe),
            None => 1,
        };
        loop {
            let (candidates, ngrams) = self.candidates(words, &eligible, sketch, threshold)?;
            let learned = self.supermerge(words, &candidates, threshold.max(safe))?;
            if learned.ambiguous && threshold > 1 {
                threshold = 1;
                continue;
            }
            if !learned.settled(threshold, safe) {
                threshold = (threshold / 8).max(safe);
                continue;
            }
            return Ok(Learned {
                steps: learned.steps,
                ngrams,
                size: learned.size,
            });
        }
    }

    /// A guess at the count of the rarest supermerge of BoundlessBPE, on the low side: words and
    /// superwords share the vocabulary, the most frequent of both, and the bigrams stand for the
    /// superwords. Where it is too high, the run notices and starts again.
    fn boundless_guess(&self, words: &Words, sketch: &BigramSketch) -> u64 {
        let mut counts: Vec<u64> = words.steps.iter().map(|step| step.count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let learned = self.options.tokens() - self.options.alphabet.size();
        sketch.ranked_among(learned, &counts) / BOUNDLESS_CAUTION
    }

    /// A count below which no supermerge can be chosen.
    fn safe_threshold(&self, words: &Words) -> u64 {
        let complete = words.size >= self.options.word_tokens();
        match self.options.method {
            Method::Boundless if complete => words
                .smallest_count()
                .unwrap_or(0)
                .max(self.options.min_count),
            _ => self.options.min_count.max(1),
        }
    }

    /// Reads all documents again and collects the candidates, cut or split as far as asked for.
    fn candidates(
        &mut self,
        words: &Words,
        eligible: &Eligible,
        sketch: Option<&BigramSketch>,
        threshold: u64,
    ) -> Result<(CandidateCounts, Vec<Vec<Symbol>>), TrainError> {
        self.timed(Phase::Candidates, |run| {
            let greedy = greedy_floor(words, run.options);
            // No frequent n-gram crosses a rare bigram, so splitting may follow cutting.
            let threshold = greedy.map_or(threshold, |floor| threshold.min(floor));
            let all = match &run.kept {
                Some(kept) => run.candidates_kept(kept, eligible, sketch, threshold)?,
                None => {
                    let (all, _) = count_candidates(
                        run.sources,
                        run.read,
                        run.pretokenizer,
                        eligible,
                        sketch,
                        threshold,
                        run.observer,
                    )?;
                    all
                }
            };
            let (all, recorded) = split_candidates(all, words, run.options)?;
            run.report.unique_candidates = all.len() as u64;
            run.report.candidate_tokens = all.tokens() as u64;
            run.report.cut_below = threshold;
            Ok((all, recorded))
        })
    }

    fn supermerge(
        &mut self,
        words: &Words,
        candidates: &CandidateCounts,
        min_count: u64,
    ) -> Result<Superwords, TrainError> {
        self.timed(Phase::Supermerge, |run| {
            let watch = WatchMerges::new(run.observer, Phase::Supermerge, run.options.threads);
            let veto = run.veto.clone();
            learn_from(words, candidates, run.options, veto, min_count, &watch)
        })
    }
}
