//! Tests of a directory of shards and of its records.

use std::io::Write;

use serde_json::Value;

use super::super::records::{FIRST_BLOCK_SIZE, checksum};
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
    without(&mut progress, "block_size");
    without(&mut progress["recipe"], "shard_format");
    without(&mut progress["shards"][0], "files");
    progress["checksum"] = checksum(&progress);
    fs::write(&path, progress.to_string()).unwrap();
    let run = open(directory.path());
    assert_eq!(run.finished, [shard]);
    assert_eq!(run.block_size, FIRST_BLOCK_SIZE);
}

#[test]
fn a_second_run_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let _run = open(directory.path());
    let error = begin(directory.path(), false).unwrap_err();
    assert!(matches!(error, ShardError::Lock(_)), "{error}");
}
