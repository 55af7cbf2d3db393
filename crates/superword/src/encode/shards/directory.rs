//! The files of a directory of shards: which of them encoding wrote.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::ShardFormat;
use super::recipe::recorded_format;
use crate::disk::{LOCK_FILE, is_temporary_name};

/// The record of a complete directory. It is written last.
pub(super) const MANIFEST_FILE: &str = "manifest.json";

/// The record of the finished shards while the work is under way.
pub(super) const PROGRESS_FILE: &str = "progress.json";

/// What the manifest says that it is.
pub(super) const FORMAT: &str = "superword shards";

/// The files that encoding wrote to a directory: shards, records and temporary files. Empty if the
/// directory holds no shards.
///
/// A record in the directory says in which format its shards are. Files with the names of other
/// formats are not ours: `shard-00000.parquet` is a common name for text too. Only `.npy` files are
/// recognised without a record.
///
/// In a directory that encoding will write to, all files with the names of records are ours,
/// whatever they hold.
pub fn files_of_shards(directory: &Path, will_be_written: bool) -> Vec<String> {
    let mut names = file_names(directory);
    let mut formats = recorded_formats(directory);
    if names.iter().any(|name| ShardFormat::Npy.is_file_name(name)) {
        formats.push(ShardFormat::Npy);
    }
    if formats.is_empty() && !will_be_written {
        return Vec::new();
    }
    names.retain(|name| {
        matches!(&**name, MANIFEST_FILE | PROGRESS_FILE | LOCK_FILE)
            || is_temporary_name(name)
            || formats.iter().any(|format| format.is_file_name(name))
    });
    names
}

/// The formats that the records in a directory name. Records of other programs name none.
pub(super) fn recorded_formats(directory: &Path) -> Vec<ShardFormat> {
    let read = |name: &str| -> Option<Value> {
        serde_json::from_slice(&fs::read(directory.join(name)).ok()?).ok()
    };
    let manifest = read(MANIFEST_FILE)
        .filter(|record| record.get("format").and_then(Value::as_str) == Some(FORMAT));
    let progress = read(PROGRESS_FILE)
        .filter(|record| record.get("checksum").is_some())
        .and_then(|mut record| Some(record.get_mut("recipe")?.take()))
        .filter(|recipe| recipe.get("model").is_some());
    let records = manifest.iter().chain(&progress);
    records.filter_map(recorded_format).collect()
}

/// The names of the files in a directory, sorted.
pub(super) fn file_names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_decides_which_files_are_ours() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        let ours = || files_of_shards(directory.path(), false);
        write("shard-00000.parquet", "");
        write("shard-00000.bin", "");
        write(MANIFEST_FILE, r#"{"format": "other"}"#);
        assert!(ours().is_empty());
        assert_eq!(files_of_shards(directory.path(), true), [MANIFEST_FILE]);
        write(
            PROGRESS_FILE,
            r#"{"checksum": "", "recipe": {"model": {}, "shard_format": "parquet"}}"#,
        );
        assert_eq!(
            ours(),
            [MANIFEST_FILE, PROGRESS_FILE, "shard-00000.parquet"]
        );
        fs::remove_file(directory.path().join(PROGRESS_FILE)).unwrap();
        write(
            MANIFEST_FILE,
            r#"{"format": "superword shards", "shard_format": "raw"}"#,
        );
        assert_eq!(ours(), [MANIFEST_FILE, "shard-00000.bin"]);
        write(MANIFEST_FILE, r#"{"format": "superword shards"}"#);
        assert_eq!(ours(), [MANIFEST_FILE]);
    }
}
