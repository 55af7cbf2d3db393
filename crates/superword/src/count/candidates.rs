//! Documents → candidates: runs of neighbouring pretokens that may become superwords.

use hashbrown::HashTable;

use super::{BigramSketch, CountOverflow};
use crate::hash::{fold, hash_u64};
use crate::memory;
use crate::table::BytesTable;
use crate::text::{Pretokenizer, SplitError};
use crate::token::Symbol;

/// The pretokens that may be part of a superword: single tokens that match the eligibility
/// pattern, by their bytes.
#[derive(Clone, Debug, Default)]
pub struct Eligible {
    /// The symbol plus one; zero stands for none.
    table: BytesTable<u32>,
}

impl Eligible {
    /// Adds a token.
    pub fn insert(&mut self, bytes: &[u8], symbol: Symbol) {
        *self.table.entry(bytes, 0, bytes.len()).0 = symbol.0 + 1;
    }

    /// The number of eligible tokens.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The symbol of an eligible pretoken, and the hash of its bytes.
    #[inline(always)]
    pub fn get(&self, text: &[u8], start: usize, end: usize) -> (Option<Symbol>, u64) {
        let (found, hash) = self.table.get(text, start, end);
        (found.map(|symbol| Symbol(symbol - 1)), hash)
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Kept, so that a growing table need not look at the symbols again.
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
    /// Counts a sequence `times` more often.
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

    /// Adds all counts of another.
    pub fn merge(&mut self, other: &CandidateCounts) -> Result<(), CountOverflow> {
        other
            .iter()
            .try_for_each(|(symbols, count)| self.add(symbols, count))
    }

    /// Multiplies all counts.
    pub fn multiply(&mut self, times: u64) -> Result<(), CountOverflow> {
        for entry in &mut self.entries {
            entry.count = entry.count.checked_mul(times).ok_or(CountOverflow)?;
        }
        Ok(())
    }

    /// All candidates and their counts, in no particular order.
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

    /// The number of tokens in all distinct candidates together.
    pub fn tokens(&self) -> usize {
        self.arena.len()
    }

    /// The bytes of memory held.
    pub fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.arena.capacity() * size_of::<Symbol>()
    }
}

/// Where runs may be cut while they are collected: bigrams that the sketch knows to be rarer.
#[derive(Clone, Copy, Debug)]
pub struct EarlyCut<'a> {
    /// Upper bounds on the counts of bigrams.
    pub sketch: &'a BigramSketch,
    /// Rarer bigrams are cut.
    pub threshold: u64,
}

/// Collects the candidates of documents. One per worker.
#[derive(Debug)]
pub struct CandidateCounter<'a> {
    pretokenizer: Pretokenizer,
    eligible: &'a Eligible,
    cut: Option<EarlyCut<'a>>,
    run: Vec<Symbol>,
    counts: CandidateCounts,
    overflow: bool,
}

impl<'a> CandidateCounter<'a> {
    /// Without `cut`, candidates are kept whole.
    pub fn new(
        pretokenizer: Pretokenizer,
        eligible: &'a Eligible,
        cut: Option<EarlyCut<'a>>,
    ) -> CandidateCounter<'a> {
        CandidateCounter {
            pretokenizer,
            eligible,
            cut,
            run: Vec::new(),
            counts: CandidateCounts::default(),
            overflow: false,
        }
    }

    /// Collects the candidates of one document.
    pub fn document(&mut self, text: &str) -> Result<(), SplitError> {
        let bytes = text.as_bytes();
        let (run, counts, cut) = (&mut self.run, &mut self.counts, self.cut);
        let mut overflow = false;
        let mut previous = 0;
        let mut flush = |run: &mut Vec<Symbol>| {
            if run.len() > 1 {
                overflow |= counts.add(run, 1).is_err();
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
        self.overflow |= overflow;
        result
    }

    /// The bytes of memory that the candidates hold.
    pub fn memory(&self) -> usize {
        self.counts.memory()
    }

    /// Takes the candidates out; counting goes on from none.
    pub fn take_counts(&mut self) -> CandidateCounts {
        std::mem::take(&mut self.counts)
    }

    /// The candidates.
    pub fn finish(self) -> Result<CandidateCounts, CountOverflow> {
        if self.overflow {
            return Err(CountOverflow);
        }
        Ok(self.counts)
    }
}
