//! How many threads to use, and how to start them. Without the feature `threads`, there is only the
//! calling thread.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "threads")]
use std::{
    io,
    thread::{Builder, Scope, ScopedJoinHandle},
};

/// The most threads that one call uses. Larger numbers are mistakes: no machine has that many
/// cores, and each thread takes memory.
pub const MAX: usize = 1024;

/// The number of threads to use for the value of an option. 0 means one per core, and larger
/// numbers than [`MAX`] mean [`MAX`].
pub(crate) fn resolve(threads: usize) -> usize {
    match threads {
        _ if cfg!(not(feature = "threads")) => 1,
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
    .min(MAX)
}

/// Calls `work` on `count` threads, or on as many as the system allows, and waits for all of them.
/// The calls share the work among themselves, so one of them alone would do all of it.
#[cfg(feature = "threads")]
pub(crate) fn share(count: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| match start(scope, count, |_| work()) {
        Ok(handles) => drop(join(handles)),
        Err(_) => work(),
    });
}

/// Calls `work` once, on the calling thread.
#[cfg(not(feature = "threads"))]
pub(crate) fn share(_count: usize, work: impl Fn() + Sync) {
    work();
}

/// Calls `work` for each item, on `count` threads or as many as the system allows. Returns the results in the order of
/// the items.
pub(crate) fn map<T: Send, R: Send>(
    count: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let count = count.min(items.len());
    if count <= 1 {
        return items.into_iter().map(work).collect();
    }
    let items: Vec<_> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    let results: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    share(count, || {
        while let number = next.fetch_add(1, Relaxed)
            && number < items.len()
        {
            if let Some(item) = lock(&items[number]).take() {
                let result = work(item);
                *lock(&results[number]) = Some(result);
            }
        }
    });
    let result =
        |result: Mutex<Option<R>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(result).collect()
}

/// Locks, whether or not another thread has panicked: its panic continues on the thread that waits for it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts `count` threads, or as many as the system allows, and passes each its number.
///
/// Fewer threads only take longer, because no result depends on their number. So it is an error
/// only if not a single one starts.
#[cfg(feature = "threads")]
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    count: usize,
    work: impl Fn(usize) -> T + Clone + Send + 'scope,
) -> io::Result<Vec<ScopedJoinHandle<'scope, T>>> {
    let mut handles = Vec::with_capacity(count);
    let room = Room::new();
    for number in 0..count {
        let work = work.clone();
        match Builder::new().spawn_scoped(scope, move || work(number)) {
            Ok(handle) => handles.push(handle),
            Err(error) if handles.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    drop(room);
    Ok(handles)
}

/// Memory that is kept while threads are started. If their stacks take all there is, the threads still find
/// this much for their work. It is never touched, so it takes address space but no memory.
#[cfg(feature = "threads")]
pub(crate) struct Room {
    _reserved: Vec<u8>,
}

#[cfg(feature = "threads")]
impl Room {
    const BYTES: usize = 64 << 20;

    /// As much as a few threads need, or nothing if the system does not have it.
    pub(crate) fn new() -> Room {
        let mut reserved = Vec::new();
        let _ = reserved.try_reserve_exact(Room::BYTES);
        Room {
            // The compiler may leave out what is never used.
            _reserved: std::hint::black_box(reserved),
        }
    }
}

/// Waits for all threads. If one panicked, the panic continues on this thread.
#[cfg(feature = "threads")]
pub(crate) fn join<T>(handles: Vec<ScopedJoinHandle<'_, T>>) -> Vec<T> {
    // All threads are joined before the panic continues, so that none is left running.
    let results: Vec<_> = handles.into_iter().map(ScopedJoinHandle::join).collect();
    results
        .into_iter()
        .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        .collect()
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use super::*;

    #[test]
    fn zero_means_one_thread_per_core_and_too_many_mean_the_most() {
        assert!(resolve(0) >= 1);
        assert_eq!(resolve(3), 3);
        assert_eq!(resolve(100_000_000), MAX);
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 2, 7] {
            for length in [0, 1, 2, 100] {
                let items: Vec<usize> = (0..length).collect();
                let expected: Vec<usize> = items.iter().map(|item| item * 3).collect();
                assert_eq!(map(count, items, |item| item * 3), expected);
            }
        }
    }

    #[test]
    fn a_panic_of_one_thread_continues_after_all_have_ended() {
        use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
        let ended = AtomicUsize::new(0);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                let ended = &ended;
                let work = move |number| {
                    if number == 0 {
                        std::panic::resume_unwind(Box::new("payload"));
                    }
                    ended.fetch_add(1, Relaxed);
                };
                join(start(scope, 4, work).unwrap())
            })
        }));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"payload"));
        assert_eq!(ended.load(Relaxed), 3);
    }
}
