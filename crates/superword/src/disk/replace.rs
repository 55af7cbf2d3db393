//! Replaces files atomically: write a temporary file, sync it, rename it, sync the directory.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{WriteError, temporary};

const BUFFER_BYTES: usize = 1 << 18;

/// From this size on, bytes are written without a copy in the buffer.
const UNBUFFERED_BYTES: usize = 1 << 16;

/// Replaces the file at `path` with what `write` writes, or creates it. On an error the file is
/// unchanged.
///
/// - A symbolic link to a file stays; the file that it points to is replaced.
/// - The permissions of an existing file stay.
/// - An existing file that is marked read-only is not replaced.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let mut replacement = Replacement::begin(path)?;
    replacement.write(write)?;
    replacement.commit()
}

/// [`replace`] for a file of a directory that only this program writes to, such as a work directory.
///
/// A symbolic link is replaced and not followed. Whoever made the directory could otherwise choose
/// which file is overwritten.
pub(crate) fn replace_own(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let mut replacement = Replacement::begin_own(path)?;
    replacement.write(write)?;
    replacement.commit()
}

/// A file that will replace another; see [`replace`]. For files that are written in several steps.
/// Dropped before [`Replacement::commit`], it leaves no file behind.
#[derive(Debug)]
pub struct Replacement {
    /// The path as it was given, for messages.
    path: PathBuf,
    /// The path after following links.
    target: PathBuf,
    old_permissions: Option<Permissions>,
    /// Removed on drop unless it was renamed.
    temporary: Option<PathBuf>,
    /// `None` once all is written. Windows cannot rename open files.
    file: Option<BufWriter<File>>,
}

impl Replacement {
    /// Checks that `path` can be replaced, and creates a temporary file beside it.
    pub fn begin(path: &Path) -> Result<Replacement, WriteError> {
        Self::begin_from(path, fs::metadata(path))
    }

    /// [`Replacement::begin`] for [`replace_own`].
    pub(crate) fn begin_own(path: &Path) -> Result<Replacement, WriteError> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => {
                Self::begin_from(path, Err(ErrorKind::NotFound.into()))
            }
            metadata => Self::begin_from(path, metadata),
        }
    }

    fn begin_from(path: &Path, old: io::Result<fs::Metadata>) -> Result<Replacement, WriteError> {
        let error = |source| WriteError::new(path, source);
        let old = match old {
            Ok(metadata) if metadata.is_dir() => {
                return Err(WriteError::IsDirectory { path: path.into() });
            }
            Ok(metadata) if !metadata.is_file() => {
                return Err(WriteError::NotAFile { path: path.into() });
            }
            // A rename would succeed, but the mark means that the file should be kept.
            Ok(metadata) if metadata.permissions().readonly() => {
                return Err(WriteError::ReadOnly { path: path.into() });
            }
            Ok(metadata) => Some(metadata),
            // NotADirectory: a file is where the directory should be. Reported below.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                None
            }
            Err(source) => return Err(error(source)),
        };
        let target = match old {
            Some(_) => fs::canonicalize(path).map_err(error)?,
            None => path.to_owned(),
        };
        if target.file_name().is_none() {
            return Err(WriteError::IsDirectory { path: path.into() });
        }
        let directory = directory_of(&target);
        if !directory.is_dir() {
            return Err(WriteError::NoDirectory {
                directory: directory.into(),
            });
        }
        let (file, temporary) = temporary::create(directory).map_err(error)?;
        Ok(Replacement {
            path: path.to_owned(),
            target,
            old_permissions: old.map(|old| old.permissions()),
            temporary: Some(temporary),
            file: Some(BufWriter::with_capacity(BUFFER_BYTES, file)),
        })
    }

    /// The file that will be replaced, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The temporary file, for programs that write it by its name.
    pub fn temporary_path(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.target)
    }

    /// Writes more of the file.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        match &mut self.file {
            Some(file) => write(file).map_err(|source| WriteError::new(&self.path, source)),
            None => Ok(()),
        }
    }

    /// Appends bytes to the file.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.write(|file| {
            if bytes.len() < UNBUFFERED_BYTES {
                return file.write_all(bytes);
            }
            file.flush()?;
            file.get_mut().write_all(bytes)
        })
    }

    /// Makes sure that all of the file is on the disk, without putting it in place. For files that
    /// belong together: once all of them are synced, little can go wrong between their renames.
    /// Nothing can be written after it.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        self.close()
            .map_err(|source| WriteError::new(&self.path, source))
    }

    /// Puts the file in place once all of it is on the disk.
    pub fn commit(mut self) -> Result<(), WriteError> {
        self.put_in_place()
            .map_err(|source| WriteError::new(&self.path, source))?;
        sync_directory(directory_of(&self.target)).map_err(|source| WriteError::DirectorySync {
            path: self.path.clone(),
            source,
        })
    }

    fn close(&mut self) -> io::Result<()> {
        if let Some(mut buffered) = self.file.take() {
            let flushed = buffered.flush();
            // Taken apart, it does not try to write again when it is dropped.
            let (file, _) = buffered.into_parts();
            flushed?;
            if let Some(old) = &self.old_permissions {
                // Some file systems have fixed permissions and refuse to set any.
                if file.metadata()?.permissions() != *old {
                    file.set_permissions(old.clone())?;
                }
            }
            file.sync_all()?;
        }
        Ok(())
    }

    fn put_in_place(&mut self) -> io::Result<()> {
        self.close()?;
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target)?;
        }
        self.temporary = None;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // Not flushed: the buffered data is not needed.
            drop(file.into_parts());
        }
        if let Some(temporary) = &self.temporary {
            // Failure leaves a file that is removed later; the first error is the one to report.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn directory_of(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Creates a directory and its parents, unless it exists.
pub fn create_directory(path: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(path).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            WriteError::NotADirectory { path: path.into() }
        }
        _ => WriteError::new(path, source),
    })
}

/// Makes sure that renames in a directory survive a power cut, where the system can do so.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        // Some file systems cannot sync directories (EINVAL, ENOTSUP). A directory can also be
        // writable but not readable.
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

/// Makes sure that renames in a directory survive a power cut, where the system can do so. Other
/// systems than Unix have no way to ask for it.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_complete() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, b"old").unwrap();
        let mut replacement = Replacement::begin(&path).unwrap();
        replacement.write(|file| file.write_all(b"ne")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        replacement.write(|file| file.write_all(b"w")).unwrap();
        replacement.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    fn a_synced_file_is_not_in_place_yet() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut replacement = Replacement::begin(&path).unwrap();
        replacement.write(|file| file.write_all(b"new")).unwrap();
        replacement.sync().unwrap();
        assert_eq!(fs::read(replacement.temporary_path()).unwrap(), b"new");
        assert!(!path.exists());
        replacement.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let mut dropped = Replacement::begin(&path).unwrap();
        dropped.sync().unwrap();
        drop(dropped);
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    fn a_full_disk_leaves_the_old_file_and_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, b"old").unwrap();
        let error = replace(&path, |file| {
            file.write_all(b"half of the ne")?;
            Err(io::Error::from(ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert!(matches!(error, WriteError::DiskFull { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    fn a_panic_leaves_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let result = std::panic::catch_unwind(|| replace(&path, |_| panic!("on purpose")));
        assert!(result.is_err());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_failed_flush_is_reported() {
        // A full device: writes fit in the buffer, and only flushing them fails.
        let Ok(file) = File::options().write(true).open("/dev/full") else {
            return;
        };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut replacement = Replacement::begin(&path).unwrap();
        replacement.file = Some(BufWriter::new(file));
        replacement.write(|file| file.write_all(b"x")).unwrap();
        let error = replacement.commit().unwrap_err();
        assert!(matches!(error, WriteError::DiskFull { .. }), "{error}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn directories_and_their_absence_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let begin = |path: &Path| Replacement::begin(path).unwrap_err();
        let missing = directory.path().join("none/a");
        assert!(matches!(begin(&missing), WriteError::NoDirectory { .. }));
        assert!(matches!(
            begin(directory.path()),
            WriteError::IsDirectory { .. }
        ));
        let file = directory.path().join("file");
        fs::write(&file, b"x").unwrap();
        assert!(matches!(
            begin(&file.join("below")),
            WriteError::NoDirectory { .. }
        ));
        assert_eq!(names(directory.path()), ["file"]);
    }

    #[test]
    fn directories_are_created_unless_a_file_is_in_the_way() {
        let directory = tempfile::tempdir().unwrap();
        let below = directory.path().join("a/b");
        create_directory(&below).unwrap();
        create_directory(&below).unwrap();
        assert!(below.is_dir());
        let file = directory.path().join("file");
        fs::write(&file, b"x").unwrap();
        for path in [file.join("below"), file] {
            let error = create_directory(&path).unwrap_err();
            assert!(matches!(error, WriteError::NotADirectory { .. }), "{error}");
        }
    }

    #[test]
    fn a_missing_directory_cannot_be_synced() {
        let directory = tempfile::tempdir().unwrap();
        sync_directory(directory.path()).unwrap();
        let missing = sync_directory(&directory.path().join("none"));
        assert_eq!(missing.is_err(), cfg!(unix));
    }
}
