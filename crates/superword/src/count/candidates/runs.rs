//! Finds the runs of eligible pretokens in a text.
//!
//! Pretokens are handled in batches, so that their accesses to memory are under way at the same time. Whether two
//! neighbours belong to the same run is one bit of a mask. It is computed without branches, because nobody can predict where runs end.

use super::eligible::{Eligible, Recent};
use crate::count::sketch::FrequentBigrams;
use crate::count::table::Item;
use crate::hash::hash_u128;
use crate::memory;
use crate::table::{INLINE, inline_key};
use crate::text::Sink;
use crate::token::Symbol;

/// No symbol: there are fewer tokens than that.
pub(super) const NONE: Symbol = Symbol(u32::MAX);

/// The number of pretokens in a batch: one bit of a mask for each.
const BATCH: usize = 64;

/// The most symbols of a run that [`Visit::short`] receives.
pub(super) const SHORT: usize = 4;

/// Receives runs of two or more symbols.
pub(super) trait Visit {
    /// Receives a run of at most [`SHORT`] symbols, followed by [`NONE`].
    fn short(&mut self, run: [Symbol; SHORT]);

    /// Receives a run of more symbols.
    fn long(&mut self, run: &[Symbol]);
}

/// Finds runs of eligible pretokens.
#[derive(Debug)]
pub(super) struct Runs<'a> {
    recent: Recent<'a>,
    cut: Option<&'a FrequentBigrams>,
    batch: Box<Batch>,
    /// The run at the end of the last batch, which may continue.
    run: Vec<Symbol>,
    /// The hash of the last pretoken of that run.
    previous: u64,
}

/// Pretokens that wait to be looked up.
#[derive(Debug)]
struct Batch {
    length: usize,
    hashes: [u64; BATCH],
    /// Short pretokens. Long ones are looked up at once, and [`Item::FREE`] here.
    keys: [[u8; 16]; BATCH],
    /// A few more, so that every place has [`SHORT`] symbols.
    symbols: [Symbol; BATCH + SHORT],
    /// Pretokens that are not among the recent ones, and then the places of all in the bigrams.
    bits: [usize; BATCH],
}

impl<'a> Runs<'a> {
    /// Without `cut`, runs end only where a pretoken is not eligible.
    pub(super) fn new(eligible: &'a Eligible, cut: Option<&'a FrequentBigrams>) -> Runs<'a> {
        Runs {
            recent: Recent::new(eligible),
            cut,
            batch: Box::new(Batch {
                length: 0,
                hashes: [0; BATCH],
                keys: [u8::FREE; BATCH],
                symbols: [NONE; BATCH + SHORT],
                bits: [0; BATCH],
            }),
            run: Vec::new(),
            previous: 0,
        }
    }

    /// Takes the memory that is needed for everything else. A thread that never gets a document does without.
    pub(super) fn prepare(&mut self) {
        self.recent.prepare();
    }

    /// Continues with the next pretoken, `text[start..end]`.
    #[inline(always)]
    fn pretoken(&mut self, text: &[u8], start: usize, end: usize, visit: &mut impl Visit) {
        let at = self.batch.length % BATCH;
        if end - start <= INLINE {
            let key = inline_key(text, start, end - start);
            let hash = hash_u128(key);
            self.recent.prefetch(hash);
            self.batch.keys[at] = key.to_le_bytes();
            self.batch.hashes[at] = hash;
        } else {
            self.long_pretoken(at, &text[start..end]);
        }
        self.batch.length = at + 1;
        if at + 1 == BATCH {
            self.look_up(visit);
        }
    }

    #[cold]
    #[inline(never)]
    fn long_pretoken(&mut self, at: usize, pretoken: &[u8]) {
        let (symbol, hash) = self.recent.look_up(pretoken, NONE);
        self.batch.keys[at] = u8::FREE;
        self.batch.hashes[at] = hash;
        self.batch.symbols[at] = symbol;
    }

    /// Ends the text.
    pub(super) fn finish(&mut self, visit: &mut impl Visit) {
        self.look_up(visit);
        self.end_run(visit);
    }

    /// Looks up the pretokens that wait, and visits the runs that end among them.
    #[inline(never)]
    fn look_up(&mut self, visit: &mut impl Visit) {
        let length = std::mem::take(&mut self.batch.length).min(BATCH);
        if length == 0 {
            return;
        }
        let joins = self.joins(length);
        let symbols = &self.batch.symbols;
        let continued = joins.trailing_ones() as usize;
        memory::extend(&mut self.run, &symbols[..continued]);
        if continued == length {
            self.previous = self.batch.hashes[length - 1];
            return;
        }
        self.end_run(visit);
        let symbols = &self.batch.symbols;
        // The runs of ones. The pretoken before them belongs to the run too.
        let mut rest = joins >> continued << continued;
        let mut last = length - 1;
        while rest != 0 {
            let start = rest.trailing_zeros() as usize - 1;
            let end = start + 1 + (rest >> (start + 1)).trailing_ones() as usize;
            if end == length {
                last = start;
                break;
            }
            visit_run(symbols, start, end, visit);
            rest = rest >> end << end;
        }
        if symbols[length - 1] != NONE {
            memory::extend(&mut self.run, &symbols[last..length]);
            self.previous = self.batch.hashes[length - 1];
        }
    }

    /// Finds the symbols of a batch. Bit `i` of the result tells whether its pretoken `i` belongs to the same run as the one
    /// before it.
    #[inline(always)]
    fn joins(&mut self, length: usize) -> u64 {
        let Batch {
            hashes,
            keys,
            symbols,
            bits,
            ..
        } = &mut *self.batch;
        let mut missing = 0;
        for at in 0..length {
            if keys[at] == u8::FREE {
                continue;
            }
            match self.recent.get(&keys[at], hashes[at]) {
                Some(symbol) => symbols[at] = symbol,
                None => {
                    bits[missing % BATCH] = at;
                    missing += 1;
                }
            }
        }
        for &at in &bits[..missing] {
            symbols[at] = self.recent.add(&keys[at], hashes[at], NONE);
        }
        let mut joins = 0;
        let mut eligible = u64::from(!self.run.is_empty());
        for (at, &symbol) in symbols[..length].iter().enumerate() {
            let next = u64::from(symbol != NONE);
            joins |= (eligible & next) << at;
            eligible = next;
        }
        let Some(cut) = self.cut else {
            return joins;
        };
        let mut previous = self.previous;
        for (at, (bit, &hash)) in bits.iter_mut().zip(&hashes[..length]).enumerate() {
            // Without the bigrams that do not matter, fewer cache lines are loaded.
            let matters = (joins >> at & 1).wrapping_neg();
            *bit = cut.prefetch(previous & matters, hash & matters);
            previous = hash;
        }
        for (at, &bit) in bits[..length].iter().enumerate() {
            joins &= !((cut.get(bit) ^ 1) << at);
        }
        joins
    }

    /// Visits the run that may have continued, and starts the next one.
    #[inline(always)]
    fn end_run(&mut self, visit: &mut impl Visit) {
        match &self.run[..] {
            [] | [_] => {}
            run if run.len() > SHORT => visit.long(run),
            run => visit.short(std::array::from_fn(|at| {
                run.get(at).copied().unwrap_or(NONE)
            })),
        }
        self.run.clear();
    }
}

#[inline(always)]
fn visit_run(symbols: &[Symbol], start: usize, end: usize, visit: &mut impl Visit) {
    match symbols[start..].first_chunk() {
        Some(run) if end - start <= SHORT => {
            let mut run: [Symbol; SHORT] = *run;
            for (at, symbol) in run.iter_mut().enumerate() {
                *symbol = if start + at < end { *symbol } else { NONE };
            }
            visit.short(run);
        }
        _ => visit.long(&symbols[start..end]),
    }
}

/// Passes the pretokens of a text on to the runs.
pub(super) struct RunSink<'c, 'a, V> {
    pub(super) text: &'c [u8],
    pub(super) runs: &'c mut Runs<'a>,
    pub(super) visit: &'c mut V,
}

impl<V: Visit> Sink for RunSink<'_, '_, V> {
    #[inline(always)]
    fn pretoken(&mut self, start: usize, end: usize) {
        self.runs.pretoken(self.text, start, end, self.visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::BigramSketch;
    use crate::table::BytesTable;
    use crate::testing::Random;

    impl Visit for Vec<Vec<Symbol>> {
        fn short(&mut self, run: [Symbol; SHORT]) {
            let length = run.iter().position(|&symbol| symbol == NONE);
            let (run, rest) = run.split_at(length.unwrap_or(SHORT));
            assert!(run.len() > 1 && rest.iter().all(|&symbol| symbol == NONE));
            self.push(run.to_vec());
        }

        fn long(&mut self, run: &[Symbol]) {
            assert!(run.len() > SHORT && !run.contains(&NONE));
            self.push(run.to_vec());
        }
    }

    /// The runs found one pretoken after the other.
    fn one_by_one(
        pretokens: &[&str],
        eligible: &Eligible,
        sketch: Option<(&BigramSketch, u64)>,
    ) -> Vec<Vec<Symbol>> {
        let hash = |text: &str| BytesTable::<u32>::hash(text.as_bytes(), 0, text.len());
        let mut runs = vec![Vec::new()];
        for (at, pretoken) in pretokens.iter().enumerate() {
            let cut = at > 0
                && sketch.is_some_and(|(sketch, threshold)| {
                    let (left, right) = (hash(pretokens[at - 1]), hash(pretoken));
                    !sketch.frequent(threshold).may_be(left, right)
                });
            let symbol = eligible.get(pretoken.as_bytes()).0;
            if cut || symbol.is_none() {
                runs.push(Vec::new());
            }
            runs.last_mut().unwrap().extend(symbol);
        }
        runs.retain(|run| run.len() > 1);
        runs
    }

    #[test]
    fn batches_give_the_same_runs_as_one_pretoken_after_the_other() {
        let names = [
            " a",
            " b",
            " the",
            " of",
            " extraordinarily",
            " incomprehensibilities",
            ".",
            " 12",
            "----------------------",
        ];
        let mut eligible = Eligible::default();
        for (number, name) in names.iter().enumerate().take(6) {
            eligible.insert(name.as_bytes(), Symbol(number as u32));
        }
        let hash = |text: &str| BytesTable::<u32>::hash(text.as_bytes(), 0, text.len());
        let mut random = Random(21);
        let mut runs = [None, Some(5)].map(|threshold| (threshold, BigramSketch::new(1 << 12)));
        for round in 0..300 {
            // From no run at all to one run that is longer than several batches.
            let odds = 1 + random.below(200);
            let number = random.below([3, 70, 64, 200, 600][round % 5] + 1);
            let pretokens: Vec<&str> = (0..number)
                .map(|_| match random.below(odds) {
                    0 => names[random.below(9) as usize],
                    _ => names[random.below(6) as usize],
                })
                .collect();
            let text = pretokens.concat();
            for (threshold, sketch) in &mut runs {
                for pair in pretokens.windows(2).step_by(3) {
                    sketch.add(hash(pair[0]), hash(pair[1]));
                }
                let frequent = threshold.map(|threshold| sketch.frequent(threshold));
                let mut runs = Runs::new(&eligible, frequent.as_ref());
                runs.prepare();
                // The second text must not continue the first one.
                for _ in 0..2 {
                    let mut found = Vec::new();
                    let mut start = 0;
                    for pretoken in &pretokens {
                        let end = start + pretoken.len();
                        runs.pretoken(text.as_bytes(), start, end, &mut found);
                        start = end;
                    }
                    runs.finish(&mut found);
                    let cut = threshold.map(|threshold| (&*sketch, threshold));
                    assert_eq!(found, one_by_one(&pretokens, &eligible, cut));
                }
            }
        }
    }
}
