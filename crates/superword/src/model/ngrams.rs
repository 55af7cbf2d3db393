//! The n-grams that greedy splitting cuts candidates into (paper, Appendix D).

use std::collections::HashSet;

use crate::token::Symbol;

/// Frequent n-grams of tokens. Each has two tokens or more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ngrams {
    set: HashSet<Box<[Symbol]>>,
    longest: usize,
}

impl Ngrams {
    /// Adds n-grams to the set.
    pub(crate) fn extend(&mut self, ngrams: impl IntoIterator<Item = Box<[Symbol]>>) {
        for ngram in ngrams {
            self.longest = self.longest.max(ngram.len());
            self.set.insert(ngram);
        }
    }

    /// The set of the n-grams in a list.
    pub(crate) fn from_list(list: impl IntoIterator<Item = Vec<Symbol>>) -> Ngrams {
        let mut ngrams = Ngrams::default();
        ngrams.extend(list.into_iter().map(Vec::into_boxed_slice));
        ngrams
    }

    /// All n-grams, sorted.
    pub(crate) fn to_sorted(&self) -> Vec<Vec<Symbol>> {
        let mut list: Vec<Vec<Symbol>> = self.set.iter().map(|ngram| ngram.to_vec()).collect();
        list.sort_unstable();
        list
    }

    /// Cuts a sequence from left to right, always taking the longest n-gram that starts here. A
    /// token that starts no n-gram is emitted alone.
    ///
    /// With the n-grams `ab` and `abc`, the sequence `a b c a b d` becomes `abc`, `ab`, `d`.
    pub(crate) fn split<'s>(&self, mut symbols: &'s [Symbol], mut emit: impl FnMut(&'s [Symbol])) {
        while !symbols.is_empty() {
            let longest = self.longest.min(symbols.len());
            let length = (2..=longest)
                .rev()
                .find(|&length| self.set.contains(&symbols[..length]))
                .unwrap_or(1);
            let (first, rest) = symbols.split_at(length);
            emit(first);
            symbols = rest;
        }
    }
}
