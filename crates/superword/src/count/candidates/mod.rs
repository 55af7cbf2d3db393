//! Counts the candidates of documents: runs of neighbouring pretokens that may become superwords.

mod eligible;
mod runs;

use std::borrow::Cow;

use super::sketch::FrequentBigrams;
use super::table::{CountTable, Front, Item, Parts, sum};
use super::{CountError, CountFileError, CountOverflow, Counts};
use crate::hash::{fold, hash_u64, hash_u128};
use crate::observe::Observer;
use crate::prepare::{Part, Preparation};
use crate::text::{Pretokenizer, SplitError};
use crate::token::Symbol;
pub(crate) use eligible::Eligible;
use runs::{NONE, RunSink, Runs, SHORT, Visit};

impl Item for Symbol {
    /// Up to four symbols, then [`NONE`].
    type Inline = [Symbol; 4];

    const FREE: [Symbol; 4] = [NONE; 4];

    #[inline(always)]
    fn inline(key: &[Symbol]) -> Option<[Symbol; 4]> {
        if key.len() > 4 || key.contains(&NONE) {
            return None;
        }
        let mut inline = Symbol::FREE;
        inline[..key.len()].copy_from_slice(key);
        Some(inline)
    }

    #[inline(always)]
    fn items(key: &[Symbol; 4]) -> &[Symbol] {
        let len = key.iter().position(|&symbol| symbol == NONE);
        &key[..len.unwrap_or(4)]
    }

    #[inline(always)]
    fn hash_inline(key: &[Symbol; 4]) -> u64 {
        let [a, b, c, d] = key.map(|symbol| u128::from(symbol.0));
        hash_u128(a | b << 32 | c << 64 | d << 96)
    }

    fn hash_long(key: &[Symbol]) -> u64 {
        key.iter().fold(key.len() as u64, |hash, symbol| {
            fold(hash ^ hash_u64(u64::from(symbol.0)), 0x9FB2_1C65_1E98_DF25)
        })
    }
}

/// How often each candidate (two or more symbols) occurs.
#[derive(Clone, Debug, Default)]
pub struct CandidateCounts {
    table: CountTable<Symbol>,
}

impl CandidateCounts {
    /// Adds `times` to the count of a candidate.
    pub fn add(&mut self, symbols: &[Symbol], times: u64) -> Result<(), CountOverflow> {
        self.table.add(symbols, times)
    }

    /// All candidates with their counts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&[Symbol], u64)> + '_ {
        self.table.iter()
    }

    /// The candidates in parts, for several threads.
    pub(crate) fn parts(counts: Cow<'_, CandidateCounts>) -> Parts<'_, Symbol> {
        Parts::new(match counts {
            Cow::Owned(counts) => Cow::Owned(counts.table),
            Cow::Borrowed(counts) => Cow::Borrowed(&counts.table),
        })
    }

    /// The number of distinct candidates.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of tokens in all distinct candidates.
    pub fn tokens(&self) -> usize {
        self.table.items()
    }

    /// Memory used, in bytes.
    pub fn memory(&self) -> usize {
        self.table.memory()
    }
}

impl Counts for CandidateCounts {
    const NAME: &'static str = "candidates";
    const CELLS: usize = 2;

    fn len(&self) -> usize {
        CandidateCounts::len(self)
    }

    fn memory(&self) -> usize {
        CandidateCounts::memory(self)
    }

    fn most_memory(&self) -> usize {
        self.table.most_memory()
    }

    fn most_memory_of(length: usize) -> usize {
        CountTable::<Symbol>::most_memory_of(length, length <= 4)
    }

    fn items(&self) -> usize {
        self.table.items()
    }

    fn for_some_keys(&self, visit: impl FnMut(u64, usize)) {
        self.table.for_some_keys(visit);
    }

    fn sum(
        parts: Vec<(CandidateCounts, u64)>,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<CandidateCounts, CountError> {
        let tables = parts.into_iter().map(|(part, times)| (part.table, times));
        let table = sum(tables.collect(), threads, observer)?;
        Ok(CandidateCounts { table })
    }

    fn for_each_key(&self, mut visit: impl FnMut(&[u8], u64)) {
        let mut key = Vec::new();
        for (symbols, count) in self.iter() {
            key.clear();
            // Big end first, so that sorted keys are sorted candidates.
            key.extend(symbols.iter().flat_map(|symbol| symbol.0.to_be_bytes()));
            visit(&key, count);
        }
    }

    fn add_key(&mut self, key: &[u8], count: u64) -> Result<(), CountFileError> {
        let (symbols, []) = key.as_chunks::<4>() else {
            return Err(CountFileError::Damaged);
        };
        if symbols.len() < 2 {
            return Err(CountFileError::Damaged);
        }
        let symbols: Vec<Symbol> = symbols
            .iter()
            .map(|&bytes| Symbol(u32::from_be_bytes(bytes)))
            .collect();
        Ok(self.add(&symbols, count)?)
    }
}

/// Counts the candidates of documents. Each worker has one.
#[derive(Debug)]
pub(crate) struct CandidateCounter<'a> {
    pretokenizer: Pretokenizer,
    preparation: Option<Preparation>,
    runs: Runs<'a>,
    counted: Counted,
}

/// Counts the runs that are found.
#[derive(Debug)]
struct Counted {
    front: Front<Symbol>,
    counts: CandidateCounts,
    /// Only one in [`ONE_IN`](super::ONE_IN) distinct candidates is counted.
    measures: bool,
}

impl Counted {
    #[inline(always)]
    fn is_wanted(&self, hash: u64) -> bool {
        !self.measures || CountTable::<Symbol>::is_one_of_some(hash)
    }
}

impl Visit for Counted {
    #[inline(always)]
    fn short(&mut self, run: [Symbol; SHORT]) {
        let hash = Symbol::hash_inline(&run);
        if self.is_wanted(hash) {
            self.front.add(&run, hash, &mut self.counts.table);
        }
    }

    fn long(&mut self, run: &[Symbol]) {
        let hash = Symbol::hash_long(run);
        if self.is_wanted(hash) {
            self.front.add_long(run, hash, &mut self.counts.table);
        }
    }
}

impl<'a> CandidateCounter<'a> {
    /// Without `preparation`, texts are counted as they are. Without `cut`, candidates are counted
    /// whole. Otherwise they are cut at all other bigrams while they are counted.
    pub(crate) fn new(
        pretokenizer: Pretokenizer,
        preparation: Option<Preparation>,
        eligible: &'a Eligible,
        cut: Option<&'a FrequentBigrams>,
    ) -> CandidateCounter<'a> {
        CandidateCounter {
            pretokenizer,
            preparation,
            runs: Runs::new(eligible, cut),
            counted: Counted {
                front: Front::new(),
                counts: CandidateCounts::default(),
                measures: false,
            },
        }
    }

    /// From now on, counts only the candidates that [`Counts::for_some_keys`] visits.
    #[cfg(feature = "files")]
    pub(crate) fn measure(&mut self) {
        self.counted.measures = true;
    }

    /// Counts the candidates of one document.
    pub(crate) fn document(&mut self, text: &str) -> Result<(), SplitError> {
        let Some(preparation) = self.preparation.take() else {
            return self.part(text);
        };
        let result = preparation.for_each(text, false, |part| match part {
            Part::Text(part) => self.part(part.text),
            Part::Token { .. } => Ok(()),
        });
        self.preparation = Some(preparation);
        result
    }

    /// Counts the candidates of a text without added tokens.
    fn part(&mut self, text: &str) -> Result<(), SplitError> {
        self.runs.prepare();
        self.counted.front.prepare();
        let mut sink = RunSink {
            text: text.as_bytes(),
            runs: &mut self.runs,
            visit: &mut self.counted,
        };
        let result = self.pretokenizer.feed(text, &mut sink);
        self.runs.finish(&mut self.counted);
        result
    }

    /// The counts so far, without the candidates that are still in the table in front of it.
    #[cfg(feature = "files")]
    pub(crate) fn counts(&self) -> &CandidateCounts {
        &self.counted.counts
    }

    /// Takes the counts out and continues from zero.
    pub(crate) fn take_counts(&mut self) -> CandidateCounts {
        let Counted { front, counts, .. } = &mut self.counted;
        front.flush(&mut counts.table);
        std::mem::take(counts)
    }
}
