//! One text on its way to ids.
//!
//! Encoding waits for memory more than for anything else, so nothing is done for one pretoken
//! alone. The scanner gives the ends of a batch of pretokens; their places in the cache are worked
//! out and asked for, and only then looked at. Of those that are not there, the place in the
//! next table is asked for, and they wait until many symbols are gathered. Then these are put in
//! their order and become ids, superwords included.

use super::cache::{PretokenCache, SHORT_BYTES, ShortKey, WIDE_BYTES, WideKey};
use super::encoder::Encoder;
use super::ranked::{KEPT, Scratch};
use crate::memory;
use crate::text::{Sink, SplitError};

/// Pretokens are looked up when there are more than so many.
const BATCH: usize = 128;

/// A batch ends with a block of text, which adds at most 64 pretokens.
const MOST: usize = 256;

/// So many symbols are gathered before they become ids.
const SYMBOLS: usize = 2048;

/// And so many pretokens wait at most, but for those of one batch.
const MISSING: usize = 256;

/// Working room of one thread.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) cache: PretokenCache,
    scratch: Scratch,
    batch: Box<Batch>,
    /// A symbol for each pretoken that is one token and in the cache, anything for the others;
    /// small enough to stay close to the processor.
    found: Vec<u32>,
    /// The others.
    missing: Vec<Missing>,
    /// Symbols that are not joined to superwords yet.
    symbols: Vec<u32>,
    /// The symbols of one pretoken.
    pieces: Vec<u32>,
}

/// Pretokens that follow one another.
#[derive(Debug)]
struct Batch {
    /// Where the first one starts, and where each of them ends.
    bounds: [usize; MOST],
    /// Where each of them is in the cache, if it is there.
    places: [(ShortKey, usize); MOST],
    /// Those that are not there.
    missed: [u32; MOST],
}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            bounds: [0; MOST],
            places: [Default::default(); MOST],
            missed: [0; MOST],
        }
    }
}

/// A pretoken that is long, or several tokens, or not in the cache.
#[derive(Clone, Copy, Debug)]
struct Missing {
    /// Its place among those that were found.
    at: usize,
    start: usize,
    end: usize,
    /// Means nothing for more than [`WIDE_BYTES`].
    key: WideKey,
}

/// Appends the ids of a text.
pub(super) fn encode(
    encoder: &Encoder,
    room: &mut Room,
    text: &str,
    out: &mut Vec<u32>,
) -> Result<(), SplitError> {
    room.cache
        .fit(encoder.cache_bytes(), encoder.known_tokens());
    room.found.resize(SYMBOLS, 0);
    room.batch.bounds[0] = 0;
    let mut work = Work {
        encoder,
        text: text.as_bytes(),
        room,
        pretokens: 0,
        found: 0,
        join_from: SYMBOLS,
        out,
    };
    let result = encoder.pretokenizer().feed(text, &mut work);
    work.find();
    work.flush(true);
    result
}

struct Work<'w> {
    encoder: &'w Encoder,
    text: &'w [u8],
    room: &'w mut Room,
    /// How many there are in the batch.
    pretokens: usize,
    /// How many were looked up.
    found: usize,
    /// Superwords are looked for when there are so many symbols.
    join_from: usize,
    out: &'w mut Vec<u32>,
}

impl Sink for Work<'_> {
    #[inline(always)]
    fn pretoken(&mut self, _: usize, end: usize) {
        self.pretokens += 1;
        self.room.batch.bounds[self.pretokens % MOST] = end;
        if self.pretokens > BATCH {
            self.find();
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
        if let Some(bounds) = self.room.batch.bounds[self.pretokens + 1..].first_chunk_mut::<64>() {
            // Eight at a time, whether they are there or not: a loop that ends with the last one
            // would be mispredicted in nearly every block.
            bounds[..8].fill_with(&mut next);
            if count > 8 {
                bounds[8..16].fill_with(&mut next);
            }
            if count > 16 {
                bounds[16..count].fill_with(&mut next);
            }
        }
        self.pretokens += count;
        if self.pretokens > BATCH {
            self.find();
        }
    }
}

impl Work<'_> {
    /// Looks up the batch among the short pretokens.
    #[inline(never)]
    fn find(&mut self) {
        let Room {
            cache,
            batch,
            found,
            missing,
            ..
        } = &mut *self.room;
        let Batch {
            bounds,
            places,
            missed,
        } = &mut **batch;
        let (count, done) = (self.pretokens, self.found);
        let short = cache.short();
        for (place, bounds) in places.iter_mut().zip(bounds[..count + 1].windows(2)) {
            let key = ShortKey::new(self.text, bounds[0], bounds[1]);
            *place = (key, short.place(key));
        }
        let mut misses = 0;
        let symbols = &mut found[done..done + count];
        for (at, (&(key, place), symbol)) in (0..).zip(places.iter().zip(symbols)) {
            let (is, found) = short.get(key, place);
            *symbol = found;
            missed[misses % MOST] = at;
            misses += usize::from(!is);
        }
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
        if self.found + MOST > SYMBOLS || missing.len() > MISSING {
            self.flush(false);
        }
    }

    /// Turns what was found into ids, at the end all of it. Else a run that may go on stays.
    #[inline(never)]
    fn flush(&mut self, at_end: bool) {
        let from = self.out.len();
        self.put_in_order();
        if let Some(superwords) = self.encoder.superwords()
            && (at_end || self.room.symbols.len() >= self.join_from)
        {
            let Room {
                symbols, scratch, ..
            } = &mut *self.room;
            let done = superwords.join(symbols, at_end, scratch, self.out);
            symbols.drain(..done);
            if symbols.len() * 2 > self.join_from {
                // One long run: it is not looked through again for every few symbols.
                self.join_from *= 2;
            }
            if at_end && symbols.capacity() > KEPT {
                *symbols = Vec::new();
            }
        }
        self.encoder.symbols_to_ids(&mut self.out[from..]);
    }

    /// Appends all symbols, those of missing pretokens in their places, to what comes next: the ids,
    /// or where superwords are looked for.
    fn put_in_order(&mut self) {
        let Room {
            cache,
            scratch,
            found,
            missing,
            symbols,
            pieces,
            ..
        } = &mut *self.room;
        let out = match self.encoder.superwords() {
            None => &mut *self.out,
            Some(_) => symbols,
        };
        let mut from = 0;
        for missing in missing.drain(..) {
            let Missing { start, end, .. } = missing;
            let pretoken = &self.text[start..end];
            // Room for all that is appended below, of which the cache knows nothing.
            memory::reserve(out, missing.at - from + pretoken.len().max(WIDE_BYTES));
            out.extend_from_slice(&found[from..missing.at]);
            from = missing.at + 1;
            let key = (pretoken.len() <= WIDE_BYTES).then_some(&missing.key);
            let mut count = cache.append(pretoken, key, out);
            if count == 0 {
                self.encoder
                    .encode_pretoken(self.text, start, end, key, pieces, scratch);
                cache.keep(pretoken, key, pieces);
                count = pieces.len();
                out.extend_from_slice(pieces);
                if pieces.capacity() > KEPT {
                    *pieces = Vec::new();
                }
            }
            if count == 1 && pretoken.len() <= SHORT_BYTES {
                let key = ShortKey::new(self.text, start, end);
                cache.keep_short(key, out[out.len() - 1]);
            }
        }
        memory::extend(out, &found[from..self.found]);
        self.found = 0;
    }
}
