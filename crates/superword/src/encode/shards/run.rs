//! A directory of shards while a run works in it: its lock, its files, what is already finished.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::directory::{MANIFEST_FILE, PROGRESS_FILE, file_names, recorded_formats};
use super::{BLOCK_SIZE, Recipe, Shard, ShardError, ShardFile, ShardReport};
use crate::disk::{Lock, Replacement, WriteError};

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
    /// Text bytes in a block. The finished shards count blocks, so a run keeps the size that it
    /// began with.
    pub(super) block_size: usize,
}

impl ShardRun {
    /// Locks the directory, which is created if necessary, and checks what it holds. With
    /// `overwrite` all shards in it are removed first. Shards of another recipe are an error.
    pub fn begin(directory: &Path, recipe: Recipe, overwrite: bool) -> Result<Begun, ShardError> {
        let mut run = ShardRun {
            lock: Lock::acquire(directory)?,
            recipe,
            finished: Vec::new(),
            block_size: BLOCK_SIZE,
        };
        if overwrite {
            run.remove_shards()?;
        }
        if let Some(report) = run.read_manifest()? {
            return Ok(Begun::Complete(report));
        }
        if let Some((finished, block_size)) = run.read_progress()? {
            (run.finished, run.block_size) = (finished, block_size);
        }
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

    pub(super) fn path(&self, name: &str) -> PathBuf {
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
    pub(super) fn check_no_shards(&self) -> Result<(), ShardError> {
        let mut names = file_names(self.directory()).into_iter();
        match names.find(|name| self.recipe.format.is_file_name(name)) {
            None => Ok(()),
            Some(name) => Err(ShardError::UnknownShards {
                directory: self.directory().to_owned(),
                name,
            }),
        }
    }

    pub(super) fn check_same(&self, before: &Recipe) -> Result<(), ShardError> {
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
    pub(super) fn changed_file(&self, shard: &Shard) -> Option<PathBuf> {
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
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
