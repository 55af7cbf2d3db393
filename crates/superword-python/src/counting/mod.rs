//! Counts for Python, and the stages of training that make and use them.

pub(crate) mod bounds;
pub(crate) mod candidates;
pub(crate) mod counts;
pub(crate) mod stages;

use std::num::NonZeroU32;

use pyo3::prelude::*;
use superword::internal::{Dropped, Partition};

use crate::errors::Raised;

/// How many partitions there are.
pub(crate) fn partitions(of: u32) -> PyResult<NonZeroU32> {
    let none = || Raised::new("OptionError", "there must be at least one partition", None);
    NonZeroU32::new(of).ok_or_else(|| none().into())
}

/// A partition, given by its number.
pub(crate) fn partition(number: u32, of: u32) -> PyResult<Partition> {
    let of = partitions(of)?;
    Ok(Partition { number, of })
}

/// Rows, their counts, and their checksum.
pub(crate) fn dropped_tuple(dropped: Dropped) -> (u64, u64, u64) {
    (dropped.rows, dropped.count, dropped.checksum.0)
}
