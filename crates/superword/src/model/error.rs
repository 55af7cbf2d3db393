//! Why parts do not make a sound model.

use crate::token::{Symbol, TokenId};

/// One variant per broken promise of [`ModelParts`](super::ModelParts).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // each message says what its fields are
pub enum BuildError {
    #[error("event {event} uses token {}, which is defined later or never", token.0)]
    PartDefinedLater { event: usize, token: Symbol },

    #[error("event {event} uses token {}, which was deleted before", token.0)]
    PartDeleted { event: usize, token: Symbol },

    #[error("event {event} deletes token {}, a single byte", token.0)]
    DeletesByte { event: usize, token: Symbol },

    #[error(
        "event {event} has a count of 0; a merge is only ever chosen with a count of 1 or more"
    )]
    ZeroCount { event: usize },

    #[error(
        "the tokens up to event {event} hold more than {limit} bytes, the most a vocabulary may hold"
    )]
    TooManyBytes { event: usize, limit: usize },

    #[error("a model of the kind `bpe` has a supermerge (event {event})")]
    SupermergeInBpe { event: usize },

    #[error("{given} ids are given for {needed} tokens")]
    IdsOfOtherLength { given: usize, needed: usize },

    #[error("id {} is given twice", id.0)]
    IdTwice { id: TokenId },

    #[error("id {} is larger than any id may be ({limit})", id.0)]
    IdTooLarge { id: TokenId, limit: u32 },

    #[error("special token {index} is empty")]
    EmptySpecial { index: usize },

    #[error("special token {text:?} is given twice")]
    SpecialTwice { text: String },

    #[error("n-gram {index} for greedy splitting uses token {}, which is not in the vocabulary", token.0)]
    NgramPart { index: usize, token: Symbol },

    #[error("n-gram {index} for greedy splitting has fewer than two tokens")]
    NgramTooShort { index: usize },

    #[error(
        "{asked} is not a size this model can be cut to: it must be between {smallest} and {largest}"
    )]
    TruncateSize {
        asked: usize,
        smallest: usize,
        largest: usize,
    },

    #[error("a model with ids of its own (an imported one) cannot be cut to a smaller vocabulary")]
    TruncateIds,
}
