//! A run that keeps what is finished, and goes on from what is there.

use serde_json::{Value, json};

use super::bounded::{PIECE_BYTES, Pass};
use super::finish::Learned;
use super::pipeline::Run;
use super::scratch::{Scratch, failed, key_of};
use super::spilling::Budget;
use super::stages::words_from;
use super::within::numbered;
use super::words::Words;
use super::{TrainError, TrainOptions};
use crate::corpus::{ReadOptions, SamplePlan, Source, plan_sample};
use crate::count::{BigramSketch, CandidateCounts, Eligible};
use crate::disk::WriteError;
use crate::model::{Facts, Method, Model, SaveError};
use crate::observe::{Observer, Phase};

/// Where things are kept, and what they follow from.
pub(super) struct Kept {
    scratch: Scratch,
    budget: Option<Budget>,
    corpus: Value,
    /// What the words follow from, once they are known.
    words: String,
}

impl Kept {
    /// `None` where neither a folder nor a limit on memory is given. What cannot be done is said
    /// here, before any work.
    pub(super) fn open(
        options: &TrainOptions,
        read: &ReadOptions,
    ) -> Result<Option<Kept>, TrainError> {
        let budget = match options.max_memory {
            Some(memory) => Some(Budget::new(memory, read)?),
            None if options.work_dir.is_none() => return Ok(None),
            None => None,
        };
        Ok(Some(Kept {
            scratch: Scratch::open(options.work_dir.as_ref())?,
            budget,
            corpus: Value::Null,
            words: String::new(),
        }))
    }

    /// The sample, drawn now or before.
    pub(super) fn plan_sample(
        &self,
        sources: &[Source],
        read: &ReadOptions,
        options: &TrainOptions,
        observer: &dyn Observer,
    ) -> Result<Option<SamplePlan>, TrainError> {
        let Some(sample) = options.sample else {
            return Ok(None);
        };
        let key = key_of(&json!({
            "sources": self.corpus,
            "sample": [sample.max_bytes, sample.seed],
            "text_field": read.text_field,
            "on_error": format!("{:?}", read.on_error),
        }));
        let name = format!("sample-{key}.plan");
        let found = self.scratch.read(&name);
        if let Some(plan) = found.as_deref().and_then(SamplePlan::from_bytes) {
            return Ok(Some(plan));
        }
        let plan = plan_sample(sources, read, sample, observer)?;
        let bytes = plan.to_bytes();
        self.scratch.write(&name, |out| out.write_all(&bytes))?;
        Ok(Some(plan))
    }

    fn save(&self, name: &str, model: &Model) -> Result<(), TrainError> {
        let path = self.scratch.path(name);
        model.save(&path).map_err(|error| match error {
            SaveError::Write(WriteError::Io { source, .. }) => {
                failed(&path, &source, self.scratch.kept())
            }
            SaveError::Write(WriteError::DiskFull { .. }) => TrainError::Scratch {
                path: path.display().to_string(),
                reason: "no room left on the disk".into(),
                full: Some(self.scratch.kept()),
            },
            error => TrainError::Scratch {
                path: path.display().to_string(),
                reason: error.to_string(),
                full: None,
            },
        })
    }

    fn load(&self, name: &str) -> Option<Model> {
        Model::load(self.scratch.path(name)).ok()
    }
}

impl Run<'_> {
    pub(super) fn pass<'a>(&'a self, kept: &'a Kept) -> Pass<'a> {
        Pass {
            sources: self.sources,
            read: self.read,
            pretokenizer: self.pretokenizer,
            piece_bytes: self.options.piece_bytes.unwrap_or(PIECE_BYTES),
            scratch: &kept.scratch,
            budget: kept.budget,
            observer: self.observer,
        }
    }

    /// Tells the text from others; an error where that cannot be done.
    pub(super) fn identify(
        kept: &mut Kept,
        sources: &[Source],
        options: &TrainOptions,
    ) -> Result<(), TrainError> {
        // In a temporary folder nothing is found again by another run.
        if options.work_dir.is_none() {
            kept.corpus = numbered(sources);
            return Ok(());
        }
        let identities = sources.iter().map(|source| {
            let identity = source.identity().map(|identity| json!(identity));
            identity.ok_or_else(|| TrainError::NotAFile {
                source_name: source.name(),
            })
        });
        kept.corpus = identities.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The words, what is recorded about the text, and the sketch of its bigrams.
    pub(super) fn words_kept(
        &mut self,
        kept: &mut Kept,
    ) -> Result<(Words, Facts, Option<BigramSketch>), TrainError> {
        let sketch = self.options.method != Method::Bpe && self.options.cutting;
        let mut pieces = self.timed(Phase::Count, |run| {
            run.pass(kept).count(sketch, &kept.corpus)
        })?;
        self.report.read = pieces.counted.read.clone();
        self.report.pretokens = pieces.counted.pretokens;
        let word_options = TrainOptions {
            vocab_size: self.options.word_tokens(),
            alphabet: self.options.alphabet,
            min_count: self.options.min_count,
            picky: self.options.picky,
            threads: self.options.threads,
            ..TrainOptions::new(Method::Bpe, 0)
        };
        kept.words = key_of(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "parts": pieces.parts,
            "size": word_options.vocab_size,
            "alphabet": word_options.alphabet.name(),
            "min_count": word_options.min_count,
            "picky": word_options.picky.map(|picky| (picky.threshold, picky.split.name())),
        }));
        let name = format!("words-{}.superword", kept.words);
        let model = match kept.load(&name) {
            Some(model) => model,
            None => {
                let counts = self.timed(Phase::Count, |run| {
                    run.pass(kept).gather_counts(&pieces.parts)
                })?;
                let words = self.timed(Phase::Merge, |run| {
                    words_from(&counts, &word_options, run.observer)
                })?;
                pieces.counted.counts = counts;
                let text = pieces.counted.facts();
                let config = self.pretokenizer.config().clone();
                let model = Learned::from_words(words).build(&word_options, config, None, text)?;
                kept.save(&name, &model)?;
                model
            }
        };
        let mut text = model.parts().facts.clone();
        for name in ["options", "version", "shortfall"] {
            text.remove(name);
        }
        self.report.unique_pretokens = text
            .get("unique_pretokens")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        Ok((Words::of_model(&model)?, text, pieces.counted.sketch))
    }

    pub(super) fn candidates_kept(
        &self,
        kept: &Kept,
        eligible: &Eligible,
        sketch: Option<&BigramSketch>,
        cut_below: u64,
    ) -> Result<CandidateCounts, TrainError> {
        let (all, _) =
            self.pass(kept)
                .candidates(eligible, sketch, cut_below, &kept.corpus, &kept.words)?;
        Ok(all)
    }

    /// The finished model, found or to be kept.
    pub(super) fn model_name(&self, kept: &Kept) -> String {
        let options = self.options;
        let key = key_of(&json!({
            "words": kept.words,
            "options": format!("{:?} {} {} {:?} {} {:?} {:?} {:?}",
                options.method, options.vocab_size, options.supermerges, options.max_words,
                options.same_script, options.boundary, options.veto, options.greedy_split),
            "special_tokens": options.special_tokens,
            "cutting": options.cutting,
        }));
        format!("model-{key}.superword")
    }

    pub(super) fn find_model(&self, kept: &Kept) -> Option<Model> {
        kept.load(&self.model_name(kept))
    }

    pub(super) fn keep_model(&self, kept: &Kept, model: &Model) -> Result<(), TrainError> {
        kept.save(&self.model_name(kept), model)
    }
}
