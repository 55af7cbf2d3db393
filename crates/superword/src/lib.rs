//! Trains and runs BPE, BoundlessBPE and SuperBPE tokenizers: the engine of
//! [superword](https://github.com/superword/superword).
//!
//! ```
//! use superword::observe::Silent;
//! use superword::{Encoder, Method, Model, Pretokenizer, PretokenizerConfig, TrainOptions, train_documents};
//!
//! // 256 bytes, 30 ordinary merges, and 2 superwords: tokens that join several words.
//! let documents = ["most of the words", "one of the words", "some of the words"];
//! let pretokenizer = Pretokenizer::new(PretokenizerConfig::default())?;
//! let options = TrainOptions { supermerges: 2, ..TrainOptions::new(Method::SuperBpe, 288) };
//! let (model, _) = train_documents(&documents, &pretokenizer, &options, &Silent)?;
//!
//! // A model is bytes, or a file: `model.save(path)` and `Model::load(path)`.
//! let model = Model::from_bytes(&model.to_bytes())?;
//!
//! let encoder = Encoder::new(model)?;
//! let ids = encoder.encode("some of the words")?;
//! assert_eq!(encoder.decode(&ids)?, b"some of the words");
//! let tokens = ids.iter().map(|&id| encoder.decode(&[id]));
//! assert_eq!(tokens.collect::<Result<Vec<_>, _>>()?, [&b"some"[..], b" of the words"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! | to do this | use |
//! |---|---|
//! | train on texts in memory | [`train_documents`] |
//! | train on files | `train::train` with `corpus::Source` |
//! | count on many machines and train on the counts | [`train`], [`count`] |
//! | encode, decode, offsets, batches | [`Encoder`] |
//! | encode files into shards of ids | `encode::shards` |
//! | load, save, inspect or build a model | [`Model`], [`model`] |
//! | open a tokenizer of Hugging Face, tiktoken or Mistral | [`imports`] |
//! | split text into pretokens | [`Pretokenizer`] |
//! | measure models on text | `evaluate` |
//! | show progress and stop | [`observe::Observer`] |
//!
//! The crate prints nothing and has no global state. Bad input gives a typed error that says what is
//! wrong, and most errors have a `hint` that says what to do about it.
//!
//! If memory runs out while a large table grows, the engine does not abort the process: it unwinds with
//! [`errors::OutOfMemory`], which [`catch_unwind`](std::panic::catch_unwind) can catch.
//!
//! # Features
//!
//! | feature | default | |
//! |---|---|---|
//! | `files` | yes | files and pipes as input, loading and saving models, shards, work directories, evaluation; implies `threads` |
//! | `threads` | yes | several threads for merging and for batches |
//! | `fast-patterns` | yes | faster regex engines; a larger program |
//! | `all-properties` | yes | `Age`, `Script_Extensions` and segmentation properties in patterns |
//!
//! Without any feature, the engine trains and encodes in memory on the calling thread, for example in a
//! browser. Models and ids are the same with any features.
//!
//! # Words
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
//! - **allowed**: describes a pair that training may join
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
mod large;
mod memory;
mod merge;
pub mod model;
pub mod observe;
mod prefetch;
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

// The examples of the README are tests.
#[cfg(all(doctest, feature = "files"))]
#[doc = include_str!("../README.md")]
struct Readme;
