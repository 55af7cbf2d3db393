//! Optional features of the processor.
//!
//! A value of [`Avx2`] or [`Avx512`] exists only if the processor has these features, so code that has
//! one may use them. All such code has a plain version that gives the same results on any processor.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

/// Whether this processor has all of the given features.
macro_rules! has_all {
    ($($feature:tt),+) => {{
        #[cfg(target_arch = "x86_64")]
        let has_all = $(is_x86_feature_detected!($feature))&&+;
        #[cfg(not(target_arch = "x86_64"))]
        let has_all = false;
        has_all
    }};
}

/// Proof that the processor has AVX2 and the newer bit operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Returns a proof if the processor has the features.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx2> {
        has_all!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt").then_some(Avx2(()))
    }
}

/// Proof that the processor has AVX-512 for bytes and the newer bit operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Returns a proof if the processor has the features.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx512> {
        has_all!("avx512f", "avx512bw", "bmi1", "bmi2", "lzcnt", "popcnt").then_some(Avx512(()))
    }
}
