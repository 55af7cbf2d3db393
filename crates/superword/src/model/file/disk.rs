//! Files: read with a bound, replaced all or nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{LoadError, MAX_FILE_BYTES, PREAMBLE_BYTES, SaveError};

/// The bytes of a regular file that starts as a model does.
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
    // Before opening: a pipe that nobody writes to would block there.
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
    // A large file of another kind is told by its first bytes, and not read.
    (&file)
        .take(PREAMBLE_BYTES as u64)
        .read_to_end(&mut bytes)?;
    super::verify_start(&bytes).or_else(|error| match error {
        // Judged again with all bytes at hand: what it looks like needs more of them.
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

/// Puts what `write` writes in the place of `path`, all or nothing.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), SaveError> {
    let save_error = |source: io::Error| save_error(path, source);
    let old = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(SaveError::IsFolder { path: path.into() });
        }
        Ok(metadata) if !metadata.is_file() => {
            return Err(SaveError::NotAFile { path: path.into() });
        }
        // Renaming would replace it all the same; whoever marked it wants it kept.
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(SaveError::ReadOnly { path: path.into() });
        }
        Ok(metadata) => Some(metadata),
        // Not a directory: a file stands where the folder should; that is said below.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            None
        }
        Err(error) => return Err(save_error(error)),
    };
    // Through a link to a file the file is replaced, not the link.
    let target = match old {
        Some(_) => fs::canonicalize(path).map_err(save_error)?,
        None => path.to_owned(),
    };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if target.file_name().is_none() {
        return Err(SaveError::IsFolder { path: path.into() });
    }
    if !folder.is_dir() {
        return Err(SaveError::NoFolder {
            folder: folder.into(),
        });
    }
    let (mut file, temporary) = Temporary::create(folder).map_err(save_error)?;
    write(&mut file).map_err(save_error)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())
            .map_err(save_error)?;
    }
    file.sync_all().map_err(save_error)?;
    drop(file);
    temporary.rename(&target).map_err(save_error)?;
    sync_folder(folder).map_err(|source| SaveError::FolderSync {
        path: path.into(),
        source,
    })
}

/// A file that is removed when dropped, unless it was renamed.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn create(folder: &Path) -> io::Result<(File, Temporary)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            // Not made from the name of the model: that may have the full length already.
            let name = format!(".superword-{}-{number}.tmp", std::process::id());
            let path = folder.join(name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Temporary(Some(path)))),
                // Left behind by a process of the same number that was killed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.0 {
            fs::rename(path, target)?;
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Nothing better can be done here; the error that led here is reported.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync a folder; a folder may be writable but not readable.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

fn save_error(path: &Path, source: io::Error) -> SaveError {
    let path = path.to_owned();
    match source.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            SaveError::PermissionDenied { path }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            SaveError::DiskFull { path }
        }
        _ => SaveError::Io { path, source },
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("superword-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn old_file_stays_and_temporary_goes_when_the_disk_is_full() {
        let folder = folder("full");
        let path = folder.join("m.superword");
        fs::write(&path, b"old").unwrap();
        let error = replace(&path, |file| {
            file.write_all(b"half of the ne")?;
            Err(io::Error::from(ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert!(matches!(error, SaveError::DiskFull { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn temporary_goes_when_writing_panics() {
        let folder = folder("panic");
        let path = folder.join("m.superword");
        let result = std::panic::catch_unwind(|| replace(&path, |_| panic!("on purpose")));
        assert!(result.is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_temporary_left_by_a_killed_process_is_no_obstacle() {
        let folder = folder("left");
        let (_, first) = Temporary::create(&folder).unwrap();
        let name = first.0.clone().unwrap();
        let number: u64 = name
            .to_str()
            .and_then(|name| name.trim_end_matches(".tmp").rsplit('-').next())
            .and_then(|number| number.parse().ok())
            .unwrap();
        for next in number + 1..number + 20 {
            let left = format!(".superword-{}-{next}.tmp", std::process::id());
            fs::write(folder.join(left), b"left").unwrap();
        }
        let (_, second) = Temporary::create(&folder).unwrap();
        assert_ne!(first.0, second.0);
        drop((first, second));
        fs::remove_dir_all(folder).unwrap();
    }
}
