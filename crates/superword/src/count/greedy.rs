//! Greedy n-gram splitting (paper, Appendix D): candidates are cut into frequent n-grams.
//!
//! Unlike lossless cutting this changes the result: what crosses a cut can no longer merge.

use std::collections::{HashMap, HashSet};

use super::{CandidateCounts, CountOverflow};
use crate::token::Symbol;

/// Frequent n-grams of tokens, of two tokens or more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ngrams {
    set: HashSet<Box<[Symbol]>>,
    longest: usize,
}

impl Ngrams {
    /// All n-grams of the candidates with 2 to `longest` tokens that occur at least `threshold`
    /// times (Algorithm 2): an n-gram is only counted if both (n−1)-grams in it are frequent.
    pub fn count(
        candidates: &CandidateCounts,
        threshold: u64,
        longest: usize,
    ) -> Result<Ngrams, CountOverflow> {
        let mut ngrams = Ngrams::default();
        let mut shorter: HashSet<Box<[Symbol]>> = HashSet::new();
        for n in 1..=longest {
            let mut counts: HashMap<&[Symbol], u64> = HashMap::new();
            for (symbols, count) in candidates.iter() {
                for gram in symbols.windows(n) {
                    if n > 1 && !(shorter.contains(&gram[1..]) && shorter.contains(&gram[..n - 1]))
                    {
                        continue;
                    }
                    let total = counts.entry(gram).or_default();
                    *total = total.checked_add(count).ok_or(CountOverflow)?;
                }
            }
            shorter = counts
                .into_iter()
                .filter(|&(_, count)| count >= threshold)
                .map(|(gram, _)| gram.into())
                .collect();
            if shorter.is_empty() {
                break;
            }
            if n > 1 {
                ngrams.longest = n;
                ngrams.set.extend(shorter.iter().cloned());
            }
        }
        Ok(ngrams)
    }

    /// The n-grams given.
    pub fn from_list(list: impl IntoIterator<Item = Vec<Symbol>>) -> Ngrams {
        let set: HashSet<Box<[Symbol]>> = list.into_iter().map(Vec::into_boxed_slice).collect();
        let longest = set.iter().map(|gram| gram.len()).max().unwrap_or(0);
        Ngrams { set, longest }
    }

    /// All n-grams, sorted.
    pub fn to_sorted(&self) -> Vec<Vec<Symbol>> {
        let mut list: Vec<Vec<Symbol>> = self.set.iter().map(|gram| gram.to_vec()).collect();
        list.sort_unstable();
        list
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Cuts a sequence from left to right, the longest n-gram first; a token that starts none
    /// stands alone.
    pub fn split<'s>(&self, mut symbols: &'s [Symbol], mut emit: impl FnMut(&'s [Symbol])) {
        while !symbols.is_empty() {
            let longest = self.longest.min(symbols.len());
            let length = (2..=longest)
                .rev()
                .find(|&length| self.set.contains(&symbols[..length]))
                .unwrap_or(1);
            let (piece, rest) = symbols.split_at(length);
            emit(piece);
            symbols = rest;
        }
    }
}

/// Splits all candidates and adds up equal pieces; tokens left alone are dropped.
pub fn split_greedily(
    candidates: &CandidateCounts,
    ngrams: &Ngrams,
) -> Result<CandidateCounts, CountOverflow> {
    let mut pieces = CandidateCounts::default();
    let mut result = Ok(());
    for (symbols, count) in candidates.iter() {
        ngrams.split(symbols, |piece| {
            if piece.len() > 1
                && let Err(overflow) = pieces.add(piece, count)
            {
                result = Err(overflow);
            }
        });
    }
    result.map(|()| pieces)
}
