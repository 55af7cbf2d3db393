//! The stages of a run, each by itself: a corpus can be counted in pieces, on many machines, by
//! any engine, and words learned from it afterwards. [`super::train`] stands on the same functions.

use serde_json::json;

use super::finish::Learned;
use super::weighted::Weighted;
use super::words::{Words, learn_words};
use super::{TrainError, TrainOptions, WatchMerges};
use crate::corpus::{DocumentSink, Groups, ReadOptions, ReadReport, Source, read_parallel};
use crate::count::{
    BigramSketch, CandidateCounter, CandidateCounts, CountOverflow, EarlyCut, Eligible,
    PretokenCounter, PretokenCounts, cut,
};
use crate::encode::WordRules;
use crate::model::{Alphabet, Event, Facts, Method, Model, WordEvent, word_events};
use crate::observe::{Observer, Phase, check_stop};
use crate::text::{Pretokenizer, SplitError};
use crate::token::Symbol;

/// What counting a text gave.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// How often each pretoken occurs.
    pub counts: PretokenCounts,
    /// Upper bounds on the counts of bigrams, where they were asked for.
    pub sketch: Option<BigramSketch>,
    /// Pretokens in all documents.
    pub pretokens: u64,
    /// What was read.
    pub read: ReadReport,
    /// The same by group, where there are groups.
    pub groups: Vec<GroupRead>,
}

impl Counted {
    /// What is recorded in a model about the text.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        facts.insert("documents".into(), json!(self.read.documents));
        facts.insert("bytes".into(), json!(self.read.bytes));
        facts.insert("skipped_documents".into(), json!(self.read.skipped));
        facts.insert("pretokens".into(), json!(self.pretokens));
        facts.insert("unique_pretokens".into(), json!(self.counts.len()));
        if !self.groups.is_empty() {
            let table = self.groups.iter().map(|group| {
                let read = json!({
                    "weight": group.weight,
                    "documents": group.documents,
                    "bytes": group.bytes,
                });
                (group.name.clone(), read)
            });
            facts.insert("groups".into(), table.collect::<Facts>().into());
        }
        facts
    }
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

/// Reads all documents and counts their pretokens, and bigrams too where a `sketch` is wanted.
pub fn count_pretokens(
    sources: &[Source],
    read: &ReadOptions,
    pretokenizer: &Pretokenizer,
    sketch: bool,
    observer: &dyn Observer,
) -> Result<Counted, TrainError> {
    let size = sources.iter().map(Source::size_guess).sum();
    let make = || {
        let sketch = sketch.then(|| BigramSketch::for_text_of(size));
        PretokenCounter::new(pretokenizer.clone(), sketch)
    };
    let (counters, report) = read_parallel(sources, read, Phase::Count, observer, |_| {
        Weighted::new(make)
    })?;
    let mut total: Option<(PretokenCounts, Option<BigramSketch>)> = None;
    let mut pretokens = 0u64;
    for (times, counter) in counters.into_iter().flat_map(Weighted::finish) {
        let (mut counts, mut sketch, more) = counter.finish();
        pretokens = more
            .checked_mul(times)
            .and_then(|more| pretokens.checked_add(more))
            .ok_or(CountOverflow)?;
        if times > 1 {
            counts.multiply(times)?;
            if let Some(sketch) = &mut sketch {
                sketch.multiply(times);
            }
        }
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
    let (counts, sketch) = total.unwrap_or_default();
    Ok(Counted {
        counts,
        sketch,
        pretokens,
        groups: groups_read(read.groups.as_ref(), &report),
        read: report,
    })
}

/// What was read of each group.
pub(super) fn groups_read(groups: Option<&Groups>, report: &ReadReport) -> Vec<GroupRead> {
    let Some(groups) = groups else {
        return Vec::new();
    };
    let mut all: Vec<GroupRead> = groups
        .groups
        .iter()
        .map(|(name, weight)| GroupRead {
            name: name.clone(),
            weight: *weight,
            documents: 0,
            bytes: 0,
        })
        .collect();
    for (source, read) in report.per_source.iter().enumerate() {
        if let Some(group) = groups.group_of(source) {
            let all = &mut all[group];
            all.documents = all.documents.saturating_add(read.documents);
            all.bytes = all.bytes.saturating_add(read.bytes);
        }
    }
    all
}

/// What was read of a group of sources.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupRead {
    /// Its name.
    pub name: String,
    /// What its documents weigh.
    pub weight: f64,
    /// Documents that were counted, each once.
    pub documents: u64,
    /// Their text bytes.
    pub bytes: u64,
}

/// Phase 1 by itself: a model of the kind `bpe` from counts. `text` is what is recorded about the
/// text ([`Counted::facts`]). The second result says why the vocabulary is smaller than asked for.
pub fn train_words(
    counts: &PretokenCounts,
    pretokenizer: &Pretokenizer,
    options: &TrainOptions,
    text: Facts,
    observer: &dyn Observer,
) -> Result<(Model, Option<String>), TrainError> {
    options.check()?;
    if options.method != Method::Bpe {
        return Err(TrainError::WordsOnly);
    }
    let words = words_from(counts, options, observer)?;
    let learned = Learned::from_words(words);
    let shortfall = learned.shortfall(options);
    let model = learned.build(options, pretokenizer.config().clone(), None, text)?;
    Ok((model, shortfall))
}

pub(super) fn words_from(
    counts: &PretokenCounts,
    options: &TrainOptions,
    observer: &dyn Observer,
) -> Result<Words, TrainError> {
    learn_words(
        counts,
        options.alphabet,
        options.word_tokens(),
        options.min_count,
        options.picky,
        &WatchMerges::new(observer, Phase::Merge, options.threads),
    )
}

impl Words {
    /// The words of a model that has no superwords; its symbols stay what they are.
    pub fn of_model(model: &Model) -> Result<Words, TrainError> {
        let vocabulary = model.vocabulary();
        let mut tokens = crate::tokens::TokenTable::with_capacity(vocabulary.len());
        for index in 0..vocabulary.len() as u32 {
            tokens.insert(vocabulary.bytes_of(Symbol(index)));
        }
        let mut steps = Vec::with_capacity(model.parts().events.len());
        for (event, recorded) in word_events(model).into_iter().zip(&model.parts().events) {
            let count = match *recorded {
                Event::Merge { count, .. } => count,
                Event::Delete { .. } => 0,
                Event::Supermerge { .. } => return Err(TrainError::HasSuperwords),
            };
            steps.push(super::WordStep { event, count });
        }
        if steps.len() < model.parts().events.len() {
            return Err(TrainError::HasSuperwords);
        }
        let alive: Vec<bool> = (0..vocabulary.len() as u32)
            .map(|index| vocabulary.id_of(Symbol(index)).is_some())
            .collect();
        Ok(Words {
            tokens,
            steps,
            size: alive.iter().filter(|&&alive| alive).count(),
            alive,
        })
    }

    /// The tokens that are whole pretokens, reachable by their own merges, and eligible.
    pub fn eligible(&self, alphabet: Alphabet, pretokenizer: &Pretokenizer) -> Eligible {
        let events: Vec<WordEvent> = self.steps.iter().map(|step| step.event.clone()).collect();
        let rules = WordRules::new(alphabet.symbols(), &events);
        let mut eligible = Eligible::default();
        let tokens = &self.tokens;
        let reached = rules.reached(&events, tokens.len(), |token| tokens.bytes_of(token));
        for (index, reached) in reached.into_iter().enumerate() {
            let symbol = Symbol(index as u32);
            let bytes = self.tokens.bytes_of(symbol);
            if self.alive[index]
                && reached
                && std::str::from_utf8(bytes).is_ok_and(|text| pretokenizer.is_eligible(text))
            {
                eligible.insert(bytes, symbol);
            }
        }
        eligible
    }
}

/// Reads all documents and collects their candidates, cut at each bigram that occurs fewer than
/// `cut_below` times. A sketch of the same text lets most of it be cut before it is kept.
pub fn count_candidates(
    sources: &[Source],
    read: &ReadOptions,
    pretokenizer: &Pretokenizer,
    eligible: &Eligible,
    sketch: Option<&BigramSketch>,
    cut_below: u64,
    observer: &dyn Observer,
) -> Result<(CandidateCounts, ReadReport), TrainError> {
    let early = sketch.filter(|_| cut_below > 1).map(|sketch| EarlyCut {
        sketch,
        threshold: cut_below,
    });
    let make = || CandidateCounter::new(pretokenizer.clone(), eligible, early);
    let (counters, report) = read_parallel(sources, read, Phase::Candidates, observer, |_| {
        Weighted::new(make)
    })?;
    let mut all = CandidateCounts::default();
    for (times, counter) in counters.into_iter().flat_map(Weighted::finish) {
        let mut counts = counter.finish()?;
        if times > 1 {
            counts.multiply(times)?;
        }
        if all.is_empty() {
            all = counts;
        } else {
            for (number, (symbols, count)) in counts.iter().enumerate() {
                if number.is_multiple_of(1 << 12) {
                    check_stop(observer)?;
                }
                all.add(symbols, count)?;
            }
        }
    }
    // What was cut early has hardly a rare bigram left: cutting again is not worth the time.
    if cut_below > 1 && early.is_none() {
        all = cut(&all, cut_below, observer)?;
    }
    Ok((all, report))
}
