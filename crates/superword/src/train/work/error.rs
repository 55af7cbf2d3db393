//! Errors of reading, and of files, as errors of training.

use std::convert::Infallible;
use std::io;
use std::path::Path;

use crate::corpus::ReadError;
use crate::disk::{LockError, WriteError, is_disk_full};
use crate::train::{TrainError, WorkKept};

impl From<ReadError<Box<TrainError>>> for TrainError {
    fn from(error: ReadError<Box<TrainError>>) -> TrainError {
        match error {
            ReadError::Corpus(error) => error.into(),
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::Sink(error) => *error,
        }
    }
}

impl From<ReadError<Infallible>> for TrainError {
    fn from(error: ReadError<Infallible>) -> TrainError {
        match error {
            ReadError::Corpus(error) => error.into(),
            ReadError::Stopped(stopped) => stopped.into(),
            ReadError::Sink(never) => match never {},
        }
    }
}

impl From<LockError> for TrainError {
    fn from(error: LockError) -> TrainError {
        match error {
            LockError::InUse { directory, process } => TrainError::InUse {
                path: directory.display().to_string(),
                process,
            },
            LockError::Write(error) => TrainError::from_write(&error),
        }
    }
}

impl TrainError {
    /// A file of the work directory was not written.
    pub(in crate::train) fn from_write(error: &WriteError) -> TrainError {
        TrainError::WorkFile {
            path: error.path().display().to_string(),
            // Without the path, which is part of the message anyway.
            reason: match error {
                WriteError::Io { source, .. } => source.to_string(),
                WriteError::DiskFull { .. } => "no space left on the disk".into(),
                WriteError::PermissionDenied { .. } => "permission denied".into(),
                WriteError::NoDirectory { .. } => "the directory does not exist".into(),
                error => error.to_string(),
            },
            full: matches!(error, WriteError::DiskFull { .. }).then_some(WorkKept::Yes),
        }
    }

    /// A system call on a file failed.
    pub(in crate::train) fn work_file(path: &Path, error: io::Error, kept: WorkKept) -> TrainError {
        TrainError::WorkFile {
            path: path.display().to_string(),
            full: is_disk_full(&error).then_some(kept),
            reason: error.to_string(),
        }
    }
}
