//! Pretokens → how often each occurs.

use super::{BigramSketch, CountOverflow};
use crate::table::BytesTable;
use crate::text::{Pretokenizer, SplitError};

/// How often each pretoken occurs.
#[derive(Clone, Debug, Default)]
pub struct PretokenCounts {
    table: BytesTable<u64>,
}

impl PretokenCounts {
    /// Counts `bytes` (not empty) `times` more often.
    pub fn add(&mut self, bytes: &[u8], times: u64) -> Result<(), CountOverflow> {
        let count = self.table.entry(bytes, 0, bytes.len()).0;
        *count = count.checked_add(times).ok_or(CountOverflow)?;
        Ok(())
    }

    /// How often a pretoken occurs: 0 if it was never counted.
    pub fn get(&self, bytes: &[u8]) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        self.table.get(bytes, 0, bytes.len()).0.unwrap_or(0)
    }

    /// Adds all counts of another.
    pub fn merge(&mut self, other: &PretokenCounts) -> Result<(), CountOverflow> {
        let mut result = Ok(());
        other.for_each(|bytes, count| {
            if let Err(overflow) = self.add(bytes, count) {
                result = Err(overflow);
            }
        });
        result
    }

    /// Multiplies all counts.
    pub fn multiply(&mut self, times: u64) -> Result<(), CountOverflow> {
        let mut all = PretokenCounts::default();
        let mut result = Ok(());
        self.for_each(|bytes, count| {
            let added = count.checked_mul(times).map(|count| all.add(bytes, count));
            if !matches!(added, Some(Ok(()))) {
                result = Err(CountOverflow);
            }
        });
        *self = all;
        result
    }

    /// The number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// True if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The bytes of memory held.
    pub fn memory(&self) -> usize {
        self.table.memory()
    }

    /// Calls `visit(bytes, count)` for every pretoken, in no particular order.
    pub fn for_each(&self, visit: impl FnMut(&[u8], u64)) {
        self.table.for_each(visit);
    }
}

/// Counts the pretokens of documents, and of their bigrams what cutting needs. One per worker.
#[derive(Debug)]
pub struct PretokenCounter {
    pretokenizer: Pretokenizer,
    counts: PretokenCounts,
    sketch: Option<BigramSketch>,
    pretokens: u64,
}

impl PretokenCounter {
    /// Counts bigrams too where a sketch is given.
    pub fn new(pretokenizer: Pretokenizer, sketch: Option<BigramSketch>) -> PretokenCounter {
        PretokenCounter {
            pretokenizer,
            counts: PretokenCounts::default(),
            sketch,
            pretokens: 0,
        }
    }

    /// Counts one document.
    pub fn document(&mut self, text: &str) -> Result<(), SplitError> {
        let bytes = text.as_bytes();
        let table = &mut self.counts.table;
        let mut pretokens = 0u64;
        // A count cannot overflow here: no text has 2^64 pretokens.
        match &mut self.sketch {
            None => self.pretokenizer.for_each(text, |start, end| {
                *table.entry(bytes, start, end).0 += 1;
                pretokens += 1;
            })?,
            Some(sketch) => {
                let mut previous = None;
                let pretokenizer = &self.pretokenizer;
                pretokenizer.for_each(text, |start, end| {
                    let (count, hash) = table.entry(bytes, start, end);
                    *count += 1;
                    pretokens += 1;
                    // No candidate holds a pretoken that is not eligible.
                    let eligible = pretokenizer.may_be_eligible(&bytes[start..end]);
                    if let Some(previous) = previous
                        && eligible
                    {
                        sketch.add(previous, hash);
                    }
                    previous = eligible.then_some(hash);
                })?;
            }
        }
        self.pretokens += pretokens;
        Ok(())
    }

    /// The bytes of memory that the counts hold.
    pub fn memory(&self) -> usize {
        self.counts.memory()
    }

    /// Takes the counts out; counting goes on from none. The sketch and the number of pretokens
    /// stay.
    pub fn take_counts(&mut self) -> PretokenCounts {
        std::mem::take(&mut self.counts)
    }

    /// Takes the sketch and the number of pretokens out; the counts stay.
    pub fn take_rest(&mut self) -> (Option<BigramSketch>, u64) {
        (self.sketch.take(), std::mem::take(&mut self.pretokens))
    }

    /// The counts, the sketch, and the number of pretokens.
    pub fn finish(self) -> (PretokenCounts, Option<BigramSketch>, u64) {
        (self.counts, self.sketch, self.pretokens)
    }
}
