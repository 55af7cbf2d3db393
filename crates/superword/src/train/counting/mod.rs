//! Counting a text: the same code for counts in memory and for counts in files.
//!
//! A [`Pass`] reads the text once, piece by piece. Every worker counts into separate tables. The
//! results are *parts*: tables in memory, or files if the counts are too large for the memory or are
//! kept to resume from. [`Pass::gather`] adds the parts up. Counting in memory means one piece whose
//! parts are not written to files.

mod budget;
mod counter;
mod extents;
mod forecast;
mod gather;
mod piece;
mod pieces;
mod preview;
mod some_keys;
mod spill;
mod weighted;

pub(super) use budget::{Budget, Purpose, Size};
pub(super) use piece::WeightedPart;
pub(super) use pieces::Tally;

use super::TrainError;
use super::extent::Extent;
use super::inputs::Inputs;
use super::sampling::KeptSample;
use super::work::Store;
use crate::corpus::{ReadOptions, Source};
use crate::count::{
    BigramSketch, CandidateCounter, CandidateCounts, Counts, Eligible, FrequentBigrams,
    PretokenCounter, PretokenCounts, cut,
};
use crate::observe::{Observer, Phase, Step};
use crate::prepare::Preparation;
use crate::text::Pretokenizer;

/// What a pass over the text needs, whatever it counts.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub(super) inputs: &'a Inputs<'a>,
    /// Read these documents instead of the inputs.
    pub(super) sample: Option<&'a KeptSample>,
    pub(super) read: &'a ReadOptions,
    pub(super) pretokenizer: &'a Pretokenizer,
    pub(super) store: &'a Store,
    pub(super) budget: Option<Budget>,
    /// Whether there is a sketch of bigrams.
    pub(super) has_sketch: bool,
    /// What follows the pass.
    pub(super) purpose: Purpose,
    /// How many stored bytes make a piece; `None` for the default.
    pub(super) piece_bytes: Option<u64>,
    pub(super) observer: &'a dyn Observer,
}

/// What a source of unknown size counts for.
const UNKNOWN_BYTES: u64 = 1 << 30;

impl Pass<'_> {
    /// The number of counters that a bigram sketch of this text has.
    pub(super) fn sketch_size(&self) -> usize {
        let memory = self.budget.map_or(usize::MAX, |budget| budget.sketch);
        self.sketch_size_within(memory)
    }

    /// The same without a memory limit.
    fn best_sketch_size(&self) -> usize {
        self.sketch_size_within(usize::MAX)
    }

    fn sketch_size_within(&self, memory: usize) -> usize {
        // A source of unknown size may be large, and a small sketch would bound nothing.
        let size_of = |source: &Source| match source.size_guess() {
            0 => UNKNOWN_BYTES,
            size => size,
        };
        let sizes = self.inputs.sources().iter().map(size_of);
        BigramSketch::counters_for(sizes.fold(0, u64::saturating_add), memory)
    }

    /// The most memory of what is kept beside the counts, whatever the limit is.
    pub(super) fn other_bytes(&self) -> u64 {
        match self.has_sketch {
            true => (self.best_sketch_size() * BigramSketch::COUNTER_BYTES) as u64,
            false => 0,
        }
    }

    /// The error for a text that needs this much memory.
    fn exceeded<C: Counts>(&self, budget: &Budget, needed: u64) -> TrainError {
        // Otherwise the candidates would be refused next.
        let sketches = match self.has_sketch {
            true => Budget::with_sketches(self.other_bytes(), self.read),
            false => 0,
        };
        budget.exceeded(C::NAME, needed.max(sketches))
    }

    /// Counts pretokens, and bigrams too if `sketch_size` is given. `key` gives the key of the piece
    /// that covers an extent.
    pub(super) fn pretokens(
        &self,
        sketch_size: Option<usize>,
        key: impl Fn(&Extent) -> String,
    ) -> Result<Tally<PretokenCounts>, TrainError> {
        if !self.resumes::<PretokenCounts>(Phase::Count, &key)? {
            self.preview(|| PretokenCounter::new(self.pretokenizer.clone(), None))?;
        }
        self.run(Phase::Count, sketch_size, key, || {
            let sketch = sketch_size.map(BigramSketch::new);
            PretokenCounter::new(self.pretokenizer.clone(), sketch)
        })
    }

    /// Counts candidates of prepared texts, cut at bigrams that occur fewer than `cut_below` times. With a sketch of
    /// the same text, most cuts are made before candidates are stored.
    pub(super) fn candidates(
        &self,
        preparation: Option<&Preparation>,
        eligible: &Eligible,
        sketch: Option<&BigramSketch>,
        cut_below: u64,
        key: impl Fn(&Extent) -> String,
    ) -> Result<(CandidateCounts, Tally<CandidateCounts>), TrainError> {
        let sketch = sketch.filter(|_| cut_below > 1);
        let early = sketch.map(|sketch| sketch.frequent(cut_below));
        // After an early cut hardly any rare bigram is left, and cutting again is not worth the
        // time. A sketch in little memory overestimates many bigrams, so then it is.
        let is_cut = sketch.is_some_and(|sketch| sketch.size() >= self.best_sketch_size());
        let cuts = cut_below > 1 && !is_cut;
        let pass = Pass {
            purpose: if cuts { Purpose::Cutting } else { self.purpose },
            ..*self
        };
        let (all, tally) = pass.whole_candidates(preparation, eligible, early.as_ref(), key)?;
        if !cuts {
            return Ok((all, tally));
        }
        self.observer.step(Phase::Candidates, Step::Cut, 0.0);
        Ok((cut(&all, cut_below, self.observer)?, tally))
    }

    /// The same with early cuts only. The bigrams at which nothing is cut may be those of a larger text.
    pub(super) fn whole_candidates(
        &self,
        preparation: Option<&Preparation>,
        eligible: &Eligible,
        early: Option<&FrequentBigrams>,
        key: impl Fn(&Extent) -> String,
    ) -> Result<(CandidateCounts, Tally<CandidateCounts>), TrainError> {
        let mut tally = self.run(Phase::Candidates, None, key, || {
            CandidateCounter::new(
                self.pretokenizer.clone(),
                preparation.cloned(),
                eligible,
                early,
            )
        })?;
        let all = self.gather(Phase::Candidates, std::mem::take(&mut tally.parts))?;
        Ok((all, tally))
    }
}
