//! Temporary files: how they are named, created and removed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const PREFIX: &str = ".superword-";
const SUFFIX: &str = ".tmp";

/// Creates a temporary file that nothing else uses.
pub(super) fn create(directory: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Not derived from the final name, which may have the maximum length already.
        let name = format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id());
        let path = directory.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            // Left by a killed process with the same id, or used by another machine.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// True for names that this module gives to temporary files, such as `.superword-4711-0.tmp`.
pub(crate) fn is_temporary_name(name: &str) -> bool {
    let middle = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    middle.is_some_and(|middle| {
        !middle.is_empty()
            && middle
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

/// Removes all temporary files of a directory. Failures are ignored: a leftover file is harmless.
pub(super) fn remove_all(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary_name) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_temporary_files_are_recognised() {
        assert!(is_temporary_name(".superword-4711-0.tmp"));
        assert!(!is_temporary_name(".superword-notes.txt"));
    }

    #[test]
    fn a_leftover_of_a_killed_process_is_no_obstacle() {
        let directory = tempfile::tempdir().unwrap();
        let (_, first) = create(directory.path()).unwrap();
        let number: u64 = first
            .to_str()
            .and_then(|name| name.trim_end_matches(SUFFIX).rsplit('-').next())
            .and_then(|number| number.parse().ok())
            .unwrap();
        for next in number + 1..number + 20 {
            let name = format!("{PREFIX}{}-{next}{SUFFIX}", std::process::id());
            fs::write(directory.path().join(name), b"left").unwrap();
        }
        let (_, second) = create(directory.path()).unwrap();
        assert_ne!(first, second);
    }

    #[test]
    fn only_temporary_files_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let kept = [
            ".superword-notes.txt",
            ".superword-.tmp",
            ".superword-a b.tmp",
            "mine.tmp",
            "superword-1-2.tmp",
        ];
        let (_, made) = create(directory.path()).unwrap();
        for name in kept.into_iter().chain([".superword-x1Y2z3.tmp"]) {
            fs::write(directory.path().join(name), b"x").unwrap();
        }
        remove_all(directory.path());
        assert!(!made.exists());
        for name in kept {
            assert!(directory.path().join(name).exists(), "{name}");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), kept.len());
    }
}
