//! The inputs of a run, and whether they have changed since it started.

use std::ops::Range;

use super::TrainError;
use crate::corpus::Source;

/// The sources of a run, and what they looked like when it started.
///
/// A run reads its inputs once for the words and once for the candidates, or once for a sample, whose
/// documents it keeps. All passes must see the same text, or the model would mix words of the old text with superwords
/// of the new one. A run that reads its inputs once does not check them.
pub(super) struct Inputs<'a> {
    sources: &'a [Source],
    /// By source. `None` if the source is not a file: it is in memory or in a temporary file, and
    /// cannot change. Also `None` if changes do not matter.
    identities: Vec<Option<String>>,
    may_change: bool,
}

impl<'a> Inputs<'a> {
    /// Inputs that may change without harm, because they are read once.
    pub(super) fn read_once(sources: &'a [Source]) -> Inputs<'a> {
        Inputs {
            sources,
            identities: vec![None; sources.len()],
            may_change: true,
        }
    }

    /// Inputs that must not change from now on.
    pub(super) fn unchanging(sources: &'a [Source]) -> Inputs<'a> {
        Inputs {
            sources,
            identities: sources.iter().map(Source::identity).collect(),
            may_change: false,
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

    /// Returns an error if one of the sources in `range` has changed and must not.
    pub(super) fn check(&self, range: Range<usize>) -> Result<(), TrainError> {
        if self.may_change {
            return Ok(());
        }
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

    /// The same for all sources.
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
        let inputs = Inputs::unchanging(&sources);
        assert_eq!(inputs.check_all(), Ok(()));
        let changed = Err(TrainError::InputChanged {
            source_name: paths[1].display().to_string(),
        });
        std::fs::write(&paths[1], "longer text").unwrap();
        assert_eq!(inputs.check_all(), changed);
        assert_eq!(inputs.check(0..1), Ok(()));
        std::fs::remove_file(&paths[1]).unwrap();
        assert_eq!(inputs.check_all(), changed);
        let inputs = Inputs::read_once(&sources);
        std::fs::write(&paths[1], "yet another text").unwrap();
        assert_eq!(inputs.check_all(), Ok(()));
    }
}
