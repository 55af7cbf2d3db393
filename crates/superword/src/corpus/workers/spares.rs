//! Buffers that go back and forth between threads.

use std::sync::{Mutex, PoisonError};

/// Buffers that are not in use. Fresh memory for every block would cost more time than reading it:
/// the system clears it page by page, and all threads of a process wait for each other to get it.
#[derive(Debug, Default)]
pub(crate) struct Spares<T>(Mutex<Vec<T>>);

impl<T: Default> Spares<T> {
    /// The buffer that was put back last, which is likely to be in the processor's cache, or a new
    /// one.
    pub(crate) fn take(&self) -> T {
        let mut spares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spares.pop().unwrap_or_default()
    }

    /// Puts a buffer back. It should be cleared and not be unusually large.
    pub(crate) fn put(&self, spare: T) {
        let mut spares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spares.push(spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_back_last_is_taken_first() {
        let spares = Spares::default();
        spares.put(vec![1]);
        spares.put(vec![2]);
        let taken: [Vec<i32>; 3] = std::array::from_fn(|_| spares.take());
        assert_eq!(taken, [vec![2], vec![1], vec![]]);
    }
}
