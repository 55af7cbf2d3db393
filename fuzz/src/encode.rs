//! **Promise:** the encoder gives the ids of the plainest encoder, for any model and any text. It gives
//! them again from its cache, in batches and with offsets. Decoding gives the text back.

use std::sync::Arc;

use super::support::engine::{Encoder, OffsetUnit, Silent};
use super::support::input::Input;
use super::support::models;
use super::support::reference::Reference;

/// Longer texts take too long with the plainest encoder.
const LONGEST: usize = 2000;

pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let Some((model, tokens)) = models::model(&mut input) else {
        return;
    };
    let cache_bytes = input.pick(&[0, 1 << 10, 1 << 16]);
    let threads = if input.one_in(64) { 3 } else { 1 };
    let text = models::text(input, &tokens);
    if text.len() > LONGEST {
        return;
    }
    let pretokenizer = models::generic(&model.parts().pretokenizer);
    let reference = Reference::new(&model, pretokenizer);
    let encoder = Encoder::new(Arc::new(model.clone())).expect("a valid pattern");
    encoder.set_cache_bytes(cache_bytes);

    let Ok(expected) = reference.encode(&text) else {
        return; // the pattern takes too much work
    };
    for pass in ["first", "cached"] {
        let mut ids = Vec::new();
        let encoded = encoder.encode_ordinary(&text, &mut ids);
        assert!(encoded.is_ok());
        assert_eq!(ids, expected, "{pass} pass of {text:?} with {model:?}");
    }
    let mut bytes = Vec::new();
    encoder
        .decode_into(&expected, &mut bytes)
        .expect("ids of the model");
    assert_eq!(bytes, text.as_bytes());

    let ordinary = encoder.ordinary();
    let with_offsets = encoder.encode_with_offsets(&text, ordinary, OffsetUnit::Bytes);
    let (ids, spans) = with_offsets.expect("the text was encoded before");
    assert_eq!(ids, expected);
    let mut at = 0;
    for (&id, (start, end)) in ids.iter().zip(spans) {
        let token = encoder.token_bytes(super::support::engine::TokenId(id));
        assert_eq!((start, token), (at, Some(&text.as_bytes()[start..end])));
        at = end;
    }
    assert_eq!(at, text.len(), "tokens cover the text");

    let texts = [&text[..], "", &text];
    let batch = encoder.encode_batch(&texts, ordinary, threads, &Silent);
    let batch = batch.expect("the text was encoded before");
    let lists: Vec<&[u32]> = batch.lists().collect();
    assert_eq!(lists, [&expected[..], &[], &expected]);
}
