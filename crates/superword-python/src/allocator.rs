//! Memory for the engine, with a reserve for when the system has none left.
//!
//! Rust aborts the process if an allocation fails. `superword::memory` lets large collections grow
//! without that risk, but small allocations happen everywhere. If one of them fails, this allocator
//! frees the reserve, tries again, and counts the failure. Running work sees the count change as a
//! request to stop (see `watch`), and the caller gets an `OutOfMemoryError`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Enough for what all threads allocate before they stop. The pages are never touched, so the
/// reserve takes address space but no memory.
const RESERVE: Layout = match Layout::from_size_align(24 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("the size of the reserve is valid"),
};

/// Larger allocations may fail: they come from code that handles it.
const SMALL: usize = 4 << 20;

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static FAILURES: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

struct Reserving;

/// How often small allocations have failed so far.
pub(crate) fn failures() -> usize {
    FAILURES.load(Ordering::Relaxed)
}

/// Allocates the reserve if there is none and the system has the memory.
pub(crate) fn restore() {
    if !RESERVED.load(Ordering::Acquire).is_null() {
        return;
    }
    // SAFETY: The size of the layout is not zero.
    let block = unsafe { System.alloc(RESERVE) };
    let kept =
        RESERVED.compare_exchange(ptr::null_mut(), block, Ordering::AcqRel, Ordering::Acquire);
    if kept.is_err() && !block.is_null() {
        // SAFETY: `block` was allocated above with this layout, and another thread kept its own.
        unsafe { System.dealloc(block, RESERVE) };
    }
}

/// Returns freed memory to the system. The allocator of glibc keeps memory that many threads have freed, in parts
/// between what is still in use, and later allocations do not fit there. Elsewhere this does nothing.
pub(crate) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: This is the declaration in malloc.h. The function changes nothing but free memory, takes the locks that it
        // needs, and may be called at any time.
        unsafe extern "C" {
            safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        malloc_trim(0);
    }
}

/// While a value of this type lives, glibc takes large blocks from the system and returns them as soon as they are freed.
///
/// By default, glibc moves larger and larger blocks to its heap, and cannot return what is freed between blocks that are still
/// in use. Some runs with `max_memory` exceeded their limit by a fifth because of that. On other systems this does nothing.
pub(crate) struct WithinLimit(());

static LIMITED: AtomicUsize = AtomicUsize::new(0);

impl WithinLimit {
    /// `None` if there is no limit.
    pub(crate) fn start(max_memory: Option<u64>) -> Option<WithinLimit> {
        max_memory.map(|_| {
            if LIMITED.fetch_add(1, Ordering::AcqRel) == 0 {
                take_from_system(128 << 10);
            }
            WithinLimit(())
        })
    }
}

impl Drop for WithinLimit {
    fn drop(&mut self) {
        if LIMITED.fetch_sub(1, Ordering::AcqRel) == 1 {
            // What glibc arrives at on its own when blocks of this size are freed.
            take_from_system(32 << 20);
        }
    }
}

/// From now on, blocks of this size come from the system, and twice as much memory may stay free at the end of the heap.
fn take_from_system(bytes: i32) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;
        const M_TRIM_THRESHOLD: c_int = -1;
        const M_MMAP_THRESHOLD: c_int = -3;
        // SAFETY: This is the declaration in malloc.h. The function takes the locks that it needs, and may be called at any
        // time.
        unsafe extern "C" {
            safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        mallopt(M_MMAP_THRESHOLD, bytes);
        mallopt(M_TRIM_THRESHOLD, 2 * bytes);
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = bytes;
}

#[cold]
fn release() {
    FAILURES.fetch_add(1, Ordering::Relaxed);
    let block = RESERVED.swap(ptr::null_mut(), Ordering::AcqRel);
    if !block.is_null() {
        // SAFETY: `restore` allocated the block with this layout, and the swap made it ours.
        unsafe { System.dealloc(block, RESERVE) };
    }
}

/// Returns what `allocate` returns. If that is null and the size is small, tries once more with the
/// memory of the reserve.
#[inline]
fn with_reserve(size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let block = allocate();
    if !block.is_null() || size > SMALL {
        return block;
    }
    release();
    allocate()
}

// SAFETY: Every method forwards to the system's allocator with the arguments it was given, so its
// contract is that of `System`. A failed call changes nothing, so it may be repeated. Nothing here
// unwinds.
unsafe impl GlobalAlloc for Reserving {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the contract of `alloc`.
        with_reserve(layout.size(), || unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the contract of `alloc_zeroed`.
        with_reserve(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: The caller keeps the contract of `realloc`. A block whose reallocation failed is
        // unchanged.
        with_reserve(size, || unsafe { System.realloc(block, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: The caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
