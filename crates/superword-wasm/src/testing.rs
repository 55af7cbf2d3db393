//! Models for tests.

use superword::model::{Event, Method, Model};
use superword::observe::Silent;
use superword::text::{Pretokenizer, PretokenizerConfig};
use superword::token::{Symbol, TokenId};
use superword::train::{TrainOptions, train_documents};

use crate::encoded::Encoded;
use crate::page_model::PageModel;

const TEXT: &str = "it is of the low of the low of the low of the old of the low and so low lower ";

/// A small model: `bpe`, `superbpe`, `special` with a special token, or `deep`, whose last token has
/// a tree of many levels.
pub(crate) fn model(name: &str) -> PageModel {
    let mut options = match name {
        "superbpe" => TrainOptions {
            supermerges: 6,
            ..TrainOptions::new(Method::SuperBpe, 282)
        },
        _ => TrainOptions::new(Method::Bpe, 280),
    };
    if name == "special" {
        options.special_tokens.push("<|end|>".into());
    }
    let pretokenizer = Pretokenizer::new(PretokenizerConfig::default()).unwrap();
    let documents = [TEXT.repeat(3)];
    let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
    let (model, _) = train_documents(&texts, &pretokenizer, &options, &Silent).unwrap();
    PageModel::new(if name == "deep" { deep(&model) } else { model }).unwrap()
}

/// `a`, `aa`, `aaa`, ...: each token is the one before and `a`.
fn deep(model: &Model) -> Model {
    let mut parts = model.parts().clone();
    let a = Symbol(u32::from(b'a'));
    let lefts = std::iter::once(a).chain((256..).map(Symbol));
    let event = |left| Event::Merge {
        left,
        right: a,
        count: 1,
    };
    parts.events = lefts.take(5000).map(event).collect();
    Model::build(parts).unwrap()
}

/// The id of a token that the model must have.
pub(crate) fn id_of(model: &PageModel, token: &str) -> u32 {
    let id = model.model.vocabulary().id_of_bytes(token.as_bytes());
    id.unwrap_or_else(|| panic!("no token {token:?}")).0
}

/// The text of a token, with replacement characters.
pub(crate) fn text_of(model: &PageModel, id: u32) -> String {
    let bytes = model.model.token_bytes(TokenId(id)).unwrap();
    String::from_utf8_lossy(bytes).into_owned()
}

/// The parts of a text that its tokens cover, in bytes.
pub(crate) fn pieces<'t>(text: &'t str, encoded: &Encoded) -> Vec<&'t str> {
    let spans = encoded.byte_starts.iter().zip(&encoded.byte_ends);
    spans
        .map(|(&start, &end)| &text[start as usize..end as usize])
        .collect()
}
