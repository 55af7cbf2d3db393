//! Growing collections without aborting the process.
//!
//! When the system is out of memory, the collections of the standard library abort the process.
//! Those whose size is decided by the text or by an option grow through this module instead. It
//! unwinds with an [`OutOfMemory`] payload. Whoever catches the unwind recognizes it with
//! [`OutOfMemory::from_payload`]. Unwinding keeps the hot loops free of a `Result` for every pretoken. It does not run the panic hook, so nothing
//! is printed, and threads pass the payload on when they are joined.

use std::any::Any;
#[cfg(feature = "files")]
use std::hash::{BuildHasher, Hash};
use std::panic::resume_unwind;

#[cfg(feature = "files")]
use hashbrown::HashMap;
use hashbrown::HashTable;

/// The system has no memory left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory")]
pub struct OutOfMemory;

impl OutOfMemory {
    /// What to do next.
    pub fn hint(&self) -> String {
        "free some memory, or process less text at a time; training can also count within \
         `max_memory` or on a `sample` of the text"
            .into()
    }

    /// Returns the error if this is the payload of an unwind that this module started.
    pub fn from_payload(payload: &(dyn Any + Send)) -> Option<OutOfMemory> {
        payload.downcast_ref().copied()
    }
}

/// Unwinds.
#[cold]
#[inline(never)]
pub(crate) fn fail() -> ! {
    resume_unwind(Box::new(OutOfMemory))
}

/// Makes room for `additional` items, as [`Vec::reserve`] does.
#[inline]
pub(crate) fn reserve<T>(items: &mut Vec<T>, additional: usize) {
    if items.capacity() - items.len() < additional && items.try_reserve(additional).is_err() {
        fail();
    }
}

/// Makes room for exactly `additional` items, as [`Vec::reserve_exact`] does.
pub(crate) fn reserve_exact<T>(items: &mut Vec<T>, additional: usize) {
    if items.try_reserve_exact(additional).is_err() {
        fail();
    }
}

/// Appends a slice, as [`Vec::extend_from_slice`] does.
#[inline]
pub(crate) fn extend<T: Copy>(items: &mut Vec<T>, more: &[T]) {
    reserve(items, more.len());
    items.extend_from_slice(more);
}

/// Makes room for `additional` bytes, as [`String::reserve`] does.
pub(crate) fn reserve_text(text: &mut String, additional: usize) {
    if text.try_reserve(additional).is_err() {
        fail();
    }
}

/// Makes a list of `count` equal items, as `vec!` does.
///
/// It must not ask for the memory first and give it back: freeing a large block makes the system's
/// allocator serve later blocks from its heap, where they cost more time and memory.
pub(crate) fn filled<T: Clone>(item: T, count: usize) -> Vec<T> {
    let mut items = Vec::new();
    reserve_exact(&mut items, count);
    items.resize(count, item);
    items
}

/// Makes room for one more entry of a table.
#[inline]
pub(crate) fn reserve_entry<T>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.len() == table.capacity() && table.try_reserve(1, hash).is_err() {
        fail();
    }
}

/// Makes room for one more key of a map.
#[cfg(feature = "files")]
#[inline]
pub(crate) fn reserve_key<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>) {
    if map.len() == map.capacity() && map.try_reserve(1).is_err() {
        fail();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    use super::*;

    const TOO_MUCH: usize = isize::MAX as usize / 16;

    fn caught<T>(work: impl FnOnce() -> T + UnwindSafe) -> Result<T, Option<OutOfMemory>> {
        catch_unwind(work).map_err(|payload| OutOfMemory::from_payload(&*payload))
    }

    #[test]
    fn memory_that_is_not_there_is_recognized_and_other_panics_are_not() {
        let missing = Err(Some(OutOfMemory));
        assert_eq!(
            caught(|| reserve(&mut Vec::<u64>::new(), TOO_MUCH)),
            missing
        );
        assert_eq!(caught(|| drop(filled(0u64, TOO_MUCH))), missing);
        assert_eq!(caught(|| filled(7u8, 3)), Ok(vec![7; 3]));
        assert_eq!(caught(|| resume_unwind(Box::new(5))), Err::<(), _>(None));
    }
}
