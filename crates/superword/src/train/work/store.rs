//! Where a run stores what does not fit in memory or should outlive it.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::{Resources, TrainError, WorkKept};
use super::WorkDir;
use crate::disk;
use crate::model::Model;

/// Where a run stores things.
#[derive(Debug)]
pub(in crate::train) enum Store {
    /// Nowhere: everything stays in memory.
    Memory,
    /// Counts that do not fit in memory go to a directory that is removed at the end.
    Temporary(tempfile::TempDir),
    /// Everything that is finished goes to a directory, where a later run finds it.
    Kept(Arc<WorkDir>),
}

impl Store {
    /// The store that the resources ask for.
    pub(in crate::train) fn open(resources: &Resources) -> Result<Store, TrainError> {
        match (&resources.work_dir, resources.max_memory) {
            (Some(work_dir), _) => Ok(Store::Kept(work_dir.clone())),
            (None, Some(_)) => Store::temporary(),
            (None, None) => Ok(Store::Memory),
        }
    }

    fn temporary() -> Result<Store, TrainError> {
        tempfile::Builder::new()
            .prefix("superword-")
            .tempdir()
            .map(Store::Temporary)
            .map_err(|error| TrainError::work_file(&std::env::temp_dir(), error, WorkKept::No))
    }

    /// Where parts of the counts go; `None` if they stay in memory.
    pub(in crate::train) fn spill_directory(&self) -> Option<Directory<'_>> {
        match self {
            Store::Memory => None,
            Store::Temporary(directory) => Some(Directory {
                path: directory.path(),
                kept: WorkKept::No,
            }),
            Store::Kept(_) => self.kept_directory(),
        }
    }

    /// Where finished work goes that a later run can use; `None` if none is kept.
    pub(in crate::train) fn kept_directory(&self) -> Option<Directory<'_>> {
        match self {
            Store::Memory | Store::Temporary(_) => None,
            Store::Kept(work_dir) => Some(Directory {
                path: work_dir.path(),
                kept: WorkKept::Yes,
            }),
        }
    }

    /// The work that an earlier run kept under `name`; `None` if `parse` rejects it.
    pub(in crate::train) fn find<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        parse(&self.kept_directory()?.read(name)?)
    }

    /// If work is kept, keeps the result of `bytes` under `name`.
    pub(in crate::train) fn keep(
        &self,
        name: &str,
        bytes: impl FnOnce() -> Result<Vec<u8>, TrainError>,
    ) -> Result<(), TrainError> {
        let Some(directory) = self.kept_directory() else {
            return Ok(());
        };
        let bytes = bytes()?;
        directory.write(name, |out| out.write_all(&bytes))
    }

    /// A model that an earlier run kept under `name`.
    pub(in crate::train) fn find_model(&self, name: &str) -> Option<Model> {
        self.find(name, |bytes| Model::from_bytes(bytes).ok())
    }

    /// The error for a file that exists but cannot be used.
    pub(in crate::train) fn damaged(&self, name: &str) -> TrainError {
        let directory = self.spill_directory();
        let path = directory.map_or_else(|| name.into(), |directory| directory.path(name));
        TrainError::WorkFile {
            path: path.display().to_string(),
            reason: "the file is damaged".into(),
            full: None,
        }
    }
}

/// A directory for files of a run.
#[derive(Clone, Copy, Debug)]
pub(in crate::train) struct Directory<'a> {
    path: &'a Path,
    /// Whether its files still exist after the run.
    kept: WorkKept,
}

impl Directory<'_> {
    /// The directory itself.
    pub(in crate::train) fn root(&self) -> &Path {
        self.path
    }

    pub(in crate::train) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file. If work is kept, the file is never incomplete, even after a crash.
    pub(in crate::train) fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), TrainError> {
        let path = self.path(name);
        match self.kept {
            WorkKept::Yes => {
                disk::replace_own(&path, write).map_err(|error| TrainError::from_write(&error))
            }
            // No other run reads it, so nothing needs to survive a crash.
            WorkKept::No => File::create(&path)
                .and_then(|file| {
                    let mut file = BufWriter::with_capacity(1 << 18, file);
                    write(&mut file)?;
                    file.flush()
                })
                .map_err(|error| TrainError::work_file(&path, error, self.kept)),
        }
    }

    /// Opens a file; `None` if that fails.
    pub(in crate::train) fn open(&self, name: &str) -> Option<BufReader<File>> {
        let file = File::open(self.path(name)).ok()?;
        Some(BufReader::with_capacity(1 << 18, file))
    }

    /// The content of a file; `None` if it cannot be read.
    pub(in crate::train) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(name)?.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}
