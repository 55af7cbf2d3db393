//! Working rooms that calls borrow, safe across `fork`.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// More calls than this at one time make rooms of their own and drop them afterwards.
const PLACES: usize = 64;

/// Holds what is costly to make and needed by one call at a time.
///
/// Nothing here ever waits: a process that was forked while another thread held a lock finds that
/// lock taken for good, so a place that is locked is passed over. What another thread had borrowed
/// at the fork is lost to the child, no more.
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
    /// Lends `work` something from the shelf, or something new if nothing is there.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut borrowed = self
            .open()
            .find_map(|mut place| place.take())
            .unwrap_or_default();
        let result = work(&mut borrowed);
        if let Some(mut place) = self.open().find(|place| place.is_none()) {
            *place = Some(borrowed);
        }
        result
    }

    /// Goes through all that is on the shelf now.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&mut T)) {
        for mut place in self.open() {
            if let Some(kept) = place.as_mut() {
                visit(kept);
            }
        }
    }

    /// The places that no other thread holds at this moment.
    fn open(&self) -> impl Iterator<Item = MutexGuard<'_, Option<Box<T>>>> {
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
    fn what_was_lent_comes_back() {
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
    fn places_that_stay_locked_are_passed_over() {
        let shelf: Shelf<Vec<u32>> = Shelf::default();
        let locks: Vec<_> = shelf.places.iter().map(|place| place.lock()).collect();
        shelf.with(|list| list.push(1));
        drop(locks);
        shelf.with(|list| assert!(list.is_empty()));
    }
}
