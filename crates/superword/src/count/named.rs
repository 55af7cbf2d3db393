//! Candidates that name their tokens by bytes, so that they do not depend on a model.

use super::{CandidateCounts, ColumnError, CountOverflow};
use crate::model::Model;
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// Why candidates cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamedError {
    /// A candidate joins at least two tokens.
    #[error("a candidate has fewer than two tokens")]
    TooShort,
    /// The tokens exceed the limit of a table of tokens.
    #[error("the tokens of the candidates have more bytes than any vocabulary can hold")]
    TooManyBytes,
    /// The model has no such token.
    #[error("a candidate contains the token {token:?}, which is not a token of the words")]
    Foreign {
        /// The token, readable.
        token: String,
    },
    /// A count does not fit.
    #[error(transparent)]
    Overflow(#[from] CountOverflow),
    /// Columns that cannot be read.
    #[error(transparent)]
    Columns(#[from] ColumnError),
}

/// How often each candidate occurs, with tokens named by their bytes.
#[derive(Clone, Debug, Default)]
pub struct NamedCandidates {
    tokens: TokenTable,
    counts: CandidateCounts,
}

impl NamedCandidates {
    /// Candidates whose symbols are those of a model.
    pub fn of_model(words: &Model, counts: CandidateCounts) -> NamedCandidates {
        let tokens = words.vocabulary().tokens().clone();
        NamedCandidates { tokens, counts }
    }

    /// Counts a candidate `times` more often. Zero times adds nothing.
    pub fn add<'b>(
        &mut self,
        tokens: impl Iterator<Item = &'b [u8]>,
        times: u64,
    ) -> Result<(), NamedError> {
        let mut run = Vec::new();
        for token in tokens {
            run.push(self.tokens.insert(token).ok_or(NamedError::TooManyBytes)?);
        }
        if run.len() < 2 {
            return Err(NamedError::TooShort);
        }
        if times > 0 {
            self.counts.add(&run, times)?;
        }
        Ok(())
    }

    /// Adds all candidates of another part of the text.
    pub fn merge(&mut self, other: &NamedCandidates) -> Result<(), NamedError> {
        other
            .counts
            .iter()
            .try_for_each(|(run, count)| self.add(other.bytes(run), count))
    }

    /// The same candidates in other symbols, given by their bytes.
    pub fn in_symbols(
        &self,
        symbol_of: impl Fn(&[u8]) -> Option<Symbol>,
    ) -> Result<CandidateCounts, NamedError> {
        let symbols: Vec<Option<Symbol>> = self.tokens().map(symbol_of).collect();
        let mut counts = CandidateCounts::default();
        let mut run = Vec::new();
        for (candidate, count) in self.counts.iter() {
            run.clear();
            for token in candidate {
                run.push(symbols[token.index()].ok_or_else(|| NamedError::Foreign {
                    token: String::from_utf8_lossy(self.tokens.bytes_of(*token)).into_owned(),
                })?);
            }
            counts.add(&run, count)?;
        }
        Ok(counts)
    }

    /// Other counts of the same tokens.
    pub(super) fn with_counts(&self, counts: CandidateCounts) -> NamedCandidates {
        let tokens = self.tokens.clone();
        NamedCandidates { tokens, counts }
    }

    /// All tokens, by symbol.
    pub fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.tokens.len() as u32).map(|index| self.tokens.bytes_of(Symbol(index)))
    }

    /// The tokens of a candidate.
    pub fn bytes<'a>(&'a self, run: &'a [Symbol]) -> impl Iterator<Item = &'a [u8]> {
        run.iter().map(|token| self.tokens.bytes_of(*token))
    }

    /// The candidates and their counts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&[Symbol], u64)> {
        self.counts.iter()
    }

    /// The candidates and their counts, sorted by their tokens.
    pub fn sorted(&self) -> Vec<(&[Symbol], u64)> {
        // Comparing ranks is faster than comparing the bytes of tokens.
        let mut by_bytes: Vec<usize> = (0..self.tokens.len()).collect();
        by_bytes.sort_unstable_by_key(|&index| self.tokens.bytes_of(Symbol(index as u32)));
        let mut ranks = vec![0u32; by_bytes.len()];
        for (rank, index) in (0..).zip(by_bytes) {
            ranks[index] = rank;
        }
        let rank_of = |token: &Symbol| ranks[token.index()];
        let mut sorted: Vec<_> = self.iter().collect();
        sorted.sort_unstable_by(|(a, _), (b, _)| a.iter().map(rank_of).cmp(b.iter().map(rank_of)));
        sorted
    }

    /// The number of candidates.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(counts: &[(&[&str], u64)]) -> NamedCandidates {
        let mut all = NamedCandidates::default();
        for (run, count) in counts {
            all.add(run.iter().map(|token| token.as_bytes()), *count)
                .unwrap();
        }
        all
    }

    fn listed(all: &NamedCandidates) -> Vec<(String, u64)> {
        let join = |run| String::from_utf8(all.bytes(run).collect::<Vec<_>>().join(&b'|'));
        let sorted = all.sorted().into_iter();
        sorted
            .map(|(run, count)| (join(run).unwrap(), count))
            .collect()
    }

    #[test]
    fn parts_add_up_whatever_their_symbols_are() {
        let mut all = named(&[(&["of", " the"], 3), (&["in", " a"], 1)]);
        all.merge(&named(&[(&[" b", " c"], 7), (&["of", " the"], 2)]))
            .unwrap();
        let wanted = [(" b| c", 7), ("in| a", 1), ("of| the", 5)];
        assert_eq!(
            listed(&all),
            wanted.map(|(run, count)| (run.to_owned(), count))
        );
    }

    #[test]
    fn symbols_are_found_by_bytes() {
        let all = named(&[(&["a", "b"], 3), (&["b", "a", "b"], 2)]);
        let counts = all
            .in_symbols(|token| Some(Symbol(u32::from(token[0]))))
            .unwrap();
        let mut found: Vec<_> = counts.iter().map(|(run, n)| (run.to_vec(), n)).collect();
        found.sort();
        let [a, b] = [97, 98].map(Symbol);
        assert_eq!(found, [(vec![a, b], 3), (vec![b, a, b], 2)]);
    }

    #[test]
    fn tokens_that_the_model_does_not_have_are_an_error() {
        let all = named(&[(&["a", "zz"], 1)]);
        let error = all.in_symbols(|token| (token == b"a").then_some(Symbol(0)));
        let token = "zz".to_owned();
        assert_eq!(error.unwrap_err(), NamedError::Foreign { token });
    }

    #[test]
    fn a_candidate_has_two_tokens_or_more() {
        let mut all = NamedCandidates::default();
        let one = [b"a".as_slice()];
        assert_eq!(all.add(one.into_iter(), 1), Err(NamedError::TooShort));
        let two = [b"a".as_slice(), b"b"];
        all.add(two.into_iter(), 0).unwrap();
        assert!(all.is_empty());
        all.add(two.into_iter(), u64::MAX).unwrap();
        assert_eq!(all.add(two.into_iter(), 1), Err(CountOverflow.into()));
    }
}
