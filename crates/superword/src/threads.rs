//! How many threads to use.

/// The number of threads that an option stands for: 0 means one per core.
///
/// ```
/// assert_eq!(superword::threads::resolve(3), 3);
/// assert!(superword::threads::resolve(0) >= 1);
/// ```
pub fn resolve(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}
