//! The model: its file, hostile files, cutting it to a smaller vocabulary.

mod build;
mod disk;
mod errors;
mod format;
mod hostile;
mod samples;
mod truncate;
