//! Which parts of the text are counted together.

use xxhash_rust::xxh3::xxh3_128;

use super::super::extent::Extent;
use super::Pass;
use crate::corpus::{Chunk, Source, ranges};
use crate::observe::{Observer, Stopped};

/// The default size of a piece in stored bytes. A killed run loses about that much work.
const PIECE_BYTES: u64 = 64 << 20;

/// The size of all sources as they are stored.
fn stored_bytes(sources: &[Source]) -> u64 {
    let sizes = sources.iter().map(Source::stored_bytes);
    sizes.fold(0, u64::saturating_add)
}

impl Pass<'_> {
    /// What is counted together. Only work that is kept is cut into pieces: a piece is what a killed
    /// run has to count again.
    pub(super) fn extents(&self) -> Result<Vec<Extent>, Stopped> {
        let sources = self.inputs.sources();
        let is_kept = self.store.kept_directory().is_some();
        let max_bytes = self.piece_bytes.unwrap_or(PIECE_BYTES);
        if let Some(sample) = self.sample {
            let chunks = sample.texts.chunks();
            let max_bytes = if is_kept { max_bytes } else { u64::MAX };
            return Ok(ranges(chunks, max_bytes)
                .into_iter()
                .map(|range| Extent::Sample {
                    hash: hash_of(&chunks[range.clone()]),
                    chunks: range,
                })
                .collect());
        }
        match is_kept {
            false => Ok(vec![Extent::Sources(0..sources.len())]),
            true => divide(sources, max_bytes, self.observer),
        }
    }

    /// The size of an extent as it is stored.
    pub(super) fn stored_bytes(&self, extent: &Extent) -> u64 {
        match (extent, self.sample) {
            (Extent::Sources(range), _) => stored_bytes(&self.inputs.sources()[range.clone()]),
            (Extent::Section { bytes, .. }, _) => bytes.end - bytes.start,
            (Extent::Sample { chunks, .. }, Some(sample)) => {
                let chunks = &sample.texts.chunks()[chunks.clone()];
                chunks.iter().map(|chunk| chunk.stored).sum()
            }
            (Extent::Sample { .. }, None) => 0,
        }
    }
}

fn hash_of(chunks: &[Chunk]) -> u128 {
    let numbers = chunks.iter().flat_map(|chunk| [chunk.hash, chunk.bytes]);
    let bytes: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
    xxh3_128(&bytes)
}

/// Groups small sources, and divides large ones. A source that is too large and cannot be divided is
/// a piece of its own.
fn divide(
    sources: &[Source],
    max_bytes: u64,
    observer: &dyn Observer,
) -> Result<Vec<Extent>, Stopped> {
    let mut extents = Vec::new();
    let (mut start, mut size) = (0, 0u64);
    for (index, source) in sources.iter().enumerate() {
        let bytes = source.stored_bytes();
        if start < index && size.saturating_add(bytes) > max_bytes {
            extents.push(Extent::Sources(start..index));
            (start, size) = (index, 0);
        }
        size = size.saturating_add(bytes);
        let sections = match bytes > max_bytes {
            true => source.sections(max_bytes, observer)?,
            false => Vec::new(),
        };
        if sections.len() > 1 {
            extents.extend(sections.into_iter().map(|bytes| Extent::Section {
                source: index,
                bytes,
            }));
            (start, size) = (index + 1, 0);
        }
    }
    if start < sources.len() {
        extents.push(Extent::Sources(start..sources.len()));
    }
    Ok(extents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Format;
    use crate::observe::Silent;

    #[test]
    fn small_sources_are_counted_together_and_large_ones_divided() {
        let directory = tempfile::tempdir().unwrap();
        let source = |name: &str, format: Format, lines: usize| {
            let path = directory.path().join(name);
            std::fs::write(&path, "seven..\n".repeat(lines)).unwrap();
            Source::from_path(path, Some(format)).unwrap()
        };
        let sources = [
            source("a", Format::Lines, 3),
            source("b", Format::Text, 4),
            source("c", Format::Text, 100),
            source("d", Format::Lines, 1),
            source("e", Format::Lines, 25),
            source("f", Format::Lines, 0),
            source("g", Format::Lines, 1),
        ];
        let extents = divide(&sources, 80, &Silent).unwrap();
        let section = |bytes| Extent::Section { source: 4, bytes };
        let wanted = [
            Extent::Sources(0..2),
            Extent::Sources(2..3),
            Extent::Sources(3..4),
            section(0..72),
            section(72..136),
            section(136..200),
            Extent::Sources(5..7),
        ];
        assert_eq!(extents, wanted);
        let together = divide(&sources, 1 << 20, &Silent).unwrap();
        assert_eq!(together, [Extent::Sources(0..7)]);
        assert_eq!(divide(&[], 1, &Silent).unwrap(), []);
    }
}
