//! The stages of training as separate functions: a text can be counted in parts or on many
//! machines, and words and superwords can be learned from the counts afterwards.

#[cfg(feature = "files")]
mod counting;
mod learning;

#[cfg(feature = "files")]
pub use counting::{
    CountedCandidates, CountedPretokens, Cut, Text, check_memory, count_candidates,
    count_pretokens, guess_cut,
};
pub use learning::{train_superwords, train_words};
