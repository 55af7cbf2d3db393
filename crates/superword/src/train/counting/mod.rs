//! Counting a text: the same code for counts in memory and for counts in files.
//!
//! A [`Pass`] reads the text once, piece by piece. Every worker counts into separate tables. The
//! results are *parts*: tables in memory, or files if the counts are too large for the memory or are
//! kept to resume from. [`Pass::gather`] adds the parts up. Counting in memory means one piece whose
//! parts are not written to files.

mod budget;
mod counter;
mod extents;
mod gather;
mod piece;
mod pieces;
mod spill;
mod weighted;

pub(super) use budget::Budget;
pub(super) use piece::WeightedPart;
pub(super) use pieces::Tally;

use super::TrainError;
use super::extent::Extent;
use super::inputs::Inputs;
use super::sampling::KeptSample;
use super::work::Store;
use crate::corpus::{ReadOptions, Source};
use crate::count::{
    BigramSketch, CandidateCounter, CandidateCounts, EarlyCut, Eligible, PretokenCounter,
    PretokenCounts, cut,
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
    /// How many stored bytes make a piece; `None` for the default.
    pub(super) piece_bytes: Option<u64>,
    pub(super) observer: &'a dyn Observer,
}

/// What a source of unknown size counts for.
const UNKNOWN_BYTES: u64 = 1 << 30;

impl Pass<'_> {
    /// The number of counters that a bigram sketch of this text has.
    pub(super) fn sketch_size(&self) -> usize {
        // A source of unknown size may be large, and a small sketch would bound nothing.
        let size_of = |source: &Source| match source.size_guess() {
            0 => UNKNOWN_BYTES,
            size => size,
        };
        let sizes = self.inputs.sources().iter().map(size_of);
        let memory = self.budget.map_or(usize::MAX, |budget| budget.sketch);
        BigramSketch::counters_for(sizes.fold(0, u64::saturating_add), memory)
    }

    /// Counts pretokens, and bigrams too if `sketch_size` is given. `key` gives the key of the piece
    /// that covers an extent.
    pub(super) fn pretokens(
        &self,
        sketch_size: Option<usize>,
        key: impl Fn(&Extent) -> String,
    ) -> Result<Tally<PretokenCounts>, TrainError> {
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
        let early = sketch.filter(|_| cut_below > 1).map(|sketch| EarlyCut {
            sketch,
            threshold: cut_below,
        });
        let (all, tally) = self.whole_candidates(preparation, eligible, early, key)?;
        // After an early cut hardly any rare bigram is left, and cutting again is not worth the
        // time. A sketch in little memory overestimates many bigrams, so then it is.
        let all = match early {
            Some(_) if self.budget.is_none() => all,
            _ if cut_below > 1 => {
                self.observer.step(Phase::Candidates, Step::Cut, 0.0);
                cut(&all, cut_below, self.observer)?
            }
            _ => all,
        };
        Ok((all, tally))
    }

    /// The same with early cuts only. Their bigrams are those of the sketch, which may be that of a
    /// larger text.
    pub(super) fn whole_candidates(
        &self,
        preparation: Option<&Preparation>,
        eligible: &Eligible,
        early: Option<EarlyCut<'_>>,
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
