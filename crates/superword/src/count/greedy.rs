//! Greedy n-gram splitting (paper, Appendix D): splits candidates into frequent n-grams.
//!
//! Unlike lossless cutting this changes the result: no superword can form across a split.

use std::collections::{HashMap, HashSet};

use super::{CandidateCounts, CountOverflow};
use crate::model::Ngrams;
use crate::token::Symbol;

/// All n-grams of the candidates with 2 to `longest` tokens that occur at least `threshold` times
/// (Algorithm 2): an n-gram is only counted if both (n−1)-grams in it are frequent.
pub(crate) fn count_ngrams(
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
                if n > 1 && !(shorter.contains(&gram[1..]) && shorter.contains(&gram[..n - 1])) {
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
            ngrams.extend(shorter.iter().cloned());
        }
    }
    Ok(ngrams)
}

/// Splits all candidates, drops single tokens, and adds up equal results.
pub(crate) fn split_greedily(
    candidates: &CandidateCounts,
    ngrams: &Ngrams,
) -> Result<CandidateCounts, CountOverflow> {
    let mut shorter = CandidateCounts::default();
    let mut result = Ok(());
    for (symbols, count) in candidates.iter() {
        ngrams.split(symbols, |part| {
            if part.len() > 1
                && let Err(overflow) = shorter.add(part, count)
            {
                result = Err(overflow);
            }
        });
    }
    result.map(|()| shorter)
}
