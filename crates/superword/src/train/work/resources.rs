//! Where and within which limits to compute.

use std::sync::Arc;

use super::WorkDir;

/// Where and within which limits a run computes. Changes speed, memory and files, never the model.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Keep finished work in this directory, and resume from the work in it.
    pub work_dir: Option<Arc<WorkDir>>,
    /// Count within about this many bytes of memory, with the help of temporary files.
    pub max_memory: Option<u64>,
    /// How many stored bytes of input are counted as one piece in a work directory; `None` for
    /// the default, 64 MB. Smaller pieces lose less work if a run is killed.
    pub piece_bytes: Option<u64>,
    /// Cut candidates where no superword can form.
    pub cutting: bool,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources {
            work_dir: None,
            max_memory: None,
            piece_bytes: None,
            cutting: true,
        }
    }
}
