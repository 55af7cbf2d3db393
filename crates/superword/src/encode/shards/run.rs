//! A directory of shards while a run works in it: its lock, its records, what is already finished.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::directory::{FORMAT, MANIFEST_FILE, PROGRESS_FILE, file_names, recorded_formats};
use super::{Recipe, Shard, ShardError, ShardFile, ShardFormat, ShardReport};
use crate::disk::{Lock, Replacement, WriteError, replace_own};

const VERSION: u64 = 1;

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
        run.remove_unfinished()?;
        run.lock.remove_leftovers();
        Ok(Begun::Open(run))
    }

    /// Removes temporary files. A run that is stopped in the middle of a long document still has
    /// some open.
    pub fn remove_leftovers(&self) {
        self.lock.remove_leftovers();
    }

    pub(super) fn directory(&self) -> &Path {
        self.lock.directory()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory().join(name)
    }

    /// Removes the records and all shards.
    fn remove_shards(&self) -> Result<(), ShardError> {
        // The manifest goes first, so that it never lists shards that are gone.
        let records = [MANIFEST_FILE.into(), PROGRESS_FILE.into()];
        let shards = self.own_shard_files();
        self.remove(records.into_iter().chain(shards))
    }

    /// Removes files of shards that an earlier run did not finish. Where the lock is not exclusive
    /// nothing is removed: the files may belong to another process.
    fn remove_unfinished(&self) -> Result<(), ShardError> {
        if !self.lock.is_exclusive() {
            return Ok(());
        }
        let finished: HashSet<&str> = self
            .finished
            .iter()
            .flat_map(|shard| shard.files.iter().map(|file| &*file.name))
            .collect();
        let names = self.own_shard_files().into_iter();
        self.remove(names.filter(|name| !finished.contains(&**name)))
    }

    /// The files of shards in the format of this run and in the recorded one. A file with the name
    /// of a shard in another format is somebody else's.
    fn own_shard_files(&self) -> Vec<String> {
        let mut formats = recorded_formats(self.directory());
        formats.push(self.recipe.format);
        let mut names = file_names(self.directory());
        names.retain(|name| formats.iter().any(|format| format.is_file_name(name)));
        names
    }

    fn remove(&self, names: impl Iterator<Item = String>) -> Result<(), ShardError> {
        for name in names {
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

    /// Returns an error if there are files with names of shards in the format of this run. For a
    /// directory where no record covers them.
    fn check_no_shards(&self) -> Result<(), ShardError> {
        let mut names = file_names(self.directory()).into_iter();
        match names.find(|name| self.recipe.format.is_file_name(name)) {
            None => Ok(()),
            Some(name) => Err(ShardError::UnknownShards {
                directory: self.directory().to_owned(),
                name,
            }),
        }
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
            directory: self.directory().to_owned(),
            changes,
        })
    }

    /// The first file of a shard that is missing or has a wrong size.
    fn changed_file(&self, shard: &Shard) -> Option<PathBuf> {
        let has_changed = |file: &&ShardFile| {
            let found = fs::metadata(self.path(&file.name));
            !found.is_ok_and(|found| found.len() == file.bytes)
        };
        let changed = shard.files.iter().find(has_changed);
        changed.map(|file| self.path(&file.name))
    }

    /// Puts the files of a shard in place, the one with the ids last. All of them are on the disk
    /// before the first appears, so that a full disk leaves none of them.
    pub(super) fn put_in_place(
        &self,
        number: usize,
        mut files: Vec<Replacement>,
    ) -> Result<Vec<ShardFile>, ShardError> {
        for file in &mut files {
            file.sync()?;
        }
        for file in files.into_iter().rev() {
            file.commit()?;
        }
        let names = self.recipe.format.files(number).into_iter();
        let sizes = names.map(|name| {
            let path = self.path(&name);
            match fs::metadata(&path) {
                Ok(found) => Ok(ShardFile {
                    name,
                    bytes: found.len(),
                }),
                Err(source) => Err(ShardError::Read { path, source }),
            }
        });
        sizes.collect()
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
        let recipe = Recipe::from_json(&manifest).ok_or_else(missing)?;
        self.check_same(&recipe)?;
        let shards: Vec<Shard> = manifest
            .get("shards")
            .and_then(Value::as_array)
            .and_then(|shards| {
                let entries = shards.iter().enumerate();
                entries
                    .map(|(number, shard)| Shard::from_manifest(number, shard, &recipe))
                    .collect()
            })
            .ok_or_else(missing)?;
        if let Some(path) = shards.iter().find_map(|shard| self.changed_file(shard)) {
            return Err(ShardError::ShardChanged { path });
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
        let Some(bytes) = self.read(PROGRESS_FILE)? else {
            self.check_no_shards()?;
            return Ok(Vec::new());
        };
        let names = file_names(self.directory());
        if !names
            .iter()
            .any(|name| ShardFormat::any_has_file_name(name))
        {
            // No shard is finished, so nothing is lost by starting again.
            return Ok(Vec::new());
        }
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
        let before = progress.get("recipe").and_then(Recipe::from_json);
        let before = before.ok_or_else(missing)?;
        let shards: Vec<Shard> = progress
            .get("shards")
            .and_then(Value::as_array)
            .and_then(|shards| {
                let entries = shards.iter().enumerate();
                entries
                    .map(|(number, shard)| Shard::from_progress(number, shard, &before))
                    .collect()
            })
            .ok_or_else(missing)?;
        if shards.is_empty() {
            if before.format != self.recipe.format {
                self.check_no_shards()?;
            }
            return Ok(shards);
        }
        self.check_same(&before)?;
        let shards = shards.into_iter();
        let whole = shards.take_while(|shard| self.changed_file(shard).is_none());
        Ok(whole.collect())
    }

    /// Records which shards are finished.
    pub(super) fn write_progress(&self, shards: &[Shard]) -> Result<(), ShardError> {
        let shards: Vec<Value> = shards.iter().map(Shard::to_progress).collect();
        let mut progress = json!({ "recipe": self.recipe.to_json(), "shards": shards });
        progress["checksum"] = checksum(&progress);
        replace_own(&self.path(PROGRESS_FILE), |file| {
            file.write_all(progress.to_string().as_bytes())
        })?;
        Ok(())
    }

    /// Records that all shards are finished.
    pub(super) fn write_manifest(&self, report: &ShardReport) -> Result<(), ShardError> {
        let sum = |count: fn(&Shard) -> u64| json!(report.shards.iter().map(count).sum::<u64>());
        let shards: Vec<Value> = report.shards.iter().map(Shard::to_manifest).collect();
        let mut manifest = self.recipe.to_json();
        manifest.insert("format".into(), json!(FORMAT));
        manifest.insert("version".into(), json!(VERSION));
        manifest.insert("documents".into(), sum(|shard| shard.documents));
        manifest.insert("tokens".into(), sum(|shard| shard.tokens));
        manifest.insert("bytes".into(), sum(|shard| shard.bytes));
        manifest.insert("skipped".into(), json!(report.skipped));
        manifest.insert("shards".into(), Value::Array(shards));
        replace_own(&self.path(MANIFEST_FILE), |file| {
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
    use super::super::{Dtype, InputRecord, ShardFormat};
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
            format: ShardFormat::Npy,
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
        let files: Vec<Replacement> = [(".npy", 132), (".documents.npy", 144)]
            .map(|(suffix, bytes)| {
                let path = run.path(&format!("shard-00000{suffix}"));
                let mut file = Replacement::begin_own(&path).unwrap();
                file.write(|file| file.write_all(&vec![0; bytes])).unwrap();
                file
            })
            .into();
        Shard {
            files: run.put_in_place(0, files).unwrap(),
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
    fn another_format_is_refused_and_leaves_files_of_others_alone() {
        let directory = tempfile::tempdir().unwrap();
        let raw = |overwrite| {
            let recipe = Recipe {
                format: ShardFormat::Raw,
                ..recipe(directory.path())
            };
            ShardRun::begin(&directory.path().join("out"), recipe, overwrite)
        };
        let run = open(directory.path());
        run.write_progress(&[]).unwrap();
        fs::write(run.path("shard-00000.documents.npy"), "unfinished").unwrap();
        fs::write(run.path("shard-00000.bin"), "from elsewhere").unwrap();
        drop(run);
        let error = raw(false).unwrap_err();
        assert!(matches!(error, ShardError::UnknownShards { .. }), "{error}");
        let run = open(directory.path());
        assert!(run.path("shard-00000.bin").exists());
        assert!(!run.path("shard-00000.documents.npy").exists());
        let shard = write_shard(&run);
        run.write_progress(&[shard]).unwrap();
        drop(run);
        let error = raw(false).unwrap_err();
        assert!(error.to_string().contains("format was npy and is now raw"));
        let Begun::Open(run) = raw(true).unwrap() else {
            panic!("already complete");
        };
        assert!(!run.path("shard-00000.npy").exists());
        assert!(!run.path("shard-00000.bin").exists());
    }

    #[test]
    fn a_progress_file_of_an_earlier_version_is_resumed() {
        let directory = tempfile::tempdir().unwrap();
        let run = open(directory.path());
        let shard = write_shard(&run);
        run.write_progress(std::slice::from_ref(&shard)).unwrap();
        let path = run.path(PROGRESS_FILE);
        drop(run);
        let mut progress: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let without = |value: &mut Value, name: &str| {
            let removed = value.as_object_mut().unwrap().remove(name);
            assert!(removed.is_some(), "{name}");
        };
        without(&mut progress, "checksum");
        without(&mut progress["recipe"], "shard_format");
        without(&mut progress["shards"][0], "files");
        progress["checksum"] = checksum(&progress);
        fs::write(&path, progress.to_string()).unwrap();
        assert_eq!(open(directory.path()).finished, [shard]);
    }

    #[test]
    fn a_second_run_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let _run = open(directory.path());
        let error = begin(directory.path(), false).unwrap_err();
        assert!(matches!(error, ShardError::Lock(_)), "{error}");
    }
}
