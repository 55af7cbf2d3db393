//! Trains in memory and encodes. Works without any feature:
//! `cargo run --example documents --no-default-features`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use superword::model::Event;
use superword::observe::Silent;
use superword::{
    Encoder, Method, Model, Pretokenizer, PretokenizerConfig, TrainOptions, train_documents,
};

fn main() -> Result<(), Box<dyn Error>> {
    let documents = [
        "One of the reasons is that some of the words often stand side by side.",
        "Most of the time, one of the words is short.",
        "At the end of the day, the rest of the words are words of the language.",
    ];
    let pretokenizer = Pretokenizer::new(PretokenizerConfig::default())?;
    // 256 bytes, 40 ordinary merges and 4 superwords.
    let options = TrainOptions {
        supermerges: 4,
        ..TrainOptions::new(Method::SuperBpe, 300)
    };
    let (model, shortfall) = train_documents(&documents, &pretokenizer, &options, &Silent)?;
    assert_eq!(shortfall, None);

    let vocabulary = model.vocabulary();
    for event in &model.parts().events {
        if let Event::Supermerge { left, right, count } = event {
            let [left, right] =
                [left, right].map(|&part| String::from_utf8_lossy(vocabulary.bytes_of(part)));
            println!("superword {left:?} + {right:?}, seen {count} times");
        }
    }

    // A model is bytes. They are the content of a model file.
    let bytes = model.to_bytes();
    let encoder = Encoder::new(Model::from_bytes(&bytes)?)?;
    let text = "the rest of the words";
    let ids = encoder.encode(text)?;
    println!("{text:?} is {ids:?}");
    assert_eq!(encoder.decode(&ids)?, text.as_bytes());
    Ok(())
}
