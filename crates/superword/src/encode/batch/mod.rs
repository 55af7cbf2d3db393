//! Encoding many texts on several threads.

mod characters;
mod place;
mod source;

use super::Encoder;
use crate::observe::{Observer, Stopped, check_stop};
use crate::prepare::Preparation;
use crate::text::SplitError;

pub use characters::{NotUnicode, make_room, push_utf8};
pub use place::{Placed, encode_to_place};
pub(super) use source::in_chunks;
pub use source::{SourceError, TextSource};

/// Why a batch was not encoded.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A text cannot be split into pretokens.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The observer asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The ids of many texts, stored in chunks.
#[derive(Debug, Default)]
pub struct EncodedBatch {
    chunks: Vec<Chunk>,
}

/// The ids of consecutive texts. `ends` holds the end of each text in `ids`.
#[derive(Debug, Default)]
struct Chunk {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

impl EncodedBatch {
    /// The number of texts.
    pub fn texts(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.ends.len()).sum()
    }

    /// The number of ids of all texts.
    pub fn tokens(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.ids.len()).sum()
    }

    /// The ids of each text, in order.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.chunks.iter().flat_map(|chunk| {
            let starts = std::iter::once(0).chain(chunk.ends.iter().copied());
            starts
                .zip(&chunk.ends)
                .map(|(start, &end)| &chunk.ids[start..end])
        })
    }

    /// All ids in order, chunk by chunk.
    pub fn chunks(&self) -> impl Iterator<Item = &[u32]> {
        self.chunks.iter().map(|chunk| &chunk.ids[..])
    }

    /// The offsets of the texts in the concatenated ids: 0, then the end of each text.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        let mut before = 0;
        let ends = self.chunks.iter().flat_map(move |chunk| {
            let start = before;
            before += chunk.ids.len();
            chunk.ends.iter().map(move |end| start + end)
        });
        std::iter::once(0).chain(ends)
    }
}

impl Encoder {
    /// The ids of each text, in order. With `threads` 0, one thread per core is used; the result is
    /// the same for any number. If several texts fail, the error of the first one is returned. The
    /// observer can stop the work between texts. It receives no progress.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<EncodedBatch, BatchError> {
        encode_source(self, texts, preparation, threads, observer).map_err(BatchError::from)
    }

    /// Encodes on one thread and passes the ids of a few texts at a time to `take`. Returns the
    /// offsets of the texts: 0, then the end of each text in all ids.
    pub fn encode_in_chunks(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        observer: &dyn Observer,
        mut take: impl FnMut(&[u32]),
    ) -> Result<Vec<usize>, BatchError> {
        let mut offsets = Vec::with_capacity(texts.len() + 1);
        offsets.push(0);
        let (mut ids, mut before) = (Vec::new(), 0);
        for range in source::ranges(texts) {
            check_stop(observer)?;
            ids.clear();
            for text in &texts[range] {
                self.encode_into(text, preparation, &mut ids)?;
                offsets.push(before + ids.len());
            }
            before += ids.len();
            take(&ids);
        }
        Ok(offsets)
    }

    /// The number of tokens of each text. The ids are not stored.
    pub fn count_batch(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<usize>, BatchError> {
        count_source(self, texts, preparation, threads, observer).map_err(BatchError::from)
    }
}

/// [`Encoder::encode_batch`] for texts of any source.
pub fn encode_source<S: TextSource + ?Sized>(
    encoder: &Encoder,
    source: &S,
    preparation: &Preparation,
    threads: usize,
    observer: &dyn Observer,
) -> Result<EncodedBatch, SourceError<S::Error>> {
    let chunks = in_chunks(source, threads, observer, |texts| {
        let mut chunk = Chunk {
            ids: Vec::with_capacity(source::CHUNK_BYTES / 3),
            ends: Vec::with_capacity(texts.len()),
        };
        texts.each(|text| chunk.add(encoder, text, preparation))?;
        Ok(chunk)
    })?;
    Ok(EncodedBatch { chunks })
}

/// [`Encoder::count_batch`] for texts of any source.
pub fn count_source<S: TextSource + ?Sized>(
    encoder: &Encoder,
    source: &S,
    preparation: &Preparation,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Vec<usize>, SourceError<S::Error>> {
    let counts = in_chunks(source, threads, observer, |texts| {
        let (mut ids, mut counts) = (Vec::new(), Vec::with_capacity(texts.len()));
        texts.each(|text| {
            ids.clear();
            encoder.encode_into(text, preparation, &mut ids)?;
            counts.push(ids.len());
            Ok(())
        })?;
        Ok(counts)
    })?;
    Ok(counts.concat())
}

impl Chunk {
    /// Appends the ids of a text.
    fn add(
        &mut self,
        encoder: &Encoder,
        text: &str,
        preparation: &Preparation,
    ) -> Result<(), SplitError> {
        encoder.encode_into(text, preparation, &mut self.ids)?;
        self.ends.push(self.ids.len());
        Ok(())
    }
}
