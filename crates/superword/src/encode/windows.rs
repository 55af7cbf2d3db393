//! Merging a long sequence window by window.
//!
//! Where no merge makes place for an earlier rule, merging has a local test: tokens side by side are what their
//! bytes become if that is so of each two neighbours. (The first merge across a boundary would
//! happen with these two alone as well: up to then nothing has reached them from outside. This is
//! the fact behind the linear encoders of rust-gems' `bpe`.) So a long sequence is merged in
//! windows that stay in the processor's cache: each starts with the last token that was settled,
//! and if it starts with that token again, what follows fits what came before.

use super::ranked::{RankedRules, Scratch, Token};
use super::rules::Rank;

/// Units of the first window; it is doubled where it settles too little.
const WINDOW: usize = 64;

/// A window is as wide as so many tokens of the one before it.
const HELD: usize = 16;

/// The last tokens of a window are not settled: what follows may change them.
const UNSETTLED: usize = 2;

impl RankedRules {
    /// Applies the rules to `units`, in place of what `tokens` held; `rank_at` knows the rule of a
    /// unit and the next.
    pub(super) fn apply_in_windows(
        &self,
        units: &[u32],
        scratch: &mut Scratch,
        tokens: &mut Vec<Token>,
        rank_at: impl Fn(usize) -> Rank,
    ) {
        if !self.is_local() || units.len() <= WINDOW {
            return self.apply_to_window(units, 0, units.len(), scratch, tokens, &rank_at);
        }
        let mut done = std::mem::take(&mut scratch.done);
        done.clear();
        let mut width = WINDOW;
        // Where a window last failed. It stays as wide until it has settled more than that.
        let mut failed = 0;
        loop {
            let settled: Option<Token> = done.last().copied();
            let from = settled.map_or(0, |token| token.start);
            let to = units.len().min(from.saturating_add(width));
            self.apply_to_window(units, from, to, scratch, tokens, &rank_at);
            if let Some(settled) = settled
                && tokens[0].symbol != settled.symbol
            {
                // What follows does change it. Back to the one before, with more of what follows.
                done.pop();
                failed = failed.max(settled.start);
                width *= 2;
                continue;
            }
            let new = usize::from(settled.is_some());
            if to == units.len() {
                done.extend_from_slice(&tokens[new..]);
                break;
            }
            // A window has to settle a part of itself, or the work would not be linear.
            match tokens.len().checked_sub(UNSETTLED + 1) {
                Some(last) if tokens[last].start - from >= width / 4 => {
                    done.extend_from_slice(&tokens[new..=last]);
                    width = match tokens[last].start > failed {
                        true => WINDOW.max((to - from) / tokens.len() * HELD),
                        false => width * 2,
                    };
                }
                _ => width *= 2,
            }
        }
        std::mem::swap(tokens, &mut done);
        scratch.done = done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::token::Symbol;

    /// Rules as training makes them: each joins tokens that are there, to a new one.
    fn random_rules(random: &mut Random, bytes: u64, rules: usize) -> RankedRules {
        let mut list: Vec<(Symbol, Symbol, Symbol)> = Vec::new();
        let mut lengths = vec![1; bytes as usize];
        while list.len() < rules {
            let [left, right] = [0, 0].map(|_| random.below(lengths.len() as u64) as u32);
            let length = lengths[left as usize] + lengths[right as usize];
            let known = list
                .iter()
                .any(|rule| (rule.0.0, rule.1.0) == (left, right));
            if known || length > 200 {
                continue;
            }
            let joined = Symbol(lengths.len() as u32);
            list.push((Symbol(left), Symbol(right), joined));
            lengths.push(length);
        }
        RankedRules::new(&list, lengths.len())
    }

    fn assert_windows_merge_as_one(rules: &RankedRules, units: &[u32]) {
        let mut scratch = Scratch::default();
        let rank_at = |at: usize| rules.rank(units[at], units[at + 1]);
        let (mut whole, mut windows) = (Vec::new(), Vec::new());
        rules.apply_to_window(units, 0, units.len(), &mut scratch, &mut whole, &rank_at);
        rules.apply_in_windows(units, &mut scratch, &mut windows, rank_at);
        let plain = |tokens: &[Token]| -> Vec<(u32, usize)> {
            let tokens = tokens.iter();
            tokens.map(|token| (token.symbol, token.start)).collect()
        };
        assert_eq!(plain(&windows), plain(&whole));
    }

    #[test]
    fn windows_merge_as_one() {
        let mut random = Random(31);
        for _ in 0..600 {
            let bytes = 1 + random.below(4);
            let count = 1 + random.below(40) as usize;
            let rules = random_rules(&mut random, bytes, count.min(3 + 8 * bytes as usize));
            let units: Vec<u32> = (0..65 + random.below(1500))
                .map(|_| random.below(bytes) as u32)
                .collect();
            assert_windows_merge_as_one(&rules, &units);
        }
    }

    /// `a`, `aa`, `aaaa` and so on: a token may be longer than a window.
    #[test]
    fn windows_hold_long_tokens() {
        let mut random = Random(37);
        for doublings in 1..12 {
            let symbol = |n: u32| Symbol(if n == 0 { 0 } else { n + 1 });
            let doubled = |n: u32| (symbol(n), symbol(n), symbol(n + 1));
            let rules: Vec<_> = (0..doublings).map(doubled).collect();
            let rules = RankedRules::new(&rules, doublings as usize + 2);
            for rare in [2, 50, 700, 100_000] {
                let units: Vec<u32> = (0..20_000)
                    .map(|_| u32::from(random.below(rare) == 0))
                    .collect();
                assert_windows_merge_as_one(&rules, &units);
            }
        }
    }
}
