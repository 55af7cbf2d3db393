//! What a worker counts with.

use crate::corpus::DocumentSink;
use crate::count::{
    BigramSketch, CandidateCounter, CandidateCounts, CountOverflow, Counts, Left, PretokenCounter,
    PretokenCounts,
};
use crate::text::SplitError;

/// Counts documents. The counts can be taken out before the end of the text.
pub(super) trait Counter: DocumentSink<Error = SplitError> {
    /// What is counted.
    type Counts: Counts;

    /// Counts a document from where it was left, if it was, until the counts take more than `most` bytes. Returns where
    /// it was left, or `None` at its end.
    fn document_from(
        &mut self,
        text: &str,
        left: Left,
        most: usize,
    ) -> Result<Option<Left>, SplitError>;

    /// From now on, counts only those keys that [`Counts::for_some_keys`] visits.
    fn measure(&mut self);

    /// The counts so far. Some may still be missing.
    fn counts(&self) -> &Self::Counts;

    /// Takes the counts out and continues from zero.
    fn take_counts(&mut self) -> Self::Counts;

    /// The counts since they were last taken out, and everything else of the whole text.
    fn finish(self) -> (Self::Counts, Extras);
}

/// What is counted besides the counts themselves.
#[derive(Debug, Default)]
pub(in crate::train) struct Extras {
    /// Pretokens in all documents.
    pub(in crate::train) pretokens: u64,
    /// Upper bounds on the counts of bigrams, if wanted.
    pub(in crate::train) sketch: Option<BigramSketch>,
}

impl Extras {
    /// Adds others, each multiplied by its number of times, on several threads.
    pub(super) fn add(
        &mut self,
        others: Vec<(Extras, u64)>,
        threads: usize,
    ) -> Result<(), CountOverflow> {
        let mut sketches = Vec::new();
        for (mut other, times) in others {
            self.pretokens = other
                .pretokens
                .checked_mul(times)
                .and_then(|more| self.pretokens.checked_add(more))
                .ok_or(CountOverflow)?;
            if let Some(sketch) = &mut other.sketch
                && times > 1
            {
                sketch.multiply(times);
            }
            sketches.extend(other.sketch);
        }
        if self.sketch.is_none() {
            self.sketch = sketches.pop();
        }
        if let Some(sum) = &mut self.sketch {
            sum.merge(sketches, threads);
        }
        Ok(())
    }
}

impl DocumentSink for PretokenCounter {
    type Error = SplitError;

    fn document(&mut self, text: &str) -> Result<(), SplitError> {
        PretokenCounter::document(self, text)
    }
}

impl Counter for PretokenCounter {
    type Counts = PretokenCounts;

    fn document_from(
        &mut self,
        text: &str,
        left: Left,
        most: usize,
    ) -> Result<Option<Left>, SplitError> {
        PretokenCounter::document_from(self, text, left, most)
    }

    fn measure(&mut self) {
        PretokenCounter::measure(self);
    }

    fn counts(&self) -> &PretokenCounts {
        PretokenCounter::counts(self)
    }

    fn take_counts(&mut self) -> PretokenCounts {
        PretokenCounter::take_counts(self)
    }

    fn finish(self) -> (PretokenCounts, Extras) {
        let (counts, sketch, pretokens) = PretokenCounter::finish(self);
        (counts, Extras { pretokens, sketch })
    }
}

impl DocumentSink for CandidateCounter<'_> {
    type Error = SplitError;

    fn document(&mut self, text: &str) -> Result<(), SplitError> {
        CandidateCounter::document(self, text)
    }
}

impl Counter for CandidateCounter<'_> {
    type Counts = CandidateCounts;

    /// Never leaves a document: its candidates take little more memory than its text.
    fn document_from(
        &mut self,
        text: &str,
        _left: Left,
        _most: usize,
    ) -> Result<Option<Left>, SplitError> {
        CandidateCounter::document(self, text)?;
        Ok(None)
    }

    fn measure(&mut self) {
        CandidateCounter::measure(self);
    }

    fn counts(&self) -> &CandidateCounts {
        CandidateCounter::counts(self)
    }

    fn take_counts(&mut self) -> CandidateCounts {
        CandidateCounter::take_counts(self)
    }

    fn finish(mut self) -> (CandidateCounts, Extras) {
        (self.take_counts(), Extras::default())
    }
}
