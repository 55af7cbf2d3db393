//! The inputs of a run, and whether they are still what they were when it started.

use std::ops::Range;

use super::TrainError;
use crate::corpus::Source;

/// The sources of a run with their identities when it started.
///
/// A run reads its inputs up to three times: for the sample, for the words and for the candidates.
/// The passes must see the same text, or the model would mix words of the old text with superwords
/// of the new one.
pub(super) struct Inputs<'a> {
    sources: &'a [Source],
    /// `None` for sources that are no files. They cannot change: they are in memory or in a
    /// temporary file.
    identities: Vec<Option<String>>,
}

impl<'a> Inputs<'a> {
    /// Identifies all sources, as they are now.
    pub(super) fn new(sources: &'a [Source]) -> Inputs<'a> {
        Inputs {
            sources,
            identities: sources.iter().map(Source::identity).collect(),
        }
    }

    pub(super) fn sources(&self) -> &'a [Source] {
        self.sources
    }

    /// The identities. If they are `required`, a source without one is an error.
    pub(super) fn identities(&self, required: bool) -> Result<Vec<String>, TrainError> {
        let pairs = self.identities.iter().zip(self.sources);
        let all = pairs.map(|(identity, source)| match identity {
            Some(identity) => Ok(identity.clone()),
            None if required => Err(TrainError::NotAFile {
                source_name: source.name(),
            }),
            None => Ok(String::new()),
        });
        all.collect()
    }

    /// Returns an error if one of the sources in `range` is no longer the same.
    pub(super) fn check(&self, range: Range<usize>) -> Result<(), TrainError> {
        let pairs = self.identities[range.clone()]
            .iter()
            .zip(&self.sources[range]);
        for (identity, source) in pairs {
            if *identity != source.identity() {
                return Err(TrainError::InputChanged {
                    source_name: source.name(),
                });
            }
        }
        Ok(())
    }

    /// Returns an error if any source is no longer the same.
    pub(super) fn check_all(&self) -> Result<(), TrainError> {
        self.check(0..self.sources.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Format;

    #[test]
    fn the_error_names_the_file_that_changed_or_vanished() {
        let directory = tempfile::tempdir().unwrap();
        let paths = ["a.txt", "b.txt"].map(|name| directory.path().join(name));
        for path in &paths {
            std::fs::write(path, "text").unwrap();
        }
        let mut sources: Vec<Source> = paths
            .iter()
            .map(|path| Source::from_path(path, None).unwrap())
            .collect();
        sources.push(Source::memory("texts", *b"text", Format::Text));
        let inputs = Inputs::new(&sources);
        assert_eq!(inputs.check_all(), Ok(()));
        let changed = Err(TrainError::InputChanged {
            source_name: paths[1].display().to_string(),
        });
        std::fs::write(&paths[1], "longer text").unwrap();
        assert_eq!(inputs.check_all(), changed);
        assert_eq!(inputs.check(0..1), Ok(()));
        std::fs::remove_file(&paths[1]).unwrap();
        assert_eq!(inputs.check_all(), changed);
    }
}
