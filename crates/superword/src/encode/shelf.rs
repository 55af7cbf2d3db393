//! A pool of reusable objects that is safe across `fork`.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The most objects that are stored. Further concurrent calls create their own and drop them.
const PLACES: usize = 64;

/// Holds objects that are costly to make and used by one call at a time.
///
/// Nothing here ever waits for a lock. If a process forks while another thread holds a lock, the
/// lock stays locked in the child forever. So locked places are skipped, and the child merely loses
/// the objects that other threads had borrowed.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    places: Box<[Mutex<Option<Box<T>>>]>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf {
            places: (0..PLACES).map(|_| Mutex::default()).collect(),
        }
    }
}

impl<T: Default> Shelf<T> {
    /// Calls `use_it` with an object from the shelf, or with a new one if the shelf is empty.
    pub(super) fn with<R>(&self, use_it: impl FnOnce(&mut T) -> R) -> R {
        let mut borrowed = self.take();
        let result = use_it(&mut borrowed);
        self.put(borrowed);
        result
    }

    /// An object from the shelf, or a new one if the shelf is empty.
    pub(super) fn take(&self) -> Box<T> {
        let taken = self.unlocked().find_map(|mut place| place.take());
        taken.unwrap_or_default()
    }

    /// Puts an object on the shelf, or drops it if the shelf is full.
    pub(super) fn put(&self, object: Box<T>) {
        if let Some(mut place) = self.unlocked().find(|place| place.is_none()) {
            *place = Some(object);
        }
    }

    /// Visits all objects that are on the shelf now.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&mut T)) {
        for mut place in self.unlocked() {
            if let Some(object) = place.as_mut() {
                visit(object);
            }
        }
    }

    /// The places that no other thread has locked.
    fn unlocked(&self) -> impl Iterator<Item = MutexGuard<'_, Option<Box<T>>>> {
        self.places
            .iter()
            .filter_map(|place| match place.try_lock() {
                Ok(place) => Some(place),
                Err(TryLockError::Poisoned(error)) => Some(PoisonError::into_inner(error)),
                Err(TryLockError::WouldBlock) => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_reused() {
        let shelf: Shelf<Vec<u32>> = Shelf::default();
        shelf.with(|list| list.push(7));
        shelf.with(|list| {
            assert_eq!(*list, [7]);
            shelf.with(|other| assert!(other.is_empty()));
        });
        let mut seen = 0;
        shelf.for_each(|_| seen += 1);
        assert_eq!(seen, 2);
    }

    #[test]
    fn locked_places_are_skipped() {
        let shelf: Shelf<Vec<u32>> = Shelf::default();
        let locks: Vec<_> = shelf.places.iter().map(|place| place.lock()).collect();
        shelf.with(|list| list.push(1));
        drop(locks);
        shelf.with(|list| assert!(list.is_empty()));
    }
}
