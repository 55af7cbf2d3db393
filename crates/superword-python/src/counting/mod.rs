//! Counts for Python, and the stages of training that make and use them.

pub(crate) mod candidates;
pub(crate) mod counts;
pub(crate) mod stages;
