//! **Promise:** the scanner of a preset splits every text as the regex engine does with the pattern of
//! the preset, and finds the same pretokens eligible. The pretokens cover the text.

use std::cell::RefCell;

use super::support::engine::{PRESETS, Pretokenizer, PretokenizerConfig, generic_pretokenizer};
use super::support::input::text_of;

thread_local! {
    /// Both forms of each preset, compiled when first used.
    static COMPILED: RefCell<[Option<[Pretokenizer; 2]>; PRESETS.len()]> =
        const { RefCell::new([const { None }; PRESETS.len()]) };
}

pub fn check(data: &[u8]) {
    let Some((&choice, text)) = data.split_first() else {
        return;
    };
    let choice = usize::from(choice) % PRESETS.len();
    let text = text_of(text);
    COMPILED.with_borrow_mut(|compiled| {
        let both = compiled[choice].get_or_insert_with(|| both_forms(PRESETS[choice]));
        compare(&text, both);
    });
}

fn both_forms(preset: &str) -> [Pretokenizer; 2] {
    let config = PretokenizerConfig::preset(preset).expect("a preset");
    [Pretokenizer::new, generic_pretokenizer]
        .map(|new| new(config.clone()).expect("presets are valid"))
}

fn compare(text: &str, [scanner, engine]: &[Pretokenizer; 2]) {
    let pretokens = scanner.split(text).expect("scanners do not fail");
    let Ok(expected) = engine.split(text) else {
        return; // too much work for a regex engine
    };
    assert_eq!(pretokens, expected, "{:?}", scanner.config().name);
    assert_eq!(pretokens.concat(), text);
    for pretoken in pretokens {
        assert!(!pretoken.is_empty());
        let eligible = [scanner, engine].map(|splitter| splitter.is_eligible(pretoken));
        assert_eq!(eligible[0], eligible[1], "{pretoken:?}");
    }
}
