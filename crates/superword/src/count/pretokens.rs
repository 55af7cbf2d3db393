//! Counts the pretokens of documents.

use super::{BigramSketch, CountError, CountFileError, CountOverflow, Counts, check_stop_at};
use crate::observe::Observer;
use crate::table::BytesTable;
use crate::text::{Pretokenizer, SplitError};

/// How often each pretoken occurs.
#[derive(Clone, Debug, Default)]
pub struct PretokenCounts {
    table: BytesTable<u64>,
}

impl PretokenCounts {
    /// Adds `times` to the count of a pretoken, which must not be empty.
    pub fn add(&mut self, bytes: &[u8], times: u64) -> Result<(), CountOverflow> {
        let count = self.table.entry(bytes, 0, bytes.len()).0;
        *count = count.checked_add(times).ok_or(CountOverflow)?;
        Ok(())
    }

    /// How often a pretoken occurs; 0 if it was never counted.
    pub fn get(&self, bytes: &[u8]) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        self.table.get(bytes, 0, bytes.len()).0.unwrap_or(0)
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &PretokenCounts) -> Result<(), CountOverflow> {
        let mut result = Ok(());
        other.for_each(|bytes, count| {
            if let Err(overflow) = self.add(bytes, count) {
                result = Err(overflow);
            }
        });
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

    /// Memory used, in bytes.
    pub fn memory(&self) -> usize {
        self.table.memory()
    }

    /// Calls `visit(bytes, count)` for every pretoken, in no particular order.
    pub fn for_each(&self, visit: impl FnMut(&[u8], u64)) {
        self.table.for_each(visit);
    }
}

impl Counts for PretokenCounts {
    const NAME: &'static str = "distinct words";

    fn len(&self) -> usize {
        PretokenCounts::len(self)
    }

    fn memory(&self) -> usize {
        PretokenCounts::memory(self)
    }

    fn add_all(
        &mut self,
        other: &PretokenCounts,
        times: u64,
        observer: &dyn Observer,
    ) -> Result<(), CountError> {
        let mut result = Ok(());
        let mut number = 0;
        other.for_each(|bytes, count| {
            if result.is_ok() {
                result = check_stop_at(number, observer)
                    .map_err(CountError::from)
                    .and_then(|()| {
                        let count = count.checked_mul(times).ok_or(CountOverflow)?;
                        Ok(self.add(bytes, count)?)
                    });
                number += 1;
            }
        });
        result
    }

    fn for_each_key(&self, visit: impl FnMut(&[u8], u64)) {
        self.for_each(visit);
    }

    fn add_key(&mut self, key: &[u8], count: u64) -> Result<(), CountFileError> {
        Ok(self.add(key, count)?)
    }
}

/// Counts the pretokens of documents, and optionally their bigrams in a sketch. Each worker has one.
#[derive(Debug)]
pub(crate) struct PretokenCounter {
    pretokenizer: Pretokenizer,
    counts: PretokenCounts,
    sketch: Option<BigramSketch>,
    pretokens: u64,
}

impl PretokenCounter {
    /// With a sketch, bigrams are counted too.
    pub(crate) fn new(pretokenizer: Pretokenizer, sketch: Option<BigramSketch>) -> PretokenCounter {
        PretokenCounter {
            pretokenizer,
            counts: PretokenCounts::default(),
            sketch,
            pretokens: 0,
        }
    }

    /// Counts one document.
    pub(crate) fn document(&mut self, text: &str) -> Result<(), SplitError> {
        let bytes = text.as_bytes();
        let table = &mut self.counts.table;
        let mut pretokens = 0u64;
        // Counts cannot overflow here: no text has 2^64 pretokens.
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
                    // Candidates contain eligible pretokens only.
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

    /// Memory used by the counts, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.counts.memory()
    }

    /// Takes the counts out and continues from zero. The sketch and the number of pretokens stay.
    pub(crate) fn take_counts(&mut self) -> PretokenCounts {
        std::mem::take(&mut self.counts)
    }

    /// The counts, the sketch and the number of pretokens.
    pub(crate) fn finish(self) -> (PretokenCounts, Option<BigramSketch>, u64) {
        (self.counts, self.sketch, self.pretokens)
    }
}
