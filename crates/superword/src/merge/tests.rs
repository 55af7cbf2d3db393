//! The engine against the textbook: count everything, join the best, count everything again.

use super::*;
use crate::observe::Silent;
use crate::testing::Random;
use std::collections::HashMap;

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

/// Runs both side by side and compares every choice. `parts` may be tokens whose bytes overlap, so
/// that joined bytes often exist already.
fn compare(parts: &[&[u8]], random: &mut Random, floor: u64, threads: usize) {
    let mut tokens = TokenTable::default();
    let symbols: Vec<Symbol> = parts
        .iter()
        .map(|bytes| tokens.insert(bytes).unwrap())
        .collect();
    let (mut laid_out, mut sequences) = (Vec::new(), Vec::new());
    for _ in 0..=random.below(12) {
        let longest = if random.below(4) == 0 { 40 } else { 8 };
        let length = 1 + random.below(longest);
        let chosen: Vec<usize> = (0..length)
            .map(|_| random.below(parts.len() as u64) as usize)
            .collect();
        let weight = 1 + random.below(5);
        laid_out.push((chosen.iter().map(|&i| symbols[i].0).collect(), weight));
        sequences.push((chosen.iter().map(|&i| parts[i].to_vec()).collect(), weight));
    }
    let cells = Cells::of::<Vec<u32>>(&laid_out);
    let max_places = match random.below(3) {
        0 => random.below(20) as usize,
        _ => usize::MAX,
    };
    let options = MergeOptions {
        floor,
        max_places,
        threads,
        observer: &Silent,
    };
    let mut merger = Merger::with_grain(tokens, cells, AnyPair, 1, options, 1).unwrap();
    for step in 0.. {
        if random.below(3) > 0 {
            merger.merge_ahead(1 + random.below(9) as usize, |_| true);
        }
        let expected = count_pairs(&sequences)
            .into_iter()
            .max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)));
        let found = merger.best().unwrap().map(|pair| {
            let bytes = |symbol| merger.tokens().bytes_of(symbol).to_vec();
            ((bytes(pair.left), bytes(pair.right)), pair.count)
        });
        assert_eq!(found, expected, "step {step} of {sequences:?}");
        let Some(((left, right), _)) = expected else {
            break;
        };
        let pair = merger.best().unwrap().unwrap();
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
        // Few cases use threads: starting them takes longer than the case.
        let threads = if case % 20 < 4 { 1 + case / 20 % 4 } else { 1 };
        compare(alphabets[case / 4 % 4], &mut random, floor, threads);
    }
}

/// What a merger did: its choices with their counts, and how often deleted tokens occurred.
type History = Vec<(Vec<u8>, Vec<u8>, u64)>;

/// Merges until no pair is left. Every fifth best pair is set aside, and every `delete_every`-th
/// token is deleted again (0 for none).
fn history(
    sequences: &[(Vec<u8>, u64)],
    (min_count, floor): (u64, u64),
    delete_every: usize,
    threads: usize,
) -> (History, bool) {
    let mut tokens = TokenTable::default();
    let letters: Vec<Symbol> = (b'a'..=b'd')
        .map(|letter| tokens.insert(&[letter]).unwrap())
        .collect();
    let symbol = |&byte: &u8| letters[usize::from(byte - b'a')].0;
    let laid_out = sequences.iter().map(|(text, weight)| {
        let symbols: Vec<u32> = text.iter().map(symbol).collect();
        (symbols, *weight)
    });
    let cells = Cells::of(&laid_out.collect::<Vec<_>>());
    let options = MergeOptions {
        floor,
        max_places: usize::MAX,
        threads,
        observer: &Silent,
    };
    let mut merger = Merger::with_grain(tokens, cells, AnyPair, min_count, options, 1).unwrap();
    let mut history = Vec::new();
    for step in 1..400 {
        if step % 5 == 0 {
            merger.defer_best().unwrap();
        } else if delete_every == 0 {
            merger.merge_ahead(5 - step % 5, |_| true);
        }
        let best = merger.best().unwrap();
        merger.restore_deferred();
        let Some(pair) = best else {
            break;
        };
        let bytes = |symbol| merger.tokens().bytes_of(symbol).to_vec();
        history.push((bytes(pair.left), bytes(pair.right), pair.count));
        let joined = merger.merge(pair).unwrap().symbol;
        if delete_every > 0 && step % delete_every == 0 {
            let text = merger.tokens().bytes_of(joined).to_vec();
            let parts: Vec<Symbol> = text
                .iter()
                .map(|&byte| letters[usize::from(byte - b'a')])
                .collect();
            let occurred = merger.delete(joined, &parts);
            history.push((text, Vec::new(), occurred));
        }
    }
    (history, merger.crew.has_worked())
}

#[test]
fn any_number_of_threads_merges_the_same() {
    let mut random = Random(0x0DDB_A115_EED5_0001);
    for case in 0..60 {
        let letters = 1 + random.below(4);
        let sequences: Vec<(Vec<u8>, u64)> = (0..20 + random.below(60))
            .map(|_| {
                let length = 1 + random.below(if case % 3 == 0 { 60 } else { 9 });
                let text = (0..length).map(|_| b'a' + random.below(letters) as u8);
                (text.collect(), 1 + random.below(9))
            })
            .collect();
        let delete_every = [0, 0, 3, 7][case % 4];
        let floor = if delete_every > 0 {
            1
        } else {
            [1, 9, 300][case % 3]
        };
        let counts = ([1, 2, 20][case / 4 % 3], floor);
        let (expected, alone) = history(&sequences, counts, delete_every, 1);
        assert!(!alone);
        for threads in [2, 3, 8] {
            let (found, together) = history(&sequences, counts, delete_every, threads);
            assert_eq!(found, expected, "{threads} threads, {sequences:?}");
            // Otherwise this test would show nothing.
            assert!(together);
        }
    }
}

/// The choices of a merger that makes as many merges ahead as it can.
fn choices(sequences: &[(&[u8], u64)], threads: usize) -> History {
    let mut tokens = TokenTable::default();
    for letter in b'a'..=b'z' {
        tokens.insert(&[letter]).unwrap();
    }
    let laid_out = sequences.iter().map(|(text, weight)| {
        let symbols: Vec<u32> = text.iter().map(|&byte| u32::from(byte - b'a')).collect();
        (symbols, *weight)
    });
    let cells = Cells::of(&laid_out.collect::<Vec<_>>());
    let options = MergeOptions {
        floor: 1,
        max_places: usize::MAX,
        threads,
        observer: &Silent,
    };
    let mut merger = Merger::with_grain(tokens, cells, AnyPair, 1, options, 1).unwrap();
    let mut choices = Vec::new();
    loop {
        merger.merge_ahead(100, |_| true);
        let Some(pair) = merger.best().unwrap() else {
            return choices;
        };
        let bytes = |symbol| merger.tokens().bytes_of(symbol).to_vec();
        choices.push((bytes(pair.left), bytes(pair.right), pair.count));
        merger.merge(pair).unwrap();
    }
}

#[test]
fn a_run_of_equal_tokens_may_get_shorter_at_both_ends_in_one_round() {
    for weights in [(10, 9), (9, 10)] {
        for run in ["c", "cc", "ccc", "cccc", "ccccc"] {
            let text = format!("z{run}d");
            let sequences: [(&[u8], u64); 3] =
                [(text.as_bytes(), 5), (b"zc", weights.0), (b"cd", weights.1)];
            assert_eq!(choices(&sequences, 2), choices(&sequences, 1), "{run}");
        }
    }
}

/// Asks to stop at the check with this number and all later ones.
struct StopAt(std::sync::atomic::AtomicU64);

impl Observer for StopAt {
    fn progress(&self, _: crate::observe::Phase, _: u64, _: Option<u64>) {}

    fn stop_requested(&self) -> bool {
        use std::sync::atomic::Ordering::Relaxed;
        self.0
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_err()
    }
}

#[test]
fn counting_pairs_can_be_stopped() {
    // 200,000 cells: several checks in each of the two passes.
    for checks in 0..6 {
        let mut tokens = TokenTable::default();
        let a = tokens.insert(b"a").unwrap();
        let cells = Cells::of(&vec![([a.0; 3], 1); 50_000]);
        let options = MergeOptions {
            max_places: usize::MAX,
            floor: 1,
            threads: 1,
            observer: &StopAt(checks.into()),
        };
        let result = Merger::new(tokens, cells, AnyPair, 1, options);
        assert_eq!(result.err(), Some(MergeError::Stopped(Stopped)));
    }
}
