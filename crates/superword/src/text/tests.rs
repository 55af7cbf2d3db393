use super::*;

fn preset(name: &str) -> Pretokenizer {
    Pretokenizer::new(PretokenizerConfig::preset(name).expect("a preset")).expect("it compiles")
}

#[test]
fn smoke() {
    for name in PRESETS {
        assert_eq!(
            preset(name).split(" of the").expect("split"),
            [" of", " the"]
        );
    }
}
