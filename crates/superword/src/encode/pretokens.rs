//! Encoding one text: pretokens → symbols → ids.
//!
//! Encoding spends most of its time on cache misses, so pretokens are never handled one at a time.
//! The scanner delivers the ends of many pretokens. Their slots in the pretoken cache are computed
//! and prefetched, and only then read. Pretokens that are not found there are prefetched in the
//! next table and set aside until many symbols are collected. Then all symbols are put in order,
//! joined to superwords and turned into ids.

use super::cache::{PretokenCache, SHORT_BYTES, ShortKey, Sought, WIDE_BYTES, WideKey};
use super::merge::{self, MAX_RETAINED};
use super::superwords::JoinScratch;
use super::tables::Tables;
use crate::memory;
use crate::text::{Sink, SplitError};

/// Pretokens are looked up once more than this many are collected.
const LOOKUP_FROM: usize = 128;

/// The most pretokens of one lookup: a block of text, which adds at most 64, is never divided.
const MAX_LOOKUPS: usize = 256;

/// The number of symbols that are collected before they become ids.
const MAX_SYMBOLS: usize = 2048;

/// Symbols also become ids once more than this many pretokens are missing.
const MAX_MISSING: usize = 256;

/// A pretoken of more symbols than this often has them outside its line in the cache. If that is true
/// of most pretokens, these symbols are prefetched, this many pretokens before they are read.
const MANY_SYMBOLS: usize = 4;
const AHEAD: usize = 6;

/// Up to this many symbols are copied all at once.
const FEW: usize = 16;

/// Everything that one thread reuses from text to text.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    cache: PretokenCache,
    merge: merge::Scratch,
    join: JoinScratch,
    lookups: Box<Lookups>,
    /// The symbol of each pretoken that was found in the cache of short pretokens; arbitrary for
    /// the others. Small enough to stay in the processor's cache.
    found: Vec<u32>,
    /// The pretokens that were not found there.
    missing: Vec<Missing>,
    /// Symbols that are not joined to superwords yet.
    symbols: Vec<u32>,
    /// The symbols of one pretoken.
    encoded: Vec<u32>,
    /// Whether most of the pretokens that were missing last have many symbols.
    prefetches: bool,
}

impl Workspace {
    /// Clears the cache of pretokens.
    pub(super) fn clear_cache(&mut self) {
        self.cache.clear();
    }
}

/// Consecutive pretokens that are looked up together.
#[derive(Debug)]
struct Lookups {
    /// Where the first pretoken starts, and where each of them ends.
    bounds: [usize; MAX_LOOKUPS],
    /// The key of each pretoken and its slot in the cache.
    sought: [Sought; MAX_LOOKUPS],
    /// The pretokens that are not in the cache.
    missed: [u32; MAX_LOOKUPS],
}

impl Default for Lookups {
    fn default() -> Self {
        Lookups {
            bounds: [0; MAX_LOOKUPS],
            sought: [Default::default(); MAX_LOOKUPS],
            missed: [0; MAX_LOOKUPS],
        }
    }
}

/// A pretoken that is long, or more than one token, or not cached.
#[derive(Clone, Copy, Debug)]
struct Missing {
    /// Its index in `found`.
    at: usize,
    start: usize,
    end: usize,
    /// Not valid if the pretoken has more than [`WIDE_BYTES`].
    key: WideKey,
}

/// Appends the ids of a text, with a cache of at most `cache_bytes`.
pub(super) fn encode(
    tables: &Tables,
    cache_bytes: usize,
    workspace: &mut Workspace,
    text: &str,
    out: &mut Vec<u32>,
) -> Result<(), SplitError> {
    workspace.cache.fit(cache_bytes, tables.known_tokens());
    workspace.found.resize(MAX_SYMBOLS, 0);
    workspace.lookups.bounds[0] = 0;
    let mut pass = Pass {
        tables,
        text: text.as_bytes(),
        workspace,
        pretokens: 0,
        found: 0,
        join_from: MAX_SYMBOLS,
        out,
    };
    let result = tables.pretokenizer().feed(text, &mut pass);
    pass.look_up();
    pass.flush(true);
    result
}

/// One pass over a text.
struct Pass<'p> {
    tables: &'p Tables,
    text: &'p [u8],
    workspace: &'p mut Workspace,
    /// The number of pretokens that are collected but not looked up.
    pretokens: usize,
    /// The number of pretokens that were looked up.
    found: usize,
    /// Superwords are joined once there are this many symbols.
    join_from: usize,
    out: &'p mut Vec<u32>,
}

impl Sink for Pass<'_> {
    #[inline(always)]
    fn pretoken(&mut self, _: usize, end: usize) {
        self.pretokens += 1;
        self.workspace.lookups.bounds[self.pretokens % MAX_LOOKUPS] = end;
        if self.pretokens > LOOKUP_FROM {
            self.look_up();
        }
    }

    #[inline(always)]
    fn pretokens(&mut self, _: usize, base: usize, mut ends: u64) {
        let count = ends.count_ones() as usize;
        let mut next = || {
            let end = base + ends.trailing_zeros() as usize;
            ends &= ends.wrapping_sub(1);
            end
        };
        if let Some(bounds) =
            self.workspace.lookups.bounds[self.pretokens + 1..].first_chunk_mut::<64>()
        {
            // Always write eight at a time, valid or not: the branch at the end of a loop over
            // exactly `count` would be mispredicted in nearly every block.
            bounds[..8].fill_with(&mut next);
            if count > 8 {
                bounds[8..16].fill_with(&mut next);
            }
            if count > 16 {
                bounds[16..count].fill_with(&mut next);
            }
        }
        self.pretokens += count;
        if self.pretokens > LOOKUP_FROM {
            self.look_up();
        }
    }
}

impl Pass<'_> {
    /// Looks up the collected pretokens in the cache of short pretokens.
    #[inline(never)]
    fn look_up(&mut self) {
        let Workspace {
            cache,
            lookups,
            found,
            missing,
            ..
        } = &mut *self.workspace;
        let Lookups {
            bounds,
            sought,
            missed,
        } = &mut **lookups;
        let (count, done) = (self.pretokens, self.found);
        let misses = cache.short().find(
            self.text,
            &bounds[..count + 1],
            &mut sought[..count],
            &mut found[done..done + count],
            missed,
        );
        for &at in &missed[..misses] {
            let (start, end) = (bounds[at as usize], bounds[at as usize + 1]);
            let mut key = WideKey::default();
            if end - start <= WIDE_BYTES {
                key = WideKey::new(self.text, start, end);
                cache.prefetch(&key);
            }
            missing.push(Missing {
                at: done + at as usize,
                start,
                end,
                key,
            });
        }
        bounds[0] = bounds[count];
        self.pretokens = 0;
        self.found += count;
        if self.found + MAX_LOOKUPS > MAX_SYMBOLS || missing.len() > MAX_MISSING {
            self.flush(false);
        }
    }

    /// Turns the collected symbols into ids. Before the end of the text, a run that may continue is
    /// left for the next call.
    #[inline(never)]
    fn flush(&mut self, at_end: bool) {
        let from = self.out.len();
        self.put_in_order();
        if let Some(superwords) = self.tables.superwords()
            && (at_end || self.workspace.symbols.len() >= self.join_from)
        {
            let Workspace { symbols, join, .. } = &mut *self.workspace;
            let done = superwords.join(symbols, at_end, join, self.out);
            symbols.drain(..done);
            if symbols.len() * 2 > self.join_from {
                // One long run: do not scan it again for every few symbols.
                self.join_from *= 2;
            }
            if at_end && symbols.capacity() > MAX_RETAINED {
                *symbols = Vec::new();
            }
        }
        self.tables.symbols_to_ids(&mut self.out[from..]);
    }

    /// Appends all symbols in order, encoding the missing pretokens. They go to `symbols` if the
    /// model has superwords, and straight to the output otherwise.
    fn put_in_order(&mut self) {
        let Workspace {
            cache,
            merge,
            found,
            missing,
            symbols,
            encoded,
            prefetches,
            ..
        } = &mut *self.workspace;
        let out = match self.tables.superwords() {
            None => &mut *self.out,
            Some(_) => symbols,
        };
        let mut from = 0;
        let mut many = 0;
        for at in 0..missing.len() {
            if *prefetches
                && let Some(next) = missing.get(at + AHEAD)
                && next.end - next.start <= WIDE_BYTES
            {
                cache.prefetch_overflow(&next.key);
            }
            let missing = &missing[at];
            let Missing { start, end, .. } = *missing;
            let pretoken = &self.text[start..end];
            // Room for everything that is appended below, so that running out of memory is an error.
            memory::reserve(
                out,
                (missing.at - from).max(FEW) + pretoken.len().max(WIDE_BYTES + 1),
            );
            copy_few(found, from, missing.at, out);
            from = missing.at + 1;
            let key = (pretoken.len() <= WIDE_BYTES).then_some(&missing.key);
            let mut count = cache.append(pretoken, key, out);
            if count == 0 {
                self.tables
                    .encode_pretoken(self.text, start, end, key, encoded, merge);
                cache.insert(pretoken, key, encoded);
                count = encoded.len();
                out.extend_from_slice(encoded);
                if encoded.capacity() > MAX_RETAINED {
                    *encoded = Vec::new();
                }
            }
            many += usize::from(count > MANY_SYMBOLS);
            if count == 1 && pretoken.len() <= SHORT_BYTES {
                let key = ShortKey::new(self.text, start, end);
                cache.insert_short(key, out[out.len() - 1]);
            }
        }
        memory::extend(out, &found[from..self.found]);
        *prefetches = many * 4 > missing.len() * 3;
        missing.clear();
        self.found = 0;
    }
}

/// Appends `symbols[from..to]`. Usually these are few, and copying a variable number would be a call.
#[inline(always)]
fn copy_few(symbols: &[u32], from: usize, to: usize, out: &mut Vec<u32>) {
    match symbols[from..].first_chunk::<FEW>() {
        Some(few) if to - from <= FEW => {
            let before = out.len();
            out.extend_from_slice(few);
            out.truncate(before + (to - from));
        }
        _ => out.extend_from_slice(&symbols[from..to]),
    }
}
