//! Why parts do not make a valid model.

use crate::token::{Symbol, TokenId};

/// Why [`ModelParts`](super::ModelParts) do not make a valid model, with one variant per reason.
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
        "the results of the merges up to event {event} hold more than {limit} bytes, the most a vocabulary may hold"
    )]
    TooManyBytes { event: usize, limit: usize },

    #[error("{events} events; a model may have at most {limit}")]
    TooManyEvents { events: usize, limit: usize },

    #[error("a model of the kind `bpe` has a supermerge (event {event})")]
    SupermergeInBpe { event: usize },

    #[error("{given} ids are given for {needed} tokens")]
    IdsOfOtherLength { given: usize, needed: usize },

    #[error("id {} is given twice", id.0)]
    IdTwice { id: TokenId },

    #[error("id {} is larger than any id may be in a model of this size ({limit})", id.0)]
    IdTooLarge { id: TokenId, limit: usize },

    #[error("special token {index} is empty")]
    EmptySpecial { index: usize },

    #[error("special token {text:?} is given twice")]
    SpecialTwice { text: String },

    #[error("n-gram {index} for greedy splitting uses token {}, which is not in the vocabulary", token.0)]
    NgramPart { index: usize, token: Symbol },

    #[error("n-gram {index} for greedy splitting has fewer than two tokens")]
    NgramTooShort { index: usize },

    #[error(
        "patterns, special tokens and facts take {bytes} bytes as JSON; a model file holds at most {limit}"
    )]
    DescriptionTooLarge { bytes: usize, limit: usize },

    #[error("the facts are nested more than {limit} levels deep")]
    FactsTooDeep { limit: usize },

    #[error(
        "{asked} is not a size this model can be cut to: it must be between {smallest} and {largest}"
    )]
    TruncateSize {
        asked: usize,
        smallest: usize,
        largest: usize,
    },

    #[error(
        "a model with ids of its own (an imported one) cannot be cut: the ids of what is left would change"
    )]
    TruncateIds,
}

impl BuildError {
    /// What to do next, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        use BuildError::*;
        let hint = match self {
            PartDefinedLater { .. } | PartDeleted { .. } => {
                "events may only use tokens that are in the vocabulary at that point; \
                 check their order"
            }
            DeletesByte { .. } => "only tokens longer than a byte can be deleted",
            ZeroCount { .. } => "give the count at which the merge was chosen, or 1 if not known",
            TooManyBytes { .. } => {
                "the text repeats itself over a very long stretch; ask for a smaller vocabulary \
                 or use a pretokenizer that cuts such text"
            }
            TooManyEvents { .. } => "ask for a smaller vocabulary",
            SupermergeInBpe { .. } => "use the kind `boundless` or `superbpe` for superwords",
            IdsOfOtherLength { .. } => "give one id for each token, deleted ones included",
            IdTwice { .. } => "every token and special token needs an id of its own",
            IdTooLarge { .. } => "number the tokens with smaller gaps",
            EmptySpecial { .. } => "a special token needs at least one character",
            SpecialTwice { .. } => "name each special token once",
            NgramPart { .. } => "n-grams may only use tokens of the final vocabulary",
            NgramTooShort { .. } => "leave out n-grams of fewer than two tokens",
            DescriptionTooLarge { .. } => "use fewer special tokens or shorter facts",
            FactsTooDeep { .. } => "use flatter facts",
            TruncateSize {
                smallest, largest, ..
            } => {
                return Some(format!(
                    "ask for a vocabulary of {smallest} to {largest} tokens; a larger one has to \
                     be trained"
                ));
            }
            TruncateIds => "cut the model it was imported from, then import it again",
        };
        Some(hint.to_owned())
    }
}
