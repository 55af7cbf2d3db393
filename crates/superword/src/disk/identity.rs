//! Tells whether a file is still the one that was read before.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use xxhash_rust::xxh3::xxh3_64;

/// Bytes at the start and at the end of a file that are hashed.
const END_BYTES: u64 = 1 << 16;

/// Identifies the content of a file without reading all of it. A file with the same path and
/// identity as before counts as unchanged.
///
/// The hash detects files that were rewritten with the same size and a restored time. A change in
/// the middle of a large file that keeps the size and restores the time is not detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The size of the file.
    pub bytes: u64,
    /// When it was last modified, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// A hash of the first and the last 64 kB.
    pub ends: u64,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:016x}", self.bytes, self.modified_ns, self.ends)
    }
}

/// Identifies a regular file. Anything else, such as a pipe, is an error of the kind
/// [`ErrorKind::InvalidInput`].
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.txt");
/// use superword::internal::identity;
/// std::fs::write(&path, "one")?;
/// let before = identity(&path)?;
/// std::fs::write(&path, "two")?;
/// assert_ne!(identity(&path)?, before);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn identity(path: &Path) -> io::Result<Identity> {
    // Checked before opening: opening a pipe blocks until somebody writes to it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    Ok(Identity {
        bytes: metadata.len(),
        modified_ns: nanoseconds(metadata.modified()?),
        ends: hash_of_ends(&mut file, metadata.len())?,
    })
}

/// Limited to the years 1677 to 2262, which is where 64 bits end.
fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(error) => i64::try_from(error.duration().as_nanos()).map_or(i64::MIN, |before| -before),
    }
}

fn hash_of_ends(file: &mut File, size: u64) -> io::Result<u64> {
    let mut bytes = Vec::new();
    if size <= 2 * END_BYTES {
        // Limited, because the file may grow while it is read.
        file.take(2 * END_BYTES).read_to_end(&mut bytes)?;
    } else {
        file.take(END_BYTES).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(size - END_BYTES))?;
        file.take(END_BYTES).read_to_end(&mut bytes)?;
    }
    Ok(xxh3_64(&bytes))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_file_rewritten_with_its_old_time_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        let identify = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(1))
                .unwrap();
            identity(&path).unwrap()
        };
        for size in [3, 1 << 16, 1 << 17, (1 << 17) + 1, 1 << 20] {
            let mut bytes = vec![b'a'; size];
            let before = identify(&bytes);
            assert_eq!(identify(&bytes), before);
            for at in [0, size - 1] {
                bytes[at] = b'b';
                assert_ne!(identify(&bytes), before, "{at} of {size}");
                bytes[at] = b'a';
            }
        }
    }

    #[test]
    fn size_and_time_count() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        let identify = |bytes: &[u8], time| {
            fs::write(&path, bytes).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
            identity(&path).unwrap()
        };
        let before = identify(b"a", UNIX_EPOCH);
        assert_eq!(before.to_string().split(' ').count(), 3);
        assert_ne!(identify(b"a", UNIX_EPOCH - Duration::from_secs(5)), before);
        assert_ne!(identify(b"aa", UNIX_EPOCH), before);
        assert_eq!(identify(b"a", UNIX_EPOCH), before);
    }

    #[test]
    fn what_is_no_file_has_no_identity() {
        let directory = tempfile::tempdir().unwrap();
        let kind = |path: &Path| identity(path).unwrap_err().kind();
        assert_eq!(kind(directory.path()), ErrorKind::InvalidInput);
        assert_eq!(kind(&directory.path().join("none")), ErrorKind::NotFound);
    }
}
