//! Why parts do not make a valid model.

use crate::token::{Symbol, TokenId};

/// Why [`ModelParts`](super::ModelParts) do not make a valid model, with one variant per reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // each message says what its fields are
#[non_exhaustive]
pub enum BuildError {
    #[error("event {event} uses token {}, which is defined later or never", token.0)]
    PartDefinedLater { event: usize, token: Symbol },

    #[error("event {event} uses token {}, which is deleted at that point", token.0)]
    PartDeleted { event: usize, token: Symbol },

    #[error("event {event} deletes token {}, which is a single byte", token.0)]
    DeletesByte { event: usize, token: Symbol },

    #[error("event {event} uses token {}, which no merge makes", token.0)]
    PartUnmade { event: usize, token: Symbol },

    #[error("{given} ranks were given for {needed} merges")]
    OrderOfOtherLength { given: usize, needed: usize },

    #[error("rank {rank} is given to two merges")]
    RankTwice { rank: u32 },

    #[error("a model that deletes tokens cannot give its merges other ranks than their order")]
    OrderWithDeletions,

    #[error("event {event} has a count of 0, but merges have a count of at least 1")]
    ZeroCount { event: usize },

    #[error(
        "the tokens made up to event {event} have more than {limit} bytes, the limit for a vocabulary"
    )]
    TooManyBytes { event: usize, limit: usize },

    #[error("the model has {events} events; at most {limit} are allowed")]
    TooManyEvents { events: usize, limit: usize },

    #[error("event {event} is a supermerge, which a `bpe` model cannot have")]
    SupermergeInBpe { event: usize },

    #[error("{given} ids were given for {needed} tokens")]
    IdsOfOtherLength { given: usize, needed: usize },

    #[error("id {} is given twice", id.0)]
    IdTwice { id: TokenId },

    #[error("id {} is larger than {limit}, the limit for a model of this size", id.0)]
    IdTooLarge { id: TokenId, limit: usize },

    #[error("added token {index} is empty")]
    EmptyAdded { index: usize },

    #[error("added token {text:?} is given twice")]
    AddedTwice { text: String },

    #[error("n-gram {index} for greedy splitting uses token {}, which is not in the vocabulary", token.0)]
    NgramPart { index: usize, token: Symbol },

    #[error("n-gram {index} for greedy splitting has fewer than two tokens")]
    NgramTooShort { index: usize },

    #[error(
        "patterns, added tokens, settings and facts take {bytes} bytes as JSON; at most {limit} are allowed"
    )]
    DescriptionTooLarge { bytes: usize, limit: usize },

    #[error("the facts are nested more than {limit} levels deep")]
    FactsTooDeep { limit: usize },

    #[error("the settings are nested more than {limit} levels deep")]
    SettingsTooDeep { limit: usize },

    #[error(
        "this model cannot be truncated to {asked} tokens; the size must be from {smallest} to {largest}"
    )]
    TruncateSize {
        asked: usize,
        smallest: usize,
        largest: usize,
    },

    #[error("a model with custom ids cannot be truncated, because the remaining ids would change")]
    TruncateIds,
}

impl BuildError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        use BuildError::*;
        let hint = match self {
            PartDefinedLater { .. } | PartDeleted { .. } => {
                "events may only use tokens that are in the vocabulary at that point; \
                 check their order"
            }
            PartUnmade { .. } => "merges may only use bytes and tokens that other merges make",
            OrderOfOtherLength { .. } => "give one rank for each merge, in the order of the events",
            RankTwice { .. } => "give each merge a different rank",
            OrderWithDeletions => "leave out the ranks; deletions need the order of training",
            DeletesByte { .. } => "only delete tokens of more than one byte",
            ZeroCount { .. } => {
                "give the count at which the merge was chosen, or 1 if it is not known"
            }
            TooManyBytes { .. } => {
                "the text probably contains very long repetitions; choose a smaller vocabulary or a \
                 pretokenizer that splits such text"
            }
            TooManyEvents { .. } => "choose a smaller vocabulary",
            SupermergeInBpe { .. } => "use the method `boundless` or `superbpe` for superwords",
            IdsOfOtherLength { .. } => "give one id for each token, including deleted tokens",
            IdTwice { .. } => "give tokens with different bytes different ids",
            IdTooLarge { .. } => "leave smaller gaps between ids",
            EmptyAdded { .. } => "give added tokens of at least one character",
            AddedTwice { .. } => "list each added token once",
            NgramPart { .. } => "use only tokens of the final vocabulary in n-grams",
            NgramTooShort { .. } => "leave out n-grams of fewer than two tokens",
            DescriptionTooLarge { .. } => "use fewer added tokens, or shorter settings and facts",
            FactsTooDeep { .. } => "use flatter facts",
            SettingsTooDeep { .. } => "use flatter settings",
            TruncateSize {
                smallest, largest, ..
            } => {
                return Some(format!(
                    "choose a size from {smallest} to {largest}; for a larger vocabulary, train \
                     a new model"
                ));
            }
            TruncateIds => "truncate the original model, then import or extend it again",
        };
        Some(hint.to_owned())
    }
}
