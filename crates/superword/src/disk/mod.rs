//! Durable files: the one place that replaces, locks and identifies files.
//!
//! - [`replace`] and [`Replacement`] write a file so that readers see either the old content or
//!   the new content, also after a crash or a power cut.
//! - [`Lock`] makes sure that only one process at a time works in a directory.
//! - [`identity`] tells whether a file is still the one that was read before.
//!
//! A half-written file has a temporary name (`.superword-4711-0.tmp`) in the directory of the file
//! it replaces. It is removed on errors and panics. Only a killed process leaves one behind;
//! [`Lock::remove_leftovers`] removes those.
//!
//! ```
//! use std::io::Write;
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("notes.txt");
//! superword::internal::replace(&path, |file| file.write_all(b"new content"))?;
//! assert_eq!(std::fs::read(&path)?, b"new content");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod identity;
mod lock;
mod replace;
mod temporary;

pub use error::{LockError, WriteError};
pub(crate) use error::{in_process, is_disk_full};
pub use identity::{Identity, identity};
pub(crate) use lock::{LOCK_FILE, Lock};
pub(crate) use replace::replace_own;
pub use replace::{Replacement, create_directory, replace};
pub(crate) use temporary::is_temporary_name;
