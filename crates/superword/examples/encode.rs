//! Offsets, special tokens and batches: `cargo run --example encode --no-default-features`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use superword::encode::OffsetUnit;
use superword::observe::Silent;
use superword::{Encoder, Method, Pretokenizer, PretokenizerConfig, TrainOptions, train_documents};

fn main() -> Result<(), Box<dyn Error>> {
    let pretokenizer = Pretokenizer::new(PretokenizerConfig::default())?;
    let options = TrainOptions {
        special_tokens: vec!["<|end|>".into()],
        ..TrainOptions::new(Method::Bpe, 263)
    };
    let documents = ["low lower lowest", "new newer newest"];
    let (model, _) = train_documents(&documents, &pretokenizer, &options, &Silent)?;
    let encoder = Encoder::new(model)?;

    // The text of a special token is plain text, unless the caller allows it.
    let text = "newer<|end|>";
    let end = encoder.model().n_vocab() as u32 - 1;
    assert!(!encoder.encode(text)?.contains(&end));
    let specials = encoder.preparation(|special| special == "<|end|>");
    let (ids, offsets) = encoder.encode_with_offsets(text, &specials, OffsetUnit::Bytes)?;
    assert_eq!(ids.last(), Some(&end));
    for (id, (start, end)) in ids.iter().zip(offsets) {
        println!("{id:>3} is {:?}", &text[start..end]);
    }

    // Many texts on all cores, if the feature `threads` is on.
    let texts = ["low", "lower", "a newer one"];
    let batch = encoder.encode_batch(&texts, encoder.ordinary(), 0, &Silent)?;
    for (text, ids) in texts.iter().zip(batch.lists()) {
        println!("{text:?} is {ids:?}");
        assert_eq!(encoder.decode(ids)?, text.as_bytes());
    }
    Ok(())
}
