use super::*;
use crate::testing::Random;

/// The scanner may be unsure, but must never differ from `serde_json`.
fn check(line: &str) -> bool {
    let mut scratch = String::from("left over");
    let slow = extract_slowly(line, "text");
    match scan(line, "text", &mut scratch) {
        Scan::Borrowed(text) => assert_eq!(slow.as_deref(), Ok(text), "{line}"),
        Scan::Unescaped => assert_eq!(slow.as_deref(), Ok(scratch.as_str()), "{line}"),
        Scan::LoneSurrogate { .. } => assert!(slow.is_err(), "{line}"),
        Scan::Unsure => return false,
    }
    true
}

#[test]
fn the_scanner_is_sure_of_common_lines() {
    for line in [
        r#"{"text": "plain"}"#,
        r#"{"text":""}"#,
        r#" { "id" : -12.5e+3 , "text" : "a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00z" , "x":[true,false,null] } "#,
        r#"{"meta": {"a": {"b": ["]", "}\""]}, "e": {}, "f": []}, "text": "last"}"#,
        r#"{"text": "first", "text": "sec\u006fnd"}"#,
        "{\"text\": \"中文\u{7f}\u{80}\"}\r",
    ] {
        assert!(check(line), "{line}");
    }
}

#[test]
fn the_scanner_leaves_the_rest_to_serde() {
    for line in [
        "",
        "{",
        "{}",
        "[]",
        "{\"text\"}",
        "{\"text\": }",
        "{\"text\": \"a\"",
        "{\"text\": \"a\"}}",
        "{\"text\": \"a\",}",
        "{\"text\": \"a\" \"b\": 1}",
        "{\"text\": \"tab\there\"}",
        "{\"te\\u0078t\": \"a\"}",
        "{\"text\": \"\\x\"}",
        "{\"text\": \"\\u12\"}",
        "{\"text\": \"\\u12é4\"}",
        "{\"a\": 01, \"text\": \"\"}",
        "{\"a\": 1., \"text\": \"\"}",
        "{\"a\": -, \"text\": \"\"}",
        "{\"a\": 1e, \"text\": \"\"}",
        "{\"a\": nul, \"text\": \"\"}",
        "{\"a\": [1,], \"text\": \"\"}",
        "{'text': 'a'}",
        "{\"text\": \"a\\",
        "{\"text\": \"\\u+123\"}",
        "{\"a\": {\"b\" 1}, \"text\": \"\"}",
    ] {
        assert!(!check(line), "{line}");
    }
}

#[test]
fn deep_nesting_is_read_all_the_same() {
    for depth in [10, 63, 64, 65, 200, 100_000] {
        let line = format!(
            "{{\"a\": {}{}, \"text\": \"t\"}}",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        assert_eq!(extract(&line, "text", &mut String::new()), Ok("t"));
    }
}

#[test]
fn scanner_and_serde_agree_on_mutated_lines() {
    let seeds = [
        r#"{"text": "a\n\u00e9\ud83d\ude00 b", "n": [1, -2.5e3, {"x": null}], "b": true}"#,
        r#"{"id":"x\"y","text":"中文 plain","meta":{"text":"inner"}}"#,
        r#"{"text":"one","text":"two\t","z":0}"#,
        r#"{"text": "\tint main(int argc, char **argv) {\n\t\tputs(\"naïve — 中文\");\n\t}\n// and a comment of more than a block\n"}"#,
    ];
    let pieces = [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "u", "d8", "0", "1", "e", ".", "-", " ", "\t",
        "é", "text", "null", "\\u", "\\ud800", "\\udc00",
    ];
    let mut random = Random(41);
    let mut sure = 0;
    for _ in 0..60_000 {
        let mut line: Vec<char> = random.pick(&seeds).chars().collect();
        for _ in 0..random.index(3) + 1 {
            let at = random.index(line.len() + 1);
            match random.index(3) {
                0 => line.truncate(line.len().saturating_sub(random.index(3))),
                1 => {
                    if at < line.len() {
                        line.remove(at);
                    }
                }
                _ => {
                    let piece: Vec<char> = random.pick(&pieces).chars().collect();
                    line.splice(at..at, piece);
                }
            }
        }
        let line: String = line.into_iter().collect();
        sure += usize::from(check(&line));
    }
    assert!(sure > 5_000, "{sure}");
}
