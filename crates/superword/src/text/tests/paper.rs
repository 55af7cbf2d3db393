//! The examples of the paper.

use super::*;

#[test]
fn test_table_of_regex_branches() {
    let gpt4o = preset("gpt4o");
    let cases: [(&str, &[&str]); 14] = [
        (" Hello world", &[" Hello", " world"]),
        (" camelCase", &[" camel", "Case"]),
        ("FOObar", &["FOObar"]),
        ("(can't", &["(can't"]),
        ("café", &["café"]),
        ("cafe\u{301}", &["cafe\u{301}"]),
        ("你好", &["你好"]),
        ("HTML CSS", &["HTML", " CSS"]),
        ("1234567", &["123", "456", "7"]),
        (".\u{20}!$%$ %\n", &[".", " !$%$", " %\n"]),
        ("  \n    \n\n", &["  \n    \n\n"]),
        ("a   b", &["a", "  ", " b"]),
        (" 12", &[" ", "12"]),
        ("", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(split(&gpt4o, text), expected, "{text:?}");
    }
}

#[test]
fn test_mixed_script_example() {
    let text = "Tokenization of the multilingual 德国HYDAC电磁球阀 can be hard.";
    let default = preset(DEFAULT_PRESET);
    let runs: Vec<(&str, &str)> = default
        .script_runs(text)
        .iter()
        .map(|run| (&text[run.start..run.end], run.script.name()))
        .collect();
    assert_eq!(
        runs,
        [
            ("Tokenization of the multilingual", "Latin"),
            (" 德国", "Han"),
            ("HYDAC", "Latin"),
            ("电磁球阀", "Han"),
            (" can be hard.", "Latin"),
        ]
    );
    assert_eq!(
        split(&default, text),
        [
            "Tokenization",
            " of",
            " the",
            " multilingual",
            " 德",
            "国",
            "HYDAC",
            "电",
            "磁",
            "球",
            "阀",
            " can",
            " be",
            " hard",
            ".",
        ]
    );
    assert_eq!(
        split(&preset("gpt4o"), text)[4],
        " 德国HYDAC电磁球阀",
        "without script runs a word may mix scripts"
    );
}

#[test]
fn test_export_pattern_keeps_punctuation_out_of_words() {
    let export = preset("gpt4o-export");
    assert_eq!(split(&export, " are notes"), [" are", " notes"]);
    assert_eq!(split(&export, "(can't"), ["(", "can't"]);
    assert_eq!(
        split(&export, "l’été rock'n'roll'"),
        ["l’été", " rock'n'roll", "'"]
    );
    assert_eq!(
        split(&export, "ФичаДляПроверки"),
        ["Фича", "Для", "Проверки"]
    );
}

#[test]
fn test_letters_of_listed_scripts_stand_alone() {
    let default = preset(DEFAULT_PRESET);
    assert_eq!(split(&default, "น้ำ"), ["น้", "ำ"]);
    assert_eq!(
        split(&default, "電が\u{3099}カ1234"),
        ["電", "が\u{3099}", "カ", "123", "4"]
    );
    assert_eq!(
        split(&default, "한국어 서울"),
        ["한국어", " 서울"],
        "Hangul is not listed"
    );
    assert_eq!(
        split(&default, "国 \u{301}A"),
        ["国", " \u{301}", "A"],
        "a mark without a letter"
    );
}
