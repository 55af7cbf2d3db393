//! The engine in the page of the playground.
//!
//! | file | what it does |
//! |---|---|
//! | `page_model` | a model that the page has opened or trained |
//! | `encoded` | a text as tokens, with offsets for JavaScript |
//! | `tokens` | one token: how it was made, and what is made of it |
//! | `search` | tokens by text or pattern |
//! | `training` | a model from the text in the page |
//! | `error` | what the page shows if something is wrong |
//! | `binding` | the classes and functions that JavaScript sees |
//!
//! Everything but `binding` is plain Rust, so its tests run on any machine. Descriptions go to the page
//! as JSON, and arrays of numbers as typed arrays.

// Other machines compile this only for its tests.
#![cfg_attr(not(any(test, target_family = "wasm")), allow(dead_code))]

#[cfg(target_family = "wasm")]
pub mod binding;
mod encoded;
mod error;
mod page_model;
mod search;
#[cfg(test)]
mod testing;
mod tokens;
mod training;
