//! The whole run: read and count, merge, read again for candidates, supermerge, build the model.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::rules::SupermergeRules;
use super::supermerges::{Step, Superwords, learn_boundless, learn_superbpe};
use super::words::{Words, learn_words};
use super::{GREEDY_FLOOR, GREEDY_LONGEST, GreedySplit, TrainError, TrainOptions, WatchMerges};
use crate::corpus::{DocumentSink, ReadOptions, ReadReport, Source, plan_sample, read_parallel};
use crate::count::{
    BigramSketch, CandidateCounter, CandidateCounts, EarlyCut, Eligible, Ngrams, PretokenCounter,
    PretokenCounts, cut, split_greedily,
};
use crate::encode::{Scratch, WordEvent, WordRules};
use crate::model::{Event, Facts, Method, Model, ModelParts, PickySplit, SpecialToken};
use crate::observe::{Observer, Phase};
use crate::text::{Matcher, Pretokenizer, SplitError};
use crate::token::{Symbol, TokenId};

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
    let veto = options.veto.as_deref().map(Matcher::new).transpose()?;
    let mut read = read.clone();
    let mut times = Vec::new();
    if let Some(sample) = options.sample {
        let start = Instant::now();
        read.sample = Some(plan_sample(sources, &read, sample, observer)?);
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
        report: TrainReport {
            times,
            ..TrainReport::default()
        },
    };
    let (counts, sketch) = run.count()?;
    let words = run.learn_words(&counts)?;
    drop(counts);
    let learned = match options.method {
        Method::Bpe => Learned::from_words(words),
        Method::Boundless | Method::SuperBpe => run.learn_superwords(&words, sketch.as_ref())?,
    };
    run.finish(learned)
}

/// The history of the vocabulary, in symbols of the run.
struct Learned {
    steps: Vec<Step>,
    ngrams: Vec<Vec<Symbol>>,
    size: usize,
}

impl Learned {
    fn from_words(words: Words) -> Learned {
        Learned {
            steps: words.steps.into_iter().map(Step::Word).collect(),
            ngrams: Vec::new(),
            size: words.size,
        }
    }
}

struct Run<'a> {
    sources: &'a [Source],
    read: &'a ReadOptions,
    pretokenizer: &'a Pretokenizer,
    options: &'a TrainOptions,
    veto: Option<Matcher>,
    observer: &'a dyn Observer,
    report: TrainReport,
}

impl DocumentSink for PretokenCounter {
    type Error = SplitError;

    fn document(&mut self, text: &str) -> Result<(), SplitError> {
        PretokenCounter::document(self, text)
    }
}

impl DocumentSink for CandidateCounter<'_> {
    type Error = SplitError;

    fn document(&mut self, text: &str) -> Result<(), SplitError> {
        CandidateCounter::document(self, text)
    }
}

impl Run<'_> {
    fn timed<T>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = work(self);
        self.report.times.push(PhaseTime {
            phase,
            time: start.elapsed(),
        });
        result
    }

    /// Reads all documents and counts their pretokens, and bigrams for cutting.
    fn count(&mut self) -> Result<(PretokenCounts, Option<BigramSketch>), TrainError> {
        self.timed(Phase::Count, |run| {
            let sketches = run.options.method != Method::Bpe && run.options.cutting;
            let size = run.sources.iter().map(Source::size_guess).sum();
            let make = |_| {
                let sketch = sketches.then(|| BigramSketch::for_text_of(size));
                PretokenCounter::new(run.pretokenizer.clone(), sketch)
            };
            let (counters, report) =
                read_parallel(run.sources, run.read, Phase::Count, run.observer, make)?;
            run.report.read = report;
            let mut total: Option<(PretokenCounts, Option<BigramSketch>)> = None;
            for counter in counters {
                let (counts, sketch, pretokens) = counter.finish();
                run.report.pretokens += pretokens;
                match &mut total {
                    None => total = Some((counts, sketch)),
                    Some((all_counts, all_sketch)) => {
                        all_counts.merge(&counts)?;
                        if let (Some(all), Some(sketch)) = (all_sketch, &sketch) {
                            all.merge(sketch);
                        }
                    }
                }
            }
            let total = total.unwrap_or_default();
            run.report.unique_pretokens = total.0.len() as u64;
            Ok(total)
        })
    }

    fn learn_words(&mut self, counts: &PretokenCounts) -> Result<Words, TrainError> {
        self.timed(Phase::Merge, |run| {
            learn_words(
                counts,
                run.options.alphabet,
                run.options.word_tokens(),
                run.options.min_count,
                run.options.picky,
                &WatchMerges::new(run.observer, Phase::Merge),
            )
        })
    }

    /// Phase 2 with the cheapest cutting that is safe: a threshold that turns out too high is
    /// lowered, down to one that is known to be safe.
    fn learn_superwords(
        &mut self,
        words: &Words,
        sketch: Option<&BigramSketch>,
    ) -> Result<Learned, TrainError> {
        let eligible = eligible_tokens(words, self.options, self.pretokenizer);
        let safe = self.safe_threshold(words);
        let mut threshold = match sketch {
            Some(sketch) if self.options.method == Method::SuperBpe => {
                (sketch.ranked(self.options.supermerges) / 8).max(safe)
            }
            Some(_) => safe,
            None => 1,
        };
        loop {
            let (candidates, ngrams) = self.candidates(words, &eligible, sketch, threshold)?;
            let learned = self.supermerge(words, &candidates, threshold.max(safe))?;
            if learned.ambiguous && threshold > 1 {
                threshold = 1;
                continue;
            }
            let short = match self.options.method {
                Method::SuperBpe => {
                    learned.steps.len() < words.steps.len() + self.options.supermerges
                }
                _ => false,
            };
            if short && threshold > safe {
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
            let greedy = match run.options.greedy_split {
                GreedySplit::Off => None,
                _ => Some(words.smallest_count().unwrap_or(0).max(GREEDY_FLOOR)),
            };
            // No frequent n-gram crosses a rare bigram, so splitting may follow cutting.
            let threshold = greedy.map_or(threshold, |floor| threshold.min(floor));
            let early = sketch
                .filter(|_| threshold > 1)
                .map(|sketch| EarlyCut { sketch, threshold });
            let make = |_| CandidateCounter::new(run.pretokenizer.clone(), eligible, early);
            let (counters, _) =
                read_parallel(run.sources, run.read, Phase::Candidates, run.observer, make)?;
            let mut all = CandidateCounts::default();
            for counter in counters {
                let counts = counter.finish()?;
                if all.is_empty() {
                    all = counts;
                } else {
                    all.merge(&counts)?;
                }
            }
            if early.is_some() {
                all = cut(&all, threshold)?;
            }
            let mut recorded = Vec::new();
            if let Some(floor) = greedy {
                let ngrams = Ngrams::count(&all, floor, GREEDY_LONGEST)?;
                all = split_greedily(&all, &ngrams)?;
                if run.options.greedy_split == GreedySplit::Encoding {
                    recorded = ngrams.to_sorted();
                }
            }
            run.report.unique_candidates = all.len() as u64;
            run.report.candidate_tokens = all.tokens() as u64;
            run.report.cut_below = if early.is_some() { threshold } else { 1 };
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
            let options = run.options;
            let rules = SupermergeRules::new(
                options.max_words,
                options.same_script,
                options.boundary,
                run.veto.clone(),
                words.alive.clone(),
            );
            let watch = WatchMerges::new(run.observer, Phase::Supermerge);
            let alphabet = options.alphabet.size();
            match options.method {
                Method::SuperBpe => learn_superbpe(
                    words,
                    alphabet,
                    candidates,
                    rules,
                    min_count,
                    options.supermerges,
                    &watch,
                ),
                _ => learn_boundless(
                    words,
                    alphabet,
                    candidates,
                    rules,
                    min_count,
                    options.tokens(),
                    &watch,
                ),
            }
        })
    }

    /// Numbers the symbols in the order of the finished history and builds the model.
    fn finish(mut self, learned: Learned) -> Result<(Model, TrainReport), TrainError> {
        let options = self.options;
        self.report.shortfall = self.shortfall(&learned);
        let mut renumber = Renumber::new(options.alphabet.size());
        let events = learned
            .steps
            .iter()
            .map(|step| renumber.event(step))
            .collect();
        let first_special = learned.size as u32;
        let specials = (first_special..)
            .zip(&options.special_tokens)
            .map(|(id, text)| SpecialToken {
                text: text.clone(),
                id: TokenId(id),
            })
            .collect();
        let ngrams = learned
            .ngrams
            .iter()
            .filter_map(|ngram| {
                ngram
                    .iter()
                    .map(|&symbol| renumber.known(symbol))
                    .collect::<Option<Vec<Symbol>>>()
            })
            .collect();
        let model = Model::build(ModelParts {
            method: options.method,
            pretokenizer: self.pretokenizer.config().clone(),
            alphabet: options.alphabet,
            picky_split: options.picky.map_or(PickySplit::Parts, |picky| picky.split),
            events,
            ids: None,
            specials,
            ngrams,
            facts: self.facts(),
        })?;
        Ok((model, self.report))
    }

    fn shortfall(&self, learned: &Learned) -> Option<String> {
        let (size, wanted) = (learned.size, self.options.tokens());
        if size >= wanted {
            return None;
        }
        let missing = wanted - size;
        let min_count = self.options.min_count;
        Some(format!(
            "the vocabulary has {} tokens, {missing} fewer than the {} asked for: the text has no \
             more pairs that occur at least {}",
            size + self.options.special_tokens.len(),
            self.options.vocab_size,
            if min_count <= 1 {
                "once".into()
            } else {
                format!("{min_count} times")
            },
        ))
    }

    /// What is saved about the run: only what follows from the text and the options, so that the
    /// same text gives the same file, however it is cut into files and read.
    fn facts(&self) -> Facts {
        let options = self.options;
        let read = &self.report.read;
        let mut saved = json!({
            "method": options.method.name(),
            "vocab_size": options.vocab_size,
            "alphabet": options.alphabet.name(),
            "min_count": options.min_count,
            "same_script": options.same_script,
            "boundary": match options.boundary {
                super::Boundary::Any => "any",
                super::Boundary::Space => "space",
            },
            "greedy_split": match options.greedy_split {
                GreedySplit::Off => json!(false),
                GreedySplit::Training => json!(true),
                GreedySplit::Encoding => json!("encode"),
            },
            "max_words": options.max_words,
            "veto": options.veto,
            "picky": options.picky.map(|picky| picky.threshold),
            "picky_split": options.picky.map(|picky| picky.split.name()),
            "special_tokens": options.special_tokens,
            "max_bytes": options.sample.map(|sample| sample.max_bytes),
        });
        saved["supermerges"] = match options.method {
            Method::SuperBpe => json!(options.supermerges),
            _ => Value::Null,
        };
        let mut facts = Facts::new();
        facts.insert("documents".into(), json!(read.documents));
        facts.insert("bytes".into(), json!(read.bytes));
        facts.insert("skipped_documents".into(), json!(read.skipped));
        facts.insert("pretokens".into(), json!(self.report.pretokens));
        facts.insert(
            "unique_pretokens".into(),
            json!(self.report.unique_pretokens),
        );
        facts.insert("options".into(), saved);
        facts.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
        if let Some(shortfall) = &self.report.shortfall {
            facts.insert("shortfall".into(), json!(shortfall));
        }
        facts
    }
}

/// The tokens that are whole pretokens, reachable by their own merges, and eligible.
fn eligible_tokens(words: &Words, options: &TrainOptions, pretokenizer: &Pretokenizer) -> Eligible {
    let events: Vec<WordEvent> = words.steps.iter().map(|step| step.event.clone()).collect();
    let rules = WordRules::new(options.alphabet.symbols(), &events);
    let mut eligible = Eligible::default();
    let (mut symbols, mut scratch) = (Vec::new(), Scratch::default());
    for index in 0..words.tokens.len() {
        let symbol = Symbol(index as u32);
        let bytes = words.tokens.bytes_of(symbol);
        if words.alive[index]
            && std::str::from_utf8(bytes).is_ok_and(|text| pretokenizer.is_eligible(text))
            && rules.reaches(bytes, symbol, &mut symbols, &mut scratch)
        {
            eligible.insert(bytes, symbol);
        }
    }
    eligible
}

/// Symbols of a run → symbols of the model, numbered by first appearance in the history.
struct Renumber {
    new: Vec<Option<Symbol>>,
    next: u32,
}

impl Renumber {
    fn new(alphabet: usize) -> Renumber {
        Renumber {
            new: (0..alphabet as u32)
                .map(|index| Some(Symbol(index)))
                .collect(),
            next: alphabet as u32,
        }
    }

    fn known(&self, symbol: Symbol) -> Option<Symbol> {
        self.new.get(symbol.index()).copied().flatten()
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        if symbol.index() >= self.new.len() {
            self.new.resize(symbol.index() + 1, None);
        }
        *self.new[symbol.index()].get_or_insert_with(|| {
            let new = Symbol(self.next);
            self.next += 1;
            new
        })
    }

    fn event(&mut self, step: &Step) -> Event {
        match step {
            Step::Word(step) => match step.event {
                WordEvent::Merge {
                    left,
                    right,
                    joined,
                } => {
                    let (left, right) = (self.symbol(left), self.symbol(right));
                    self.symbol(joined);
                    Event::Merge {
                        left,
                        right,
                        count: step.count,
                    }
                }
                WordEvent::Delete { token, .. } => Event::Delete {
                    token: self.symbol(token),
                },
            },
            Step::Super(pair, joined) => {
                let (left, right) = (self.symbol(pair.left), self.symbol(pair.right));
                self.symbol(*joined);
                Event::Supermerge {
                    left,
                    right,
                    count: pair.count,
                }
            }
        }
    }
}
