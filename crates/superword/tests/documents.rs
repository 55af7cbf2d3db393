//! Training on texts in memory, which works without any feature of the engine.

use superword::model::{Method, Model, PickySplit};
use superword::observe::Silent;
use superword::text::{Pretokenizer, PretokenizerConfig};
use superword::train::{GreedySplit, Picky, TrainOptions, train_documents};

/// Documents of repeated and rare words in several scripts, one of them empty.
fn documents() -> Vec<String> {
    let words = [
        "the",
        "of the",
        "in a",
        "low",
        "lower",
        "größer",
        "слово",
        "на",
        "の",
        "言葉",
        "42",
        "…",
    ];
    let document = |number: usize| {
        let picked = (0..300).map(|at| words[(at * at + number * (at % 7) + at / 5) % words.len()]);
        picked.collect::<Vec<_>>().join(" ")
    };
    (0..8).map(document).chain([String::new()]).collect()
}

fn every_kind_of_options() -> Vec<(&'static str, TrainOptions)> {
    let superbpe = TrainOptions {
        supermerges: 40,
        ..TrainOptions::new(Method::SuperBpe, 420)
    };
    vec![
        ("gpt2", TrainOptions::new(Method::Bpe, 330)),
        ("gpt4o-portable", TrainOptions::new(Method::Boundless, 420)),
        ("gpt4o-script", superbpe.clone()),
        (
            "gpt4o",
            TrainOptions {
                greedy_split: GreedySplit::Encoding,
                max_words: Some(3),
                ..superbpe.clone()
            },
        ),
        (
            "llama3",
            TrainOptions {
                picky: Some(Picky {
                    threshold: 0.9,
                    split: PickySplit::Parts,
                }),
                special_tokens: vec!["<|end|>".into()],
                ..superbpe
            },
        ),
    ]
}

fn train(pretokenizer: &str, options: &TrainOptions) -> Model {
    let documents = documents();
    let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
    let pretokenizer = preset(pretokenizer);
    let (model, _) = train_documents(&texts, &pretokenizer, options, &Silent).unwrap();
    model
}

fn preset(name: &str) -> Pretokenizer {
    Pretokenizer::new(PretokenizerConfig::preset(name).unwrap()).unwrap()
}

/// One number for all events of a model, so that builds with other features can be compared.
fn digest(model: &Model) -> u64 {
    let events = format!("{:?}", model.parts().events);
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    events.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn models_do_not_depend_on_the_features() {
    let digests: Vec<u64> = every_kind_of_options()
        .iter()
        .map(|(pretokenizer, options)| digest(&train(pretokenizer, options)))
        .collect();
    let expected = [
        0x8A47_E9F0_FE23_AAB4,
        0x0F73_2918_AA26_9EA9,
        0x1E4B_AA7A_D648_E375,
        0x2460_4CAA_EDC6_EFE5,
        0x34CB_CBF1_B188_DEA4,
    ];
    assert_eq!(digests, expected);
}

#[cfg(feature = "files")]
#[test]
fn documents_in_memory_train_the_model_of_documents_in_files() {
    use superword::corpus::{Format, ReadOptions, Source};
    use superword::train::{Resources, train as train_sources};

    let line = |text| format!("{}\n", serde_json::json!({ "text": text }));
    let lines: String = documents().into_iter().map(line).collect();
    let source = Source::memory("documents", lines.into_bytes(), Format::Jsonl);
    for (name, options) in every_kind_of_options() {
        let (model, _) = train_sources(
            std::slice::from_ref(&source),
            &ReadOptions::default(),
            &preset(name),
            &options,
            &Resources::default(),
            &Silent,
        )
        .unwrap();
        assert_eq!(model.to_bytes(), train(name, &options).to_bytes(), "{name}");
    }
}

#[test]
fn progress_covers_all_documents_and_a_stop_ends_the_run() {
    use std::sync::Mutex;
    use superword::observe::{Observer, Phase};
    use superword::train::TrainError;

    struct Record {
        seen: Mutex<Vec<(Phase, u64, Option<u64>)>>,
        stop_in: Option<Phase>,
    }
    impl Observer for Record {
        fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
            self.seen.lock().unwrap().push((phase, done, total));
        }
        fn stop_requested(&self) -> bool {
            let seen = self.seen.lock().unwrap();
            self.stop_in.is_some() && seen.last().map(|last| last.0) == self.stop_in
        }
    }
    let run = |stop_in| {
        let record = Record {
            seen: Mutex::default(),
            stop_in,
        };
        let options = TrainOptions::new(Method::Boundless, 300);
        let texts = ["one two one two", "three"];
        let result = train_documents(&texts, &preset("gpt2"), &options, &record);
        (result.map(|_| ()), record.seen.into_inner().unwrap())
    };
    let (result, seen) = run(None);
    assert_eq!(result, Ok(()));
    for phase in [Phase::Count, Phase::Candidates] {
        assert!(seen.contains(&(phase, 0, Some(20))));
        assert!(seen.contains(&(phase, 20, Some(20))));
    }
    for phase in [Phase::Count, Phase::Merge, Phase::Candidates] {
        assert!(
            matches!(run(Some(phase)).0, Err(TrainError::Stopped(_))),
            "{phase:?}"
        );
    }
}

/// A pattern is refused, and not misread, if it needs a property that the build leaves out.
#[cfg(not(feature = "all-properties"))]
#[test]
fn patterns_with_a_property_that_is_left_out_are_refused() {
    for pattern in [r"\p{Age=6.0}+|.", r"\p{scx=Grek}+|.", r"\p{WB=ALetter}+|."] {
        let config = PretokenizerConfig {
            pattern: pattern.into(),
            ..PretokenizerConfig::preset("gpt4o").expect("a preset")
        };
        let error = Pretokenizer::new(config).err().expect("an error");
        assert!(error.to_string().contains("property"), "{error}");
    }
}
