//! **Promise:** any ids, as numbers or as lines of text, give the bytes of their tokens or an error.

use std::sync::Arc;

use super::support::engine::{Encoder, TokenId};
use super::support::input::Input;
use super::support::models;

pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let Some((model, _)) = models::model(&mut input) else {
        return;
    };
    let Ok(encoder) = Encoder::new(Arc::new(model)) else {
        return;
    };
    let rest = input.rest();
    let (numbers, _) = rest.as_chunks::<2>();
    let ids: Vec<u32> = numbers
        .iter()
        .map(|&id| u32::from(u16::from_le_bytes(id)))
        .collect();
    let known = ids.iter().map(|&id| encoder.token_bytes(TokenId(id)));
    let expected: Option<Vec<&[u8]>> = known.collect();
    let mut bytes = Vec::new();
    match (encoder.decode_into(&ids, &mut bytes), expected) {
        (Ok(()), Some(tokens)) => assert_eq!(bytes, tokens.concat()),
        (Err(error), None) => {
            let position = error.position;
            assert_eq!(error.id.0, ids[position]);
            assert!(encoder.token_bytes(error.id).is_none());
        }
        (decoded, expected) => panic!("{decoded:?}, {expected:?}"),
    }
    let line: Vec<String> = ids.iter().map(u32::to_string).collect();
    let decoded = encoder.decode_lines(line.join(" ").as_bytes(), b"");
    assert_eq!(
        decoded.is_some(),
        encoder.decode_into(&ids, &mut bytes).is_ok()
    );
    encoder.decode_lines(rest, b"\n");
}
