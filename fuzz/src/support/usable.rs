//! What every model can do, wherever it comes from.

use std::collections::HashSet;
use std::sync::Arc;

use super::engine::{Encoder, Model, OffsetUnit};

/// Checks that a model is saved and loaded unchanged, and that it encodes and decodes a text. Returns
/// the bytes of its file.
pub fn check_usable(model: &Model, text: &str) -> Vec<u8> {
    let file = model.to_bytes();
    match Model::from_bytes(&file) {
        Ok(again) => {
            assert!(&again == model, "a saved model is loaded unchanged");
            assert_eq!(again.to_bytes(), file, "a model has one file");
        }
        Err(error) => panic!("a saved model cannot be loaded: {error:?}"),
    }
    // A pattern that cannot be compiled is an error here, and one that takes too long below.
    let Ok(encoder) = Encoder::new(Arc::new(model.clone())) else {
        return file;
    };
    encoder.set_cache_bytes(0);
    for preparation in [encoder.ordinary().clone(), encoder.preparation(|_| true)] {
        let mut ids = Vec::new();
        if encoder.encode_into(text, &preparation, &mut ids).is_err() {
            continue;
        }
        let mut bytes = Vec::new();
        let decoded = encoder.decode_into(&ids, &mut bytes);
        assert!(decoded.is_ok(), "ids of a text are ids of the model");
        let parts = model.parts();
        // White space that belongs to an added token is lost, and so is the second text of an id.
        let ids_of_added: HashSet<u32> = parts.added.iter().map(|token| token.id.0).collect();
        let keeps_text = parts.normalizer.is_none()
            && ids_of_added.len() == parts.added.len()
            && parts
                .added
                .iter()
                .all(|token| !token.lstrip && !token.rstrip);
        if keeps_text {
            assert_eq!(bytes, text.as_bytes(), "decoding gives the text back");
        }
        let with_offsets = encoder.encode_with_offsets(text, &preparation, OffsetUnit::Characters);
        let (again, spans) = with_offsets.expect("the text was encoded before");
        assert_eq!(again, ids);
        let characters = text.chars().count();
        assert!(
            spans
                .iter()
                .all(|&(from, to)| from <= to && to <= characters)
        );
    }
    file
}
