//! Locks a directory for one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::{LockError, WriteError, create_directory, temporary};

/// The file that is locked. It holds the id of the process that locked it.
pub(crate) const LOCK_FILE: &str = "superword.lock";

const MAX_TRIES: u32 = 1000;

/// Holds a directory for this process until it is dropped or the process ends, however it ends.
///
/// On file systems without locks it guards nothing. Refusing to work there would be worse.
#[derive(Debug)]
pub(crate) struct Lock {
    directory: PathBuf,
    file: File,
    process: u32,
    exclusive: bool,
}

impl Lock {
    /// Creates the directory if it does not exist, and locks it.
    pub(crate) fn acquire(directory: &Path) -> Result<Lock, LockError> {
        create_directory(directory)?;
        let path = directory.join(LOCK_FILE);
        let mut tries = 0;
        loop {
            // A link would let whoever made the directory choose which file is truncated.
            if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
                fs::remove_file(&path).map_err(|source| WriteError::new(&path, source))?;
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(|source| WriteError::new(&path, source))?;
            let exclusive = match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::InUse {
                        directory: directory.to_owned(),
                        process: recorded_process(&file),
                    });
                }
                Err(TryLockError::Error(_)) => false,
            };
            // The process that held the lock may have removed the file after we opened it. Then
            // the lock guards nothing, and another process can lock a new file. The number of
            // tries is limited in case a file system never reports the same file twice.
            if exclusive && tries < MAX_TRIES && !is_same_file(&file, &path) {
                tries += 1;
                continue;
            }
            let lock = Lock {
                directory: directory.to_owned(),
                file,
                process: std::process::id(),
                exclusive,
            };
            lock.record_process();
            return Ok(lock);
        }
    }

    /// The directory.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// False if the file system has no locks, so that other processes may be at work here too.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// Removes temporary files that killed processes left in the directory. Where the lock is not
    /// exclusive nothing is removed: the files may belong to another process.
    pub(crate) fn remove_leftovers(&self) {
        if self.exclusive {
            temporary::remove_all(&self.directory);
        }
    }

    /// Records this process for the message that other processes show.
    fn record_process(&self) {
        let mut file = &self.file;
        // Only the message needs it, so a full disk is not an error here.
        let _ = file
            .set_len(0)
            .and_then(|()| write!(file, "{}", self.process));
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A forked process inherits the object, but the lock still belongs to its parent.
        if !self.exclusive || self.process != std::process::id() {
            return;
        }
        // Removed before it is unlocked: whoever opened it in between notices in `acquire`.
        // Elsewhere than on Unix that cannot be noticed, so the file stays.
        if cfg!(unix) {
            let _ = fs::remove_file(self.directory.join(LOCK_FILE));
        }
        let _ = self.file.unlock();
    }
}

fn recorded_process(file: &File) -> Option<u32> {
    let mut process = String::new();
    file.take(20).read_to_string(&mut process).ok()?;
    process.trim().parse().ok()
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(opened), Ok(found)) => (opened.dev(), opened.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_directory_is_free_again_once_the_lock_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let lock = Lock::acquire(directory.path()).unwrap();
        let second = Lock::acquire(directory.path());
        assert!(matches!(second, Err(LockError::InUse { .. })));
        drop(lock);
        assert!(Lock::acquire(directory.path()).is_ok());
    }

    #[test]
    fn the_second_to_come_learns_who_holds_the_directory() {
        let directory = tempfile::tempdir().unwrap();
        let _lock = Lock::acquire(directory.path()).unwrap();
        let message = Lock::acquire(directory.path()).unwrap_err().to_string();
        // Windows lets nobody else read a locked file, so the process may be unknown there.
        if cfg!(unix) {
            let process = format!("process {}", std::process::id());
            assert!(message.contains(&process), "{message}");
        }
        let shown = directory.path().display().to_string();
        assert!(message.contains(&shown), "{message}");
    }

    #[test]
    fn leftovers_are_removed_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let below = directory.path().join("new/directory");
        let lock = Lock::acquire(&below).unwrap();
        for name in [".superword-1-2.tmp", "notes.txt"] {
            fs::write(below.join(name), b"x").unwrap();
        }
        lock.remove_leftovers();
        assert!(!below.join(".superword-1-2.tmp").exists());
        assert!(below.join("notes.txt").exists());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_left_when_the_lock_is_released() {
        let directory = tempfile::tempdir().unwrap();
        drop(Lock::acquire(directory.path()).unwrap());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_where_the_directory_should_be_is_a_typed_error() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, b"x").unwrap();
        assert!(matches!(Lock::acquire(&file), Err(LockError::Write(_))));
    }

    #[test]
    fn never_do_two_hold_it_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let holders = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut acquired = 0;
                    while acquired < 200 {
                        if let Ok(lock) = Lock::acquire(directory.path()) {
                            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                            std::thread::yield_now();
                            holders.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                            acquired += 1;
                        }
                    }
                });
            }
        });
    }
}
