//! How documents are stored in a file, and how the file name implies it.

use std::path::Path;

use super::CorpusError;

/// How documents are laid out in a file. A UTF-8 byte order mark at the start of the file is
/// dropped. Otherwise no text is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON Lines: one JSON object per line, with the text in one field. Blank lines are ignored.
    Jsonl,
    /// The whole file is one document. An empty file holds no document.
    Text,
    /// One document per line, without its `\n` or `\r\n`. Empty lines are ignored.
    Lines,
    /// Documents are separated by lines that hold only spaces and tabs. The last line ending of a
    /// document is dropped: `"a\nb\n\nc\n"` holds `"a\nb"` and `"c"`.
    Paragraphs,
    /// Each document follows its length in bytes (64 bits, little-endian). The length `u64::MAX`
    /// marks a missing text. Used for documents that come from a program, not from a file.
    Framed,
}

/// Appends a document in [`Format::Framed`]. `None` marks a missing text.
pub fn frame(text: Option<&[u8]>, out: &mut Vec<u8>) {
    match text {
        Some(text) => {
            out.extend_from_slice(&(text.len() as u64).to_le_bytes());
            out.extend_from_slice(text);
        }
        None => out.extend_from_slice(&u64::MAX.to_le_bytes()),
    }
}

/// How the bytes of a file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Decided by the first bytes: gzip, zstd or none. No UTF-8 text starts like gzip or zstd.
    Detect,
    /// Not compressed.
    None,
    /// gzip, with any number of members.
    Gzip,
    /// Zstandard, with any number of frames and windows up to 2 GB.
    Zstd,
}

impl Compression {
    /// The common name: `gzip`, `zstd`, ...
    pub fn name(self) -> &'static str {
        match self {
            Compression::Detect => "detected",
            Compression::None => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

const COLUMNAR: &str =
    "read Parquet and Arrow files through pyarrow: pip install 'superword[arrow]'";
const ARCHIVE: &str = "unpack it, or compress it with gzip or zstd instead";
const NOT_TEXT: &str = "extract its text first, or set `format`";

/// Suffixes of files that clearly do not hold text that can be read here, and what to do instead.
#[rustfmt::skip]
const UNSUPPORTED: &[(&[&str], &str)] = &[
    (&["parquet", "arrow", "feather", "ipc", "orc"], COLUMNAR),
    (
        &["bz2", "xz", "lzma", "lz4", "br", "z", "zip", "7z", "rar", "tar", "tgz", "tzst"],
        ARCHIVE,
    ),
    (
        &[
            "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "epub", "png", "jpg",
            "jpeg", "gif", "webp", "mp3", "mp4", "wav", "npy", "npz", "pt", "safetensors",
            "pickle", "pkl", "exe", "so", "dll", "dylib", "o", "a", "class", "pyc", "wasm",
            "sqlite", "db",
        ],
        NOT_TEXT,
    ),
];

/// Returns the format and compression that a file name implies; see
/// [`Source::from_path`](super::Source::from_path) for the rules.
pub(super) fn from_name(
    path: &Path,
    format: Option<Format>,
) -> Result<(Format, Compression), CorpusError> {
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
        // An explicit format is trusted, except that it cannot make an archive or a table text.
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
    Ok((format.unwrap_or(by_name), compression))
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    #[test]
    fn file_names_decide_format_and_compression() {
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
    fn an_explicit_format_overrides_the_name() {
        for name in ["a.txt", "a.jsonl", "a.pdf", "a"] {
            let source = Source::from_path(name, Some(Format::Lines)).unwrap();
            assert_eq!(source.format, Format::Lines);
        }
    }

    #[test]
    fn files_that_are_not_text_are_refused_with_a_hint() {
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
