//! Models: building, their files, hostile files, truncation.

mod build;
mod disk;
mod errors;
mod format;
mod hostile;
mod samples;
#[path = "../../src/testing.rs"]
#[expect(dead_code, reason = "these tests need only part of it")]
mod testing;
mod truncate;
