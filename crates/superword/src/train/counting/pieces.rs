//! One pass over the text, piece by piece.

use std::io::Write;
use std::ops::Range;

use super::super::TrainError;
use super::super::extent::Extent;
use super::super::sampling::KeptSample;
use super::Pass;
use super::counter::{Counter, Extras};
use super::forecast::Forecast;
use super::piece::{Piece, WeightedPart};
use super::spill::{Spill, Spilling};
use super::weighted::Weighted;
use crate::corpus::{
    self, Before, MAX_SKIPS_SHOWN, ReadOptions, ReadReport, Section, Source, SourceReport,
    read_parallel, read_section, read_texts,
};
use crate::count::BigramSketch;
use crate::observe::{Observer, Phase, Step};
use crate::threads;

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
    /// `read` has what is skipped in any case.
    fn new(read: ReadReport) -> Tally<C> {
        Tally {
            parts: Vec::new(),
            extras: Extras::default(),
            read,
            keys: Vec::new(),
        }
    }

    fn add(
        &mut self,
        key: String,
        extent: &Extent,
        piece: Piece<C>,
        threads: usize,
    ) -> Result<(), TrainError> {
        self.keys.push(key);
        self.parts.extend(piece.parts);
        self.extras.add(vec![(piece.extras, 1)], threads)?;
        let (all, read) = (&mut self.read, piece.read);
        // The numbers may come from a file, so they may be arbitrarily large.
        all.documents = all.documents.saturating_add(read.documents);
        all.bytes = all.bytes.saturating_add(read.bytes);
        all.skipped = all.skipped.saturating_add(read.skipped);
        // Sources that the piece is not the first to read.
        let known = match extent {
            Extent::Section { .. } if extent.continues() => 1,
            Extent::Sources(_) | Extent::Section { .. } => 0,
            Extent::Sample { .. } => all.per_source.len(),
        };
        let at = all.per_source.len().saturating_sub(known);
        for (index, more) in read.per_source.iter().enumerate() {
            match all.per_source.get_mut(at + index) {
                Some(sum) => add_source(sum, more),
                None => all.per_source.push(*more),
            }
        }
        let room = MAX_SKIPS_SHOWN - all.first_skips.len();
        all.first_skips
            .extend(read.first_skips.into_iter().take(room));
        Ok(())
    }
}

fn add_source(sum: &mut SourceReport, more: &SourceReport) {
    sum.documents = sum.documents.saturating_add(more.documents);
    sum.bytes = sum.bytes.saturating_add(more.bytes);
    sum.skipped = sum.skipped.saturating_add(more.skipped);
    sum.raw_bytes = sum.raw_bytes.saturating_add(more.raw_bytes);
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
        let other = self.other_bytes();
        let mut forecast = self.budget.map(|budget| {
            let mut sources = self.inputs.sources().iter();
            let is_repeatable = self.sample.is_some() || sources.all(Source::is_stored);
            Forecast::new(self.observer, budget, self.purpose, other, is_repeatable)
        });
        loop {
            let tally = self.attempt(phase, sketch_size, &key, &make, forecast.as_ref())?;
            match (forecast.take(), self.budget) {
                (Some(forecast), Some(budget)) if forecast.measures() => {
                    let needed = forecast.needed::<C::Counts>();
                    if budget.is_below(needed) {
                        return Err(self.exceeded::<C::Counts>(&budget, needed));
                    }
                    // The estimate was wrong: they fit. So they have to be counted.
                }
                _ => return Ok(tally),
            }
        }
    }

    /// Counts all pieces. If the forecast says so, some of the text is only measured, and the result is incomplete.
    fn attempt<C: Counter>(
        &self,
        phase: Phase,
        sketch_size: Option<usize>,
        key: &impl Fn(&Extent) -> String,
        make: &(impl Fn() -> C + Sync),
        forecast: Option<&Forecast<'_>>,
    ) -> Result<Tally<C::Counts>, TrainError> {
        let measures = || forecast.is_some_and(Forecast::measures);
        let threads = threads::resolve(self.read.threads);
        let extents = self.extents()?;
        let sizes = extents.iter().map(|extent| self.stored_bytes(extent));
        let sizes: Vec<u64> = sizes.collect();
        let total = sizes.iter().copied().fold(0, u64::saturating_add);
        let mut before = 0u64;
        let skipped = self.sample.map(KeptSample::skipped);
        let mut tally = Tally::new(skipped.unwrap_or_default());
        let watched: &dyn Observer = match forecast {
            Some(forecast) => forecast,
            None => self.observer,
        };
        let mut is_complete = true;
        // What comes before a section, from the piece before it.
        let mut in_source = Some(Before::NOTHING);
        for (extent, size) in extents.iter().zip(sizes) {
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
            let prefix = prefix(phase, &key);
            let piece = match self.find_piece(&prefix, sketch_size) {
                Some(piece) => {
                    pass_over();
                    is_complete = false;
                    piece
                }
                None => {
                    let shifted = Shifted {
                        observer: watched,
                        before,
                        total,
                    };
                    // The progress of a single piece is that of the whole, also if the total is
                    // not known.
                    let observer: &dyn Observer = match extents.len() == 1 {
                        true => watched,
                        false => &shifted,
                    };
                    let reading = Reading {
                        phase,
                        observer,
                        extent,
                        before: in_source_before,
                        // It would not know what an earlier run has counted.
                        forecast: forecast.filter(|_| is_complete || measures()),
                    };
                    let piece = self.count_piece(&reading, &prefix, make)?;
                    if !measures() {
                        self.keep_piece(&prefix, extent, &piece)?;
                    }
                    piece
                }
            };
            before = before.saturating_add(size);
            in_source = piece.end;
            tally.add(key, extent, piece, threads)?;
        }
        if tally.read.bytes == 0 && !self.read.allow_empty {
            return Err(corpus::empty(self.inputs.sources(), &tally.read).into());
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
            before,
            forecast,
        } = reading;
        let read = ReadOptions {
            // Only the text as a whole must not be empty.
            allow_empty: true,
            ..self.read.clone()
        };
        let read_of = |sources: Range<usize>| ReadOptions {
            groups: read.groups.as_ref().map(|groups| groups.slice(sources)),
            ..read.clone()
        };
        let spill = self.store.spill_directory().map(|directory| {
            let max_table_bytes = self.budget.map_or(usize::MAX, |budget| budget.table);
            Spill::new(directory, prefix, max_table_bytes, forecast)
        });
        let sources = self.inputs.sources();
        let make_sink = |_| Weighted::new(|| Spilling::new(make(), spill.as_ref()));
        let (sinks, read, end) = match (extent, self.sample) {
            (Extent::Sources(range), _) => {
                let (sources, read) = (&sources[range.clone()], read_of(range.clone()));
                let (sinks, read) = read_parallel(sources, &read, phase, observer, make_sink)?;
                (sinks, read, None)
            }
            (Extent::Section { source, bytes }, _) => {
                let section = Section {
                    bytes: bytes.clone(),
                    before,
                };
                let (source, read) = (&sources[*source], read_of(*source..source + 1));
                read_section(source, &section, &read, phase, observer, make_sink)?
            }
            (Extent::Sample { chunks, .. }, Some(sample)) => {
                // Only documents of the sample are left.
                let read = ReadOptions {
                    sample: None,
                    ..read
                };
                let (texts, chunks) = (&sample.texts, chunks.clone());
                let count = sources.len();
                let read = read_texts(texts, chunks, count, &read, phase, observer, make_sink);
                let (sinks, read) = read.map_err(|error| sample.error(error))?;
                (sinks, read, None)
            }
            (Extent::Sample { .. }, None) => (Vec::new(), ReadReport::default(), None),
        };
        let mut piece = Piece {
            parts: Vec::new(),
            extras: Extras::default(),
            read,
            end,
        };
        let threads = threads::resolve(self.read.threads);
        let sinks = sinks.into_iter().flat_map(Weighted::finish).collect();
        let finished = threads::map(threads, sinks, |(times, sink)| (times, sink.finish()));
        let mut all_extras = Vec::new();
        for (times, counted) in finished {
            let (parts, extras) = counted?;
            let parts = parts.into_iter().map(|part| WeightedPart { times, part });
            piece.parts.extend(parts);
            all_extras.push((extras, times));
        }
        piece.extras.add(all_extras, threads)?;
        Ok(piece)
    }

    /// Whether an earlier run has finished the first piece.
    pub(super) fn resumes<C>(
        &self,
        phase: Phase,
        key: impl Fn(&Extent) -> String,
    ) -> Result<bool, TrainError> {
        if self.store.kept_directory().is_none() {
            return Ok(false);
        }
        let extents = self.extents()?;
        let first = extents.first().map(|extent| prefix(phase, &key(extent)));
        Ok(first.is_some_and(|first| self.find_piece::<C>(&first, None).is_some()))
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
        match extent {
            Extent::Sources(range) => self.inputs.check(range.clone())?,
            Extent::Section { source, .. } => self.inputs.check(*source..source + 1)?,
            // The sample was checked when it was drawn.
            Extent::Sample { .. } => {}
        }
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

/// What the names of the files of a piece start with.
fn prefix(phase: Phase, key: &str) -> String {
    format!("{}-{key}", phase.name())
}

/// What a piece reads.
struct Reading<'a> {
    phase: Phase,
    observer: &'a dyn Observer,
    extent: &'a Extent,
    /// What comes before a section.
    before: Before,
    /// Is told what was counted.
    forecast: Option<&'a Forecast<'a>>,
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

    fn step(&self, phase: Phase, step: Step, share: f64) {
        self.observer.step(phase, step, share);
    }

    fn expect(&self, phase: Phase, tokens: Option<u64>, merges: Option<u64>) {
        self.observer.expect(phase, tokens, merges);
    }

    fn stop_requested(&self) -> bool {
        self.observer.stop_requested()
    }
}
