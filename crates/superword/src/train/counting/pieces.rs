//! One pass over the text, piece by piece.

use std::io::Write;

use super::super::TrainError;
use super::Pass;
use super::counter::{Counter, Extras};
use super::extents::{Extent, stored_bytes};
use super::piece::{Piece, WeightedPart};
use super::spill::{Spill, Spilling};
use super::weighted::Weighted;
use crate::corpus::{
    self, Before, MAX_SKIPS_SHOWN, ReadOptions, ReadReport, Section, read_parallel, read_section,
};
use crate::count::BigramSketch;
use crate::observe::{Observer, Phase};

/// What a pass counted. The counts themselves are still in parts; see [`Pass::gather`].
#[derive(Debug)]
pub(in crate::train) struct Tally<C> {
    pub(in crate::train) parts: Vec<WeightedPart<C>>,
    pub(in crate::train) extras: Extras,
    pub(in crate::train) read: ReadReport,
    /// The keys of the pieces. Together they identify everything that was counted.
    pub(in crate::train) keys: Vec<String>,
}

impl<C> Tally<C> {
    fn new() -> Tally<C> {
        Tally {
            parts: Vec::new(),
            extras: Extras::default(),
            read: ReadReport::default(),
            keys: Vec::new(),
        }
    }

    fn add(&mut self, key: String, extent: &Extent, piece: Piece<C>) -> Result<(), TrainError> {
        self.keys.push(key);
        self.parts.extend(piece.parts);
        self.extras.add(piece.extras, 1)?;
        let (all, read) = (&mut self.read, piece.read);
        // The numbers may come from a file, so they may be arbitrarily large.
        all.documents = all.documents.saturating_add(read.documents);
        all.bytes = all.bytes.saturating_add(read.bytes);
        all.skipped = all.skipped.saturating_add(read.skipped);
        match all.per_source.last_mut() {
            Some(last) if extent.continues() => {
                for more in &read.per_source {
                    last.documents = last.documents.saturating_add(more.documents);
                    last.bytes = last.bytes.saturating_add(more.bytes);
                    last.skipped = last.skipped.saturating_add(more.skipped);
                    last.raw_bytes = last.raw_bytes.saturating_add(more.raw_bytes);
                }
            }
            _ => all.per_source.extend(read.per_source),
        }
        let room = MAX_SKIPS_SHOWN - all.first_skips.len();
        all.first_skips
            .extend(read.first_skips.into_iter().take(room));
        Ok(())
    }
}

impl Pass<'_> {
    /// Counts all pieces, except those that an earlier run has finished. `make` makes a counter,
    /// with a sketch of `sketch_size` counters if one is given.
    pub(super) fn run<C: Counter>(
        &self,
        phase: Phase,
        sketch_size: Option<usize>,
        key: impl Fn(&Extent) -> String,
        make: impl Fn() -> C + Sync,
    ) -> Result<Tally<C::Counts>, TrainError> {
        let sources = self.inputs.sources();
        let total = stored_bytes(sources);
        let mut before = 0u64;
        let mut tally = Tally::new();
        let extents = self.extents()?;
        // What comes before a section, from the piece before it.
        let mut in_source = Some(Before::NOTHING);
        for extent in &extents {
            let size = extent.stored_bytes(sources);
            let pass_over = || {
                let done = before.saturating_add(size).min(total);
                self.observer.progress(phase, done, Some(total));
            };
            if !extent.continues() {
                in_source = Some(Before::NOTHING);
            }
            let Some(in_source_before) = in_source else {
                // The source could not be read to here. The piece before says so.
                pass_over();
                before = before.saturating_add(size);
                continue;
            };
            let key = key(extent);
            let prefix = format!("{}-{key}", phase.name());
            let piece = match self.find_piece(&prefix, sketch_size) {
                Some(piece) => {
                    pass_over();
                    piece
                }
                None => {
                    let shifted = Shifted {
                        observer: self.observer,
                        before,
                        total,
                    };
                    // The progress of a single piece is that of the whole, also if the total is
                    // not known.
                    let observer: &dyn Observer = match extents.len() == 1 {
                        true => self.observer,
                        false => &shifted,
                    };
                    let section = extent.section.as_ref().map(|bytes| Section {
                        bytes: bytes.clone(),
                        before: in_source_before,
                    });
                    let reading = Reading {
                        phase,
                        observer,
                        extent,
                        section,
                    };
                    let piece = self.count_piece(&reading, &prefix, &make)?;
                    self.keep_piece(&prefix, extent, &piece)?;
                    piece
                }
            };
            before = before.saturating_add(size);
            in_source = piece.end;
            tally.add(key, extent, piece)?;
        }
        if tally.read.bytes == 0 && !self.read.allow_empty {
            return Err(corpus::empty(sources, &tally.read).into());
        }
        Ok(tally)
    }

    fn count_piece<C: Counter>(
        &self,
        reading: &Reading<'_>,
        prefix: &str,
        make: &(impl Fn() -> C + Sync),
    ) -> Result<Piece<C::Counts>, TrainError> {
        let &Reading {
            phase,
            observer,
            extent,
            ref section,
        } = reading;
        let groups = self.read.groups.as_ref();
        let read = ReadOptions {
            // Only the text as a whole must not be empty.
            allow_empty: true,
            groups: groups.map(|groups| groups.slice(extent.sources.clone())),
            ..self.read.clone()
        };
        let spill = self.store.spill_directory().map(|directory| {
            let max_table_bytes = self.budget.map_or(usize::MAX, |budget| budget.table);
            Spill::new(directory, prefix, max_table_bytes)
        });
        let sources = &self.inputs.sources()[extent.sources.clone()];
        let make_sink = |_| Weighted::new(|| Spilling::new(make(), spill.as_ref()));
        let (sinks, read, end) = match section {
            None => {
                let (sinks, read) = read_parallel(sources, &read, phase, observer, make_sink)?;
                (sinks, read, None)
            }
            Some(section) => read_section(&sources[0], section, &read, phase, observer, make_sink)?,
        };
        let mut piece = Piece {
            parts: Vec::new(),
            extras: Extras::default(),
            read,
            end,
        };
        for (times, sink) in sinks.into_iter().flat_map(Weighted::finish) {
            let (parts, extras) = sink.finish()?;
            let parts = parts.into_iter().map(|part| WeightedPart { times, part });
            piece.parts.extend(parts);
            piece.extras.add(extras, times)?;
        }
        Ok(piece)
    }

    /// A piece that an earlier run finished, if all of its files exist.
    fn find_piece<C>(&self, prefix: &str, sketch_size: Option<usize>) -> Option<Piece<C>> {
        let directory = self.store.kept_directory()?;
        let record = directory.read(&format!("{prefix}.json"))?;
        let mut piece = Piece::from_json(&serde_json::from_slice(&record).ok()?)?;
        if !piece.files().all(|name| directory.path(name).is_file()) {
            return None;
        }
        if let Some(size) = sketch_size {
            let bytes = directory.read(&format!("{prefix}.sketch"))?;
            piece.extras.sketch = Some(BigramSketch::from_compressed(&bytes, size)?);
        }
        Some(piece)
    }

    /// Records a finished piece for later runs.
    fn keep_piece<C>(
        &self,
        prefix: &str,
        extent: &Extent,
        piece: &Piece<C>,
    ) -> Result<(), TrainError> {
        let Some(directory) = self.store.kept_directory() else {
            return Ok(());
        };
        // The key stands for the files as they were at the start of the run.
        self.inputs.check(extent.sources.clone())?;
        if let Some(sketch) = &piece.extras.sketch {
            directory.write(&format!("{prefix}.sketch"), |out| {
                out.write_all(&sketch.to_compressed()?)
            })?;
        }
        // Last, since it declares the piece finished.
        let record = piece.to_json().to_string();
        directory.write(&format!("{prefix}.json"), |out| {
            out.write_all(record.as_bytes())
        })
    }
}

/// What a piece reads.
struct Reading<'a> {
    phase: Phase,
    observer: &'a dyn Observer,
    extent: &'a Extent,
    section: Option<Section>,
}

/// Reports the progress of a piece as progress of the whole pass.
struct Shifted<'a> {
    observer: &'a dyn Observer,
    before: u64,
    total: u64,
}

impl Observer for Shifted<'_> {
    fn progress(&self, phase: Phase, done: u64, _total: Option<u64>) {
        let done = self.before.saturating_add(done).min(self.total);
        self.observer.progress(phase, done, Some(self.total));
    }

    fn stop_requested(&self) -> bool {
        self.observer.stop_requested()
    }
}
