//! Symbols that carry a mark: the pretoken may be joined.

/// Set in the symbol of a pretoken that is one token, eligible, and part of some superword. Symbols are below 2³¹, so the bit is free.
pub(super) const ELIGIBLE: u32 = 1 << 31;

/// A symbol without its mark.
#[inline(always)]
pub(super) fn unmarked(symbol: u32) -> u32 {
    symbol & !ELIGIBLE
}
