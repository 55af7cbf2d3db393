//! The position of each token in the text.

use super::Encoder;
use super::batch::{BatchError, SourceError, TextSource, in_chunks};
use crate::memory;
use crate::observe::Observer;
use crate::prepare::Preparation;
use crate::text::SplitError;

/// The unit of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetUnit {
    /// Bytes of the UTF-8 text.
    Bytes,
    /// Characters (code points). A token with a part of a character covers the whole character.
    Characters,
}

/// Start and end of each token.
pub type Spans = Vec<(usize, usize)>;

impl Encoder {
    /// The ids of a text, and the start and end of each token in it.
    ///
    /// A token covers the part of the original text that it comes from. With an added token this
    /// includes the white space that belongs to it. A character that normalization has changed is
    /// covered as a whole, with every character that it was composed of. Otherwise each token starts
    /// where the previous one ends, in bytes.
    ///
    /// In characters, a token covers every character that it has a part of, so tokens that share a
    /// character overlap: `é` as two tokens gives `(0, 1)` twice.
    pub fn encode_with_offsets(
        &self,
        text: &str,
        preparation: &Preparation,
        unit: OffsetUnit,
    ) -> Result<(Vec<u32>, Spans), SplitError> {
        let (mut ids, mut spans) = (Vec::new(), Spans::new());
        let mut characters = Characters::new(text, unit);
        self.encode_with_spans(text, preparation, &mut ids, |start, end| {
            spans.push(characters.span(start, end));
        })?;
        Ok((ids, spans))
    }
}

/// The ids of many texts with the start and end of each token.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct OffsetsBatch {
    /// The ids of all texts.
    pub ids: Vec<u32>,
    /// The start of each token in its text.
    pub starts: Vec<u64>,
    /// The end of each token in its text.
    pub ends: Vec<u64>,
    /// Where each text starts and ends in the ids: 0, then the end of each text.
    pub texts: Vec<u64>,
}

impl Encoder {
    /// The ids of each text with offsets, as [`Encoder::encode_with_offsets`] gives them. Threads and
    /// the observer are those of [`Encoder::encode_batch`].
    pub fn encode_batch_with_offsets(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        unit: OffsetUnit,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<OffsetsBatch, BatchError> {
        let encoded = offsets_source(self, texts, preparation, unit, threads, observer);
        encoded.map_err(BatchError::from)
    }
}

/// [`Encoder::encode_batch_with_offsets`] for texts of any source.
pub fn offsets_source<S: TextSource + ?Sized>(
    encoder: &Encoder,
    source: &S,
    preparation: &Preparation,
    unit: OffsetUnit,
    threads: usize,
    observer: &dyn Observer,
) -> Result<OffsetsBatch, SourceError<S::Error>> {
    let chunks = in_chunks(source, threads, observer, |texts| {
        let mut chunk = OffsetsBatch::default();
        let OffsetsBatch {
            ids,
            starts,
            ends,
            texts: text_ends,
        } = &mut chunk;
        texts.each(|text| {
            let mut characters = Characters::new(text, unit);
            encoder.encode_with_spans(text, preparation, ids, |start, end| {
                let (start, end) = characters.span(start, end);
                starts.push(start as u64);
                ends.push(end as u64);
            })?;
            text_ends.push(ids.len() as u64);
            Ok(())
        })?;
        Ok(chunk)
    })?;
    let mut all = OffsetsBatch {
        texts: vec![0],
        ..OffsetsBatch::default()
    };
    for chunk in chunks {
        let before = all.ids.len() as u64;
        all.texts
            .extend(chunk.texts.iter().map(|&end| before + end));
        memory::extend(&mut all.ids, &chunk.ids);
        memory::extend(&mut all.starts, &chunk.starts);
        memory::extend(&mut all.ends, &chunk.ends);
    }
    Ok(all)
}

/// Turns offsets in bytes into offsets in another unit. Fast if they mostly grow.
struct Characters<'t> {
    text: &'t str,
    /// Whether offsets stay in bytes, or are the same in characters.
    in_bytes: bool,
    /// A position in bytes, and how many characters start before it.
    at: usize,
    before: usize,
}

impl Characters<'_> {
    fn new(text: &str, unit: OffsetUnit) -> Characters<'_> {
        Characters {
            text,
            in_bytes: unit == OffsetUnit::Bytes || text.is_ascii(),
            at: 0,
            before: 0,
        }
    }

    fn span(&mut self, start: usize, end: usize) -> (usize, usize) {
        if self.in_bytes {
            return (start, end);
        }
        let inside = usize::from(!self.text.is_char_boundary(start));
        let start = self.starts_before(start) - inside;
        (start, self.starts_before(end))
    }

    /// How many characters start before byte `to`.
    fn starts_before(&mut self, to: usize) -> usize {
        let bytes = self.text.as_bytes();
        match self.at <= to {
            true => self.before += starts(&bytes[self.at..to]),
            false => self.before -= starts(&bytes[to..self.at]),
        }
        self.at = to;
        self.before
    }
}

/// How many characters start in these bytes.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
