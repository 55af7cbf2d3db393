//! Supermerges applied to runs of eligible pretokens.
//!
//! A *seam* is the boundary between two neighbouring pretokens inside a superword. Most neighbours
//! in a text are not at a seam of any superword. So only a few short runs can change.

use super::mark::{ELIGIBLE, unmarked};
use super::merge::{self, FEW, MAX_RETAINED, MergeTable, NO_RULE, Rank};
use crate::hash::NumberMap;
use crate::memory;
use crate::model::{Event, Model, Ngrams};
use crate::token::Symbol;

/// Joins single-token pretokens to superwords.
#[derive(Clone, Debug)]
pub(super) struct SuperwordEncoder {
    /// The rules, and the pairs of pretokens that are neighbours in some superword.
    table: MergeTable,
    ngrams: Option<Ngrams>,
    /// For each symbol, whether it is one of these pretokens.
    at_seams: Vec<bool>,
}

/// Buffers that are reused from one call of [`SuperwordEncoder::join`] to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct JoinScratch {
    /// Bit `i` is set if symbols `i` and `i + 1` are at a seam.
    seams: Vec<u64>,
    /// The rank of symbols `i` and `i + 1`, valid where they are at a seam.
    ranks: Vec<Rank>,
    run: RunScratch,
}

/// Buffers for one long run.
#[derive(Clone, Debug, Default)]
struct RunScratch {
    tokens: Vec<u32>,
    merge: merge::Scratch,
}

impl SuperwordEncoder {
    /// `None` for a model without supermerges. `is_word` tells which symbols a pretoken can be.
    pub(super) fn new(model: &Model, is_word: &[bool]) -> Option<SuperwordEncoder> {
        let vocabulary = model.vocabulary();
        let supermerges: Vec<(Symbol, Symbol, Symbol)> = model
            .parts()
            .events
            .iter()
            .enumerate()
            .filter_map(|(at, event)| match *event {
                Event::Supermerge { left, right, .. } => {
                    Some((left, right, vocabulary.made_by(at)))
                }
                _ => None,
            })
            .collect();
        if supermerges.is_empty() {
            return None;
        }
        let pairs = seams_of(&supermerges, is_word);
        let mut at_seams = vec![false; vocabulary.len()];
        for &(left, right) in &pairs {
            at_seams[left as usize] = true;
            at_seams[right as usize] = true;
        }
        let ngrams = &model.parts().ngrams;
        Some(SuperwordEncoder {
            table: MergeTable::with_seams(&supermerges, &pairs, vocabulary.len()),
            at_seams,
            ngrams: (!ngrams.is_empty()).then(|| Ngrams::from_list(ngrams.iter().cloned())),
        })
    }

    /// Whether a pretoken that is this symbol can become part of a superword.
    pub(super) fn may_join(&self, symbol: Symbol) -> bool {
        // Greedy splitting needs whole runs.
        self.ngrams.is_some() || self.at_seams[symbol.index()]
    }

    /// Appends the tokens of `symbols` to `out` and returns how many symbols were used: all of them
    /// if `at_end`, otherwise those before the last run, which may continue.
    pub(super) fn join(
        &self,
        symbols: &[u32],
        at_end: bool,
        scratch: &mut JoinScratch,
        out: &mut Vec<u32>,
    ) -> usize {
        let Some(last) = symbols.len().checked_sub(1) else {
            return 0;
        };
        let JoinScratch { seams, ranks, run } = scratch;
        self.find_seams(symbols, seams, ranks);
        let end = match at_end {
            true => last + 1,
            false => start_of_run(seams, last),
        };
        let from = out.len();
        memory::reserve(out, end + SPARE);
        out.resize(from + end + SPARE, 0);
        let mut tokens = Tokens {
            out: &mut out[from..],
            count: 0,
        };
        let mut done = 0;
        while let Some(start) = next_bit::<true>(seams, done, end) {
            tokens.copy(symbols, done, start);
            let run_end = next_bit::<false>(seams, start, end).unwrap_or(last) + 1;
            self.join_run(
                &symbols[start..run_end],
                &ranks[start..run_end - 1],
                run,
                &mut tokens,
            );
            done = run_end;
        }
        tokens.copy(symbols, done, end);
        let count = tokens.count;
        out.truncate(from + count);
        if ranks.capacity() > MAX_RETAINED {
            (*seams, *ranks) = (Vec::new(), Vec::new());
        }
        end
    }

    /// Sets bit `i` and finds the rank if symbols `i` and `i + 1` are at a seam. If the bit is not set,
    /// no superword has them as neighbours. For greedy splitting, the bits of all eligible pairs are
    /// set, and no ranks are found.
    ///
    /// Lookups follow each other without waiting, so that their cache misses overlap.
    fn find_seams(&self, symbols: &[u32], seams: &mut Vec<u64>, ranks: &mut Vec<Rank>) {
        seams.clear();
        ranks.resize(symbols.len(), NO_RULE);
        for start in (0..symbols.len()).step_by(64) {
            let end = symbols.len().min(start + 65);
            let mut pairs = eligible_pairs(&symbols[start..end]);
            let mut word = pairs;
            // Greedy splitting needs whole runs.
            if self.ngrams.is_none() {
                while pairs != 0 {
                    let bit = pairs.trailing_zeros();
                    let at = start + bit as usize;
                    let (is_seam, rank) = self
                        .table
                        .seam(unmarked(symbols[at]), unmarked(symbols[at + 1]));
                    ranks[at] = rank;
                    word ^= u64::from(!is_seam) << bit;
                    pairs &= pairs - 1;
                }
            }
            seams.push(word);
        }
    }

    /// Appends the tokens of a run of at least two symbols with the ranks between them.
    #[inline(always)]
    fn join_run(
        &self,
        run: &[u32],
        ranks: &[Rank],
        scratch: &mut RunScratch,
        out: &mut Tokens<'_>,
    ) {
        match (run, ranks, &self.ngrams) {
            (&[left, right], &[rank], None) => match rank {
                NO_RULE => out.extend(&[left, right]),
                rank => out.extend(&[self.table.joined(rank)]),
            },
            (&[a, b, c], &[first, second], None) => {
                let symbols = [a, b, c].map(unmarked);
                let (tokens, count) = self.table.apply_to_three(symbols, [first, second]);
                out.extend(&tokens[..count]);
            }
            // Not in a page, whose code has to be small.
            (run, ranks, None)
                if cfg!(feature = "files") && run.len() <= FEW && self.table.is_monotonic() =>
            {
                let mut symbols = [0; FEW];
                for (symbol, &marked) in symbols.iter_mut().zip(run) {
                    *symbol = unmarked(marked);
                }
                let (tokens, count) = self.table.apply_to_few(symbols, ranks);
                out.copy(&tokens, 0, count);
            }
            _ => self.join_long_run(run, ranks, scratch, out),
        }
    }

    #[inline(never)]
    fn join_long_run(
        &self,
        run: &[u32],
        ranks: &[Rank],
        scratch: &mut RunScratch,
        out: &mut Tokens<'_>,
    ) {
        let RunScratch { tokens, merge } = scratch;
        match &self.ngrams {
            None => {
                tokens.clear();
                tokens.extend(run.iter().copied().map(unmarked));
                self.table.apply_with(tokens, merge, |_, at| ranks[at]);
                out.extend(tokens);
            }
            Some(ngrams) => {
                let whole: Vec<Symbol> =
                    run.iter().map(|&symbol| Symbol(unmarked(symbol))).collect();
                ngrams.split(&whole, |ngram| {
                    tokens.clear();
                    tokens.extend(ngram.iter().map(|symbol| symbol.0));
                    self.table.apply(tokens, merge);
                    out.extend(tokens);
                });
            }
        }
        if tokens.capacity() > MAX_RETAINED {
            *tokens = Vec::new();
        }
    }
}

/// Tokens written one after the other. There is room for one token per symbol, and for [`SPARE`]
/// more that may be written without being counted.
struct Tokens<'o> {
    out: &'o mut [u32],
    count: usize,
}

const SPARE: usize = FEW;

impl Tokens<'_> {
    /// Appends symbols without their marks.
    #[inline(always)]
    fn extend(&mut self, symbols: &[u32]) {
        for &symbol in symbols {
            self.out[self.count] = unmarked(symbol);
            self.count += 1;
        }
    }

    /// Appends `symbols[from..to]` without their marks. Usually these are few, and the branch at the
    /// end of a loop over them would be mispredicted.
    #[inline(always)]
    fn copy(&mut self, symbols: &[u32], from: usize, to: usize) {
        if to - from <= SPARE
            && let Some(symbols) = symbols[from..].first_chunk::<SPARE>()
            && let Some(out) = self.out[self.count..].first_chunk_mut::<SPARE>()
        {
            *out = symbols.map(unmarked);
            self.count += to - from;
            return;
        }
        self.extend(&symbols[from..to]);
    }
}

/// Sets bit `i` if symbols `i` and `i + 1` are both eligible. There are at most 65 symbols.
#[inline(always)]
fn eligible_pairs(symbols: &[u32]) -> u64 {
    let mut pairs = 0;
    for (bit, pair) in symbols.windows(2).enumerate() {
        pairs |= u64::from((pair[0] & pair[1]) / ELIGIBLE) << bit;
    }
    pairs
}

/// The first index in `from..end` whose bit is `VALUE`.
#[inline(always)]
fn next_bit<const VALUE: bool>(bits: &[u64], from: usize, end: usize) -> Option<usize> {
    let mut at = from;
    while at < end {
        let word = if VALUE { bits[at / 64] } else { !bits[at / 64] };
        let found = at + (word >> (at % 64)).trailing_zeros() as usize;
        if word >> (at % 64) != 0 {
            return (found < end).then_some(found);
        }
        at = (at / 64 + 1) * 64;
    }
    None
}

/// The start of the run that contains symbol `last`.
fn start_of_run(seams: &[u64], last: usize) -> usize {
    let mut start = last;
    while start > 0 && seams[(start - 1) / 64] >> ((start - 1) % 64) & 1 != 0 {
        start -= 1;
    }
    start
}

/// The pairs of pretokens that are neighbours in some superword.
fn seams_of(supermerges: &[(Symbol, Symbol, Symbol)], is_word: &[bool]) -> Vec<(u32, u32)> {
    let (firsts, lasts) = ends_of(supermerges, is_word);
    let mut seams = Vec::with_capacity(supermerges.len());
    for (left, right, _) in supermerges {
        for &last in ends(&lasts, left.0).iter() {
            for &first in ends(&firsts, right.0).iter() {
                seams.push((last, first));
            }
        }
    }
    seams.sort_unstable();
    seams.dedup();
    seams
}

type Ends = NumberMap<u32, Vec<u32>>;

fn ends(ends: &Ends, symbol: u32) -> std::borrow::Cow<'_, [u32]> {
    match ends.get(&symbol) {
        Some(list) => list.into(),
        None => vec![symbol].into(),
    }
}

/// The first and the last pretokens of each superword: one of each, unless the same bytes were made
/// of different pretokens.
fn ends_of(supermerges: &[(Symbol, Symbol, Symbol)], is_word: &[bool]) -> (Ends, Ends) {
    let (mut firsts, mut lasts) = (Ends::default(), Ends::default());
    loop {
        let mut changed = false;
        for (left, right, joined) in supermerges {
            for (known, part) in [(&mut firsts, left), (&mut lasts, right)] {
                let new = ends(known, part.0).into_owned();
                // The same bytes may also be a single pretoken.
                let alone = is_word[joined.index()].then_some(joined.0);
                let list = known
                    .entry(joined.0)
                    .or_insert_with(|| alone.into_iter().collect());
                for end in new {
                    if !list.contains(&end) {
                        list.push(end);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return (firsts, lasts);
        }
    }
}
