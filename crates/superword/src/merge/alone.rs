//! The crew of an engine without threads: the calling thread.

use std::sync::Arc;

use super::cells::{Cells, Place};
use super::share::{Joining, Share};

/// The calling thread.
#[derive(Debug)]
pub(super) struct Crew;

impl Crew {
    pub(super) fn new(_threads: usize) -> Crew {
        Crew
    }

    /// Joins the pair at all places.
    pub(super) fn join(
        &mut self,
        cells: &Arc<Cells>,
        places: &[Place],
        joining: Joining,
        _grain: usize,
        own: &mut Share,
    ) {
        own.join(cells, places, joining);
    }
}
