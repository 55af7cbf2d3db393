//! Parts of a text that are chosen at random.
//!
//! The text is divided into *places*, each with the same number of stored bytes. What starts at a place belongs to it: records
//! of files that can be divided, and other files as a whole. So every record belongs to exactly one place, and all places have
//! the same chance to be chosen, whatever the sizes of files and records.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::corpus::Source;
use crate::observe::{Observer, Stopped};
use crate::train::extent::Extent;

/// The number of windows: places that are chosen.
const WINDOWS: usize = 1024;

/// About one place in this many is chosen.
const ONE_IN: u64 = 4;

/// The most stored bytes in all windows together, apart from long records and files that are not divided.
const MOST_BYTES: u64 = 2 << 30;

/// A file that cannot be divided must not be longer than this many places.
const LONGEST_FILE: u64 = 4;

/// The places of a text.
#[derive(Debug)]
pub(super) struct Places<'a> {
    sources: &'a [Source],
    /// Where each source ends.
    ends: Vec<u64>,
    /// The stored bytes of a place. The last one may have up to twice as many.
    length: u64,
    count: u64,
}

impl<'a> Places<'a> {
    /// `None` if these are not files of at least so many bytes together.
    pub(super) fn new(sources: &'a [Source], least_bytes: u64) -> Option<Places<'a>> {
        if !sources.iter().all(Source::is_stored) {
            return None;
        }
        let ends = sources.iter().scan(0u64, |end, source| {
            *end = end.saturating_add(source.stored_bytes());
            Some(*end)
        });
        let ends: Vec<u64> = ends.collect();
        let total = ends.last().copied().unwrap_or(0);
        let length = (total / ONE_IN).min(MOST_BYTES) / WINDOWS as u64;
        (length > 0 && total >= least_bytes).then(|| Places {
            sources,
            ends,
            length,
            count: total / length,
        })
    }

    /// The places that are windows, in random order. They are the same in every run.
    pub(super) fn windows(&self) -> Vec<u64> {
        let mut taken = BTreeSet::new();
        (0u64..)
            .map(|number| {
                let random = xxh3_64(&number.to_le_bytes());
                ((u128::from(random) * u128::from(self.count)) >> 64) as u64
            })
            .filter(|&place| taken.insert(place))
            .take(WINDOWS)
            .collect()
    }

    /// The share of all places that so many are.
    pub(super) fn share(&self, windows: usize) -> f64 {
        windows as f64 / self.count as f64
    }

    /// What belongs to a place. `None` if that is far more than other places have, or cannot be found.
    pub(super) fn at(
        &self,
        place: u64,
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Extent>>, Stopped> {
        let start = place * self.length;
        let end = match place + 1 < self.count {
            true => start + self.length,
            false => u64::MAX,
        };
        let mut extents: Vec<Extent> = Vec::new();
        let first = self.ends.partition_point(|&end| end <= start);
        for (source, &ends_at) in self.ends.iter().enumerate().skip(first) {
            let starts_at = source.checked_sub(1).map_or(0, |before| self.ends[before]);
            let size = ends_at - starts_at;
            if starts_at >= end {
                break;
            }
            let whole = match start <= starts_at && ends_at <= end {
                true => true,
                false => {
                    let part = start.saturating_sub(starts_at)..(end - starts_at).min(size);
                    match self.sources[source].section_of(part, observer)? {
                        Some(bytes) if bytes.is_empty() => continue,
                        Some(bytes) => {
                            extents.push(Extent::Section { source, bytes });
                            continue;
                        }
                        None if size > self.length * LONGEST_FILE => return Ok(None),
                        None => start <= starts_at,
                    }
                }
            };
            match extents.last_mut() {
                _ if !whole => {}
                Some(Extent::Sources(sources)) if sources.end == source => sources.end += 1,
                _ => extents.push(Extent::Sources(source..source + 1)),
            }
        }
        Ok(Some(extents))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::path::Path;

    use super::*;
    use crate::corpus::Format;
    use crate::observe::Silent;

    const LINE: &str = "some words of a line\n";

    fn source(directory: &Path, name: &str, format: Format, lines: usize) -> Source {
        let path = directory.join(name);
        std::fs::write(&path, LINE.repeat(lines)).unwrap();
        Source::from_path(path, Some(format)).unwrap()
    }

    /// Large files that can be divided, small ones that cannot, and empty ones.
    fn mixed(directory: &Path) -> Vec<Source> {
        let mut sources = vec![source(directory, "first", Format::Lines, 40_000)];
        for number in 0..3000 {
            let lines = [0, 3, 10, 40][number % 4];
            sources.push(source(
                directory,
                &format!("{number}.md"),
                Format::Text,
                lines,
            ));
        }
        sources.push(source(directory, "last", Format::Lines, 20_000));
        sources
    }

    #[test]
    fn every_record_belongs_to_one_place() {
        let directory = tempfile::tempdir().unwrap();
        let sources = mixed(directory.path());
        let places = Places::new(&sources, 0).unwrap();
        let mut parts: Vec<Vec<Range<u64>>> = vec![Vec::new(); sources.len()];
        for place in 0..places.count {
            for extent in places.at(place, &Silent).unwrap().unwrap() {
                match extent {
                    Extent::Section { source, bytes } => parts[source].push(bytes),
                    Extent::Sources(range) => {
                        range.for_each(|at| parts[at].push(0..sources[at].stored_bytes()));
                    }
                    Extent::Sample { .. } => unreachable!("nothing was sampled"),
                }
            }
        }
        for (source, parts) in sources.iter().zip(parts) {
            let mut end = 0;
            for part in parts {
                assert_eq!(part.start, end);
                assert_eq!(part.end % LINE.len() as u64, 0);
                end = part.end;
            }
            assert_eq!(end, source.stored_bytes());
        }
    }

    #[test]
    fn windows_are_spread_over_all_sources() {
        let directory = tempfile::tempdir().unwrap();
        let sources = mixed(directory.path());
        let places = Places::new(&sources, 0).unwrap();
        let windows = places.windows();
        assert_eq!(windows.len(), WINDOWS);
        assert!((0.2..0.26).contains(&places.share(windows.len())));
        for some in [&windows[..64], &windows] {
            // In the first source, in small ones, and in the last source.
            let mut bytes = [0, 0, 0];
            for &place in some {
                for extent in places.at(place, &Silent).unwrap().unwrap() {
                    match extent {
                        Extent::Section { source, bytes: of } => {
                            bytes[usize::from(source > 0) * 2] += of.end - of.start;
                        }
                        Extent::Sources(range) => {
                            bytes[1] += range.map(|at| sources[at].stored_bytes()).sum::<u64>();
                        }
                        Extent::Sample { .. } => unreachable!("nothing was sampled"),
                    }
                }
            }
            let all = [40_000, 39_750, 20_000].map(|lines| lines * LINE.len() as u64);
            for (found, all) in bytes.into_iter().zip(all) {
                let share = found as f64 / all as f64 / places.share(some.len());
                assert!((0.5..2.0).contains(&share), "{share} {bytes:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_divided_has_no_windows_if_it_is_long() {
        let directory = tempfile::tempdir().unwrap();
        let of = |name, format, lines| source(directory.path(), name, format, lines);
        let lines = of("lines", Format::Lines, 1000);
        let sources = [of("long.txt", Format::Text, 9000), lines.clone()];
        let places = Places::new(&sources, 0).unwrap();
        assert_eq!(places.at(0, &Silent), Ok(None));
        assert!(Places::new(&sources, 1 << 20).is_none());
        assert!(Places::new(&[lines, Source::stdin(Format::Lines)], 0).is_none());
        assert!(Places::new(&[], 0).is_none());
    }
}
