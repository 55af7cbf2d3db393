//! The part of a text that is counted as one piece.

use std::ops::Range;

/// The part of the text that a piece covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::train) enum Extent {
    /// Some sources as a whole.
    Sources(Range<usize>),
    /// A section of a source.
    Section {
        /// The index of the source.
        source: usize,
        /// Its place in the source.
        bytes: Range<u64>,
    },
    /// Documents of a sample that was kept.
    Sample {
        /// The chunks that hold them.
        chunks: Range<usize>,
        /// A hash of the chunks. Which documents are in a chunk differs from run to run.
        hash: u128,
    },
}

impl Extent {
    /// True for a section that does not start its source.
    pub(in crate::train) fn continues(&self) -> bool {
        matches!(self, Extent::Section { bytes, .. } if bytes.start > 0)
    }
}
