//! Supermerges applied to a run of pretokens that are one token each.

use super::filter::HashFilter;
use super::ranked::{KEPT, RankedRules, Scratch};
use super::rules::{NO_RULE, Rank};
use crate::hash::{NumberMap, hash_pair};
use crate::memory;
use crate::model::{Event, Model, Ngrams};
use crate::token::Symbol;

/// Set in the symbol of a pretoken that is one token and may be part of a superword.
pub(super) const ELIGIBLE: u32 = 1 << 31;

/// The supermerges of a model, ready to be applied.
#[derive(Clone, Debug)]
pub(super) struct SuperwordRules {
    rules: RankedRules,
    /// The pairs of pretokens that stand side by side in some superword.
    seams: HashFilter,
    ngrams: Option<Ngrams>,
}

impl SuperwordRules {
    /// `None` for a model without supermerges. `is_word` says which symbols a pretoken may be.
    pub(super) fn new(model: &Model, is_word: &[bool]) -> Option<SuperwordRules> {
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
        let mut seams = HashFilter::with_capacity(pairs.len());
        for (left, right) in pairs {
            seams.insert(hash_pair(left, right));
        }
        let ngrams = &model.parts().ngrams;
        Some(SuperwordRules {
            rules: RankedRules::new(&supermerges, vocabulary.len()),
            seams,
            ngrams: (!ngrams.is_empty()).then(|| Ngrams::from_list(ngrams.iter().cloned())),
        })
    }

    /// Appends the tokens of `symbols` to `out`, and says how many symbols that were: all of them
    /// `at_end`, else those before the last place where a superword can end.
    pub(super) fn join(
        &self,
        symbols: &[u32],
        at_end: bool,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) -> usize {
        let Some(last) = symbols.len().checked_sub(1) else {
            return 0;
        };
        let mut seams = std::mem::take(&mut scratch.seams);
        let mut ranks = std::mem::take(&mut scratch.ranks);
        self.find_seams(symbols, &mut seams);
        let end = match at_end {
            true => last + 1,
            false => start_of_run(&seams, last),
        };
        self.find_ranks(symbols, &seams, &mut ranks);
        let from = out.len();
        memory::reserve(out, end + SPARE);
        out.resize(from + end + SPARE, 0);
        let mut tokens = Tokens {
            out: &mut out[from..],
            count: 0,
        };
        let mut done = 0;
        while let Some(start) = next_bit::<true>(&seams, done, end) {
            tokens.copy(symbols, done, start);
            let run_end = next_bit::<false>(&seams, start, end).unwrap_or(last) + 1;
            self.join_run(
                &symbols[start..run_end],
                &ranks[start..run_end - 1],
                scratch,
                &mut tokens,
            );
            done = run_end;
        }
        tokens.copy(symbols, done, end);
        let count = tokens.count;
        out.truncate(from + count);
        if ranks.capacity() <= KEPT {
            (scratch.seams, scratch.ranks) = (seams, ranks);
        }
        end
    }

    /// The rules of all neighbours at a seam, one look-up after the other: they wait for memory
    /// together.
    fn find_ranks(&self, symbols: &[u32], seams: &[u64], ranks: &mut Vec<Rank>) {
        ranks.resize(symbols.len(), NO_RULE);
        if self.ngrams.is_some() {
            return; // the runs are not cut yet
        }
        for (word, &bits) in seams.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                ranks[at] = self
                    .rules
                    .likely_rank(plain(symbols[at]), plain(symbols[at + 1]));
                bits &= bits - 1;
            }
        }
    }

    /// Sets bit `i` where a superword may hold symbols `i` and `i + 1` side by side. Only where it
    /// is not set is that certain: no superword does.
    fn find_seams(&self, symbols: &[u32], seams: &mut Vec<u64>) {
        seams.clear();
        for start in (0..symbols.len()).step_by(64) {
            let end = symbols.len().min(start + 65);
            let mut word = 0;
            for (bit, pair) in symbols[start..end].windows(2).enumerate() {
                // Greedy splitting sees whole runs.
                let hash = hash_pair(plain(pair[0]), plain(pair[1]));
                let seam = self.ngrams.is_some() || self.seams.may_have(hash);
                let eligible = pair[0] & pair[1] & ELIGIBLE != 0;
                word |= u64::from(seam & eligible) << bit;
            }
            seams.push(word);
        }
    }

    /// Appends the tokens of a run of at least two symbols, `ranks` the rules between them.
    #[inline(always)]
    fn join_run(&self, run: &[u32], ranks: &[Rank], scratch: &mut Scratch, out: &mut Tokens<'_>) {
        match (run, ranks, &self.ngrams) {
            (&[left, right], &[rank], None) => match rank {
                NO_RULE => out.extend(&[left, right]),
                rank => out.extend(&[self.rules.joined(rank)]),
            },
            (&[a, b, c], &[first, second], None) => {
                let symbols = [a, b, c].map(plain);
                let (tokens, count) = self.rules.apply_to_three(symbols, [first, second]);
                out.extend(&tokens[..count]);
            }
            _ => self.join_long_run(run, ranks, scratch, out),
        }
    }

    #[inline(never)]
    fn join_long_run(
        &self,
        run: &[u32],
        ranks: &[Rank],
        scratch: &mut Scratch,
        out: &mut Tokens<'_>,
    ) {
        let mut tokens = std::mem::take(&mut scratch.tokens);
        match &self.ngrams {
            None => {
                tokens.clear();
                tokens.extend(run.iter().copied().map(plain));
                self.rules
                    .apply_with(&mut tokens, scratch, |_, at| ranks[at]);
                out.extend(&tokens);
            }
            Some(ngrams) => {
                let whole: Vec<Symbol> = run.iter().map(|&symbol| Symbol(plain(symbol))).collect();
                ngrams.split(&whole, |piece| {
                    tokens.clear();
                    tokens.extend(piece.iter().map(|symbol| symbol.0));
                    self.rules.apply(&mut tokens, scratch);
                    out.extend(&tokens);
                });
            }
        }
        scratch.tokens = tokens;
    }
}

/// Tokens that are written one after the other. There is room for as many as there were symbols,
/// and for [`SPARE`] more that are written and do not count.
struct Tokens<'o> {
    out: &'o mut [u32],
    count: usize,
}

const SPARE: usize = 8;

impl Tokens<'_> {
    /// Appends symbols without their marks.
    #[inline(always)]
    fn extend(&mut self, symbols: &[u32]) {
        for &symbol in symbols {
            self.out[self.count] = plain(symbol);
            self.count += 1;
        }
    }

    /// Appends `symbols[from..to]`: mostly a few, so that a loop over them would be mispredicted.
    #[inline(always)]
    fn copy(&mut self, symbols: &[u32], from: usize, to: usize) {
        if to - from <= SPARE
            && let Some(symbols) = symbols[from..].first_chunk::<SPARE>()
            && let Some(out) = self.out[self.count..].first_chunk_mut::<SPARE>()
        {
            *out = symbols.map(plain);
            self.count += to - from;
            return;
        }
        self.extend(&symbols[from..to]);
    }
}

/// A symbol without its mark.
#[inline(always)]
fn plain(symbol: u32) -> u32 {
    symbol & !ELIGIBLE
}

/// The first place from `from` on, before `end`, whose bit is `VALUE`.
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

/// Where the run starts that symbol `last` is in.
fn start_of_run(seams: &[u64], last: usize) -> usize {
    let mut start = last;
    while start > 0 && seams[(start - 1) / 64] >> ((start - 1) % 64) & 1 != 0 {
        start -= 1;
    }
    start
}

/// The pairs of pretokens that stand side by side in some superword.
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

/// The first and the last pretokens of each superword: one each, unless the same bytes were
/// made of different pretokens.
fn ends_of(supermerges: &[(Symbol, Symbol, Symbol)], is_word: &[bool]) -> (Ends, Ends) {
    let (mut firsts, mut lasts) = (Ends::default(), Ends::default());
    loop {
        let mut changed = false;
        for (left, right, joined) in supermerges {
            for (known, part) in [(&mut firsts, left), (&mut lasts, right)] {
                let new = ends(known, part.0).into_owned();
                // The bytes may also be a pretoken of their own.
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
