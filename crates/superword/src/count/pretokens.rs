//! Counts the pretokens of documents.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::sketch::SketchCounter;
use super::table::{CountTable, Front, Item, Parts, sum};
use super::{BigramSketch, CountError, CountFileError, CountOverflow, Counts};
use crate::hash::hash_u128;
use crate::observe::Observer;
use crate::table::{INLINE, inline_key};
use crate::text::{Pretokenizer, Sink, SplitError};

impl Item for u8 {
    /// The bytes, then their number in the last byte.
    type Inline = [u8; 16];

    const FREE: [u8; 16] = [0; 16];

    fn inline(key: &[u8]) -> Option<[u8; 16]> {
        (key.len() <= INLINE).then(|| inline_key(key, 0, key.len()).to_le_bytes())
    }

    #[inline(always)]
    fn items(key: &[u8; 16]) -> &[u8] {
        &key[..usize::from(key[15])]
    }

    #[inline(always)]
    fn hash_inline(key: &[u8; 16]) -> u64 {
        hash_u128(u128::from_le_bytes(*key))
    }

    fn hash_long(key: &[u8]) -> u64 {
        xxh3_64(key)
    }
}

/// How often each pretoken occurs.
#[derive(Clone, Debug, Default)]
pub struct PretokenCounts {
    pub(super) table: CountTable<u8>,
}

impl PretokenCounts {
    /// Adds `times` to the count of a pretoken, which must not be empty.
    pub fn add(&mut self, bytes: &[u8], times: u64) -> Result<(), CountOverflow> {
        self.table.add(bytes, times)
    }

    /// How often a pretoken occurs; 0 if it was never counted.
    pub fn get(&self, bytes: &[u8]) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        self.table.get(bytes)
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &PretokenCounts) -> Result<(), CountOverflow> {
        let mut result = Ok(());
        other.for_each(|bytes, count| {
            if let Err(overflow) = self.add(bytes, count) {
                result = Err(overflow);
            }
        });
        result
    }

    /// The number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// True if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory used, in bytes.
    pub fn memory(&self) -> usize {
        self.table.memory()
    }

    /// Calls `visit(bytes, count)` for every pretoken, in no particular order.
    pub fn for_each(&self, mut visit: impl FnMut(&[u8], u64)) {
        self.table.iter().for_each(|(key, count)| visit(key, count));
    }

    /// The pretokens in parts, for several threads.
    pub(crate) fn parts(counts: Cow<'_, PretokenCounts>) -> Parts<'_, u8> {
        Parts::new(match counts {
            Cow::Owned(counts) => Cow::Owned(counts.table),
            Cow::Borrowed(counts) => Cow::Borrowed(&counts.table),
        })
    }
}

impl Counts for PretokenCounts {
    const NAME: &'static str = "distinct words";
    const CELLS: usize = 1;

    fn len(&self) -> usize {
        PretokenCounts::len(self)
    }

    fn memory(&self) -> usize {
        PretokenCounts::memory(self)
    }

    fn most_memory(&self) -> usize {
        self.table.most_memory()
    }

    fn most_memory_of(length: usize) -> usize {
        CountTable::<u8>::most_memory_of(length, length <= INLINE)
    }

    fn items(&self) -> usize {
        self.table.items()
    }

    fn for_some_keys(&self, visit: impl FnMut(u64, usize)) {
        self.table.for_some_keys(visit);
    }

    fn sum(
        parts: Vec<(PretokenCounts, u64)>,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<PretokenCounts, CountError> {
        let tables = parts.into_iter().map(|(part, times)| (part.table, times));
        let table = sum(tables.collect(), threads, observer)?;
        Ok(PretokenCounts { table })
    }

    fn for_each_key(&self, visit: impl FnMut(&[u8], u64)) {
        self.for_each(visit);
    }

    fn add_key(&mut self, key: &[u8], count: u64) -> Result<(), CountFileError> {
        Ok(self.add(key, count)?)
    }
}

/// Counts the pretokens of documents, and optionally their bigrams in a sketch. Each worker has one.
#[derive(Debug)]
pub(crate) struct PretokenCounter {
    pub(super) pretokenizer: Pretokenizer,
    pub(super) front: Front<u8>,
    pub(super) counts: PretokenCounts,
    pub(super) sketch: Option<SketchCounter>,
    pub(super) pretokens: u64,
    /// See [`PretokenCounter::measure`].
    #[cfg(feature = "files")]
    pub(super) measures: bool,
}

impl PretokenCounter {
    /// With a sketch, bigrams are counted too.
    pub(crate) fn new(pretokenizer: Pretokenizer, sketch: Option<BigramSketch>) -> PretokenCounter {
        PretokenCounter {
            pretokenizer,
            front: Front::new(),
            counts: PretokenCounts::default(),
            sketch: sketch.map(SketchCounter::new),
            pretokens: 0,
            #[cfg(feature = "files")]
            measures: false,
        }
    }

    /// Counts one document.
    pub(crate) fn document(&mut self, text: &str) -> Result<(), SplitError> {
        let bytes = text.as_bytes();
        #[cfg(feature = "files")]
        if self.measures {
            return self.measure_document(text);
        }
        self.front.prepare();
        let mut words = WordSink {
            bytes,
            front: &mut self.front,
            table: &mut self.counts.table,
            pretokens: 0,
        };
        let result = match &mut self.sketch {
            None => self.pretokenizer.feed(text, &mut words),
            Some(sketch) => {
                let mut bigrams = BigramSink {
                    words,
                    sketch,
                    pretokenizer: &self.pretokenizer,
                    previous: 0,
                    was_eligible: false,
                };
                let result = self.pretokenizer.feed(text, &mut bigrams);
                words = bigrams.words;
                result
            }
        };
        self.pretokens += words.pretokens;
        result
    }

    /// The counts so far, without the pretokens that are still in the table in front of it.
    #[cfg(feature = "files")]
    pub(crate) fn counts(&self) -> &PretokenCounts {
        &self.counts
    }

    /// Takes the counts out and continues from zero. The sketch and the number of pretokens stay.
    pub(crate) fn take_counts(&mut self) -> PretokenCounts {
        self.front.flush(&mut self.counts.table);
        std::mem::take(&mut self.counts)
    }

    /// The counts, the sketch and the number of pretokens.
    pub(crate) fn finish(mut self) -> (PretokenCounts, Option<BigramSketch>, u64) {
        let counts = self.take_counts();
        (
            counts,
            self.sketch.map(SketchCounter::finish),
            self.pretokens,
        )
    }
}

/// Counts pretokens.
pub(super) struct WordSink<'c> {
    pub(super) bytes: &'c [u8],
    pub(super) front: &'c mut Front<u8>,
    pub(super) table: &'c mut CountTable<u8>,
    pub(super) pretokens: u64,
}

impl WordSink<'_> {
    /// Counts a pretoken. Returns its hash, and its inline key if it has one.
    #[inline(always)]
    pub(super) fn count(&mut self, start: usize, end: usize) -> (u64, Option<u128>) {
        self.pretokens += 1;
        let len = end - start;
        if len > INLINE {
            return (self.count_long(start, end), None);
        }
        let key = inline_key(self.bytes, start, len);
        let hash = hash_u128(key);
        self.front.add(&key.to_le_bytes(), hash, self.table);
        (hash, Some(key))
    }

    #[cold]
    #[inline(never)]
    fn count_long(&mut self, start: usize, end: usize) -> u64 {
        let key = &self.bytes[start..end];
        let hash = u8::hash_long(key);
        self.front.add_long(key, hash, self.table);
        hash
    }
}

impl Sink for WordSink<'_> {
    #[inline(always)]
    fn pretoken(&mut self, start: usize, end: usize) {
        self.count(start, end);
    }
}

/// Counts pretokens and their bigrams.
struct BigramSink<'c> {
    words: WordSink<'c>,
    sketch: &'c mut SketchCounter,
    pretokenizer: &'c Pretokenizer,
    /// The hash of the previous pretoken.
    previous: u64,
    /// Whether the previous pretoken may be eligible.
    was_eligible: bool,
}

impl Sink for BigramSink<'_> {
    #[inline(always)]
    fn pretoken(&mut self, start: usize, end: usize) {
        let (hash, key) = self.words.count(start, end);
        // Candidates contain eligible pretokens only.
        let eligible = match key {
            Some(key) => self.pretokenizer.may_be_eligible_short(key),
            None => self
                .pretokenizer
                .may_be_eligible(&self.words.bytes[start..end]),
        };
        self.sketch
            .add_if(self.was_eligible & eligible, self.previous, hash);
        (self.previous, self.was_eligible) = (hash, eligible);
    }
}
