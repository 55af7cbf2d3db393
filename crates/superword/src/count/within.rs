//! Counting pretokens within a memory limit.

use super::pretokens::{PretokenCounter, WordSink};
use super::sketch::SketchCounter;
use super::table::{CountTable, Item};
use crate::table::{INLINE, inline_key};
use crate::text::{Pretokenizer, Sink, SplitError};

/// Where a document was left because the counts were full.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Left {
    /// The end of the last pretoken that was counted.
    end: usize,
    /// Its hash, if it may be part of a bigram.
    previous: Option<u64>,
}

impl PretokenCounter {
    /// Counts a document from where it was left until the counts take more than `most` bytes. Returns where it was left, or
    /// `None` at its end. All of the text is scanned every time, because pretokens depend on the text before them.
    pub(crate) fn document_from(
        &mut self,
        text: &str,
        left: Left,
        most: usize,
    ) -> Result<Option<Left>, SplitError> {
        self.front.prepare();
        let mut sink = PartSink {
            words: WordSink {
                bytes: text.as_bytes(),
                front: &mut self.front,
                table: &mut self.counts.table,
                pretokens: 0,
            },
            sketch: self.sketch.as_mut(),
            pretokenizer: &self.pretokenizer,
            most,
            from: left.end,
            left,
            is_full: false,
        };
        let result = self.pretokenizer.feed(text, &mut sink);
        self.pretokens += sink.words.pretokens;
        let left = sink.is_full.then_some(sink.left);
        result.map(|()| left)
    }

    /// From now on, counts only the pretokens that [`Counts::for_some_keys`](super::Counts::for_some_keys) visits, and no
    /// bigrams. That takes much less time.
    pub(crate) fn measure(&mut self) {
        self.measures = true;
    }

    pub(super) fn measure_document(&mut self, text: &str) -> Result<(), SplitError> {
        let mut sink = SomeSink {
            bytes: text.as_bytes(),
            table: &mut self.counts.table,
        };
        self.pretokenizer.feed(text, &mut sink)
    }
}

/// Counts pretokens and their bigrams until the table is full.
struct PartSink<'c> {
    words: WordSink<'c>,
    sketch: Option<&'c mut SketchCounter>,
    pretokenizer: &'c Pretokenizer,
    /// The most memory of the table.
    most: usize,
    /// Pretokens before this are already counted.
    from: usize,
    left: Left,
    is_full: bool,
}

/// The pretokens between two looks at the size of the table.
const LOOK_EVERY: u64 = if cfg!(test) { 4 } else { 1 << 12 };

impl Sink for PartSink<'_> {
    fn pretoken(&mut self, start: usize, end: usize) {
        if start < self.from || self.is_full {
            return;
        }
        let (hash, _) = self.words.count(start, end);
        let bytes = &self.words.bytes[start..end];
        let previous = self.left.previous;
        self.left = Left {
            end,
            previous: self.pretokenizer.may_be_eligible(bytes).then_some(hash),
        };
        if let (Some(sketch), Some(previous)) = (&mut self.sketch, previous)
            && self.left.previous.is_some()
        {
            sketch.add_if(true, previous, hash);
        }
        self.is_full = self.words.pretokens.is_multiple_of(LOOK_EVERY)
            && self.words.table.memory() > self.most;
    }
}

/// Counts only some pretokens.
struct SomeSink<'c> {
    bytes: &'c [u8],
    table: &'c mut CountTable<u8>,
}

impl Sink for SomeSink<'_> {
    #[inline(always)]
    fn pretoken(&mut self, start: usize, end: usize) {
        let len = end - start;
        // Cannot overflow: no text has 2^64 pretokens.
        if len > INLINE {
            let key = &self.bytes[start..end];
            let hash = u8::hash_long(key);
            if CountTable::<u8>::is_one_of_some(hash) {
                let _ = self.table.add_long(key, hash, 1);
            }
            return;
        }
        let key = inline_key(self.bytes, start, len).to_le_bytes();
        let hash = u8::hash_inline(&key);
        if CountTable::<u8>::is_one_of_some(hash) {
            let _ = self.table.add_inline(&key, hash, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BigramSketch, Counts, PretokenCounts};
    use super::*;
    use crate::testing::Random;
    use crate::text::PretokenizerConfig;

    fn counter() -> PretokenCounter {
        let pretokenizer = Pretokenizer::new(PretokenizerConfig::default()).unwrap();
        PretokenCounter::new(pretokenizer, Some(BigramSketch::new(1 << 12)))
    }

    fn text() -> String {
        let mut random = Random(8);
        let mut word = || match random.below(3) {
            0 => (0..7)
                .map(|_| (b'a' + random.below(26) as u8) as char)
                .collect(),
            1 => format!(" {}", "long".repeat(1 + random.below(9) as usize)),
            _ => " of the ".into(),
        };
        (0..300_000).map(|_| word()).collect()
    }

    fn sorted(counts: &PretokenCounts) -> Vec<(Vec<u8>, u64)> {
        let mut all = Vec::new();
        counts.for_each(|key, count| all.push((key.to_vec(), count)));
        all.sort();
        all
    }

    #[test]
    fn a_document_in_parts_gives_the_same_counts() {
        let text = text();
        let mut whole = counter();
        whole.document(&text).unwrap();
        let (expected, sketch, pretokens) = whole.finish();
        let mut parts = counter();
        let mut sum = PretokenCounts::default();
        let (mut left, mut number) = (Some(Left::default()), 0);
        while let Some(from) = left {
            left = parts.document_from(&text, from, 30_000).unwrap();
            sum.merge(&parts.take_counts()).unwrap();
            number += 1;
        }
        assert!(number > 3, "{number}");
        let (rest, sketch_of_parts, pretokens_of_parts) = parts.finish();
        assert!(rest.is_empty());
        assert_eq!(sorted(&sum), sorted(&expected));
        assert_eq!(pretokens_of_parts, pretokens);
        let bytes = |sketch: Option<BigramSketch>| sketch.unwrap().to_compressed().unwrap();
        assert_eq!(bytes(sketch_of_parts), bytes(sketch));
    }

    #[test]
    fn what_is_measured_is_what_would_have_been_visited() {
        let text = text();
        let some = |counts: &PretokenCounts| {
            let mut some = Vec::new();
            counts.for_some_keys(|hash, length| some.push((hash, length)));
            some.sort_unstable();
            some
        };
        let mut all = counter();
        all.document(&text).unwrap();
        let all = all.take_counts();
        let mut measured = counter();
        measured.measure();
        measured.document(&text).unwrap();
        let measured = measured.take_counts();
        assert_eq!(some(&measured), some(&all));
        assert_eq!(measured.len(), some(&all).len());
        assert!((1..all.len() / 8).contains(&measured.len()));
    }
}
