//! Which parts of the input are counted together.

use std::ops::Range;

use super::Pass;
use crate::corpus::Source;
use crate::observe::{Observer, Stopped};

/// The default size of a piece in stored bytes. A killed run loses about that much work.
const PIECE_BYTES: u64 = 64 << 20;

/// The part of the input that a piece covers: whole sources, or a section of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::train) struct Extent {
    /// The sources.
    pub(in crate::train) sources: Range<usize>,
    /// The section, if it is not all of them. Then there is only one source.
    pub(in crate::train) section: Option<Range<u64>>,
}

impl Extent {
    /// Some sources as a whole.
    fn whole(sources: Range<usize>) -> Extent {
        Extent {
            sources,
            section: None,
        }
    }

    /// True for a section that does not start its source.
    pub(super) fn continues(&self) -> bool {
        self.section.as_ref().is_some_and(|bytes| bytes.start > 0)
    }

    /// Its size as it is stored.
    pub(super) fn stored_bytes(&self, sources: &[Source]) -> u64 {
        match &self.section {
            Some(bytes) => bytes.end - bytes.start,
            None => stored_bytes(&sources[self.sources.clone()]),
        }
    }
}

/// The size of all sources as they are stored.
pub(super) fn stored_bytes(sources: &[Source]) -> u64 {
    let sizes = sources.iter().map(Source::stored_bytes);
    sizes.fold(0, u64::saturating_add)
}

impl Pass<'_> {
    /// What is counted together. Only work that is kept is cut into pieces: a piece is what a killed
    /// run has to count again.
    pub(super) fn extents(&self) -> Result<Vec<Extent>, Stopped> {
        let sources = self.inputs.sources();
        match self.store.kept_directory() {
            None => Ok(vec![Extent::whole(0..sources.len())]),
            Some(_) => {
                let max_bytes = self.piece_bytes.unwrap_or(PIECE_BYTES);
                divide(sources, max_bytes, self.observer)
            }
        }
    }
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
            extents.push(Extent::whole(start..index));
            (start, size) = (index, 0);
        }
        size = size.saturating_add(bytes);
        let sections = match bytes > max_bytes {
            true => source.sections(max_bytes, observer)?,
            false => Vec::new(),
        };
        if sections.len() > 1 {
            extents.extend(sections.into_iter().map(|bytes| Extent {
                sources: index..index + 1,
                section: Some(bytes),
            }));
            (start, size) = (index + 1, 0);
        }
    }
    if start < sources.len() {
        extents.push(Extent::whole(start..sources.len()));
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
        let section = |bytes| Extent {
            sources: 4..5,
            section: Some(bytes),
        };
        let wanted = [
            Extent::whole(0..2),
            Extent::whole(2..3),
            Extent::whole(3..4),
            section(0..72),
            section(72..136),
            section(136..200),
            Extent::whole(5..7),
        ];
        assert_eq!(extents, wanted);
        let sizes = extents.iter().map(|extent| extent.stored_bytes(&sources));
        assert_eq!(sizes.sum::<u64>(), stored_bytes(&sources));
        let together = divide(&sources, 1 << 20, &Silent).unwrap();
        assert_eq!(together, [Extent::whole(0..7)]);
        assert_eq!(divide(&[], 1, &Silent).unwrap(), []);
    }
}
