//! What a directory of shards records about them: the progress file while a run works in it, and the
//! manifest once all shards are finished.

use std::fs;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::directory::{FORMAT, MANIFEST_FILE, PROGRESS_FILE, file_names};
use super::{Recipe, Shard, ShardError, ShardFormat, ShardReport, ShardRun};
use crate::disk::replace_own;

const VERSION: u64 = 1;

/// The block size of runs that did not record it.
pub(super) const FIRST_BLOCK_SIZE: usize = 1 << 20;

impl ShardRun {
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

    pub(super) fn read_manifest(&self) -> Result<Option<ShardReport>, ShardError> {
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

    /// The shards that an earlier run finished, up to the first whose files are damaged, and its
    /// block size. `None` if it has finished none.
    pub(super) fn read_progress(&self) -> Result<Option<(Vec<Shard>, usize)>, ShardError> {
        let Some(bytes) = self.read(PROGRESS_FILE)? else {
            self.check_no_shards()?;
            return Ok(None);
        };
        let names = file_names(self.directory());
        if !names
            .iter()
            .any(|name| ShardFormat::any_has_file_name(name))
        {
            // No shard is finished, so nothing is lost by starting again.
            return Ok(None);
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
            return Ok(None);
        }
        self.check_same(&before)?;
        let block_size = match progress.get("block_size") {
            None => FIRST_BLOCK_SIZE,
            Some(size) => size
                .as_u64()
                .and_then(|size| usize::try_from(size).ok())
                .ok_or_else(missing)?,
        };
        let shards = shards.into_iter();
        let whole = shards.take_while(|shard| self.changed_file(shard).is_none());
        Ok(Some((whole.collect(), block_size)))
    }

    /// Records which shards are finished.
    pub(super) fn write_progress(&self, shards: &[Shard]) -> Result<(), ShardError> {
        let shards: Vec<Value> = shards.iter().map(Shard::to_progress).collect();
        let mut progress = json!({
            "recipe": self.recipe.to_json(),
            "block_size": self.block_size,
            "shards": shards,
        });
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
pub(super) fn checksum(progress: &Value) -> Value {
    json!(format!("{:016x}", xxh3_64(progress.to_string().as_bytes())))
}
