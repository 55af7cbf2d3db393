//! Large arrays of a fixed length, on huge pages where the system has them.
//!
//! A lookup at a random place of a large table needs the physical address of its page. The processor
//! keeps few of these addresses, and finding one takes as long as a cache miss. With pages of 2 MB
//! instead of 4 kB, a table needs few of them. Linux uses such pages for memory that asks for them and
//! is aligned to them.

#[cfg(all(target_os = "linux", feature = "files", not(miri)))]
pub(crate) use huge::LargeArray;

#[cfg(any(not(all(target_os = "linux", feature = "files", not(miri))), test))]
mod plain {
    use std::ops::{Deref, DerefMut};

    /// An array of a fixed length.
    #[derive(Clone, Debug)]
    pub(crate) struct LargeArray<T>(Vec<T>);

    impl<T> Default for LargeArray<T> {
        fn default() -> Self {
            LargeArray(Vec::new())
        }
    }

    impl<T: Copy> LargeArray<T> {
        /// An array of `count` equal items.
        pub(crate) fn filled(item: T, count: usize) -> LargeArray<T> {
            LargeArray(crate::memory::filled(item, count))
        }
    }

    impl<T> Deref for LargeArray<T> {
        type Target = [T];

        #[inline(always)]
        fn deref(&self) -> &[T] {
            &self.0
        }
    }

    impl<T> DerefMut for LargeArray<T> {
        #[inline(always)]
        fn deref_mut(&mut self) -> &mut [T] {
            &mut self.0
        }
    }
}

#[cfg(not(all(target_os = "linux", feature = "files", not(miri))))]
pub(crate) use plain::LargeArray;

#[cfg(all(target_os = "linux", feature = "files", not(miri)))]
mod huge {
    use std::alloc::Layout;
    use std::ffi::{c_int, c_void};
    use std::fmt;
    use std::marker::PhantomData;
    use std::ops::{Deref, DerefMut};
    use std::ptr::NonNull;
    use std::slice;

    use crate::memory;

    /// The size of a huge page. Smaller arrays are not aligned to it.
    const PAGE: usize = 2 << 20;

    const MADV_HUGEPAGE: c_int = 14;

    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }

    /// An array of a fixed length.
    pub(crate) struct LargeArray<T> {
        start: NonNull<T>,
        len: usize,
        items: PhantomData<T>,
    }

    // SAFETY: the array owns its items, as a `Vec` does.
    unsafe impl<T: Send> Send for LargeArray<T> {}
    // SAFETY: a shared array gives out shared references to its items only, as a `Vec` does.
    unsafe impl<T: Sync> Sync for LargeArray<T> {}

    /// The memory of `count` items, `None` if it would be too large or empty.
    fn layout<T>(count: usize) -> Option<Layout> {
        let layout = Layout::array::<T>(count).ok()?;
        match layout.size() {
            0 => None,
            PAGE.. => layout.align_to(PAGE).ok(),
            _ => Some(layout),
        }
    }

    impl<T: Copy> LargeArray<T> {
        /// An array of `count` equal items.
        pub(crate) fn filled(item: T, count: usize) -> LargeArray<T> {
            if count == 0 || size_of::<T>() == 0 {
                return LargeArray {
                    len: count,
                    ..LargeArray::default()
                };
            }
            let Some(layout) = layout::<T>(count) else {
                memory::fail();
            };
            // SAFETY: the size is not 0.
            let start = unsafe { std::alloc::alloc(layout) }.cast::<T>();
            let Some(start) = NonNull::new(start) else {
                memory::fail();
            };
            if layout.size() >= PAGE {
                // SAFETY: the range was just allocated and starts at a page. The advice does not
                // change what is in it, and failing does no harm.
                unsafe { madvise(start.as_ptr().cast(), layout.size(), MADV_HUGEPAGE) };
            }
            for at in 0..count {
                // SAFETY: the memory has room for `count` items.
                unsafe { start.add(at).write(item) };
            }
            LargeArray {
                start,
                len: count,
                items: PhantomData,
            }
        }
    }

    impl<T> Default for LargeArray<T> {
        fn default() -> Self {
            LargeArray {
                start: NonNull::dangling(),
                len: 0,
                items: PhantomData,
            }
        }
    }

    impl<T> Drop for LargeArray<T> {
        fn drop(&mut self) {
            // Items are `Copy`, so they need not be dropped.
            if let Some(layout) = layout::<T>(self.len) {
                // SAFETY: `filled` allocated the memory with this layout.
                unsafe { std::alloc::dealloc(self.start.as_ptr().cast(), layout) };
            }
        }
    }

    impl<T> Deref for LargeArray<T> {
        type Target = [T];

        #[inline(always)]
        fn deref(&self) -> &[T] {
            // SAFETY: there are `len` items from `start`, all of them written by `filled`.
            unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
        }
    }

    impl<T> DerefMut for LargeArray<T> {
        #[inline(always)]
        fn deref_mut(&mut self) -> &mut [T] {
            // SAFETY: as in `deref`, and the array is borrowed mutably.
            unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
        }
    }

    impl<T: Copy> Clone for LargeArray<T> {
        fn clone(&self) -> Self {
            let Some(&first) = self.first() else {
                return LargeArray::default();
            };
            let mut array = LargeArray::filled(first, self.len);
            array.copy_from_slice(self);
            array
        }
    }

    impl<T: fmt::Debug> fmt::Debug for LargeArray<T> {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            self[..].fmt(formatter)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn an_array_behaves_like_a_plain_one() {
        let mut random = Random(43);
        for count in [0, 1, 7, 1000, (2 << 20) / 16 - 1, (2 << 20) / 16, 300_001] {
            let item = [3u64, 9];
            let mut plain = plain::LargeArray::filled(item, count);
            let mut large = LargeArray::filled(item, count);
            assert_eq!(large[..], plain[..]);
            for _ in 0..count.min(1000) {
                let at = random.below(count as u64) as usize;
                let item = [0, 0].map(|_| random.below(u64::MAX));
                (plain[at], large[at]) = (item, item);
            }
            assert!(large[..] == plain[..]);
            let copy = large.clone();
            if let Some(first) = large.first_mut() {
                *first = [0; 2];
            }
            assert!(copy[..] == plain[..]);
        }
        assert!(LargeArray::<u64>::default().is_empty());
    }

    #[test]
    fn too_large_an_array_is_an_error() {
        for count in [usize::MAX / 8, isize::MAX as usize / 16] {
            let large = std::panic::catch_unwind(|| drop(LargeArray::filled(0u64, count)));
            let payload = large.expect_err("there is not so much memory");
            assert!(crate::memory::OutOfMemory::from_payload(&*payload).is_some());
        }
    }
}
