//! A folder for what is finished, and for what does not fit in memory.
//!
//! Files are written under another name, synced and renamed: one that is there is whole. Their
//! names hold a hash of all that they follow from, so what follows from something else is simply
//! not found. Readers check what they read all the same.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::{TrainError, WorkDir, WorkKept};

/// The folder.
#[derive(Debug)]
pub(super) enum Scratch {
    /// One that was given.
    Kept(Arc<WorkDir>),
    /// One that goes away in the end.
    Temporary(tempfile::TempDir),
}

impl Scratch {
    /// The folder that was given, or a temporary one.
    pub(super) fn open(work_dir: Option<&Arc<WorkDir>>) -> Result<Scratch, TrainError> {
        match work_dir {
            Some(work_dir) => Ok(Scratch::Kept(work_dir.clone())),
            None => tempfile::Builder::new()
                .prefix("superword-")
                .tempdir()
                .map(Scratch::Temporary)
                .map_err(|error| failed(&std::env::temp_dir(), &error, WorkKept::No)),
        }
    }

    /// Whether what was finished is there after an error.
    pub(super) fn kept(&self) -> WorkKept {
        match self {
            Scratch::Kept(_) => WorkKept::Yes,
            Scratch::Temporary(_) => WorkKept::No,
        }
    }

    fn folder(&self) -> &Path {
        match self {
            Scratch::Kept(work_dir) => work_dir.path(),
            Scratch::Temporary(folder) => folder.path(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes a file, all or nothing.
    pub(super) fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), TrainError> {
        let path = self.path(name);
        self.try_write(&path, write)
            .map_err(|error| failed(&path, &error, self.kept()))
    }

    fn try_write(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(".superword-")
            .suffix(".tmp")
            .tempfile_in(self.folder())?;
        let mut buffered = BufWriter::with_capacity(1 << 18, file.as_file_mut());
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        #[cfg(unix)]
        File::open(self.folder())?.sync_all()?;
        Ok(())
    }

    /// A file that is there.
    pub(super) fn open_file(&self, name: &str) -> Option<BufReader<File>> {
        let file = File::open(self.path(name)).ok()?;
        Some(BufReader::with_capacity(1 << 18, file))
    }

    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_file(name)?.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    pub(super) fn read_json(&self, name: &str) -> Option<Value> {
        serde_json::from_slice(&self.read(name)?).ok()
    }

    pub(super) fn write_json(&self, name: &str, value: &Value) -> Result<(), TrainError> {
        self.write(name, |out| out.write_all(value.to_string().as_bytes()))
    }
}

/// An error of the system about a file of a folder.
pub(super) fn failed(path: &Path, error: &io::Error, kept: WorkKept) -> TrainError {
    // A quota that is used up is a full disk to whoever has it.
    let full = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    );
    TrainError::Scratch {
        path: path.display().to_string(),
        reason: error.to_string(),
        full: full.then_some(kept),
    }
}

/// A short name for all that something follows from.
pub(super) fn key_of(what: &Value) -> String {
    format!("{:032x}", xxh3_128(what.to_string().as_bytes()))
}
