//! Work that outlives memory or the run: the store of a run, and the files in it.
//!
//! - [`Store`]: nothing is stored, or parts of the counts go to a temporary directory, or
//!   everything that is finished stays in a work directory to resume from.
//! - [`Keys`]: what each kept file depends on. A key is part of the name of a file, so a file that
//!   depends on something else is never found.
//! - [`WorkDir`]: a work directory that no other run uses.
//! - [`Resources`]: where and within which limits a run computes.

mod error;
mod keys;
mod resources;
mod store;
mod work_dir;

pub(super) use keys::{Keys, SampleNames};
pub use resources::Resources;
pub(super) use store::{Directory, Store};
pub use work_dir::WorkDir;
