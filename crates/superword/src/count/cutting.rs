//! Lossless cutting: a candidate falls apart where no superword can form.
//!
//! A superword that is chosen with a count of `threshold` or more holds only neighbours that occur
//! side by side at least that often. So a candidate may be cut between any two that do not, and
//! what is left aggregates far better. `docs/concepts.md` has the proof.

use super::{CandidateCounts, CountOverflow};
use crate::hash::NumberMap;
use crate::observe::{Observer, Stopped, check_stop};
use crate::token::{Symbol, pack};

/// How many candidates go by between two looks at the observer.
const LOOK_EVERY: usize = 1 << 12;

/// Why candidates were not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// A count does not fit.
    #[error(transparent)]
    Overflow(#[from] CountOverflow),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Cuts every candidate at each bigram that occurs fewer than `threshold` times (overlapping
/// occurrences counted), drops what is left alone, and adds up equal pieces.
///
/// With threshold 3, `{abc: 2, ab: 1, bcd: 1}` (a letter is a token) gives `{abc: 2, ab: 1, bc: 1}`:
/// `ab` and `bc` occur three times, `cd` once.
pub fn cut(
    candidates: &CandidateCounts,
    threshold: u64,
    observer: &dyn Observer,
) -> Result<CandidateCounts, CutError> {
    let mut bigrams: NumberMap<u64, u64> = NumberMap::default();
    for (number, (symbols, count)) in candidates.iter().enumerate() {
        if number.is_multiple_of(LOOK_EVERY) {
            check_stop(observer)?;
        }
        for pair in symbols.windows(2) {
            let total = bigrams.entry(pack(pair[0].0, pair[1].0)).or_default();
            *total = total.checked_add(count).ok_or(CountOverflow)?;
        }
    }
    let mut pieces = CandidateCounts::default();
    for (number, (symbols, count)) in candidates.iter().enumerate() {
        if number.is_multiple_of(LOOK_EVERY) {
            check_stop(observer)?;
        }
        let stays = |a: &Symbol, b: &Symbol| bigrams[&pack(a.0, b.0)] >= threshold;
        for piece in symbols.chunk_by(stays).filter(|piece| piece.len() > 1) {
            pieces.add(piece, count)?;
        }
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(text: &str) -> Vec<Symbol> {
        text.bytes().map(|byte| Symbol(u32::from(byte))).collect()
    }

    #[test]
    fn candidates_fall_apart_at_rare_bigrams() {
        let mut candidates = CandidateCounts::default();
        for (text, count) in [("abc", 2), ("ab", 1), ("bcd", 1), ("dd", 9)] {
            candidates.add(&symbols(text), count).unwrap();
        }
        let mut pieces: Vec<(Vec<Symbol>, u64)> = cut(&candidates, 3, &crate::observe::Silent)
            .unwrap()
            .iter()
            .map(|(symbols, count)| (symbols.to_vec(), count))
            .collect();
        pieces.sort();
        let expected = [("ab", 1), ("abc", 2), ("bc", 1), ("dd", 9)];
        assert_eq!(pieces, expected.map(|(text, count)| (symbols(text), count)));
    }
}
