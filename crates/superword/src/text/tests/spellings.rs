//! Patterns are recognised by what they mean.

use super::spelling::{BRANCHES, NEIGHBOURS};
use super::*;

/// Patterns as other programs publish them, with the preset that splits in the same way.
const PUBLISHED: [(&str, &str); 16] = [
    // GPT-2, in its first release, in tiktoken's comment and code, and in Hugging Face's ByteLevel.
    (
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "gpt2",
    ),
    (
        r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "gpt2",
    ),
    (
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "gpt2",
    ),
    (
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
        "gpt2",
    ),
    (
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+$|\s+(?!\S)|\s",
        "gpt2",
    ),
    // GPT-4, Llama 3, GLM, OLMo 2; then in older versions of tiktoken.
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "gpt4",
    ),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
        "gpt4",
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
        "gpt4",
    ),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s",
        "gpt4",
    ),
    // GPT-4 in tiktoken 0.14.
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        "cl100k",
    ),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s",
        "cl100k",
    ),
    // GPT-4o, gpt-oss, Llama 4, MiniMax M2.
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "gpt4o",
    ),
    // Qwen 1.5, 2, 2.5 and 3.
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "qwen2",
    ),
    // Qwen 3.5 and 3.6.
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "qwen3.5",
    ),
    // Kimi K2.
    (
        r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "kimi-k2",
    ),
    // Mistral Nemo, and tekken.json.
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "tekken",
    ),
];

/// Texts that tell similar patterns apart.
fn texts() -> impl Iterator<Item = String> {
    let mut random = Random(0x5be11);
    let fixed = TEXTS.into_iter().map(str::to_owned);
    let ends = [
        "a\n  ",
        " \n \n ",
        ".\n ",
        "'ſ",
        "a'ſa",
        "x  1",
        "a \u{3000}国",
    ];
    let ends = ends.into_iter().map(str::to_owned);
    fixed
        .chain(ends)
        .chain((0..4_000).map(move |_| random.text(&NASTY, 10)))
}

fn by_engine(pattern: &str) -> Pretokenizer {
    Pretokenizer::new_generic(only(pattern)).expect("the pattern compiles")
}

/// The first text that the patterns split differently on the regex engine.
fn difference(one: &str, other: &str) -> Option<String> {
    let (one, other) = (by_engine(one), by_engine(other));
    texts().find(|text| split(&one, text) != split(&other, text))
}

#[test]
fn test_published_spellings_get_the_scanner_and_mean_the_preset() {
    for (pattern, name) in PUBLISHED {
        let found = custom(pattern);
        assert!(
            matches!(found.inner.main, Splitter::Scanner(_)),
            "{pattern}"
        );
        assert_eq!(found.meaning(), Some(name), "{pattern}");
        assert_eq!(
            found.config().pattern,
            pattern,
            "it is kept as it was written"
        );
        assert_eq!(found.config().name, None);
        let preset = config(name).pattern;
        assert_eq!(difference(pattern, &preset), None, "{pattern}");
    }
}

#[test]
fn test_every_rewriting_matches_the_same_text() {
    for known in BRANCHES {
        for other in &known[1..] {
            // What the branch does not match is split into single code points.
            let alone = |branch: &str| format!(r"{branch}|(?s:.)");
            assert_eq!(difference(&alone(known[0]), &alone(other)), None, "{other}");
        }
    }
    for (ours, other) in NEIGHBOURS {
        let alone = |branches: &[&str]| format!(r"{}|(?s:.)", branches.join("|"));
        assert_eq!(difference(&alone(ours), &alone(other)), None, "{other:?}");
    }
}

#[test]
fn test_similar_patterns_that_split_differently_are_not_the_preset() {
    let gpt4 = config("gpt4").pattern;
    let ignoring_case = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)";
    let two_cases = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
    let similar = [
        // U+017F equals s when case is ignored.
        gpt4.replace(ignoring_case, two_cases),
        // White space at the end of the text.
        gpt4.replace(r"|\s*[\r\n]+", r"|\s++$|\s*[\r\n]+"),
        gpt4.replace("{1,3}", "{1,2}"),
        gpt4.replace(r"|\s+(?!\S)|\s+", r"|\s+"),
        gpt4.replace(r"|\s+(?!\S)|\s+", r"|\s|\s+(?!\S)"),
    ];
    for pattern in similar {
        assert_ne!(custom(&pattern).meaning(), Some("gpt4"), "{pattern}");
        assert!(difference(&pattern, &gpt4).is_some(), "{pattern}");
    }
    // A flag at the top reaches over all branches.
    let gpt2 = format!("(?i){}", config("gpt2").pattern);
    assert_eq!(custom(&gpt2).meaning(), None);
}

#[test]
fn test_every_preset_means_the_first_one_with_its_patterns() {
    for name in PRESETS {
        let expected = if name == "llama3" { "gpt4" } else { name };
        assert_eq!(preset(name).meaning(), Some(expected));
    }
    let other_eligibility = PretokenizerConfig {
        eligible: "x".into(),
        ..config("gpt2")
    };
    let found = Pretokenizer::new(other_eligibility).expect("it compiles");
    assert_eq!(found.meaning(), Some("gpt2"));
}

#[test]
fn test_another_script_pattern_has_another_meaning() {
    let with = |change: &dyn Fn(&mut ScriptPattern)| {
        let mut config = config("gpt4o-script");
        change(config.script.as_mut().expect("it has one"));
        Pretokenizer::new(config).expect("it compiles").meaning()
    };
    assert_eq!(
        with(&|script| script.scripts.reverse()),
        Some("gpt4o-script")
    );
    assert_eq!(
        with(&|script| script.scripts[0] = "hani".into()),
        Some("gpt4o-script")
    );
    assert_eq!(with(&|script| script.scripts.truncate(3)), None);
    assert_eq!(with(&|script| script.pattern = r"\p{L}".into()), None);
}

/// Branches are found at the top of a pattern only, so nothing inside a group or class is rewritten.
#[test]
fn test_only_whole_branches_are_rewritten() {
    for pattern in [
        r"(?: ?\p{L}++)|x",
        r"[|'s|'t|]",
        r"\|'s|\[|\p{L}+",
        r"a|[\]|]|b\|c|(d|(e|f))",
        "",
        r"a|\",
        "((",
        "[[a]",
    ] {
        assert_eq!(canonical(pattern), pattern);
    }
}
