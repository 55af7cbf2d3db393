//! Patterns that users write, and the errors they get.

use super::*;

fn error(pattern: &str) -> PatternError {
    Pretokenizer::new(only(pattern)).expect_err("the pattern is refused")
}

fn backtracks(pattern: &str) -> bool {
    let engine = Engine::new(pattern, Purpose::Search).expect("the pattern compiles");
    !engine.is_automaton()
}

#[test]
fn test_text_between_matches_is_kept() {
    assert_eq!(split(&custom(r"\d+"), "ab12cd3"), ["ab", "12", "cd", "3"]);
    assert_eq!(split(&custom("x"), "ab"), ["ab"]);
    assert_eq!(split(&custom("x"), ""), [""; 0]);
    assert_eq!(split(&custom(r"b(?=c)"), "abcbd"), ["a", "b", "cbd"]);
}

#[test]
fn test_branches_are_tried_in_order() {
    assert_eq!(split(&custom("a|ab"), "ab"), ["a", "b"]);
    assert_eq!(split(&custom("ab|a"), "ab"), ["ab"]);
}

#[test]
fn test_preset_patterns_without_a_name_get_the_scanner() {
    for name in PRESETS {
        let unnamed = Pretokenizer::new(PretokenizerConfig {
            name: None,
            ..config(name)
        });
        let unnamed = unnamed.expect("it compiles");
        assert!(matches!(unnamed.inner.main, Splitter::Scanner(_)), "{name}");
        assert_eq!(unnamed.config().name, None);
    }
}

type Has = Box<dyn Fn(char) -> bool>;

/// Every way to name a class, against the tables, on every code point.
#[test]
fn test_classes_follow_unicode_17() {
    let categories = |wanted: &'static str| {
        move |c: char| tables::CATEGORIES[unicode::category(c as u32) as usize].starts_with(wanted)
    };
    let script = |wanted: &'static str| move |c: char| script_of(c).name() == wanted;
    let not = |has: Has| Box::new(move |c| !has(c)) as Has;
    let cases: Vec<(&str, Has)> = vec![
        (r"\p{L}", Box::new(categories("L"))),
        (r"\pL", Box::new(categories("L"))),
        (r"[\pN_]", Box::new(move |c| categories("N")(c) || c == '_')),
        (r"\p{Letter}", Box::new(categories("L"))),
        (r"\p{gc=Lu}", Box::new(categories("Lu"))),
        (
            r"\p{General_Category=Uppercase_Letter}",
            Box::new(categories("Lu")),
        ),
        (r"\p{uppercase letter}", Box::new(categories("Lu"))),
        (r"\d", Box::new(categories("Nd"))),
        (r"[^\D]", Box::new(categories("Nd"))),
        (r"\P{L}", not(Box::new(categories("L")))),
        (r"\p{^L}", not(Box::new(categories("L")))),
        (r"[^\p{L}]", not(Box::new(categories("L")))),
        (r"[\P{L}]", not(Box::new(categories("L")))),
        (r"\P{^L}", Box::new(categories("L"))),
        (r"\p{Cn}", Box::new(categories("Cn"))),
        (r"\p{Assigned}", not(Box::new(categories("Cn")))),
        (r"\p{Han}", Box::new(script("Han"))),
        (r"\p{Hani}", Box::new(script("Han"))),
        (r"\p{Script=Han}", Box::new(script("Han"))),
        (r"\p{sc=Sidetic}", Box::new(script("Sidetic"))),
        (r"\p{sc!=Han}", not(Box::new(script("Han")))),
        (
            r"[\p{L}&&\p{Han}]",
            Box::new(move |c| categories("L")(c) && script("Han")(c)),
        ),
        (
            r"[\p{L}--\p{Han}]",
            Box::new(move |c| categories("L")(c) && !script("Han")(c)),
        ),
        // The same class for the backtracking engine.
        (r"(?=\p{L})\p{L}", Box::new(categories("L"))),
        (
            r"(?!a)[^\P{L}]",
            Box::new(move |c| categories("L")(c) && c != 'a'),
        ),
    ];
    for (pattern, has) in cases {
        let matcher = Matcher::new(pattern).expect("the pattern compiles");
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let text: &str = c.encode_utf8(&mut buffer);
            assert_eq!(matcher.is_match(text), has(c), "{pattern} on {c:?}");
        }
    }
}

#[test]
fn test_case_folding_comes_before_negation() {
    let matcher = Matcher::new(r"(?i)\P{Lu}").expect("it compiles");
    assert!(!matcher.is_match("a") && !matcher.is_match("A") && matcher.is_match("1"));
}

#[test]
fn test_possessive_quantifiers_give_nothing_back() {
    assert_eq!(split(&custom(r"a++b|a"), "aab"), ["aab"]);
    assert_eq!(split(&custom(r"a++a|b"), "aab"), ["aa", "b"]);
    let modern = concat!(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+",
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    );
    let modern = custom(modern);
    assert_eq!(
        split(&modern, "It's 12345  apples, no?\n x"),
        [
            "It", "'s", " ", "123", "45", " ", " apples", ",", " no", "?\n", " x"
        ]
    );
}

#[test]
fn test_lookaround_that_runs_without_backtracking() {
    assert!(!backtracks(r"\w+|\s+(?!\S)|\s+"));
    assert!(!backtracks(r"\s+(?!\S)|\s|\w+"));
    assert!(
        backtracks(r"\w+|\s+(?!\S)"),
        "nothing after it takes a single blank"
    );
    assert!(
        backtracks(r"(?i)\w+|\s+(?!\S)|\s+"),
        "the flag reaches over branches"
    );
    assert!(backtracks(r"(?:\w+|\s+(?!\S)|\s+)"), "not at the top");
    assert!(backtracks(r"a(?=b)|\s+(?!\S)|\s+"), "another lookahead");
    assert!(backtracks(r"(a)\1") && backtracks("(?>a)") && backtracks("(?<=a)b"));
    assert!(!backtracks(r"[(?=]\(?=\\1") && !backtracks("(?x) a # (?=b) [\n b"));
}

#[test]
fn test_correction_equals_lookahead_in_other_orders() {
    let patterns = [
        r"\s+(?!\S)|\s+|\S+",
        r"\S+|\s+(?!\S)|\s",
        r"ab?|\s+(?!\S)|\s+|\s*b",
        r" ?\w|\s\s\n|\s+(?!\S)|\s+",
    ];
    let mut random = Random(0xc0);
    for pattern in patterns {
        let automaton = Engine::new(pattern, Purpose::Split).expect("it compiles");
        let backtracking = Engine::new_backtracking(pattern).expect("it compiles");
        assert!(automaton.is_automaton(), "{pattern}");
        for _ in 0..3_000 {
            let text = random.text(&["a", "b", " ", " ", "\n", "\u{3000}", "é", "."], 10);
            let pretokens = |engine: &Engine| {
                let mut found = Vec::new();
                let mut emit = |start, end| found.push((start, end));
                engine
                    .scan(&text, 0, &mut emit)
                    .expect("no limit is reached");
                found
            };
            assert_eq!(
                pretokens(&automaton),
                pretokens(&backtracking),
                "{pattern} on {text:?}"
            );
        }
    }
}

#[test]
fn test_verbose_patterns_are_read_as_such() {
    let pattern = "(?x) \\p{Lu}+ # capitals [ and (\n | [\\p{Ll}é]+ # [:\n";
    assert_eq!(split(&custom(pattern), "ABc1"), ["AB", "c", "1"]);
}

#[test]
fn test_pattern_that_does_not_compile_says_where() {
    for (pattern, at) in [
        (r"a|(b", 2),
        (r"\p{L}+|[a", 7),
        (r"\p{L}|é|*", 8),
        (r"\p{Nonsense}", 0),
        (r"[+-\p{L}]", 3),
        (r"(?=a)|(b", 7),
        (r"\p{L}(?=a)|\x{110000}", 13),
    ] {
        match error(pattern) {
            PatternError::Syntax {
                position, reason, ..
            } => {
                assert!(
                    position.abs_diff(at) <= 1,
                    "{pattern}: {position}, {reason}"
                );
                assert!(!reason.is_empty() && !reason.contains('\n'), "{reason}");
            }
            other => panic!("{pattern}: {other:?}"),
        }
    }
}

#[test]
fn test_pattern_that_matches_nothing_at_all_is_refused() {
    for (pattern, position) in [
        ("", 0),
        ("a*", 0),
        (r"\p{L}+|\s*", 7),
        ("a|", 2),
        (r"\b", 0),
        ("(?=a)", 0),
        (r"\p{L}++|a*+|b", 8),
        (r"a|(?!b)", 2),
        (r"ab\K", 0),
    ] {
        let pattern = pattern.to_owned();
        assert_eq!(
            error(&pattern),
            PatternError::MatchesEmpty { pattern, position }
        );
    }
    assert!(Matcher::new("a*").expect("fine for a search").is_match(""));
}

#[test]
fn test_unknown_script_in_a_class_is_an_error_with_near_names() {
    let error = error(r"\p{Script=Grek}|\p{sc=Cyrilic}");
    let PatternError::UnknownScript { name, near } = &error else {
        panic!("{error:?}");
    };
    assert_eq!((name.as_str(), near[0]), ("Cyrilic", "Cyrillic"));
}

#[test]
fn test_pattern_that_is_too_large_is_refused() {
    for pattern in [
        r"((\p{L}{1000}){1000}){1000}",
        r"(?=a)((\p{L}{1000}){1000}){1000}",
    ] {
        let error = error(pattern);
        assert!(
            matches!(
                error,
                PatternError::Compile { .. } | PatternError::Syntax { .. }
            ),
            "{error:?}"
        );
        assert!(error.hint().is_some());
    }
    let many_classes = error(&r"\p{L}".repeat(100_000));
    assert!(matches!(many_classes, PatternError::Compile { .. }));
}

#[test]
fn test_presets_are_far_from_the_limit_of_size() {
    for name in PRESETS {
        let expanded = engine::pattern::expand(&config(name).pattern).expect("it is not too large");
        assert!(
            expanded.text.len() < 1 << 18,
            "{name}: {}",
            expanded.text.len()
        );
    }
}

#[test]
fn test_backtracking_engine_gives_up_with_the_place() {
    let slow = custom(r"(?:a|aa|a(?=a))+b(?=c)|x");
    let text = format!("xx{}", "a".repeat(5_000));
    let error = slow.split(&text).expect_err("it takes too many steps");
    let SplitError::GaveUp { offset, .. } = &error;
    assert_eq!(*offset, 2);
    assert!(error.to_string().contains("byte 2") && error.hint().is_some());
}

/// Splits texts that grow, and returns the size at which the pattern gives up.
fn size_given_up_at(pattern: &str, piece: &str) -> Option<usize> {
    let pretokenizer = custom(pattern);
    (10..17).map(|power| 1usize << power).find(|&size| {
        let text = piece.repeat(size / piece.len()) + "!";
        match pretokenizer.split(&text) {
            Ok(pretokens) => {
                assert_eq!(pretokens.concat(), text);
                false
            }
            Err(error) => {
                let SplitError::GaveUp { pattern: named, .. } = &error;
                assert_eq!(named, pattern);
                assert!(error.hint().is_some_and(|hint| hint.contains("simplify")));
                true
            }
        }
    })
}

#[test]
fn test_patterns_of_quadratic_time_give_up() {
    for pattern in [r"(a+)+$|.", r"a+b|.", r"a[^b]*b|.", r"(?=a)(a+)(?=b)|."] {
        let size = size_given_up_at(pattern, "a");
        assert!(
            size.is_some_and(|size| size >= 1 << 13),
            "{pattern}: {size:?}"
        );
    }
}

#[test]
fn test_patterns_of_exponential_time_give_up() {
    assert_eq!(size_given_up_at(r"(?=a)(?:a|aa)+$|.", "a"), Some(1 << 10));
}

#[test]
fn test_patterns_of_linear_time_never_give_up() {
    for pattern in [
        r"\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+|.",
        r" ?[a-z]+|\w+\b|.",
        r"(?=\w)\p{L}+|(?<!\d)\d+|.",
        r"\p{L}++|.",
    ] {
        for piece in ["a", "one 23 ", "国", "é1"] {
            assert_eq!(size_given_up_at(pattern, piece), None, "{pattern} {piece}");
        }
    }
}

#[test]
fn test_eligibility_pattern() {
    let config = PretokenizerConfig {
        eligible: r"^ \p{Ll}+$".into(),
        ..config("gpt4o")
    };
    let pretokenizer = Pretokenizer::new(config).expect("it compiles");
    assert!(pretokenizer.is_eligible(" of") && !pretokenizer.is_eligible(" Of"));
    let broken = PretokenizerConfig {
        eligible: "(".into(),
        ..only("a")
    };
    assert!(matches!(
        Pretokenizer::new(broken),
        Err(PatternError::Syntax { position: 0, .. })
    ));
}

#[test]
fn test_pretokenizer_is_shared_among_threads() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    shared(&preset("gpt2"));
}

#[test]
fn any_and_ascii_count_as_general_categories() {
    let cases = [
        (r"\A\p{Any}+\z", "a é😀\u{378}\u{10FFFF}", ""),
        (r"\A[\p{any}&&[^b]]+\z", "aé", "ab"),
        (r"\A\p{ASCII}+\z", "\0aZ~\u{7f}", "aé"),
        (r"\A\p{gc=ascii}+\z", "a", "\u{80}"),
        (r"\A\P{ASCII}+\z", "é😀\u{80}", "éa"),
        (r"(?<!\p{ASCII})x", "éx", "ax"),
    ];
    for (pattern, yes, no) in cases {
        let matcher = Matcher::new(pattern).unwrap();
        assert!(matcher.is_match(yes), "{pattern} {yes:?}");
        assert!(!matcher.is_match(no), "{pattern} {no:?}");
    }
    assert!(!Matcher::new(r"\P{Any}").unwrap().is_match("aé\u{10FFFF}"));
}

#[test]
fn properties_that_are_not_in_our_tables_are_known() {
    for property in [
        "Alphabetic",
        "Emoji",
        "Age=6.0",
        "GCB=Extend",
        "scx=Han",
        "WB=Numeric",
    ] {
        assert!(
            Matcher::new(&format!(r"\p{{{property}}}")).is_ok(),
            "{property}"
        );
    }
}

#[test]
fn short_pretokens_are_eligible_as_others_are() {
    let gpt4o = preset("gpt4o");
    let mut random = Random(8);
    for round in 0..20_000 {
        let len = 1 + random.index(15);
        let bytes: Vec<u8> = (0..len)
            .map(|_| match round % 2 {
                0 => random.below(256) as u8,
                _ => *random.pick(b"@[`{ 09\n\x00\x7f_AZaz\x80\xc1\xff"),
            })
            .map(|byte| if round % 4 == 3 { byte & 0x3f } else { byte })
            .collect();
        let key = crate::table::inline_key(&bytes, 0, len);
        let expected = gpt4o.may_be_eligible(&bytes);
        assert_eq!(gpt4o.may_be_eligible_short(key), expected, "{bytes:?}");
    }
}
