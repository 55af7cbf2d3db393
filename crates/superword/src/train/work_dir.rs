//! A folder for finished work, used by one run at a time.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::scratch::failed;
use super::{TrainError, WorkKept};

/// The file that is locked. It stays: to remove it could take it away from the next run.
const LOCK: &str = "superword.lock";

/// A folder that is ours until this is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct WorkDir {
    folder: PathBuf,
    _lock: File,
}

impl WorkDir {
    /// Makes the folder if it is not there, keeps other runs out of it, and removes what a killed
    /// run left half done. [`TrainError::InUse`] where another run has it.
    ///
    /// ```
    /// use superword::train::{TrainError, WorkDir};
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mine = WorkDir::open(folder.path())?;
    /// assert!(matches!(WorkDir::open(folder.path()), Err(TrainError::InUse { .. })));
    /// drop(mine);
    /// assert!(WorkDir::open(folder.path()).is_ok());
    /// # Ok::<(), TrainError>(())
    /// ```
    pub fn open(folder: impl Into<PathBuf>) -> Result<WorkDir, TrainError> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error, WorkKept::Yes))?;
        let path = folder.join(LOCK);
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| failed(&path, &error, WorkKept::Yes))?;
        match lock.try_lock() {
            Ok(()) => {
                // For the message to others; a full disk is no reason to stop yet.
                let process = std::process::id();
                let _ = lock.set_len(0).and_then(|()| write!(lock, "{process}"));
                remove_unfinished(&folder);
            }
            Err(TryLockError::WouldBlock) => {
                let mut process = String::new();
                let read = lock.take(20).read_to_string(&mut process);
                return Err(TrainError::InUse {
                    path: folder.display().to_string(),
                    process: read.ok().and_then(|_| process.trim().parse().ok()),
                });
            }
            // A file system without locks: better to work there than not at all. Nothing is
            // removed, since it may be another run's.
            Err(TryLockError::Error(_)) => {}
        }
        Ok(WorkDir {
            folder,
            _lock: lock,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

/// Removes temporary files, and parts of pieces whose record was never written. What cannot be
/// removed does no harm.
fn remove_unfinished(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let names: HashSet<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    for name in &names {
        let unfinished = record_of(name).is_some_and(|record| !names.contains(&record));
        if is_temporary(name) || unfinished {
            let _ = std::fs::remove_file(folder.join(name));
        }
    }
}

/// Names under which files are written before they are renamed: `.superword-1a2b3c.tmp`.
fn is_temporary(name: &str) -> bool {
    let middle = name
        .strip_prefix(".superword-")
        .and_then(|rest| rest.strip_suffix(".tmp"));
    middle.is_some_and(|middle| {
        !middle.is_empty()
            && middle
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

/// The record of the piece that a file belongs to: `count-<key>.json` of `count-<key>-3.part`.
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
    fn only_what_is_ours_and_unfinished_is_removed() {
        let folder = tempfile::tempdir().unwrap();
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
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let _work = WorkDir::open(folder.path()).unwrap();
        for name in &kept {
            assert!(folder.path().join(name).exists(), "{name}");
        }
        for name in &gone {
            assert!(!folder.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_second_run_is_told_who_has_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let _work = WorkDir::open(folder.path()).unwrap();
        let error = WorkDir::open(folder.path()).unwrap_err();
        let process = format!("process {}", std::process::id());
        assert!(error.to_string().contains(&process), "{error}");
        let path = folder.path().display().to_string();
        assert!(error.to_string().contains(&path), "{error}");
    }
}
