//! The keys of a table in parts, for several threads.

use std::borrow::Cow;
use std::sync::Mutex;

use super::segment::Segment;
use super::{CountTable, Item};
use crate::threads::lock;

/// A table in as many parts as it has segments. The parts of a table that is owned are freed one by one.
pub(crate) enum Parts<'a, T: Item> {
    Borrowed(&'a [Segment<T>]),
    Owned(Vec<Mutex<Segment<T>>>),
}

impl<'a, T: Item> Parts<'a, T> {
    pub(crate) fn new(table: Cow<'a, CountTable<T>>) -> Parts<'a, T> {
        match table {
            Cow::Borrowed(table) => Parts::Borrowed(&table.segments),
            Cow::Owned(table) => Parts::Owned(table.segments.into_iter().map(Mutex::new).collect()),
        }
    }

    /// The number of parts.
    pub(crate) fn len(&self) -> usize {
        match self {
            Parts::Borrowed(segments) => segments.len(),
            Parts::Owned(segments) => segments.len(),
        }
    }

    /// Calls `visit(key, count)` for every key of a part.
    pub(crate) fn for_each(&self, part: usize, visit: impl FnMut((&[T], u64))) {
        match self {
            Parts::Borrowed(segments) => segments[part].iter().for_each(visit),
            Parts::Owned(segments) => lock(&segments[part]).iter().for_each(visit),
        }
    }

    /// The same for the last time. Frees the memory of the part, if that is possible.
    pub(crate) fn consume(&self, part: usize, visit: impl FnMut((&[T], u64))) {
        self.for_each(part, visit);
        if let Parts::Owned(segments) = self {
            *lock(&segments[part]) = Segment::default();
        }
    }
}
