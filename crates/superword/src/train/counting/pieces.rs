//! One pass over the text, piece by piece.

use std::io::Write;
use std::ops::Range;

use super::super::TrainError;
use super::Pass;
use super::counter::{Counter, Extras};
use super::piece::{Piece, WeightedPart};
use super::spill::{Spill, Spilling};
use super::weighted::Weighted;
use crate::corpus::{self, MAX_SKIPS_SHOWN, ReadOptions, ReadReport, Source, read_parallel};
use crate::count::BigramSketch;
use crate::observe::{Observer, Phase, Step};

/// The default size of a piece in stored bytes. A killed run loses about that much work. A larger
/// source is a separate piece.
const PIECE_BYTES: u64 = 64 << 20;

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

    fn add(&mut self, key: String, piece: Piece<C>) -> Result<(), TrainError> {
        self.keys.push(key);
        self.parts.extend(piece.parts);
        self.extras.add(piece.extras, 1)?;
        let (all, read) = (&mut self.read, piece.read);
        // The numbers may come from a file, so they may be arbitrarily large.
        all.documents = all.documents.saturating_add(read.documents);
        all.bytes = all.bytes.saturating_add(read.bytes);
        all.skipped = all.skipped.saturating_add(read.skipped);
        all.per_source.extend(read.per_source);
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
        key: impl Fn(Range<usize>) -> String,
        make: impl Fn() -> C + Sync,
    ) -> Result<Tally<C::Counts>, TrainError> {
        let sources = self.inputs.sources();
        let total = stored_bytes(sources);
        let mut before = 0u64;
        let mut tally = Tally::new();
        for range in self.pieces() {
            let size = stored_bytes(&sources[range.clone()]);
            let key = key(range.clone());
            let prefix = format!("{}-{key}", phase.name());
            let piece = match self.find_piece(&prefix, sketch_size) {
                Some(piece) => {
                    let done = before.saturating_add(size).min(total);
                    self.observer.progress(phase, done, Some(total));
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
                    let observer: &dyn Observer = match range.len() == sources.len() {
                        true => self.observer,
                        false => &shifted,
                    };
                    let piece = self.count_piece(phase, observer, &range, &prefix, &make)?;
                    self.keep_piece(&prefix, &range, &piece)?;
                    piece
                }
            };
            before = before.saturating_add(size);
            tally.add(key, piece)?;
        }
        if tally.read.bytes == 0 && !self.read.allow_empty {
            return Err(corpus::empty(sources, &tally.read).into());
        }
        Ok(tally)
    }

    /// Ranges of sources that are counted together. Only work that is kept is cut into pieces:
    /// a piece is what a killed run has to count again.
    fn pieces(&self) -> Vec<Range<usize>> {
        let sources = self.inputs.sources();
        if self.store.kept_directory().is_none() {
            return std::iter::once(0..sources.len()).collect();
        }
        let max_bytes = self.piece_bytes.unwrap_or(PIECE_BYTES);
        let mut pieces = Vec::new();
        let (mut start, mut size) = (0, 0u64);
        for (index, source) in sources.iter().enumerate() {
            size = size.saturating_add(source.stored_bytes());
            if size >= max_bytes {
                pieces.push(start..index + 1);
                (start, size) = (index + 1, 0);
            }
        }
        if start < sources.len() {
            pieces.push(start..sources.len());
        }
        pieces
    }

    fn count_piece<C: Counter>(
        &self,
        phase: Phase,
        observer: &dyn Observer,
        range: &Range<usize>,
        prefix: &str,
        make: &(impl Fn() -> C + Sync),
    ) -> Result<Piece<C::Counts>, TrainError> {
        let groups = self.read.groups.as_ref();
        let read = ReadOptions {
            // Only the text as a whole must not be empty.
            allow_empty: true,
            groups: groups.map(|groups| groups.slice(range.clone())),
            ..self.read.clone()
        };
        let spill = self.store.spill_directory().map(|directory| {
            let max_table_bytes = self.budget.map_or(usize::MAX, |budget| budget.table);
            Spill::new(directory, prefix, max_table_bytes)
        });
        let sources = &self.inputs.sources()[range.clone()];
        let (sinks, read) = read_parallel(sources, &read, phase, observer, |_| {
            Weighted::new(|| Spilling::new(make(), spill.as_ref()))
        })?;
        let mut piece = Piece {
            parts: Vec::new(),
            extras: Extras::default(),
            read,
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
        range: &Range<usize>,
        piece: &Piece<C>,
    ) -> Result<(), TrainError> {
        let Some(directory) = self.store.kept_directory() else {
            return Ok(());
        };
        // The key stands for the files as they were at the start of the run.
        self.inputs.check(range.clone())?;
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

fn stored_bytes(sources: &[Source]) -> u64 {
    let sizes = sources.iter().map(Source::stored_bytes);
    sizes.fold(0, u64::saturating_add)
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
