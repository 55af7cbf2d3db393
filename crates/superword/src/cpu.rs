//! What this processor can do beyond the least of its kind.
//!
//! A proof is only made where the processor has the features it stands for, so that who holds one
//! may call what needs them. Everything that is done with one has a plain way beside it, which gives
//! the same results on any processor.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

/// Whether this processor has all of these features.
macro_rules! has_all {
    ($($feature:tt),+) => {{
        #[cfg(target_arch = "x86_64")]
        let has_all = $(is_x86_feature_detected!($feature))&&+;
        #[cfg(not(target_arch = "x86_64"))]
        let has_all = false;
        has_all
    }};
}

/// That there are AVX2 and the newer operations on bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// A proof, if there can be one.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx2> {
        has_all!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt").then_some(Avx2(()))
    }
}

/// That there are AVX-512 for bytes and the newer operations on bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// A proof, if there can be one.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx512> {
        has_all!("avx512f", "avx512bw", "bmi1", "bmi2", "lzcnt", "popcnt").then_some(Avx512(()))
    }
}
