//! Counts the candidates of documents: runs of neighbouring pretokens that may become superwords.

use hashbrown::HashTable;

use super::{BigramSketch, CountError, CountFileError, CountOverflow, Counts, check_stop_at};
use crate::hash::{fold, hash_u64};
use crate::memory;
use crate::observe::Observer;
use crate::prepare::{Part, Preparation};
use crate::table::BytesTable;
use crate::text::{Pretokenizer, SplitError};
use crate::token::Symbol;

/// The pretokens that may be part of a superword: those that are a single token and match the
/// eligibility pattern. Looked up by their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Eligible {
    /// The symbol plus one: the table uses 0 for missing entries.
    table: BytesTable<u32>,
}

impl Eligible {
    /// Adds a token.
    pub(crate) fn insert(&mut self, bytes: &[u8], symbol: Symbol) {
        *self.table.entry(bytes, 0, bytes.len()).0 = symbol.0 + 1;
    }

    /// The symbol of an eligible pretoken, and the hash of its bytes.
    #[inline(always)]
    pub(crate) fn get(&self, text: &[u8], start: usize, end: usize) -> (Option<Symbol>, u64) {
        let (found, hash) = self.table.get(text, start, end);
        (found.map(|symbol| Symbol(symbol - 1)), hash)
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Stored, so that growing the table need not read the symbols again.
    hash: u64,
    start: usize,
    len: usize,
    count: u64,
}

/// How often each candidate (two or more symbols) occurs.
#[derive(Clone, Debug, Default)]
pub struct CandidateCounts {
    entries: HashTable<Entry>,
    arena: Vec<Symbol>,
}

fn hash_symbols(symbols: &[Symbol]) -> u64 {
    symbols.iter().fold(symbols.len() as u64, |hash, symbol| {
        fold(hash ^ hash_u64(u64::from(symbol.0)), 0x9FB2_1C65_1E98_DF25)
    })
}

impl CandidateCounts {
    /// Adds `times` to the count of a candidate.
    pub fn add(&mut self, symbols: &[Symbol], times: u64) -> Result<(), CountOverflow> {
        let hash = hash_symbols(symbols);
        let arena = &self.arena;
        let same = |entry: &Entry| {
            entry.hash == hash && arena[entry.start..entry.start + entry.len] == *symbols
        };
        if let Some(entry) = self.entries.find_mut(hash, same) {
            entry.count = entry.count.checked_add(times).ok_or(CountOverflow)?;
            return Ok(());
        }
        let entry = Entry {
            hash,
            start: self.arena.len(),
            len: symbols.len(),
            count: times,
        };
        memory::extend(&mut self.arena, symbols);
        memory::reserve_entry(&mut self.entries, |entry| entry.hash);
        self.entries.insert_unique(hash, entry, |entry| entry.hash);
        Ok(())
    }

    /// All candidates with their counts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&[Symbol], u64)> + '_ {
        self.entries.iter().map(|entry| {
            let symbols = &self.arena[entry.start..entry.start + entry.len];
            (symbols, entry.count)
        })
    }

    /// The number of distinct candidates.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of tokens in all distinct candidates.
    pub fn tokens(&self) -> usize {
        self.arena.len()
    }

    /// Memory used, in bytes.
    pub fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.arena.capacity() * size_of::<Symbol>()
    }
}

impl Counts for CandidateCounts {
    const NAME: &'static str = "candidates";

    fn len(&self) -> usize {
        CandidateCounts::len(self)
    }

    fn memory(&self) -> usize {
        CandidateCounts::memory(self)
    }

    fn add_all(
        &mut self,
        other: &CandidateCounts,
        times: u64,
        observer: &dyn Observer,
    ) -> Result<(), CountError> {
        for (number, (symbols, count)) in other.iter().enumerate() {
            check_stop_at(number, observer)?;
            self.add(symbols, count.checked_mul(times).ok_or(CountOverflow)?)?;
        }
        Ok(())
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

/// Cuts candidates while they are counted, at bigrams that the sketch proves to be rare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlyCut<'a> {
    /// Upper bounds on the counts of bigrams.
    pub sketch: &'a BigramSketch,
    /// Bigrams that occur less often are cut.
    pub threshold: u64,
}

/// Counts the candidates of documents. Each worker has one.
#[derive(Debug)]
pub(crate) struct CandidateCounter<'a> {
    pretokenizer: Pretokenizer,
    preparation: Option<Preparation>,
    eligible: &'a Eligible,
    cut: Option<EarlyCut<'a>>,
    run: Vec<Symbol>,
    counts: CandidateCounts,
}

impl<'a> CandidateCounter<'a> {
    /// Without `preparation`, texts are counted as they are. Without `cut`, candidates are counted
    /// whole.
    pub(crate) fn new(
        pretokenizer: Pretokenizer,
        preparation: Option<Preparation>,
        eligible: &'a Eligible,
        cut: Option<EarlyCut<'a>>,
    ) -> CandidateCounter<'a> {
        CandidateCounter {
            pretokenizer,
            preparation,
            eligible,
            cut,
            run: Vec::new(),
            counts: CandidateCounts::default(),
        }
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
        let bytes = text.as_bytes();
        let (run, counts, cut) = (&mut self.run, &mut self.counts, self.cut);
        let mut previous = 0;
        let mut flush = |run: &mut Vec<Symbol>| {
            if run.len() > 1 {
                // Cannot overflow: no text has 2^64 pretokens.
                let _ = counts.add(run, 1);
            }
            run.clear();
        };
        run.clear();
        let result = self.pretokenizer.for_each(text, |start, end| {
            let (symbol, hash) = self.eligible.get(bytes, start, end);
            let Some(symbol) = symbol else {
                flush(run);
                return;
            };
            if let Some(cut) = cut
                && !run.is_empty()
                && !cut.sketch.may_reach(previous, hash, cut.threshold)
            {
                flush(run);
            }
            memory::reserve(run, 1);
            run.push(symbol);
            previous = hash;
        });
        flush(run);
        result
    }

    /// Memory used by the counts, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.counts.memory()
    }

    /// Takes the counts out and continues from zero.
    pub(crate) fn take_counts(&mut self) -> CandidateCounts {
        std::mem::take(&mut self.counts)
    }
}
