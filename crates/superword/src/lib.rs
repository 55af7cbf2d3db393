//! The engine of superword: trains and runs BPE, BoundlessBPE and SuperBPE tokenizers.
//!
//! Data flows one way. Training: [`corpus`] → [`text`] → [`count`] → [`train`] (with [`merge`]) →
//! [`model`]. Encoding: [`text`] → [`encode`] → ids. [`imports`] makes models from files of other
//! programs. The engine does not depend on Python, prints nothing and has no global state. It reports
//! through an [`observe::Observer`].
//!
//! # Features
//!
//! Without the feature `files`, the engine works in memory only: [`train::train_documents`] takes
//! texts, and models are bytes. Without the feature `threads`, it works on the calling thread. Results
//! are the same with any features.
//!
//! # Vocabulary
//!
//! Each word has one meaning in all modules:
//!
//! - **pretoken**: a piece of text that ordinary merges never cross
//! - **token**: a byte string of the vocabulary. Its *symbol* is its number inside the engine, and
//!   its *id* the public number ([`token`])
//! - **eligible**: describes a pretoken that may be part of a superword
//! - **candidate**: a run of two or more eligible pretokens, from which superwords are learned
//! - **superword**: a token that joins several pretokens. A **supermerge** makes one, and a **seam**
//!   is the boundary between two of its pretokens
//! - **event**: one merge, supermerge or deletion of a model, in order
//! - **rule**: a merge as encoding applies it. Its **rank** is its position in the merge table
//! - **allowed**: describes a pair that training may join ([`merge::AllowedPairs`])
//! - **cell**, **place**: training stores sequences in cells, and a place is the index of a cell
//! - **scratch**: buffers that are reused between calls and hold no results
//! - **chunk**: consecutive texts of a batch, encoded by one thread

// Counting in files and in parts needs code that training in memory does not use.
#![cfg_attr(not(feature = "files"), allow(dead_code, unused_imports))]

#[cfg(feature = "files")]
pub mod corpus;
pub mod count;
mod cpu;
#[cfg(feature = "files")]
mod disk;
pub mod encode;
pub mod errors {
    //! Errors that several modules have in common.

    pub use crate::memory::OutOfMemory;

    #[cfg(feature = "files")]
    pub use crate::disk::{LockError, WriteError};
}
#[cfg(feature = "files")]
pub mod evaluate;
mod hash;
pub mod imports;
#[doc(hidden)]
pub mod internal;
mod memory;
mod merge;
pub mod model;
pub mod observe;
mod prepare;
mod table;
#[cfg(test)]
mod testing;
pub mod text;
mod threads;
pub mod token;
mod tokens;
pub mod train;

pub use encode::Encoder;
pub use model::{Method, Model};
pub use text::{Pretokenizer, PretokenizerConfig};
pub use token::TokenId;
pub use train::{TrainOptions, train_documents};
