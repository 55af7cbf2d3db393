//! Which pairs may be merged.

#[cfg(feature = "threads")]
use super::queue::PairCount;
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// Which pairs may be merged. Ordinary merges allow all pairs.
pub(crate) trait AllowedPairs {
    /// True if the two tokens may be joined. The answer changes only when [`AllowedPairs::joined`] is called with one of them.
    fn allows(&mut self, tokens: &TokenTable, left: Symbol, right: Symbol) -> bool;

    /// Called for each merge, before [`AllowedPairs::allows`] is called with the joined token.
    fn joined(&mut self, left: Symbol, right: Symbol, joined: Symbol);

    /// True if [`AllowedPairs::allows`] takes so long that it should be prepared.
    #[cfg(feature = "threads")]
    fn is_slow(&self) -> bool {
        false
    }

    /// Prepares for [`AllowedPairs::allows`] with these pairs, on several threads. It may never be called with some of them.
    #[cfg(feature = "threads")]
    fn prepare(&mut self, _tokens: &TokenTable, _pairs: &[PairCount], _share: &Share<'_>) {}
}

/// `share(tasks, work)` calls `work(task)` for each task below `tasks`, on several threads.
#[cfg(feature = "threads")]
pub(crate) type Share<'a> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + 'a;

/// Allows every pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyPair;

impl AllowedPairs for AnyPair {
    fn allows(&mut self, _tokens: &TokenTable, _left: Symbol, _right: Symbol) -> bool {
        true
    }

    fn joined(&mut self, _left: Symbol, _right: Symbol, _joined: Symbol) {}
}
