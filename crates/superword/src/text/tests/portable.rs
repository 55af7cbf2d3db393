//! What exports rely on: one local pattern, and words that end where the text after them says so.

use super::*;

/// The letters that are words by themselves, by their definition.
fn is_single(c: char) -> bool {
    let scripts = [
        "Han", "Hiragana", "Katakana", "Thai", "Myanmar", "Khmer", "Lao",
    ];
    let letter = tables::CATEGORIES[unicode::category(c as u32) as usize].starts_with('L');
    letter && (c == 'ー' || scripts.contains(&script_of(c).name()))
}

#[test]
fn test_letters_of_seven_scripts_are_words_by_themselves() {
    let portable = preset("gpt4o-portable");
    for c in '\0'..=char::MAX {
        let text = format!(" {c}{c}\u{301}a");
        let alone = [format!(" {c}"), format!("{c}\u{301}"), "a".into()];
        assert_eq!(split(&portable, &text) == alone, is_single(c), "{c:?}");
    }
}

#[test]
fn test_portable_differs_from_script_only_where_scripts_mix() {
    let (portable, by_script) = (preset("gpt4o-portable"), preset("gpt4o-script"));
    let differ = TEXTS.into_iter().filter(|text| {
        let text = text.replace("paypаl", "paypal");
        split(&portable, &text) != split(&by_script, &text)
    });
    assert_eq!(differ.collect::<Vec<_>>(), [""; 0]);
    assert_eq!(split(&portable, "paypаl"), ["paypаl"]);
    assert_eq!(split(&by_script, "paypаl"), ["payp", "а", "l"]);
    assert_eq!(split(&portable, "ན།\na"), ["ན", "།\n", "a"]);
    assert_eq!(split(&by_script, "ན།\na"), ["ན", "།", "\n", "a"]);
}

#[test]
fn test_portable_examples() {
    let portable = preset("gpt4o-portable");
    let cases: [(&str, &[&str]); 10] = [
        ("HYDAC电磁 阀a", &["HYDAC", "电", "磁", " 阀", "a"]),
        ("コーヒーーを", &["コ", "ー", "ヒ", "ー", "ー", "を"]),
        ("น้ำ", &["น้", "ำ"]),
        // Only a space is the prefix of a single letter.
        (
            ".国\t国\u{3000}国",
            &[".", "国", "\t", "国", "\u{3000}", "国"],
        ),
        ("国's it's", &["国", "'s", " it's"]),
        // A mark without a letter before it is a word, and one after a letter belongs to it.
        ("1\u{e34}ก", &["1", "\u{e34}", "ก"]),
        ("か\u{3099}\u{301}b", &["か\u{3099}\u{301}", "b"]),
        ("a\u{e34}b", &["a\u{e34}b"]),
        ("AB国", &["AB", "国"]),
        ("〇々", &["〇", "々"]),
    ];
    for (text, expected) in cases {
        assert_eq!(split(&portable, text), expected, "{text:?}");
    }
}

#[test]
fn test_text_before_a_pretoken_does_not_matter() {
    let mut random = Random(0x10ca1);
    for name in PRESETS.into_iter().filter(|&name| name != "gpt4o-script") {
        let pretokenizer = preset(name);
        for _ in 0..3_000 {
            let text = random.text(&NASTY, 12);
            let all = split(&pretokenizer, &text);
            let mut start = 0;
            for (i, pretoken) in all.iter().enumerate() {
                assert_eq!(
                    split(&pretokenizer, &text[start..]),
                    all[i..],
                    "{name}: {text:?}"
                );
                start += pretoken.len();
            }
        }
    }
}

#[test]
fn test_words_of_portable_end_as_with_gpt4o() {
    let (portable, gpt4o) = (preset("gpt4o-portable"), preset("gpt4o"));
    let mut random = Random(0xe4d);
    let mut words = [0; 2];
    for _ in 0..60_000 {
        let (text, rest) = (random.text(&NASTY, 5), random.text(&NASTY, 3));
        let Some(word) = split(&portable, &text).into_iter().next() else {
            continue;
        };
        if !portable.is_eligible(&word) {
            continue;
        }
        let whole = format!("{word}{rest}");
        let ends = split(&portable, &whole)[0] == word;
        let single = word.contains(is_single);
        words[usize::from(single)] += 1;
        let expected = if single {
            let (class, _) = class_at(rest.as_bytes(), 0);
            class != unicode::MARK
        } else {
            // To any other word, a single letter is what a number is.
            let rest = rest.replace(is_single, "1");
            split(&gpt4o, &format!("{word}{rest}"))[0] == word
        };
        assert_eq!(ends, expected, "{word:?} before {rest:?}");
    }
    assert!(words.iter().all(|&count| count > 1_000), "{words:?}");
}
