//! Merging a long sequence window by window.
//!
//! If the merge table is monotonic, merging has a local test: a row of tokens is the result for its
//! bytes if that is true of each two neighbours. (The first merge across a boundary would also
//! happen with those two tokens alone, because until then nothing outside has affected them. The
//! linear encoders of rust-gems' `bpe` rest on the same fact.) So a long sequence is merged in
//! windows that fit the processor's cache. Each window starts with the last settled token. If the
//! result starts with that token again, the rest of the window fits what came before.

use super::long::{LongScratch, MAX_RETAINED, Token};
use super::small::{MAX_RANKS, SMALL, Small};
use super::table::{MergeTable, Rank};

/// The number of units in the first window. It doubles when a window settles too little.
const WINDOW: usize = 64;

/// A window is as wide as this many tokens of the window before it.
const TOKENS_PER_WINDOW: usize = 16;

/// The last tokens of a window are not settled, because what follows may change them.
const UNSETTLED: usize = 2;

/// Buffers that are reused from one sequence to the next.
#[derive(Clone, Debug, Default)]
pub(in crate::encode) struct Scratch {
    /// The result of the current window, and of the whole sequence in the end.
    pub(super) tokens: Vec<Token>,
    settled: Vec<Token>,
    long: LongScratch,
}

impl Scratch {
    /// Frees the buffers if an unusually long sequence made them large.
    pub(super) fn shrink(&mut self) {
        if self.long.capacity().max(self.tokens.capacity()) > MAX_RETAINED {
            *self = Scratch::default();
        }
    }
}

impl MergeTable {
    /// Merges `units` and replaces the content of `tokens` with the result. `rank_at(i)` is the rank of
    /// units `i` and `i + 1`.
    pub(super) fn merge_in_windows(
        &self,
        units: &[u32],
        scratch: &mut Scratch,
        tokens: &mut Vec<Token>,
        rank_at: impl Fn(usize) -> Rank,
    ) {
        if !self.is_monotonic() || units.len() <= WINDOW {
            return self.merge_window(units, 0, units.len(), scratch, tokens, &rank_at);
        }
        let mut settled = std::mem::take(&mut scratch.settled);
        settled.clear();
        let mut width = WINDOW;
        // The largest position at which a window failed. Windows stay wide up to there.
        let mut failed = 0;
        loop {
            let last_settled: Option<Token> = settled.last().copied();
            let from = last_settled.map_or(0, |token| token.start);
            let to = units.len().min(from.saturating_add(width));
            self.merge_window(units, from, to, scratch, tokens, &rank_at);
            if let Some(last) = last_settled
                && tokens[0].symbol != last.symbol
            {
                // What follows changes the token. Go back one token and look further ahead.
                settled.pop();
                failed = failed.max(last.start);
                width *= 2;
                continue;
            }
            let new = usize::from(last_settled.is_some());
            if to == units.len() {
                settled.extend_from_slice(&tokens[new..]);
                break;
            }
            // Each window must settle a fixed share of its units. Otherwise the work would not be
            // linear in the length.
            match tokens.len().checked_sub(UNSETTLED + 1) {
                Some(last) if tokens[last].start - from >= width / 4 => {
                    settled.extend_from_slice(&tokens[new..=last]);
                    width = match tokens[last].start > failed {
                        true => WINDOW.max((to - from) / tokens.len() * TOKENS_PER_WINDOW),
                        false => width * 2,
                    };
                }
                _ => width *= 2,
            }
        }
        std::mem::swap(tokens, &mut settled);
        scratch.settled = settled;
    }

    /// Merges `units[from..to]` and replaces the content of `tokens` with the result.
    fn merge_window(
        &self,
        units: &[u32],
        from: usize,
        to: usize,
        scratch: &mut Scratch,
        tokens: &mut Vec<Token>,
        rank_at: &impl Fn(usize) -> Rank,
    ) {
        tokens.clear();
        let len = to - from;
        if len <= SMALL && self.has_small_ranks() {
            let mut symbols = [0; SMALL];
            let symbols = &mut symbols[..len];
            symbols.copy_from_slice(&units[from..to]);
            let mut small = Small::<SMALL>::new(len, |at| rank_at(from + at));
            small.apply(self, symbols);
            let mut at = 0;
            while at < len {
                tokens.push(Token {
                    symbol: symbols[at],
                    start: from + at,
                });
                at = usize::from(small.next[at]);
            }
        } else {
            self.merge_long(&units[from..to], from, &mut scratch.long, tokens, rank_at);
        }
    }

    /// Whether a rank and a position of a [`Small`] sequence fit into one number.
    pub(super) fn has_small_ranks(&self) -> bool {
        self.limit() < MAX_RANKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::token::Symbol;

    /// Rules as training makes them: each joins existing symbols to a new one.
    fn random_rules(random: &mut Random, bytes: u64, rules: usize) -> MergeTable {
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
        MergeTable::new(&list, lengths.len())
    }

    fn assert_same_as_one_window(rules: &MergeTable, units: &[u32]) {
        let mut scratch = Scratch::default();
        let rank_at = |at: usize| rules.rank(units[at], units[at + 1]);
        let (mut whole, mut windows) = (Vec::new(), Vec::new());
        rules.merge_window(units, 0, units.len(), &mut scratch, &mut whole, &rank_at);
        rules.merge_in_windows(units, &mut scratch, &mut windows, rank_at);
        let plain = |tokens: &[Token]| -> Vec<(u32, usize)> {
            let tokens = tokens.iter();
            tokens.map(|token| (token.symbol, token.start)).collect()
        };
        assert_eq!(plain(&windows), plain(&whole));
    }

    #[test]
    fn windows_merge_like_one_sequence() {
        let mut random = Random(31);
        for _ in 0..600 {
            let bytes = 1 + random.below(4);
            let count = 1 + random.below(40) as usize;
            let rules = random_rules(&mut random, bytes, count.min(3 + 8 * bytes as usize));
            let units: Vec<u32> = (0..65 + random.below(1500))
                .map(|_| random.below(bytes) as u32)
                .collect();
            assert_same_as_one_window(&rules, &units);
        }
    }

    /// With `a`, `aa`, `aaaa` and so on, a token may be longer than a window.
    #[test]
    fn tokens_longer_than_a_window_are_merged() {
        let mut random = Random(37);
        for doublings in 1..12 {
            let symbol = |n: u32| Symbol(if n == 0 { 0 } else { n + 1 });
            let doubled = |n: u32| (symbol(n), symbol(n), symbol(n + 1));
            let rules: Vec<_> = (0..doublings).map(doubled).collect();
            let rules = MergeTable::new(&rules, doublings as usize + 2);
            for rare in [2, 50, 700, 100_000] {
                let units: Vec<u32> = (0..20_000)
                    .map(|_| u32::from(random.below(rare) == 0))
                    .collect();
                assert_same_as_one_window(&rules, &units);
            }
        }
    }
}
