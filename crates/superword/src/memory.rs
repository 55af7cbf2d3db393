//! Growing collections without aborting the process.
//!
//! When the system is out of memory, the collections of the standard library abort the process.
//! Those whose size is decided by the text or by an option grow through this module instead. It
//! unwinds with an [`OutOfMemory`] payload, which [`catch`] turns into an error. Unwinding keeps
//! the hot loops free of a `Result` for every pretoken. It does not run the panic hook, so nothing
//! is printed, and threads pass the payload on when they are joined.

use std::any::Any;
use std::hash::{BuildHasher, Hash};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hashbrown::{HashMap, HashTable};

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

/// Runs `work` and turns an unwind that this module started into an error. Other panics continue.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, OutOfMemory> {
    // Unwinding drops everything that `work` owned, so no broken state is left to observe.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        OutOfMemory::from_payload(&*payload).unwrap_or_else(|| resume_unwind(payload))
    })
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

/// Makes a list of `count` equal items. As with `vec!`, pages of zeros are not touched.
pub(crate) fn filled<T: Clone>(item: T, count: usize) -> Vec<T> {
    // `vec!` is the only way to get untouched pages of zeros. It aborts if there is not enough
    // memory, so this function allocates the same amount first and frees it.
    let mut probe: Vec<T> = Vec::new();
    if probe.try_reserve_exact(count).is_err() {
        fail();
    }
    // Without this the compiler may remove an allocation that nothing uses.
    drop(std::hint::black_box(probe));
    vec![item; count]
}

/// Makes room for one more entry of a table.
#[inline]
pub(crate) fn reserve_entry<T>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.len() == table.capacity() && table.try_reserve(1, hash).is_err() {
        fail();
    }
}

/// Makes room for one more key of a map.
#[inline]
pub(crate) fn reserve_key<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>) {
    if map.len() == map.capacity() && map.try_reserve(1).is_err() {
        fail();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOO_MUCH: usize = isize::MAX as usize / 16;

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert_eq!(
            catch(|| reserve(&mut Vec::<u64>::new(), TOO_MUCH)),
            Err(OutOfMemory)
        );
        assert_eq!(catch(|| drop(filled(0u64, TOO_MUCH))), Err(OutOfMemory));
        assert_eq!(catch(|| filled(7u8, 3)), Ok(vec![7; 3]));
    }

    #[test]
    fn other_panics_continue() {
        let panic = std::panic::catch_unwind(|| catch(|| resume_unwind(Box::new(5))));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&5));
    }
}
