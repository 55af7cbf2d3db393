//! The engine against the textbook: count everything, join the best, count everything again.

use super::*;
use std::collections::HashMap;

/// Small, seeded, good enough to make cases.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

type Sequence = Vec<Vec<u8>>;

fn count_pairs(sequences: &[(Sequence, u64)]) -> HashMap<(Vec<u8>, Vec<u8>), u64> {
    let mut counts = HashMap::new();
    for (sequence, weight) in sequences {
        let mut overlaps = false;
        for pair in sequence.windows(2) {
            overlaps = pair[0] == pair[1] && !overlaps;
            if pair[0] != pair[1] || overlaps {
                *counts
                    .entry((pair[0].clone(), pair[1].clone()))
                    .or_default() += weight;
            }
        }
    }
    counts
}

fn join_all(sequences: &mut [(Sequence, u64)], left: &[u8], right: &[u8]) {
    for (sequence, _) in sequences {
        let mut joined = Sequence::new();
        let mut i = 0;
        while i < sequence.len() {
            if i + 1 < sequence.len() && sequence[i] == left && sequence[i + 1] == right {
                joined.push([left, right].concat());
                i += 2;
            } else {
                joined.push(sequence[i].clone());
                i += 1;
            }
        }
        *sequence = joined;
    }
}

/// Trains both side by side and compares every choice. `parts` may be tokens whose bytes overlap,
/// so that joined bytes often exist already.
fn compare(parts: &[&[u8]], random: &mut Random, floor: u64) {
    let mut tokens = TokenTable::default();
    let symbols: Vec<Symbol> = parts
        .iter()
        .map(|bytes| tokens.insert(bytes).unwrap())
        .collect();
    let mut cells = Cells::default();
    let mut sequences = Vec::new();
    for _ in 0..=random.below(12) {
        let longest = if random.below(4) == 0 { 40 } else { 8 };
        let length = 1 + random.below(longest);
        let chosen: Vec<usize> = (0..length)
            .map(|_| random.below(parts.len() as u64) as usize)
            .collect();
        let weight = 1 + random.below(5);
        assert!(cells.push(chosen.iter().map(|&i| symbols[i].0), weight));
        sequences.push((chosen.iter().map(|&i| parts[i].to_vec()).collect(), weight));
    }
    let mut merger = Merger::new(tokens, cells, AnyPair, 1, floor).unwrap();
    for step in 0.. {
        let expected = count_pairs(&sequences)
            .into_iter()
            .max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)));
        let found = merger.best().map(|pair| {
            let bytes = |symbol| merger.tokens().bytes_of(symbol).to_vec();
            ((bytes(pair.left), bytes(pair.right)), pair.count)
        });
        assert_eq!(found, expected, "step {step} of {sequences:?}");
        let Some(((left, right), _)) = expected else {
            break;
        };
        let pair = merger.best().unwrap();
        merger.merge(pair).unwrap();
        join_all(&mut sequences, &left, &right);
    }
}

#[test]
fn merges_are_those_of_the_textbook() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let alphabets: [&[&[u8]]; 4] = [
        &[b"a", b"b"],
        &[b"a", b"b", b"c", b"d"],
        &[b"a", b"b", b"ab", b"ba", b"aab"],
        &[b"a"],
    ];
    for case in 0..3000 {
        let floor = [1, 2, 5, 50][case % 4];
        compare(alphabets[case / 4 % 4], &mut random, floor);
    }
}
