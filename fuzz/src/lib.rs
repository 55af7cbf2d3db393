//! What is fuzzed. Each target is one function: `check(data)` panics if a promise of the engine does
//! not hold for these bytes.
//!
//! `fuzz_targets/` hands random bytes to the functions. `crates/superword/tests/fuzz.rs` includes this
//! file and replays the bytes in `corpus/` and `regressions/`, so that `make test` runs them with the
//! stable compiler.

pub mod count_file;
pub mod decode;
pub mod encode;
pub mod importers;
pub mod jsonl;
pub mod model_file;
pub mod packed_file;
pub mod pattern;
pub mod prepare;
pub mod pretokenize;
mod support;
pub mod train;

/// A function that panics if a promise does not hold for some bytes.
pub type Check = fn(&[u8]);

/// All targets, by name.
pub const TARGETS: [(&str, Check); 11] = [
    ("count_file", count_file::check),
    ("decode", decode::check),
    ("encode", encode::check),
    ("importers", importers::check),
    ("jsonl", jsonl::check),
    ("model_file", model_file::check),
    ("packed_file", packed_file::check),
    ("pattern", pattern::check),
    ("prepare", prepare::check),
    ("pretokenize", pretokenize::check),
    ("train", train::check),
];
