//! Where documents come from and how they are written there.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use super::CorpusError;

/// How documents are laid out in a file. In every format a byte order mark at the start of the
/// file is dropped; otherwise no text is altered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A JSON object per line with the text in one field. Blank lines are passed over.
    Jsonl,
    /// The whole file is one document. An empty file holds none.
    Text,
    /// A document per line, without its `\n` or `\r\n`. Empty lines are passed over.
    Lines,
    /// A document per block of lines, without its last line ending; blocks are separated by lines
    /// of nothing but spaces and tabs: `"a\nb\n\nc\n"` holds `"a\nb"` and `"c"`.
    Paragraphs,
    /// Each document after the number of its bytes (64 bits, little end first), or the largest
    /// number alone where a text is missing. Documents that come from a program are laid out so.
    Framed,
}

/// Appends a document, or the mark of a missing one, as [`Format::Framed`] has it.
pub fn frame(text: Option<&[u8]>, out: &mut Vec<u8>) {
    match text {
        Some(text) => {
            out.extend_from_slice(&(text.len() as u64).to_le_bytes());
            out.extend_from_slice(text);
        }
        None => out.extend_from_slice(&u64::MAX.to_le_bytes()),
    }
}

/// Documents that a program hands over in batches, again for each reading.
pub trait Batches: Send + Sync {
    /// The name that people know it by.
    fn name(&self) -> String;

    /// About how many bytes of text there are; 0 where that is unknown.
    fn size_guess(&self) -> u64;

    /// Starts from the first batch.
    fn open(&self) -> std::io::Result<Box<dyn BatchStream>>;
}

/// The batches of one reading.
pub trait BatchStream: Send {
    /// Appends the documents of the next batch as [`frame`] does; false at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> std::io::Result<bool>;
}

/// What the bytes of a file went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Nothing, or gzip or zstd, as the first bytes tell. No UTF-8 text starts like either.
    Detect,
    /// Nothing.
    None,
    /// gzip, any number of members.
    Gzip,
    /// Zstandard, any number of frames, windows up to 2 GB.
    Zstd,
}

impl Compression {
    /// The name that people use: `gzip`, `zstd`, ...
    pub fn name(self) -> &'static str {
        match self {
            Compression::Detect => "detected",
            Compression::None => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

/// Where the bytes are.
#[derive(Clone)]
pub enum Location {
    /// A file, or a pipe that has a name.
    Path(PathBuf),
    /// Standard input. It can be read once; see [`Source::buffer`].
    Stdin,
    /// Bytes in memory, with a name for messages.
    Memory(String, Arc<[u8]>),
    /// A temporary file that [`Source::buffer`] wrote, with a name for messages.
    Spooled(String, Arc<File>),
    /// Batches of a program, as [`Format::Framed`].
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
            Location::Batches(batches) => f.debug_tuple("Batches").field(&batches.name()).finish(),
        }
    }
}

/// One input.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it is.
    pub location: Location,
    /// How documents are laid out in it.
    pub format: Format,
    /// What it is compressed with.
    pub compression: Compression,
}

const COLUMNS: &str =
    "read Parquet and Arrow files through pyarrow: pip install 'superword[arrow]'";
const PACKED: &str = "unpack it, or pack it again with gzip or zstd";
const NOT_TEXT: &str = "extract its text first, or give its `format`";

/// Endings of files that are clearly not text that is read here, and what to do about them.
const UNSUPPORTED: &[(&[&str], &str)] = &[
    (&["parquet", "arrow", "feather", "ipc", "orc"], COLUMNS),
    (
        &[
            "bz2", "xz", "lzma", "lz4", "br", "z", "zip", "7z", "rar", "tar", "tgz", "tzst",
        ],
        PACKED,
    ),
    (
        &[
            "pdf",
            "doc",
            "docx",
            "xls",
            "xlsx",
            "ppt",
            "pptx",
            "odt",
            "epub",
            "png",
            "jpg",
            "jpeg",
            "gif",
            "webp",
            "mp3",
            "mp4",
            "wav",
            "npy",
            "npz",
            "pt",
            "safetensors",
            "pickle",
            "pkl",
            "exe",
            "so",
            "dll",
            "dylib",
            "o",
            "a",
            "class",
            "pyc",
            "wasm",
            "sqlite",
            "db",
        ],
        NOT_TEXT,
    ),
];

impl Source {
    /// Tells layout and compression by the name, upper or lower case.
    ///
    /// `.gz` and `.zst` are taken off first; then `.jsonl`, `.ndjson`, `.jsonlines` and `.json` are
    /// [`Format::Jsonl`] and every other ending, `.txt` and none at all included, is
    /// [`Format::Text`]. Endings that are clearly not text (`.parquet`, `.zip`, `.pdf`, ...) are an
    /// error. A given `format` wins over the name, but packed and columnar files stay an error. The
    /// file itself is not looked at.
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
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        let (stem, compression) = match name.rsplit_once('.') {
            Some((stem, "gz" | "gzip")) => (stem, Compression::Gzip),
            Some((stem, "zst" | "zstd")) => (stem, Compression::Zstd),
            _ => (name.as_str(), Compression::Detect),
        };
        let suffix = stem.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        for &(suffixes, instead) in UNSUPPORTED {
            let overruled = format.is_some() && instead == NOT_TEXT;
            if suffixes.contains(&suffix) && !overruled {
                return Err(CorpusError::UnsupportedFile {
                    source_name: path.display().to_string(),
                    suffix: suffix.into(),
                    instead,
                });
            }
        }
        let by_name = match suffix {
            "jsonl" | "ndjson" | "jsonlines" | "json" => Format::Jsonl,
            _ => Format::Text,
        };
        Ok(Source {
            location: Location::Path(path),
            format: format.unwrap_or(by_name),
            compression,
        })
    }

    /// Standard input. Its compression is told by its first bytes.
    pub fn stdin(format: Format) -> Source {
        Source {
            location: Location::Stdin,
            format,
            compression: Compression::Detect,
        }
    }

    /// Bytes in memory under a name for messages.
    pub fn memory(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>, format: Format) -> Source {
        Source {
            location: Location::Memory(name.into(), bytes.into()),
            format,
            compression: Compression::Detect,
        }
    }

    /// Batches of a program.
    pub fn batches(batches: Arc<dyn Batches>) -> Source {
        Source {
            location: Location::Batches(batches),
            format: Format::Framed,
            compression: Compression::None,
        }
    }

    /// What tells whether the source is the same as before: name, size, time of the last change,
    /// and a hash of its first and last bytes (all, up to 128 kB), for files that were written
    /// again with their time restored. `None` where it cannot be told: what is not a file, or not
    /// any more.
    pub fn identity(&self) -> Option<String> {
        let path = match &self.location {
            Location::Path(path) => path.clone(),
            Location::Batches(batches) => PathBuf::from(batches.name()),
            Location::Stdin | Location::Memory(..) | Location::Spooled(..) => return None,
        };
        let identity = crate::disk::identity(&path).ok()?;
        Some(format!(
            "{identity} {} {:?} {:?}",
            path.display(),
            self.format,
            self.compression,
        ))
    }

    /// The name that people know this input by: the path as it was given, or `stdin`.
    pub fn name(&self) -> String {
        match &self.location {
            Location::Path(path) => path.display().to_string(),
            Location::Stdin => "stdin".into(),
            Location::Memory(name, _) | Location::Spooled(name, _) => name.clone(),
            Location::Batches(batches) => batches.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_format_and_compression() {
        use Compression::{Detect, Gzip, Zstd};
        use Format::{Jsonl, Text};
        for (name, format, compression) in [
            ("a.jsonl", Jsonl, Detect),
            ("dir.txt/a.ndjson.gz", Jsonl, Gzip),
            ("A.JSONL.ZST", Jsonl, Zstd),
            ("a.json", Jsonl, Detect),
            ("a.txt", Text, Detect),
            ("README", Text, Detect),
            ("notes.md.gz", Text, Gzip),
            ("a.gz", Text, Gzip),
            ("main.rs", Text, Detect),
            (".zst", Text, Zstd),
        ] {
            let source = Source::from_path(name, None).unwrap();
            assert_eq!(
                (source.format, source.compression),
                (format, compression),
                "{name}"
            );
            assert_eq!(source.name(), name);
        }
    }

    #[test]
    fn a_given_format_wins() {
        for name in ["a.txt", "a.jsonl", "a.pdf", "a"] {
            let source = Source::from_path(name, Some(Format::Lines)).unwrap();
            assert_eq!(source.format, Format::Lines);
        }
    }

    #[test]
    fn other_files_are_refused_with_a_way_out() {
        for (name, word) in [
            ("a.parquet", "pyarrow"),
            ("a.tar.gz", "unpack"),
            ("a.TGZ", "unpack"),
            ("a.jsonl.xz", "unpack"),
            ("a.pdf", "`format`"),
        ] {
            let error = Source::from_path(name, None).unwrap_err();
            assert!(
                matches!(error, CorpusError::UnsupportedFile { .. }),
                "{error:?}"
            );
            assert!(error.hint().unwrap().contains(word), "{error:?}");
        }
        assert!(Source::from_path("a.parquet", Some(Format::Text)).is_err());
    }
}
