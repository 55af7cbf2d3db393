//! A directory of shards while a run works in it: its lock, its records, what is already finished.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::npy::Dtype;
use super::{Recipe, Shard, ShardError, ShardReport};
use crate::disk::{LOCK_FILE, Lock, WriteError, replace};

/// The record of a complete directory. It is written last.
const MANIFEST_FILE: &str = "manifest.json";

/// The record of the finished shards while the work is under way.
const PROGRESS_FILE: &str = "progress.json";

const FORMAT: &str = "superword shards";
const VERSION: u64 = 1;

/// True for the names of files that encoding writes to a directory of shards.
pub fn is_shard_directory_file(name: &str) -> bool {
    matches!(name, MANIFEST_FILE | PROGRESS_FILE | LOCK_FILE)
        || Shard::is_name(name)
        || crate::disk::is_temporary_name(name)
}

/// What a directory of shards holds when a run begins.
#[derive(Debug)]
pub enum Begun {
    /// All shards. There is nothing to do.
    Complete(ShardReport),
    /// Some shards, or none. The rest must still be encoded.
    Open(ShardRun),
}

/// A directory of shards that is locked for one run.
#[derive(Debug)]
pub struct ShardRun {
    lock: Lock,
    pub(super) recipe: Recipe,
    /// Shards that an earlier run finished. The work continues after the last of them.
    pub(super) finished: Vec<Shard>,
}

impl ShardRun {
    /// Locks the directory, which is created if necessary, and checks what it holds. With
    /// `overwrite` all shards in it are removed first. Shards of another recipe are an error.
    pub fn begin(directory: &Path, recipe: Recipe, overwrite: bool) -> Result<Begun, ShardError> {
        let mut run = ShardRun {
            lock: Lock::acquire(directory)?,
            recipe,
            finished: Vec::new(),
        };
        if overwrite {
            run.remove_shards()?;
        }
        if let Some(report) = run.read_manifest()? {
            return Ok(Begun::Complete(report));
        }
        run.finished = run.read_progress()?;
        run.lock.remove_leftovers();
        Ok(Begun::Open(run))
    }

    /// Removes temporary files. A run that is stopped in the middle of a long document still has
    /// some open.
    pub fn remove_leftovers(&self) {
        self.lock.remove_leftovers();
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.lock.directory().join(name)
    }

    fn remove_shards(&self) -> Result<(), ShardError> {
        // The manifest goes first, so that it never lists shards that are gone.
        let records = [MANIFEST_FILE.into(), PROGRESS_FILE.into()];
        for name in records.into_iter().chain(self.shard_files()) {
            let path = self.path(&name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(WriteError::new(&path, error).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn shard_files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.lock.directory()) else {
            return Vec::new();
        };
        let names = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| Shard::is_name(name)).collect();
        names.sort();
        names
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ShardError> {
        let path = self.path(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ShardError::Read { path, source }),
        }
    }

    fn damaged(&self, name: &str, reason: impl Into<String>) -> ShardError {
        ShardError::Damaged {
            path: self.path(name),
            reason: reason.into(),
        }
    }

    fn check_same(&self, before: &Recipe) -> Result<(), ShardError> {
        let changes = self.recipe.changes_since(before);
        if changes.is_empty() {
            return Ok(());
        }
        Err(ShardError::Changed {
            directory: self.lock.directory().to_owned(),
            changes,
        })
    }

    fn has_size(&self, name: &str, dtype: Dtype, length: u64) -> bool {
        let size = fs::metadata(self.path(name)).map(|metadata| metadata.len());
        size.is_ok_and(|size| dtype.file_size(length) == Some(size))
    }

    /// The first file of a shard that is missing or has a wrong size.
    fn changed_file(&self, number: usize, shard: &Shard) -> Option<String> {
        let tokens = Shard::tokens_name(number);
        let documents = Shard::documents_name(number);
        if !self.has_size(&tokens, self.recipe.dtype, shard.tokens) {
            return Some(tokens);
        }
        let offsets = shard.documents.saturating_add(1);
        (!self.has_size(&documents, Dtype::Uint64, offsets)).then_some(documents)
    }

    fn read_manifest(&self) -> Result<Option<ShardReport>, ShardError> {
        let Some(bytes) = self.read(MANIFEST_FILE)? else {
            return Ok(None);
        };
        let damaged = |reason: String| self.damaged(MANIFEST_FILE, reason);
        let manifest: Value =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if manifest.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(damaged(format!("its format is not {FORMAT:?}")));
        }
        if manifest.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(damaged(format!("its version is not {VERSION}")));
        }
        let missing = || damaged("a field is missing or has a wrong value".into());
        self.check_same(&Recipe::from_json(&manifest).ok_or_else(missing)?)?;
        let shards: Vec<Shard> = manifest
            .get("shards")
            .and_then(Value::as_array)
            .and_then(|shards| {
                let entries = shards.iter().enumerate();
                entries
                    .map(|(number, shard)| Shard::from_manifest(number, shard))
                    .collect()
            })
            .ok_or_else(missing)?;
        for (number, shard) in shards.iter().enumerate() {
            if let Some(name) = self.changed_file(number, shard) {
                return Err(ShardError::ShardChanged {
                    path: self.path(&name),
                });
            }
        }
        Ok(Some(ShardReport {
            resumed: shards.len(),
            shards,
            skipped: manifest
                .get("skipped")
                .and_then(Value::as_u64)
                .ok_or_else(missing)?,
            first_skips: Vec::new(),
        }))
    }

    /// The shards that an earlier run finished, up to the first whose files are damaged.
    fn read_progress(&self) -> Result<Vec<Shard>, ShardError> {
        let bytes = self.read(PROGRESS_FILE)?;
        let Some(first) = self.shard_files().into_iter().next() else {
            // No shard is finished, so nothing is lost by starting again.
            return Ok(Vec::new());
        };
        let Some(bytes) = bytes else {
            return Err(ShardError::UnknownShards {
                directory: self.lock.directory().to_owned(),
                name: first,
            });
        };
        let damaged = |reason: String| self.damaged(PROGRESS_FILE, reason);
        let mut progress: Value =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        let stored = progress
            .as_object_mut()
            .and_then(|fields| fields.remove("checksum"));
        if stored != Some(checksum(&progress)) {
            return Err(damaged("its checksum is wrong".into()));
        }
        let missing = || damaged("a field is missing or has a wrong value".into());
        let shards: Vec<Shard> = progress
            .get("shards")
            .and_then(Value::as_array)
            .and_then(|shards| shards.iter().map(Shard::from_progress).collect())
            .ok_or_else(missing)?;
        if shards.is_empty() {
            return Ok(shards);
        }
        let before = progress.get("recipe").and_then(Recipe::from_json);
        self.check_same(&before.ok_or_else(missing)?)?;
        let entries = shards.iter().enumerate();
        let whole = entries
            .take_while(|(number, shard)| self.changed_file(*number, shard).is_none())
            .count();
        Ok(shards.into_iter().take(whole).collect())
    }

    /// Records which shards are finished.
    pub(super) fn write_progress(&self, shards: &[Shard]) -> Result<(), ShardError> {
        let shards: Vec<Value> = shards.iter().map(Shard::to_progress).collect();
        let mut progress = json!({ "recipe": self.recipe.to_json(), "shards": shards });
        progress["checksum"] = checksum(&progress);
        replace(&self.path(PROGRESS_FILE), |file| {
            file.write_all(progress.to_string().as_bytes())
        })?;
        Ok(())
    }

    /// Records that all shards are finished.
    pub(super) fn write_manifest(&self, report: &ShardReport) -> Result<(), ShardError> {
        let sum = |count: fn(&Shard) -> u64| json!(report.shards.iter().map(count).sum::<u64>());
        let entries = report.shards.iter().enumerate();
        let shards: Vec<Value> = entries.map(|(n, shard)| shard.to_manifest(n)).collect();
        let mut manifest = self.recipe.to_json();
        manifest.insert("format".into(), json!(FORMAT));
        manifest.insert("version".into(), json!(VERSION));
        manifest.insert("documents".into(), sum(|shard| shard.documents));
        manifest.insert("tokens".into(), sum(|shard| shard.tokens));
        manifest.insert("bytes".into(), sum(|shard| shard.bytes));
        manifest.insert("skipped".into(), json!(report.skipped));
        manifest.insert("shards".into(), Value::Array(shards));
        replace(&self.path(MANIFEST_FILE), |file| {
            let pretty = PrettyFormatter::with_indent(b" ");
            let mut writer = serde_json::Serializer::with_formatter(&mut *file, pretty);
            manifest.serialize(&mut writer).map_err(io::Error::from)?;
            file.write_all(b"\n")
        })?;
        // With the manifest in place, it does not matter if this fails.
        let _ = fs::remove_file(self.path(PROGRESS_FILE));
        Ok(())
    }
}

/// A checksum of the progress file. A wrong position in the input would silently lose documents.
fn checksum(progress: &Value) -> Value {
    json!(format!("{:016x}", xxh3_64(progress.to_string().as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::super::InputRecord;
    use super::*;
    use crate::corpus::OnError;

    fn recipe(directory: &Path) -> Recipe {
        let input = directory.join("a.txt");
        if !input.exists() {
            fs::write(&input, "text").unwrap();
        }
        Recipe {
            model_sha256: "ab".into(),
            n_vocab: 256,
            dtype: Dtype::Uint16,
            eot_token: None,
            shard_size: 10,
            text_field: "text".into(),
            on_error: OnError::Stop,
            inputs: vec![InputRecord::file(&input, None)],
        }
    }

    fn begin(directory: &Path, overwrite: bool) -> Result<Begun, ShardError> {
        ShardRun::begin(&directory.join("out"), recipe(directory), overwrite)
    }

    fn open(directory: &Path) -> ShardRun {
        match begin(directory, false).unwrap() {
            Begun::Open(run) => run,
            Begun::Complete(report) => panic!("already complete: {report:?}"),
        }
    }

    /// Writes files of the right size for one shard of two tokens.
    fn write_shard(run: &ShardRun) -> Shard {
        let tokens = Dtype::Uint16.file_size(2).unwrap();
        let documents = Dtype::Uint64.file_size(2).unwrap();
        fs::write(run.path("shard-00000.npy"), vec![0; tokens as usize]).unwrap();
        let path = run.path("shard-00000.documents.npy");
        fs::write(path, vec![0; documents as usize]).unwrap();
        Shard {
            tokens: 2,
            documents: 1,
            bytes: 4,
            ..Shard::default()
        }
    }

    #[test]
    fn finished_shards_are_resumed_and_a_manifest_completes_them() {
        let directory = tempfile::tempdir().unwrap();
        let run = open(directory.path());
        assert!(run.finished.is_empty());
        let shard = write_shard(&run);
        run.write_progress(std::slice::from_ref(&shard)).unwrap();
        drop(run);
        let run = open(directory.path());
        assert_eq!(run.finished, std::slice::from_ref(&shard));
        let report = ShardReport {
            shards: vec![shard],
            skipped: 3,
            ..ShardReport::default()
        };
        run.write_manifest(&report).unwrap();
        assert!(!run.path(PROGRESS_FILE).exists());
        drop(run);
        let Begun::Complete(found) = begin(directory.path(), false).unwrap() else {
            panic!("not complete");
        };
        assert_eq!(
            (found.shards.len(), found.resumed, found.skipped),
            (1, 1, 3)
        );
        fs::remove_file(directory.path().join("out/shard-00000.npy")).unwrap();
        let error = begin(directory.path(), false).unwrap_err();
        assert!(matches!(error, ShardError::ShardChanged { .. }), "{error}");
        assert!(matches!(begin(directory.path(), true), Ok(Begun::Open(_))));
    }

    #[test]
    fn a_changed_input_and_unknown_shards_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let run = open(directory.path());
        let shard = write_shard(&run);
        run.write_progress(&[shard]).unwrap();
        drop(run);
        fs::write(directory.path().join("a.txt"), "other text").unwrap();
        let error = begin(directory.path(), false).unwrap_err();
        assert!(matches!(error, ShardError::Changed { .. }), "{error}");
        fs::remove_file(directory.path().join("out/progress.json")).unwrap();
        let error = begin(directory.path(), false).unwrap_err();
        assert!(matches!(error, ShardError::UnknownShards { .. }), "{error}");
    }

    #[test]
    fn every_change_of_the_progress_file_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let run = open(directory.path());
        let shard = write_shard(&run);
        run.write_progress(&[shard]).unwrap();
        let path = run.path(PROGRESS_FILE);
        drop(run);
        let good = fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut damaged = good.clone();
            damaged[at] ^= 1;
            for bytes in [&damaged[..], &good[..at]] {
                fs::write(&path, bytes).unwrap();
                let error = begin(directory.path(), false).unwrap_err();
                assert!(matches!(error, ShardError::Damaged { .. }), "{at}: {error}");
            }
        }
    }

    #[test]
    fn a_second_run_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let _run = open(directory.path());
        let error = begin(directory.path(), false).unwrap_err();
        assert!(matches!(error, ShardError::Lock(_)), "{error}");
    }
}
