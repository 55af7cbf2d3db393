//! The engine of superword: trains and runs BPE, BoundlessBPE and SuperBPE tokenizers.
//!
//! Data goes one way. Training: documents → [`text`] → `count` → `train` → `model`.
//! Encoding: [`text`] → `encode` → ids. The engine knows nothing of Python, prints nothing and
//! keeps no global state; it reports through an [`observe::Observer`].

pub mod corpus;
pub mod observe;
