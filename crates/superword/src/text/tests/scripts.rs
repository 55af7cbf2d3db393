//! Scripts and runs of one script.

use super::*;

/// The rules of script splitting, applied one by one, tracking the end of the run.
fn naive_runs(text: &str) -> Vec<(usize, usize, Option<Script>)> {
    let mut runs = Vec::new();
    let (mut start, mut end, mut current) = (0, 0, None);
    for (at, c) in text.char_indices() {
        let after = at + c.len_utf8();
        let script = script_of(c);
        if script == Script::INHERITED || current == Some(script) {
            end = after;
        } else if is_real(script) {
            if current.is_some() {
                runs.push((start, end, current));
                start = end;
            }
            current = Some(script);
            end = after;
        }
    }
    if start < text.len() {
        runs.push((start, text.len(), current));
    }
    runs
}

fn assert_runs(text: &str) {
    let runs: Vec<_> = preset("gpt2")
        .script_runs(text)
        .into_iter()
        .map(|run| {
            (
                run.start,
                run.end,
                is_real(run.script).then_some(run.script),
            )
        })
        .collect();
    assert_eq!(runs, naive_runs(text), "{text:?}");
    let expected = match runs.as_slice() {
        [] | [(_, _, None)] => ScriptSet::None,
        [(_, _, Some(script))] => ScriptSet::One(*script),
        _ => ScriptSet::Mixed,
    };
    assert_eq!(scripts_in(text), expected, "{text:?}");
}

#[test]
fn test_runs_follow_the_rules() {
    TEXTS.into_iter().for_each(assert_runs);
    assert_runs(&TEXTS.concat());
    let mut random = Random(0x5c21);
    for _ in 0..60_000 {
        assert_runs(&random.text(&NASTY, 14));
    }
    for c in '\0'..=char::MAX {
        let mut text = String::from("ж ");
        text.extend([c, ' ', c, 'a', c]);
        assert_runs(&text);
    }
}

#[test]
fn test_presets_split_each_run_on_its_own() {
    let default = preset("gpt4o-script");
    let main = preset("gpt4o");
    let letters = custom(presets::GPT4O_LETTERS);
    let mut random = Random(0x0dd);
    for _ in 0..5_000 {
        let text = random.text(&NASTY, 14);
        let mut expected = Vec::new();
        for (start, end, script) in naive_runs(&text) {
            let listed = [
                "Han", "Hiragana", "Katakana", "Thai", "Myanmar", "Khmer", "Lao",
            ];
            let by_letters = script.is_some_and(|script| listed.contains(&script.name()));
            let pretokenizer = if by_letters { &letters } else { &main };
            expected.extend(split(pretokenizer, &text[start..end]));
        }
        assert_eq!(split(&default, &text), expected, "{text:?}");
    }
}

#[test]
fn test_script_names() {
    assert_eq!(Script::all().filter(|&script| is_real(script)).count(), 172);
    for script in Script::all() {
        assert_eq!(Script::from_name(script.name()), Ok(script));
    }
    assert_eq!(
        Script::from_name("old italic").map(Script::name),
        Ok("Old_Italic")
    );
    assert_eq!(Script::from_name("Hani").map(Script::name), Ok("Han"));
    for (c, name) in [
        ('a', "Latin"),
        (' ', "Common"),
        ('\u{301}', "Inherited"),
        ('\u{378}', "Unknown"),
        ('\u{e000}', "Unknown"),
        ('ー', "Common"),
        ('\u{10940}', "Sidetic"),
        ('\u{16ea0}', "Beria_Erfe"),
    ] {
        assert_eq!(script_of(c).name(), name, "{c:?}");
    }
}

#[test]
fn test_unknown_script_is_an_error_with_near_names() {
    let mut config = config("gpt4o-script");
    let script = config.script.as_mut().expect("it has a script pattern");
    script.scripts.push("Hirigana".into());
    let error = Pretokenizer::new(config).expect_err("no such script");
    assert_eq!(
        error,
        PatternError::UnknownScript {
            name: "Hirigana".into(),
            near: vec!["Hiragana"],
        }
    );
    assert_eq!(error.hint().as_deref(), Some("did you mean Hiragana?"));
    let far = Script::from_name("Klingon").expect_err("no such script");
    assert!(far.to_string().contains("Klingon") && far.hint().is_some());
}

#[test]
fn test_script_pattern_needs_real_scripts() {
    let with = |scripts: &[&str]| {
        let scripts = scripts.iter().map(|&name| name.to_owned()).collect();
        let pattern = r"\S|\s".to_owned();
        Pretokenizer::new(PretokenizerConfig {
            script: Some(ScriptPattern { pattern, scripts }),
            ..only(r"\S+|\s+")
        })
    };
    assert_eq!(with(&[]).expect_err("none given"), PatternError::NoScripts);
    assert_eq!(
        with(&["Han", "Common"]).expect_err("not a script of a run"),
        PatternError::NotARealScript {
            name: "Common".into()
        }
    );
    let greek = with(&["greek"]).expect("a real script");
    assert_eq!(split(&greek, "ab γδ"), ["ab", " ", "γ", "δ"]);
    let scripts = &greek
        .config()
        .script
        .as_ref()
        .expect("it was given")
        .scripts;
    assert_eq!(scripts, &["Greek"], "brought to the spelling of Unicode");
}
