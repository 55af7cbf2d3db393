//! The pretokens that may be part of a superword, looked up by their bytes.

use crate::count::table::{Item, Set};
use crate::memory;
use crate::prefetch::prefetch;
use crate::table::BytesTable;
use crate::token::Symbol;

/// The pretokens that may be part of a superword: those that are a single token and match the
/// eligibility pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Eligible {
    table: BytesTable<u32>,
}

impl Eligible {
    /// Adds a token.
    pub(crate) fn insert(&mut self, bytes: &[u8], symbol: Symbol) {
        *self.table.entry(bytes, 0, bytes.len()).0 = symbol.0;
    }

    /// The symbol of a pretoken, if it is eligible, and its hash.
    pub(super) fn get(&self, bytes: &[u8]) -> (Option<Symbol>, u64) {
        let (symbol, hash) = self.table.get(bytes, 0, bytes.len());
        (symbol.map(Symbol), hash)
    }
}

/// The number of sets. Each is one cache line, so all of them take 512 kB.
const SETS: usize = 1 << 13;

/// The recent pretokens, whether they are eligible or not. The table of all eligible pretokens does not fit
/// into the second-level cache of a processor, but most pretokens of a text are among a few thousand.
#[derive(Debug)]
pub(super) struct Recent<'a> {
    eligible: &'a Eligible,
    sets: Vec<Set<u8>>,
}

impl<'a> Recent<'a> {
    pub(super) fn new(eligible: &'a Eligible) -> Recent<'a> {
        Recent {
            eligible,
            sets: Vec::new(),
        }
    }

    /// Takes the memory that is needed for everything else. A thread that never gets a document does without.
    pub(super) fn prepare(&mut self) {
        if self.sets.is_empty() {
            self.sets = memory::filled(Set::EMPTY, SETS);
        }
    }

    /// Loads the place of a pretoken with this hash into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(&self.sets[hash as usize & (SETS - 1)]);
    }

    /// The symbol of a short pretoken with this hash. If it is not among the recent ones, loads its place in the
    /// large table into the cache; then [`Recent::add`] comes next.
    #[inline(always)]
    pub(super) fn get(&mut self, key: &[u8; 16], hash: u64) -> Option<Symbol> {
        let found = self.sets[hash as usize & (SETS - 1)].find(key);
        if found.is_none() {
            self.eligible.table.prefetch(hash);
        }
        found.map(|symbol| Symbol(*symbol))
    }

    /// Adds a short pretoken with this hash to the recent ones. Returns its symbol; `none` if it is not eligible.
    pub(super) fn add(&mut self, key: &[u8; 16], hash: u64, none: Symbol) -> Symbol {
        let (symbol, _) = self.look_up(u8::items(key), none);
        let set = &mut self.sets[hash as usize & (SETS - 1)];
        // It may be in the text twice.
        if set.find(key).is_none() {
            set.insert(key, symbol.0);
        }
        symbol
    }

    /// The symbol of a pretoken of any length; `none` if it is not eligible. Also returns its hash.
    pub(super) fn look_up(&self, pretoken: &[u8], none: Symbol) -> (Symbol, u64) {
        let (symbol, hash) = self.eligible.get(pretoken);
        (symbol.unwrap_or(none), hash)
    }
}
