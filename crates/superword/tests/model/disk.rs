//! Saving and loading: bad paths give clear errors, and no file is lost.

use std::fs;
use std::path::PathBuf;

use superword::errors::WriteError;
use superword::model::{LoadError, LooksLike, Model, SaveError};

use crate::samples::{rich, tiny};

/// A temporary directory that is removed with its content.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("superword-disk-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn saving_replaces_a_model_and_leaves_no_other_files() {
    let folder = Folder::new("save");
    let path = folder.0.join("m.superword");
    for model in [tiny(), rich()] {
        model.save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap(), model);
        assert_eq!(fs::read(&path).unwrap(), model.to_bytes());
        assert_eq!(folder.names(), ["m.superword"]);
    }
}

#[test]
fn the_longest_possible_file_name_works() {
    let folder = Folder::new("long");
    let path = folder.0.join("n".repeat(255));
    tiny().save(&path).unwrap();
    assert_eq!(Model::load(&path).unwrap(), tiny());
}

#[cfg(unix)]
#[test]
fn saving_keeps_a_symbolic_link_and_the_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("link");
    let (file, link) = (folder.0.join("file"), folder.0.join("link"));
    fs::write(&file, b"old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file", &link).unwrap();
    tiny().save(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Model::load(&file).unwrap(), tiny());
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn each_bad_path_has_its_own_load_error() {
    let folder = Folder::new("load");
    let missing = folder.0.join("missing");
    assert!(matches!(
        Model::load(&missing).unwrap_err(),
        LoadError::NotFound { path } if path == missing
    ));
    assert!(matches!(
        Model::load(&folder.0).unwrap_err(),
        LoadError::IsFolder { .. }
    ));
    let text = folder.0.join("text");
    fs::write(&text, "words and words. ".repeat(1000)).unwrap();
    assert!(matches!(
        Model::load(&text).unwrap_err(),
        LoadError::BadMagic {
            looks_like: LooksLike::Text
        }
    ));
    assert!(matches!(
        Model::load(text.join("below")).unwrap_err(),
        LoadError::NotFound { .. }
    ));
    // Valid except for its length, so it must be refused before it is read.
    let huge = folder.0.join("huge");
    fs::write(&huge, tiny().to_bytes()).unwrap();
    fs::File::options()
        .write(true)
        .open(&huge)
        .and_then(|file| file.set_len(1 << 40))
        .unwrap();
    assert!(matches!(
        Model::load(&huge).unwrap_err(),
        LoadError::TooLarge { .. }
    ));
}

#[test]
fn each_bad_path_has_its_own_save_error_and_leaves_no_file() {
    let folder = Folder::new("paths");
    let model = tiny();
    assert!(matches!(
        model.save(folder.0.join("none/m.superword")).unwrap_err(),
        SaveError::Write(WriteError::NoDirectory { .. })
    ));
    assert!(matches!(
        model.save(&folder.0).unwrap_err(),
        SaveError::Write(WriteError::IsDirectory { .. })
    ));
    assert!(model.save("").is_err());
    assert!(model.save(folder.0.join("..")).is_err());
    let file = folder.0.join("file");
    fs::write(&file, b"old").unwrap();
    assert!(matches!(
        model.save(file.join("below")).unwrap_err(),
        SaveError::Write(WriteError::NoDirectory { .. })
    ));
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(folder.names(), ["file"]);
}

#[cfg(unix)]
#[test]
fn devices_are_neither_read_nor_replaced() {
    let null = std::path::Path::new("/dev/null");
    assert!(matches!(
        tiny().save(null).unwrap_err(),
        SaveError::Write(WriteError::NotAFile { .. })
    ));
    assert!(matches!(
        Model::load(null).unwrap_err(),
        LoadError::NotAFile { .. }
    ));
    assert!(!fs::metadata(null).unwrap().is_file());
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let folder = Folder::new("read-only");
    let path = folder.0.join("m.superword");
    fs::write(&path, b"old").unwrap();
    let writable = fs::metadata(&path).unwrap().permissions();
    let mut read_only = writable.clone();
    read_only.set_readonly(true);
    fs::set_permissions(&path, read_only).unwrap();
    assert!(matches!(
        tiny().save(&path).unwrap_err(),
        SaveError::Write(WriteError::ReadOnly { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    fs::set_permissions(&path, writable).unwrap();
    tiny().save(&path).unwrap();
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_gives_a_permission_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("locked");
    let path = folder.0.join("m.superword");
    fs::write(&path, b"old").unwrap();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
    let result = tiny().save(&path);
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    // Root can write everywhere. Then there is nothing to check.
    if let Err(error) = result {
        assert!(
            matches!(error, SaveError::Write(WriteError::PermissionDenied { .. })),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(folder.names(), ["m.superword"]);
    }
}
