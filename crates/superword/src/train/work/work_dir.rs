//! A directory for finished work, used by one run at a time.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::TrainError;
use crate::disk::Lock;

/// A directory that no other run uses until this is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct WorkDir {
    lock: Lock,
}

impl WorkDir {
    /// Creates the directory if needed, locks it, and removes what a killed run left unfinished.
    /// [`TrainError::InUse`] if another run uses it.
    ///
    /// ```
    /// use superword::train::{TrainError, WorkDir};
    /// # let directory = tempfile::tempdir().unwrap();
    /// let mine = WorkDir::open(directory.path())?;
    /// assert!(matches!(WorkDir::open(directory.path()), Err(TrainError::InUse { .. })));
    /// drop(mine);
    /// assert!(WorkDir::open(directory.path()).is_ok());
    /// # Ok::<(), TrainError>(())
    /// ```
    pub fn open(directory: impl Into<PathBuf>) -> Result<WorkDir, TrainError> {
        let lock = Lock::acquire(&directory.into())?;
        lock.remove_leftovers();
        // Without an exclusive lock, another run may still be writing these files.
        if lock.is_exclusive() {
            remove_unfinished_pieces(lock.directory());
        }
        Ok(WorkDir { lock })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.lock.directory()
    }
}

/// Removes parts and sketches of pieces whose record was never written. Failures are ignored: a
/// leftover file is harmless.
fn remove_unfinished_pieces(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    let names: HashSet<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    for name in &names {
        if record_of(name).is_some_and(|record| !names.contains(&record)) {
            let _ = std::fs::remove_file(directory.join(name));
        }
    }
}

/// The record of the piece that a file belongs to: `count-<key>.json` for `count-<key>-3.part`.
fn record_of(name: &str) -> Option<String> {
    let piece = match name.strip_suffix(".sketch") {
        Some(piece) => piece,
        None => {
            let (piece, number) = name.strip_suffix(".part")?.rsplit_once('-')?;
            number.parse::<u64>().ok()?;
            piece
        }
    };
    let (phase, key) = piece.split_once('-')?;
    let ours = matches!(phase, "count" | "candidates")
        && key.len() == 32
        && key.bytes().all(|b| b.is_ascii_hexdigit());
    ours.then(|| format!("{piece}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unfinished_files_of_ours_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let (done, cut) = ("0".repeat(32), "f".repeat(32));
        let kept = [
            format!("count-{done}.json"),
            format!("count-{done}-0.part"),
            format!("count-{done}.sketch"),
            format!("words-{cut}.superword"),
            ".superword-notes.txt".into(),
            ".superword-.tmp".into(),
            ".superword-a b.tmp".into(),
            "count-1.part".into(),
            "mine.tmp".into(),
            "run.json".into(),
        ];
        let gone = [
            ".superword-x1Y2z3.tmp".into(),
            ".superword-run-123.tmp".into(),
            ".superword-77-0.tmp".into(),
            format!("count-{cut}-12.part"),
            format!("count-{cut}.sketch"),
            format!("candidates-{cut}-0.part"),
        ];
        for name in kept.iter().chain(&gone) {
            std::fs::write(directory.path().join(name), "x").unwrap();
        }
        let _work = WorkDir::open(directory.path()).unwrap();
        for name in &kept {
            assert!(directory.path().join(name).exists(), "{name}");
        }
        for name in &gone {
            assert!(!directory.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_second_run_learns_which_process_uses_the_directory() {
        let directory = tempfile::tempdir().unwrap();
        let _work = WorkDir::open(directory.path()).unwrap();
        let error = WorkDir::open(directory.path()).unwrap_err();
        let process = format!("process {}", std::process::id());
        assert!(error.to_string().contains(&process), "{error}");
        let path = directory.path().display().to_string();
        assert!(error.to_string().contains(&path), "{error}");
    }
}
