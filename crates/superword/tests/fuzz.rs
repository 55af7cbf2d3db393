//! Replays every input that fuzzing has found interesting, and every input that once failed.
//!
//! The targets are those of `cargo fuzz`, in `fuzz/` at the top of the repository.
#![cfg(feature = "files")]

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets use it as a library")]
mod targets;

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn replay(kind: &str) -> usize {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut replayed = 0;
    for (target, check) in targets::TARGETS {
        for file in files(&fuzz.join(kind).join(target)) {
            let data = fs::read(&file).unwrap();
            let result = std::panic::catch_unwind(|| check(&data));
            assert!(result.is_ok(), "{}", file.display());
            replayed += 1;
        }
    }
    replayed
}

#[test]
fn every_input_of_the_corpus_keeps_the_promise_of_its_target() {
    assert!(replay("corpus") > 0, "the corpus is missing");
}

#[test]
fn every_input_that_once_failed_keeps_the_promise_of_its_target() {
    replay("regressions");
}
