//! Saves models to files, and loads them without reading more than a model can hold.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use super::{LoadError, PREAMBLE_BYTES};
use crate::disk::{WriteError, replace};
use crate::model::Model;

/// The size of the largest file that is written or read. Loading takes about twenty times as much
/// memory.
const MAX_FILE_BYTES: u64 = 1 << 30;

impl Model {
    /// Saves the model to a file, replacing an existing one atomically; see
    /// [`replace`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        let bytes = self.to_bytes();
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(SaveError::TooLarge {
                bytes: bytes.len() as u64,
                limit: MAX_FILE_BYTES,
            });
        }
        replace(path, |file| file.write_all(&bytes))?;
        Ok(())
    }

    /// Reads a model from a file. Errors of the content do not repeat the path.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, LoadError> {
        Model::from_bytes(&read(path.as_ref())?)
    }
}

/// Reads a regular file that starts like a model.
fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    read_file(path).map_err(|error| match error {
        ReadError::Io(source) => load_error(path, source),
        ReadError::Load(error) => error,
    })
}

enum ReadError {
    Io(io::Error),
    Load(LoadError),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError::Io(error)
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    // Checked before opening: opening a pipe blocks until somebody writes to it.
    let metadata = fs::metadata(path)?;
    let load_error = |error| Err(ReadError::Load(error));
    if metadata.is_dir() {
        return load_error(LoadError::IsFolder { path: path.into() });
    }
    if !metadata.is_file() {
        return load_error(LoadError::NotAFile { path: path.into() });
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    // The first bytes reveal a large file of another kind, which is then not read.
    (&file)
        .take(PREAMBLE_BYTES as u64)
        .read_to_end(&mut bytes)?;
    super::verify_start(&bytes).or_else(|error| match error {
        // A guess at what it is instead needs more bytes.
        LoadError::BadMagic { .. } => {
            (&file).take(512).read_to_end(&mut bytes)?;
            super::verify_start(&bytes).map_err(ReadError::Load)
        }
        error => Err(ReadError::Load(error)),
    })?;
    let size = metadata.len();
    if size > MAX_FILE_BYTES {
        return load_error(LoadError::TooLarge {
            bytes: size,
            limit: MAX_FILE_BYTES,
        });
    }
    bytes.reserve_exact((size as usize).saturating_sub(bytes.len()));
    (&file).take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn load_error(path: &Path, source: io::Error) -> LoadError {
    let path = path.to_owned();
    match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => LoadError::NotFound { path },
        ErrorKind::PermissionDenied => LoadError::PermissionDenied { path },
        ErrorKind::IsADirectory => LoadError::IsFolder { path },
        _ => LoadError::Io { path, source },
    }
}

/// Why a model could not be saved.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages describe the variants.
#[non_exhaustive]
pub enum SaveError {
    #[error(transparent)]
    Write(#[from] WriteError),

    #[error("the model takes {bytes} bytes; a model file has at most {limit}")]
    TooLarge { bytes: u64, limit: u64 },
}

impl SaveError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            SaveError::Write(error) => error.hint(),
            SaveError::TooLarge { .. } => "record fewer n-grams, or choose a smaller vocabulary",
        };
        Some(hint.to_owned())
    }
}
