//! Lossless cutting: splits candidates where no superword can form.
//!
//! If a superword is chosen with a count of `threshold` or more, every two neighbours in it occur
//! side by side at least that often. So candidates can be cut between any two pretokens that do
//! not, and the shorter candidates have far fewer distinct values. `docs/concepts.md` has the proof.

use super::{CandidateCounts, CountError, CountOverflow, check_stop_at};
use crate::hash::NumberMap;
use crate::observe::Observer;
use crate::token::{Symbol, pack};

/// Cuts every candidate at each bigram that occurs fewer than `threshold` times (overlapping
/// occurrences count), drops single tokens, and adds up equal results.
///
/// With threshold 3 and one letter per token, `{abc: 2, ab: 1, bcd: 1}` gives
/// `{abc: 2, ab: 1, bc: 1}`: `ab` and `bc` occur three times, `cd` once.
pub(crate) fn cut(
    candidates: &CandidateCounts,
    threshold: u64,
    observer: &dyn Observer,
) -> Result<CandidateCounts, CountError> {
    let mut bigrams: NumberMap<u64, u64> = NumberMap::default();
    for (number, (symbols, count)) in candidates.iter().enumerate() {
        check_stop_at(number, observer)?;
        for pair in symbols.windows(2) {
            let total = bigrams.entry(pack(pair[0].0, pair[1].0)).or_default();
            *total = total.checked_add(count).ok_or(CountOverflow)?;
        }
    }
    let mut shorter = CandidateCounts::default();
    for (number, (symbols, count)) in candidates.iter().enumerate() {
        check_stop_at(number, observer)?;
        let stays = |a: &Symbol, b: &Symbol| bigrams[&pack(a.0, b.0)] >= threshold;
        for part in symbols.chunk_by(stays).filter(|part| part.len() > 1) {
            shorter.add(part, count)?;
        }
    }
    Ok(shorter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(text: &str) -> Vec<Symbol> {
        text.bytes().map(|byte| Symbol(u32::from(byte))).collect()
    }

    #[test]
    fn candidates_are_cut_at_rare_bigrams_only() {
        let mut candidates = CandidateCounts::default();
        for (text, count) in [("abc", 2), ("ab", 1), ("bcd", 1), ("dd", 9)] {
            candidates.add(&symbols(text), count).unwrap();
        }
        let mut shorter: Vec<(Vec<Symbol>, u64)> = cut(&candidates, 3, &crate::observe::Silent)
            .unwrap()
            .iter()
            .map(|(symbols, count)| (symbols.to_vec(), count))
            .collect();
        shorter.sort();
        let expected = [("ab", 1), ("abc", 2), ("bc", 1), ("dd", 9)];
        assert_eq!(
            shorter,
            expected.map(|(text, count)| (symbols(text), count))
        );
    }
}
