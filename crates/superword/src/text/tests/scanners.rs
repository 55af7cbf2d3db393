//! Every scanner gives exactly the pretokens of its pattern.

use std::time::Instant;

use super::*;
use crate::text::engine::Engine;

/// The scanner and the automaton of each preset.
fn pairs() -> Vec<(&'static str, Pretokenizer, Pretokenizer)> {
    PRESETS
        .into_iter()
        .map(|name| {
            let oracle = Pretokenizer::new_generic(config(name)).expect("a preset compiles");
            (name, preset(name), oracle)
        })
        .collect()
}

fn assert_same(name: &str, scanner: &Pretokenizer, oracle: &Pretokenizer, text: &str) {
    let mut by_scanner = Vec::new();
    let mut by_oracle = Vec::new();
    scanner
        .for_each(text, |start, end| by_scanner.push((start, end)))
        .expect("a scanner never fails");
    oracle
        .for_each(text, |start, end| by_oracle.push((start, end)))
        .expect("an automaton never fails");
    if by_scanner != by_oracle {
        let at = (0..by_scanner.len().min(by_oracle.len()))
            .find(|&i| by_scanner[i] != by_oracle[i])
            .unwrap_or(0);
        let show = |(start, end): (usize, usize)| format!("{:?}", &text[start..end]);
        panic!(
            "{name}: scanner {} and oracle {} at pretoken {at}",
            show(by_scanner[at]),
            show(by_oracle[at]),
        );
    }
    let mut at = 0;
    for (start, end) in by_scanner {
        assert!(
            start == at && end > start,
            "{name}: {start}..{end} after {at}"
        );
        at = end;
    }
    assert_eq!(at, text.len(), "{name}: the pretokens tile the text");
}

/// Their patterns have possessive quantifiers or look ahead to more than `\S`.
const BACKTRACKING: [&str; 3] = ["cl100k", "deepseek-v3", "command-r"];

#[test]
fn test_every_preset_has_a_scanner_and_few_need_backtracking_without_it() {
    for name in PRESETS {
        let config = config(name);
        let script = config.script.map(|script| script.pattern);
        for pattern in [Some(config.pattern), script].into_iter().flatten() {
            let engine = Engine::new(&pattern, Purpose::Split).expect("it compiles");
            assert_eq!(
                engine.is_automaton(),
                !BACKTRACKING.contains(&name),
                "{name}"
            );
            assert!(Scanner::for_pattern(&pattern).is_some(), "{name}");
        }
    }
}

/// Every code point in `frames`, where `_` stands for it, one frame after another in one text.
fn check_code_points(code_points: impl Iterator<Item = char>, frames: &str) {
    let pairs = pairs();
    let mut text = String::new();
    let check = |text: &mut String| {
        for (name, scanner, oracle) in &pairs {
            assert_same(name, scanner, oracle, text);
        }
        text.clear();
    };
    for c in code_points {
        for piece in frames.chars() {
            text.push(if piece == '_' { c } else { piece });
        }
        if text.len() > 1 << 15 {
            check(&mut text);
        }
    }
    check(&mut text);
}

#[test]
fn test_scanners_equal_patterns_on_every_code_point() {
    // Alone on a line, between letters, spaces and digits.
    check_code_points('\0'..=char::MAX, "\n_\na_b _ 1_2");
}

#[test]
fn test_scanners_equal_patterns_on_assigned_code_points_in_many_places() {
    let assigned = ('\0'..=char::MAX).filter(|&c| unicode::category(c as u32) < 28);
    let bmp = assigned.filter(|&c| {
        // Every 16th code point of large uniform blocks is enough here: the test above covers all.
        let uniform =
            matches!(c, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{13000}'..);
        !uniform || (c as u32).is_multiple_of(16)
    });
    check_code_points(
        bmp,
        "A_B x'_ 's_'d_s \u{301}_\u{301} _\u{301}A ._. (_a  _  a  _\n_/\n/_ 国_ひ_ไ '_’_",
    );
}

#[test]
fn test_scanners_equal_patterns_on_texts_in_many_languages() {
    for (name, scanner, oracle) in pairs() {
        for text in TEXTS {
            assert_same(name, &scanner, &oracle, text);
            // Every suffix is a text too, and may start in the middle of a match.
            for (start, _) in text.char_indices() {
                assert_same(name, &scanner, &oracle, &text[start..]);
            }
        }
        assert_same(name, &scanner, &oracle, &TEXTS.concat());
    }
}

#[test]
fn test_scanners_equal_patterns_on_random_text() {
    let mut random = Random(0x5eed);
    let pairs = pairs();
    for _ in 0..20_000 {
        let text = random.text(&NASTY, 14);
        for (name, scanner, oracle) in &pairs {
            assert_same(name, scanner, oracle, &text);
        }
    }
}

#[test]
fn test_automaton_equals_backtracking_engine_on_presets() {
    let mut random = Random(0xfa9c1);
    for name in PRESETS {
        let config = config(name);
        let letters = config.script.map(|script| script.pattern);
        for pattern in [Some(config.pattern), letters].into_iter().flatten() {
            let automaton = Engine::new(&pattern, Purpose::Split).expect("it compiles");
            let backtracking = Engine::new_backtracking(&pattern).expect("it compiles");
            let random_texts: Vec<String> = (0..3_000).map(|_| random.text(&NASTY, 12)).collect();
            let texts = TEXTS
                .into_iter()
                .chain(random_texts.iter().map(String::as_str));
            for text in texts {
                let pretokens = |engine: &Engine| {
                    let mut found = Vec::new();
                    let mut emit = |start, end| found.push((start, end));
                    engine
                        .scan(text, 0, &mut emit)
                        .expect("no limit is reached");
                    found
                };
                assert_eq!(
                    pretokens(&automaton),
                    pretokens(&backtracking),
                    "{name}: {text:?}"
                );
            }
        }
    }
}

#[test]
fn test_letters_make_a_pretoken_eligible() {
    let fast = preset("gpt4o");
    let slow = Pretokenizer::new_generic(config("gpt4o")).expect("it compiles");
    for c in '\0'..=char::MAX {
        let mut buffer = [0; 4];
        let text: &str = c.encode_utf8(&mut buffer);
        assert_eq!(fast.is_eligible(text), slow.is_eligible(text), "{c:?}");
    }
    assert!(fast.is_eligible(" 12é"));
    assert!(!fast.is_eligible("") && !fast.is_eligible(" 12.\u{301}"));
}

/// Eight times the text may take at most 24 times as long; quadratic work would take 64 times.
/// A busy machine can spoil a measurement, so only five bad ones in a row are a failure.
#[test]
fn test_long_runs_take_linear_time() {
    let pieces = [
        "a", "A", "1", " ", "\n", ".", "/", "'", "国", "é", "👍", "\u{301}", " \n", "A国", "国A",
        "aA", "' ",
    ];
    for name in PRESETS {
        let pretokenizer = preset(name);
        let time = |text: &str| {
            let start = Instant::now();
            let mut end_of_last = 0;
            pretokenizer
                .for_each(text, |_, end| end_of_last = end)
                .expect("a scanner never fails");
            assert_eq!(end_of_last, text.len());
            start.elapsed()
        };
        for piece in pieces {
            let short = piece.repeat((64 << 10) / piece.len());
            let long = short.repeat(8);
            let linear = (0..5).any(|_| time(&long) < 24 * time(&short));
            assert!(
                linear,
                "{name}: runs of {piece:?} take more than linear time"
            );
        }
    }
}
