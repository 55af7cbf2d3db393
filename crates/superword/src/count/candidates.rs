//! Counts the candidates of documents: runs of neighbouring pretokens that may become superwords.

use super::table::{CountTable, Front, Item, sum};
use super::{BigramSketch, CountError, CountFileError, CountOverflow, Counts};
use crate::hash::{fold, hash_u64, hash_u128};
use crate::memory;
use crate::observe::Observer;
use crate::prepare::{Part, Preparation};
use crate::table::BytesTable;
use crate::text::{Pretokenizer, Sink, SplitError};
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

    /// Prefetches the place of a pretoken and returns the hash of its bytes.
    #[inline(always)]
    fn prefetch(&self, text: &[u8], start: usize, end: usize) -> u64 {
        let hash = BytesTable::<u32>::hash(text, start, end);
        self.table.prefetch(hash);
        hash
    }

    /// The symbol of an eligible pretoken with this hash.
    #[inline(always)]
    fn get(&self, text: &[u8], start: usize, end: usize, hash: u64) -> Option<Symbol> {
        let found = self.table.get_hashed(text, start, end, hash);
        found.map(|symbol| Symbol(symbol - 1))
    }
}

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

/// No symbol: there are fewer tokens than that.
const NONE: Symbol = Symbol(u32::MAX);

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

    /// Calls `visit` with every candidate and its count, in the order of [`CandidateCounts::iter`].
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&[Symbol], u64)) {
        self.iter()
            .for_each(|(symbols, count)| visit(symbols, count));
    }

    /// Like [`CandidateCounts::for_each`], in the same order. Frees the memory of the candidates that were visited.
    pub(crate) fn consume(self, visit: impl FnMut(&[Symbol], u64)) {
        self.table.consume(visit);
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

    fn len(&self) -> usize {
        CandidateCounts::len(self)
    }

    fn memory(&self) -> usize {
        CandidateCounts::memory(self)
    }

    fn most_memory(&self) -> usize {
        self.table.most_memory()
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

/// Cuts candidates while they are counted, at bigrams that the sketch proves to be rare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlyCut<'a> {
    /// Upper bounds on the counts of bigrams.
    pub sketch: &'a BigramSketch,
    /// Bigrams that occur less often are cut.
    pub threshold: u64,
}

/// Pretokens that are looked up together, so that their accesses to memory are under way at the same time.
const BATCH: usize = 128;

/// A pretoken that waits to be looked up.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    start: usize,
    end: usize,
    hash: u64,
    /// The symbol, once it is found.
    symbol: Option<Symbol>,
}

/// Counts the candidates of documents. Each worker has one.
#[derive(Debug)]
pub(crate) struct CandidateCounter<'a> {
    pretokenizer: Pretokenizer,
    preparation: Option<Preparation>,
    runs: Runs<'a>,
}

/// Collects runs of eligible pretokens and counts them.
#[derive(Debug)]
struct Runs<'a> {
    eligible: &'a Eligible,
    cut: Option<EarlyCut<'a>>,
    waiting: Box<[Waiting; BATCH]>,
    /// The number of pretokens that wait.
    length: usize,
    run: Vec<Symbol>,
    /// The hash of the last pretoken of the run.
    previous: u64,
    front: Front<Symbol>,
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
            runs: Runs {
                eligible,
                cut,
                waiting: Box::new([Waiting::default(); BATCH]),
                length: 0,
                run: Vec::new(),
                previous: 0,
                front: Front::new(),
                counts: CandidateCounts::default(),
            },
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
        self.runs.front.prepare();
        let mut sink = RunSink {
            bytes,
            runs: &mut self.runs,
        };
        let result = self.pretokenizer.feed(text, &mut sink);
        self.runs.look_up(bytes);
        self.runs.end_run();
        result
    }

    /// The counts so far, without the candidates that are still in the table in front of it.
    #[cfg(feature = "files")]
    pub(crate) fn counts(&self) -> &CandidateCounts {
        &self.runs.counts
    }

    /// Takes the counts out and continues from zero.
    pub(crate) fn take_counts(&mut self) -> CandidateCounts {
        let runs = &mut self.runs;
        runs.front.flush(&mut runs.counts.table);
        std::mem::take(&mut runs.counts)
    }
}

impl Runs<'_> {
    /// Looks up the pretokens that wait, and continues the run with them.
    fn look_up(&mut self, bytes: &[u8]) {
        let waiting = &mut self.waiting[..self.length];
        self.length = 0;
        for pretoken in &mut *waiting {
            pretoken.hash = self.eligible.prefetch(bytes, pretoken.start, pretoken.end);
        }
        let mut previous = (!self.run.is_empty()).then_some(self.previous);
        for pretoken in &mut *waiting {
            pretoken.symbol = self
                .eligible
                .get(bytes, pretoken.start, pretoken.end, pretoken.hash);
            if let Some(cut) = self.cut
                && let Some(previous) = previous
                && pretoken.symbol.is_some()
            {
                cut.sketch.prefetch(previous, pretoken.hash);
            }
            previous = pretoken.symbol.map(|_| pretoken.hash);
        }
        for at in 0..waiting.len() {
            let Waiting { hash, symbol, .. } = self.waiting[at];
            let Some(symbol) = symbol else {
                self.end_run();
                continue;
            };
            if let Some(cut) = self.cut
                && !self.run.is_empty()
                && !cut.sketch.may_reach(self.previous, hash, cut.threshold)
            {
                self.end_run();
            }
            memory::reserve(&mut self.run, 1);
            self.run.push(symbol);
            self.previous = hash;
        }
    }

    /// Counts the run, if it is a candidate, and starts the next one.
    #[inline(always)]
    fn end_run(&mut self) {
        if self.run.len() > 1 {
            let table = &mut self.counts.table;
            match Symbol::inline(&self.run) {
                Some(key) => self.front.add(&key, Symbol::hash_inline(&key), table),
                None => {
                    let hash = Symbol::hash_long(&self.run);
                    // Cannot overflow: no text has 2^64 pretokens.
                    let _ = table.add_long(&self.run, hash, 1);
                }
            }
        }
        self.run.clear();
    }
}

/// Passes the pretokens of a text on to the runs.
struct RunSink<'c, 'a> {
    bytes: &'c [u8],
    runs: &'c mut Runs<'a>,
}

impl Sink for RunSink<'_, '_> {
    #[inline(always)]
    fn pretoken(&mut self, start: usize, end: usize) {
        let runs = &mut *self.runs;
        let waiting = &mut runs.waiting[runs.length % BATCH];
        (waiting.start, waiting.end) = (start, end);
        runs.length += 1;
        if runs.length == BATCH {
            runs.look_up(self.bytes);
        }
    }
}
