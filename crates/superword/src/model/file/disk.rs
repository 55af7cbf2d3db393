//! Reads model files, without reading more than a model can hold.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::{LoadError, MAX_FILE_BYTES, PREAMBLE_BYTES};

/// Reads a regular file that starts like a model.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
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
