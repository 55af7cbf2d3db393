//! **Promise:** any pattern is compiled or refused with a reason. A compiled pattern splits any text
//! within a limit of work, and the pretokens cover the text.

use super::support::engine::{
    Matcher, Pretokenizer, PretokenizerConfig, ScriptPattern, generic_pretokenizer,
};
use super::support::input::{Input, text_of};

pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let pattern = input.text();
    let script = input.one_in(4).then(|| ScriptPattern {
        pattern: input.text(),
        scripts: vec!["Han".to_owned(), input.text()],
    });
    let eligible = if input.one_in(4) {
        input.text()
    } else {
        r"\p{L}".to_owned()
    };
    let text = text_of(input.rest());
    let config = PretokenizerConfig {
        name: None,
        pattern: pattern.clone(),
        script,
        eligible,
    };
    match Pretokenizer::new(config.clone()) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(pretokenizer) => {
            if let Ok(pretokens) = pretokenizer.split(&text) {
                assert_eq!(pretokens.concat(), text);
                assert!(pretokens.iter().all(|pretoken| !pretoken.is_empty()));
                for pretoken in pretokens.iter().take(20) {
                    pretokenizer.is_eligible(pretoken);
                }
            }
            let generic = generic_pretokenizer(config).expect("it was compiled before");
            if let (Ok(pretokens), Ok(expected)) = (pretokenizer.split(&text), generic.split(&text))
            {
                assert_eq!(pretokens, expected);
            }
        }
    }
    if let Ok(matcher) = Matcher::new(&pattern) {
        let found = matcher.try_is_match(&text);
        assert_eq!(matcher.is_match(&text), found.unwrap_or(false));
    }
}
