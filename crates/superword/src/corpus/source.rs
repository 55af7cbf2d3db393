//! Where documents come from.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format;
use super::{Compression, CorpusError, Format};

/// Documents that a program provides in batches. They can be read any number of times.
pub trait Batches: Send + Sync {
    /// The file the batches come from, or a name for data that is not in a file.
    fn path(&self) -> &Path;

    /// An estimate of the bytes of text; 0 if unknown.
    fn size_guess(&self) -> u64;

    /// Starts again from the first batch.
    fn open(&self) -> std::io::Result<Box<dyn BatchStream>>;
}

/// One pass over [`Batches`].
pub trait BatchStream: Send {
    /// Appends the documents of the next batch in [`Format::Framed`]. Returns false at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> std::io::Result<bool>;
}

/// Where the bytes of a source are.
#[derive(Clone)]
pub enum Location {
    /// A file or a named pipe.
    Path(PathBuf),
    /// Standard input, which can be read only once; see [`Source::buffer`].
    Stdin,
    /// Bytes in memory, with a name for messages.
    Memory(String, Arc<[u8]>),
    /// A temporary file written by [`Source::buffer`], with a name for messages.
    Spooled(String, Arc<File>),
    /// Batches from a program, in [`Format::Framed`].
    Batches(Arc<dyn Batches>),
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Path(path) => f.debug_tuple("Path").field(path).finish(),
            Location::Stdin => f.write_str("Stdin"),
            Location::Memory(name, bytes) => f
                .debug_tuple("Memory")
                .field(name)
                .field(&bytes.len())
                .finish(),
            Location::Spooled(name, _) => f.debug_tuple("Spooled").field(name).finish(),
            Location::Batches(batches) => f.debug_tuple("Batches").field(&batches.path()).finish(),
        }
    }
}

/// One input.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where its bytes are.
    pub location: Location,
    /// How documents are laid out in it.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
}

impl Source {
    /// A file whose format and compression follow from its name, ignoring case.
    ///
    /// `.gz` and `.zst` are stripped first. Then `.jsonl`, `.ndjson`, `.jsonlines` and `.json` mean
    /// [`Format::Jsonl`]. Any other suffix, or none, means [`Format::Text`]. Suffixes of files that
    /// do not hold text (`.parquet`, `.zip`, `.pdf`, ...) are an error. An explicit `format`
    /// overrides the name, except that archives and columnar files remain an error. The file itself
    /// is not opened.
    ///
    /// ```
    /// use superword::corpus::{Compression, Format, Source};
    /// let source = Source::from_path("wiki.jsonl.zst", None)?;
    /// assert_eq!((source.format, source.compression), (Format::Jsonl, Compression::Zstd));
    /// # Ok::<(), superword::corpus::CorpusError>(())
    /// ```
    pub fn from_path(
        path: impl Into<PathBuf>,
        format: Option<Format>,
    ) -> Result<Source, CorpusError> {
        let path = path.into();
        let (format, compression) = format::from_name(&path, format)?;
        Ok(Source {
            location: Location::Path(path),
            format,
            compression,
        })
    }

    /// Standard input. Its first bytes decide the compression.
    pub fn stdin(format: Format) -> Source {
        Source {
            location: Location::Stdin,
            format,
            compression: Compression::Detect,
        }
    }

    /// Bytes in memory, with a name for messages.
    pub fn memory(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>, format: Format) -> Source {
        Source {
            location: Location::Memory(name.into(), bytes.into()),
            format,
            compression: Compression::Detect,
        }
    }

    /// Batches from a program.
    pub fn batches(batches: Arc<dyn Batches>) -> Source {
        Source {
            location: Location::Batches(batches),
            format: Format::Framed,
            compression: Compression::None,
        }
    }

    /// A string that changes when the file changes: its name, size, modification time, and a hash
    /// of its first and last 64 kB. The hash catches files that were rewritten and had their
    /// modification time restored. `None` if the source is not a file, or no longer exists.
    pub fn identity(&self) -> Option<String> {
        let path = match &self.location {
            Location::Path(path) => path.as_path(),
            Location::Batches(batches) => batches.path(),
            Location::Stdin | Location::Memory(..) | Location::Spooled(..) => return None,
        };
        let identity = crate::disk::identity(path).ok()?;
        Some(format!(
            "{identity} {} {:?} {:?}",
            path.display(),
            self.format,
            self.compression,
        ))
    }

    /// The name to use in messages: the path as given, or `stdin`. Bytes of a path that are not
    /// UTF-8 are shown as U+FFFD.
    pub fn name(&self) -> String {
        match &self.location {
            Location::Path(path) => path.display().to_string(),
            Location::Stdin => "stdin".into(),
            Location::Memory(name, _) | Location::Spooled(name, _) => name.clone(),
            Location::Batches(batches) => batches.path().display().to_string(),
        }
    }
}
