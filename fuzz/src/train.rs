//! **Promise:** training gives the same model in memory and from files, with and without cutting, for
//! any number of threads and with a memory limit. The model is usable, and the ids of its texts are
//! those of the plainest encoder.

use super::support::engine::{
    Alphabet, Boundary, Format, GreedySplit, Method, Model, Picky, PickySplit, Pretokenizer,
    ReadOptions, Resources, Silent, Source, TrainOptions, frame, train, train_documents,
};
use super::support::input::Input;
use super::support::models;
use super::support::reference::Reference;
use super::support::usable::check_usable;

pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let config = models::config(&mut input);
    let options = options(&mut input);
    let resources = Resources {
        cutting: !input.one_in(4),
        // Without a limit, each run clears 16 MB for its sketch of bigrams, which is slow.
        max_memory: (!input.one_in(16)).then_some(120 << 20),
        ..Resources::default()
    };
    let threads = if input.one_in(16) { 3 } else { 1 };
    let repeats = 1 + input.below(20);
    let mut documents = Vec::new();
    while !input.is_empty() && documents.len() < 20 {
        documents.push(input.text().repeat(repeats));
    }
    let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
    let Ok(pretokenizer) = Pretokenizer::new(config) else {
        return;
    };
    let in_memory = train_documents(&texts, &pretokenizer, &options, &Silent);
    let mut framed = Vec::new();
    for text in &texts {
        frame(Some(text.as_bytes()), &mut framed);
    }
    let source = Source::memory("documents", framed, Format::Framed);
    let read = ReadOptions {
        threads,
        block_size: 64,
        allow_empty: true,
        ..ReadOptions::default()
    };
    let from_files = train(
        &[source],
        &read,
        &pretokenizer,
        &options,
        &resources,
        &Silent,
    );
    match (in_memory, from_files) {
        (Ok((model, shortfall)), Ok((again, report))) => {
            assert_eq!(shortfall, report.shortfall);
            assert!(model.to_bytes() == again.to_bytes(), "{model:?}\n{again:?}");
            check_model(&model, &options, &texts);
        }
        (Err(_), Err(_)) => {}
        (one, other) => panic!("{:?}, {:?}", one.err(), other.err()),
    }
}

fn options(input: &mut Input<'_>) -> TrainOptions {
    let method = input.pick(&[Method::Boundless, Method::SuperBpe, Method::Bpe]);
    let alphabet = input.pick(&[Alphabet::Bytes, Alphabet::Utf8]);
    let supermerges = if method == Method::SuperBpe {
        input.below(20)
    } else {
        0
    };
    let vocab_size = alphabet.size() + supermerges + input.below(80);
    TrainOptions {
        supermerges,
        alphabet,
        min_count: 1 + input.below(3) as u64,
        picky: input.one_in(3).then(|| Picky {
            threshold: f64::from(input.byte()) / 200.0,
            split: input.pick(&[PickySplit::Parts, PickySplit::Bytes]),
        }),
        greedy_split: input.pick(&[
            GreedySplit::Off,
            GreedySplit::Off,
            GreedySplit::Training,
            GreedySplit::Encoding,
        ]),
        max_words: input.one_in(4).then(|| 1 + input.below(4)),
        same_script: input.one_in(4),
        boundary: match input.below(32) {
            0..16 => Boundary::Any,
            16..30 => Boundary::Space,
            // These compile patterns.
            30 => Boundary::Auto,
            _ => Boundary::Exportable,
        },
        veto: input
            .one_in(8)
            .then(|| input.pick(&["ab", "^ ", r"\d"]).to_owned()),
        special_tokens: match input.one_in(4) {
            true => vec!["<s>".to_owned()],
            false => Vec::new(),
        },
        ..TrainOptions::new(method, vocab_size)
    }
}

fn check_model(model: &Model, options: &TrainOptions, texts: &[&str]) {
    assert!(model.n_vocab() <= options.vocab_size);
    let text: String = texts.concat().chars().take(300).collect();
    check_usable(model, &text);
    let reference = Reference::new(model, models::generic(&model.parts().pretokenizer));
    let Ok(expected) = reference.encode(&text) else {
        return;
    };
    let encoder = super::support::engine::Encoder::new(std::sync::Arc::new(model.clone()));
    let encoder = encoder.expect("a valid pattern");
    let mut ids = Vec::new();
    encoder
        .encode_ordinary(&text, &mut ids)
        .expect("the reference encoded it");
    assert_eq!(ids, expected, "{text:?} with {model:?}");
}
