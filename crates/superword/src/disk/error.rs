//! Why a file was not written or a directory was not locked.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a file was not replaced. Except after [`WriteError::DirectorySync`], a file that was there
/// before is unchanged.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages describe the variants.
#[non_exhaustive]
pub enum WriteError {
    #[error("there is no directory {}", directory.display())]
    NoDirectory { directory: PathBuf },

    #[error("{} is a directory, not a file", path.display())]
    IsDirectory { path: PathBuf },

    #[error("{} cannot be a directory: a file is in the way", path.display())]
    NotADirectory { path: PathBuf },

    #[error("{} is a device or a pipe, not a regular file", path.display())]
    NotAFile { path: PathBuf },

    #[error("{} is marked read-only", path.display())]
    ReadOnly { path: PathBuf },

    #[error("no permission to write {}", path.display())]
    PermissionDenied { path: PathBuf },

    #[error("no space left to write {}", path.display())]
    DiskFull { path: PathBuf },

    #[error("writing {} failed: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },

    #[error("{} is written, but may not survive a power cut: syncing its directory failed: {source}", path.display())]
    DirectorySync { path: PathBuf, source: io::Error },
}

impl WriteError {
    /// The error for a failed system call while `path` was being written.
    pub fn new(path: &Path, source: io::Error) -> WriteError {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                WriteError::PermissionDenied { path }
            }
            _ if is_disk_full(&source) => WriteError::DiskFull { path },
            _ => WriteError::Io { path, source },
        }
    }

    /// The file, or the directory that does not exist.
    pub fn path(&self) -> &Path {
        match self {
            WriteError::NoDirectory { directory } => directory,
            WriteError::IsDirectory { path }
            | WriteError::NotADirectory { path }
            | WriteError::NotAFile { path }
            | WriteError::ReadOnly { path }
            | WriteError::PermissionDenied { path }
            | WriteError::DiskFull { path }
            | WriteError::Io { path, .. }
            | WriteError::DirectorySync { path, .. } => path,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            WriteError::NoDirectory { .. } => "create the directory first, or check the path",
            WriteError::IsDirectory { .. } => "name a file inside the directory",
            WriteError::NotADirectory { .. } => "choose another directory",
            WriteError::NotAFile { .. } => "name a regular file",
            WriteError::ReadOnly { .. } => "choose another name, or make the file writable",
            WriteError::PermissionDenied { .. } => {
                "check who may write to the directory; an existing file was not changed"
            }
            WriteError::DiskFull { .. } => {
                "free some space and try again; an existing file was not changed"
            }
            WriteError::Io { .. } => "try another place; an existing file was not changed",
            WriteError::DirectorySync { .. } => "check the disk, then write the file again",
        }
    }
}

/// True if a write failed because the disk is full, a quota is used up, or the file would exceed
/// the largest size that the system allows.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// Why a directory was not locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process works in the directory.
    #[error("{} is in use by another run{}", directory.display(), in_process(*process))]
    InUse {
        /// The directory.
        directory: PathBuf,
        /// The process that holds the lock, where it is known.
        process: Option<u32>,
    },
    /// The directory or its lock file cannot be created.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The process that uses a directory, for messages; empty if it is not known.
pub(crate) fn in_process(process: Option<u32>) -> String {
    process.map_or_else(String::new, |process| format!(" (process {process})"))
}

impl LockError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            LockError::InUse { .. } => "wait for the other run to end, or use another directory",
            LockError::Write(error) => error.hint(),
        }
    }
}
