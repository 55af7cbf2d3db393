//! The whole run: count, learn words, count candidates, learn superwords, build the model.
//!
//! Every stage first looks for its result in the [`Store`], and keeps the result there. A store
//! that keeps nothing never finds anything, so the code is the same for all runs.

use std::borrow::Cow;

use super::build::Learned;
use super::counting::{Budget, Pass, Purpose, Size, Tally, WeightedPart};
use super::extent::Extent;
use super::inputs::Inputs;
use super::options::SuperwordPatterns;
use super::report::{GroupRead, PhaseTime, TextReport, TrainReport};
use super::sampling::{self, KeptSample};
use super::superwords::{
    Phase2, SavedNgrams, greedy_floor, guess_superwords, guess_threshold, lower_threshold,
    safe_threshold,
};
use super::words::Words;
use super::work::{Keys, Store};
use super::{Resources, TrainError, TrainOptions, WatchMerges};
use crate::corpus::{ReadOptions, Source};
use crate::count::{BigramSketch, CandidateCounts, Counts, Eligible, PretokenCounts};
use crate::model::{Method, Model};
use crate::observe::{Observer, Phase, Step};
use crate::text::Pretokenizer;

/// Trains a model. `read` says how to read the sources, and on how many threads to work. Sources
/// are read more than once if there are superwords or a sample, so pipes must be buffered.
pub fn train(
    sources: &[Source],
    read: &ReadOptions,
    pretokenizer: &Pretokenizer,
    options: &TrainOptions,
    resources: &Resources,
    observer: &dyn Observer,
) -> Result<(Model, TrainReport), TrainError> {
    options.check()?;
    let has_sketch = has_sketch(options, resources);
    let budget = resources
        .max_memory
        .map(|limit| Budget::new(limit, read, has_sketch));
    let Some(budget) = budget.transpose()? else {
        return train_within(
            None,
            sources,
            read,
            pretokenizer,
            options,
            resources,
            observer,
        );
    };
    let within = &budget.reading(read);
    train_within(
        Some(budget),
        sources,
        within,
        pretokenizer,
        options,
        resources,
        observer,
    )
    .map_err(|error| budget.explain(error, read))
}

/// True if bigrams are counted, because candidates will be cut.
fn has_sketch(options: &TrainOptions, resources: &Resources) -> bool {
    options.method != Method::Bpe && resources.cutting
}

fn train_within(
    budget: Option<Budget>,
    sources: &[Source],
    read: &ReadOptions,
    pretokenizer: &Pretokenizer,
    options: &TrainOptions,
    resources: &Resources,
    observer: &dyn Observer,
) -> Result<(Model, TrainReport), TrainError> {
    let is_read_once = options.method == Method::Bpe && options.sample.is_none();
    let inputs = match is_read_once && resources.work_dir.is_none() {
        true => Inputs::read_once(sources),
        false => Inputs::unchanging(sources),
    };
    let mut run = Run::new(
        &inputs,
        read,
        pretokenizer,
        options,
        resources,
        budget,
        observer,
    )?;
    run.plan_sample()?;
    let counted = run.count()?;
    let sketch = counted.extras.sketch;
    let words_key = run.keys.words(&counted.keys);
    let words = run.learn_words(&words_key, counted.parts)?;
    let model_name = format!("model-{}.superword", run.keys.model(&words_key));
    let model = match run.store.find_model(&model_name) {
        Some(model) => {
            let shortfall = model.parts().facts.get("shortfall");
            run.report.shortfall = shortfall.and_then(|fact| Some(fact.as_str()?.to_owned()));
            model
        }
        None => {
            let learned = match options.method {
                Method::Bpe => Learned::from_words(&words),
                Method::Boundless | Method::SuperBpe => {
                    run.learn_superwords(&words_key, &words, sketch.as_ref())?
                }
            };
            run.report.shortfall = learned.shortfall(options);
            let facts = run.report.text.facts();
            let model = learned.build(options, pretokenizer.config().clone(), None, facts)?;
            run.store.keep(&model_name, || Ok(model.to_bytes()))?;
            model
        }
    };
    Ok((model, run.report))
}

struct Run<'a> {
    inputs: &'a Inputs<'a>,
    /// Has the sample plan once it is made.
    read: ReadOptions,
    /// The documents of the sample, if they are read instead of the inputs.
    sample: Option<KeptSample>,
    pretokenizer: &'a Pretokenizer,
    options: &'a TrainOptions,
    resources: &'a Resources,
    store: Store,
    keys: Keys,
    budget: Option<Budget>,
    patterns: SuperwordPatterns,
    observer: &'a dyn Observer,
    report: TrainReport,
}

impl<'a> Run<'a> {
    fn new(
        inputs: &'a Inputs<'a>,
        read: &ReadOptions,
        pretokenizer: &'a Pretokenizer,
        options: &'a TrainOptions,
        resources: &'a Resources,
        budget: Option<Budget>,
        observer: &'a dyn Observer,
    ) -> Result<Run<'a>, TrainError> {
        let store = Store::open(resources)?;
        let identities = inputs.identities(store.kept_directory().is_some())?;
        let config = pretokenizer.config();
        Ok(Run {
            keys: Keys::new(identities, read, config, options, resources),
            inputs,
            read: read.clone(),
            sample: None,
            pretokenizer,
            options,
            resources,
            store,
            budget,
            patterns: options.patterns(config)?,
            observer,
            report: TrainReport::default(),
        })
    }

    fn timed<T>(&mut self, phase: Phase, work: impl FnOnce(&Self) -> T) -> T {
        let mut times = std::mem::take(&mut self.report.times);
        let result = PhaseTime::measure(&mut times, phase, || work(self));
        self.report.times = times;
        result
    }

    fn pass(&self) -> Pass<'_> {
        Pass {
            inputs: self.inputs,
            sample: self.sample.as_ref(),
            read: &self.read,
            pretokenizer: self.pretokenizer,
            store: &self.store,
            budget: self.budget,
            has_sketch: self.has_sketch(),
            purpose: Purpose::Learning,
            piece_bytes: self.resources.piece_bytes,
            observer: self.observer,
        }
    }

    fn has_sketch(&self) -> bool {
        has_sketch(self.options, self.resources)
    }

    /// Watches a phase that learns from these counts, within the memory limit.
    fn watch(&self, phase: Phase, counts: &impl Counts) -> WatchMerges<'a> {
        let watch = WatchMerges::new(self.observer, phase, self.read.threads);
        match self.budget {
            Some(budget) => {
                let other = self.pass().other_bytes();
                watch.within(budget.places(Size::of(counts), other))
            }
            None => watch,
        }
    }

    /// Decides which documents are read, if only a sample is wanted.
    fn plan_sample(&mut self) -> Result<(), TrainError> {
        let Some(sample) = self.options.sample else {
            return Ok(());
        };
        let (plan, kept) = self.timed(Phase::Sample, |run| {
            let names = run.keys.sample();
            let (inputs, read) = (run.inputs, &run.read);
            sampling::draw(inputs, read, sample, &run.store, &names, run.observer)
        })?;
        self.read.sample = Some(plan);
        self.sample = kept;
        Ok(())
    }

    /// Returns an error if an input has changed that is read again, or was.
    fn check_inputs(&self) -> Result<(), TrainError> {
        match self.sample {
            Some(_) => Ok(()),
            None => self.inputs.check_all(),
        }
    }

    /// Counts the pretokens, and the bigrams if candidates will be cut.
    fn count(&mut self) -> Result<Tally<PretokenCounts>, TrainError> {
        let tally = self.timed(Phase::Count, |run| {
            let pass = run.pass();
            let sketch_size = run.has_sketch().then(|| pass.sketch_size());
            pass.pretokens(sketch_size, |piece| run.keys.counts(piece, sketch_size))
        })?;
        self.check_inputs()?;
        self.report.text = TextReport {
            groups: GroupRead::of(self.read.groups.as_ref(), &tally.read),
            read: tally.read.clone(),
            pretokens: tally.extras.pretokens,
            unique_pretokens: 0,
        };
        Ok(tally)
    }

    /// Phase 1.
    fn learn_words(
        &mut self,
        key: &str,
        parts: Vec<WeightedPart<PretokenCounts>>,
    ) -> Result<Words, TrainError> {
        let name = format!("words-{key}.superword");
        if let Some(model) = self.store.find_model(&name) {
            let unique = model.parts().facts.get("unique_pretokens");
            self.report.text.unique_pretokens =
                unique.and_then(|fact| fact.as_u64()).unwrap_or_default();
            return Words::of_model(&model);
        }
        let counts = self.timed(Phase::Count, |run| run.pass().gather(Phase::Count, parts))?;
        self.report.text.unique_pretokens = counts.len() as u64;
        let words = self.timed(Phase::Merge, |run| {
            let watch = run.watch(Phase::Merge, &counts);
            Words::learn(Cow::Owned(counts), run.options, &watch)
        })?;
        self.store.keep(&name, || {
            let config = self.pretokenizer.config().clone();
            let facts = self.report.text.facts();
            let options = self.options.words_only();
            let model = Learned::from_words(&words).build(&options, config, None, facts)?;
            Ok(model.to_bytes())
        })?;
        Ok(words)
    }

    /// Phase 2, with as much cutting as is safe; see `superwords/threshold.rs`.
    fn learn_superwords(
        &mut self,
        words_key: &str,
        words: &Words,
        sketch: Option<&BigramSketch>,
    ) -> Result<Learned, TrainError> {
        let phase2 = Phase2::new(words, self.options, self.patterns.clone());
        let eligible = words.eligible(self.options.alphabet, self.pretokenizer);
        let safe = safe_threshold(words, self.options);
        let mut threshold = match sketch {
            Some(sketch) => guess_threshold(words, sketch, self.options, safe),
            None => 1,
        };
        if sketch.is_some() {
            let merges = guess_superwords(words, self.options, threshold);
            self.observer.expect(Phase::Supermerge, None, Some(merges));
        }
        loop {
            let cut_below = match greedy_floor(words, self.options) {
                // Frequent n-grams contain no rare bigrams, so splitting can follow cutting.
                Some(floor) => threshold.min(floor),
                None => threshold,
            };
            let (candidates, ngrams) = self.timed(Phase::Candidates, |run| {
                let all = run.count_candidates(words_key, &eligible, sketch, cut_below)?;
                run.observer.step(Phase::Candidates, Step::Cut, 0.5);
                Ok::<_, TrainError>(match phase2.split(&all)? {
                    Some(split) => split,
                    None => (all, SavedNgrams::new()),
                })
            })?;
            self.report.unique_candidates = candidates.len() as u64;
            self.report.candidate_tokens = candidates.tokens() as u64;
            self.report.cut_below = cut_below;
            self.report.attempts += 1;
            let superwords = self.timed(Phase::Supermerge, |run| {
                let watch = run.watch(Phase::Supermerge, &candidates);
                phase2.learn(Cow::Owned(candidates), threshold.max(safe), &watch)
            })?;
            if superwords.ambiguous && threshold > 1 {
                threshold = 1;
            } else if !superwords.settled(threshold, safe) {
                threshold = lower_threshold(threshold, safe);
            } else {
                return Ok(Learned::from_superwords(superwords, ngrams));
            }
        }
    }

    fn count_candidates(
        &self,
        words_key: &str,
        eligible: &Eligible,
        sketch: Option<&BigramSketch>,
        cut_below: u64,
    ) -> Result<CandidateCounts, TrainError> {
        let sketch = sketch.filter(|_| cut_below > 1);
        let early_cut = sketch.map(|sketch| (cut_below, sketch.size()));
        let key = |piece: &Extent| self.keys.candidates(piece, words_key, early_cut);
        // Before the pass too: learning words takes a while, and so does the pass.
        self.check_inputs()?;
        // A model that is trained from scratch has nothing that would have to be prepared.
        let (candidates, _) = self
            .pass()
            .candidates(None, eligible, sketch, cut_below, key)?;
        self.check_inputs()?;
        Ok(candidates)
    }
}
