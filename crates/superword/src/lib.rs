//! The engine of superword: trains and runs BPE, BoundlessBPE and SuperBPE tokenizers.
//!
//! Data goes one way. Training: documents → [`text`] → `count` → `train` → `model`.
//! Encoding: [`text`] → `encode` → ids. The engine knows nothing of Python, prints nothing and
//! keeps no global state; it reports through an [`observe::Observer`].

pub mod corpus;
pub mod count;
mod cpu;
pub mod disk;
pub mod encode;
pub mod hash;
pub mod merge;
pub mod model;
pub mod observe;
pub mod table;
pub mod text;
pub mod threads;
pub mod token;
pub mod tokens;
pub mod train;
