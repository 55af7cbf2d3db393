//! Prefetching memory.

/// Asks the processor to load the cache line at the start of `target`, without waiting for it. This
/// is only a hint. It does nothing on processors other than x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has this instruction, and it has no effect that a program
        // can observe.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(target).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = target;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefetching_changes_nothing() {
        let lines = [[7u8; 64]; 3];
        lines.iter().for_each(prefetch);
        prefetch(&());
        assert_eq!(lines, [[7; 64]; 3]);
    }
}
