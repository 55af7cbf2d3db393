//! Counting in pieces: what is finished is kept, and what does not fit in memory goes to disk.

use std::ops::Range;
use std::sync::atomic::AtomicU64;

use serde_json::{Value, json};

use super::TrainError;
use super::piece::{self, Piece};
use super::scratch::{Scratch, key_of};
use super::spilling::{Budget, Shifted, Spilling, Spills};
use super::stages::{Counted, groups_read};
use super::weighted::Weighted;
use crate::corpus::{ReadOptions, ReadReport, Source, read_parallel};
use crate::count::{
    BigramSketch, CandidateCounter, CandidateCounts, CountFileError, CountOverflow, EarlyCut,
    Eligible, PretokenCounter, PretokenCounts, cut,
};
use crate::observe::{Observer, Phase};
use crate::text::Pretokenizer;

/// The usual size of a piece; that much is done again after a run was killed. A larger source is a
/// piece of its own.
pub(super) const PIECE_BYTES: u64 = 64 << 20;

/// Everything a pass over the text needs.
pub(super) struct Pass<'a> {
    pub(super) sources: &'a [Source],
    pub(super) read: &'a ReadOptions,
    pub(super) pretokenizer: &'a Pretokenizer,
    /// Sources are counted together up to about this many stored bytes.
    pub(super) piece_bytes: u64,
    pub(super) scratch: &'a Scratch,
    pub(super) budget: Option<Budget>,
    pub(super) observer: &'a dyn Observer,
}

impl Pass<'_> {
    /// Sources that are counted together.
    fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let (mut start, mut size) = (0, 0u64);
        for (index, source) in self.sources.iter().enumerate() {
            size = size.saturating_add(source.stored_bytes());
            if size >= self.piece_bytes {
                pieces.push(start..index + 1);
                (start, size) = (index + 1, 0);
            }
        }
        if start < self.sources.len() {
            pieces.push(start..self.sources.len());
        }
        pieces
    }

    fn piece_key(&self, stage: &str, range: &Range<usize>, corpus: &Value, more: &Value) -> String {
        let weights = self.read.groups.as_ref().map(|groups| {
            let weights = range.clone().map(|source| groups.weight_of(source));
            weights
                .map(|weight| format!("{weight:?}"))
                .collect::<Vec<_>>()
        });
        let sample = self.read.sample.as_ref().map(|plan| {
            let sample = plan.sample();
            // Which documents are drawn depends on all of the text.
            json!([sample.max_bytes, sample.seed, corpus])
        });
        key_of(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "stage": stage,
            "sources": corpus.as_array().map(|all| &all[range.clone()]),
            "pretokenizer": format!("{:?}", self.pretokenizer.config()),
            "text_field": self.read.text_field,
            "on_error": format!("{:?}", self.read.on_error),
            "weights": weights,
            "sample": sample,
            "more": more,
        }))
    }

    /// Runs a pass piece by piece; pieces that are finished already are not read again.
    fn run<S: Spills>(
        &self,
        phase: Phase,
        corpus: &Value,
        more: &Value,
        make: impl Fn() -> S + Sync,
        finish: impl Fn(&str, Vec<(u64, &mut S)>) -> Result<(Option<String>, u64), TrainError>,
    ) -> Result<Vec<Piece>, TrainError> {
        let total = self.sources.iter().map(Source::stored_bytes).sum();
        let mut before = 0;
        let mut pieces = Vec::new();
        for range in self.pieces() {
            let sources = &self.sources[range.clone()];
            let key = self.piece_key(phase.name(), &range, corpus, more);
            let prefix = format!("{}-{key}", phase.name());
            let record = format!("{prefix}.json");
            let found = self.scratch.read_json(&record);
            let mut piece = found.as_ref().and_then(Piece::from_json);
            if piece.as_ref().is_some_and(|piece| !self.is_whole(piece)) {
                piece = None;
            }
            let piece = match piece {
                Some(piece) => piece,
                None => {
                    let observer = Shifted {
                        observer: self.observer,
                        before,
                        total,
                    };
                    let piece =
                        self.count_piece(phase, &observer, &range, &prefix, &make, &finish)?;
                    self.scratch.write_json(&record, &piece.to_json())?;
                    piece
                }
            };
            before += sources.iter().map(Source::stored_bytes).sum::<u64>();
            self.observer
                .progress(phase, before.min(total), Some(total));
            pieces.push(piece);
        }
        Ok(pieces)
    }

    fn is_whole(&self, piece: &Piece) -> bool {
        let parts = piece.parts.iter().map(|(_, part)| part);
        parts
            .chain(&piece.sketch)
            .all(|name| self.scratch.path(name).is_file())
    }

    fn count_piece<S: Spills>(
        &self,
        phase: Phase,
        observer: &dyn Observer,
        range: &Range<usize>,
        prefix: &str,
        make: &(impl Fn() -> S + Sync),
        finish: &impl Fn(&str, Vec<(u64, &mut S)>) -> Result<(Option<String>, u64), TrainError>,
    ) -> Result<Piece, TrainError> {
        let read = ReadOptions {
            allow_empty: true,
            groups: self
                .read
                .groups
                .as_ref()
                .map(|groups| groups.slice(range.clone())),
            ..self.read.clone()
        };
        let number = AtomicU64::new(0);
        let make = || Spilling {
            inner: make(),
            limit: self.budget.map_or(usize::MAX, |budget| budget.table),
            scratch: self.scratch,
            prefix,
            number: &number,
            parts: Vec::new(),
        };
        let sources = &self.sources[range.clone()];
        let (sinks, report) =
            read_parallel(sources, &read, phase, observer, |_| Weighted::new(make))?;
        let mut sinks: Vec<(u64, Spilling<'_, S>)> =
            sinks.into_iter().flat_map(Weighted::finish).collect();
        let counters = sinks
            .iter_mut()
            .map(|(times, sink)| (*times, &mut sink.inner))
            .collect();
        let (sketch, pretokens) = finish(prefix, counters)?;
        let mut parts = Vec::new();
        for (times, mut sink) in sinks {
            sink.spill()?;
            parts.extend(sink.parts.into_iter().map(|part| (times, part)));
        }
        Ok(Piece {
            parts,
            sketch,
            pretokens,
            report,
        })
    }

    /// Counts pretokens, and bigrams too where a sketch is wanted. The counts of all pieces are
    /// only put together if they are asked for.
    pub(super) fn count(&self, sketch: bool, corpus: &Value) -> Result<CountedPieces, TrainError> {
        let size = self.sources.iter().map(Source::size_guess).sum();
        let memory = self.budget.map_or(usize::MAX, |budget| budget.sketch);
        let empty = sketch.then(|| BigramSketch::for_text_within(size, memory));
        let more = json!(empty.as_ref().map(BigramSketch::len));
        let make = || PretokenCounter::new(self.pretokenizer.clone(), empty.clone());
        let finish = |prefix: &str, counters: Vec<(u64, &mut PretokenCounter)>| {
            let mut all = empty.clone();
            let mut pretokens = 0u64;
            for (times, counter) in counters {
                let (sketch, more) = counter.take_rest();
                let more = more
                    .checked_mul(times)
                    .and_then(|more| more.checked_add(pretokens));
                pretokens = more.ok_or(CountOverflow)?;
                if let (Some(all), Some(mut sketch)) = (&mut all, sketch) {
                    if times > 1 {
                        sketch.multiply(times);
                    }
                    all.merge(&sketch);
                }
            }
            let Some(all) = all else {
                return Ok((None, pretokens));
            };
            let name = format!("{prefix}.sketch");
            self.scratch.write(&name, |out| {
                let packed = zstd::bulk::compress(&all.to_bytes(), 1)?;
                out.write_all(&packed)
            })?;
            Ok((Some(name), pretokens))
        };
        let pieces = self.run(Phase::Count, corpus, &more, make, finish)?;
        let mut all = CountedPieces {
            parts: Vec::new(),
            counted: Counted {
                sketch: empty,
                ..Counted::default()
            },
        };
        for piece in pieces {
            let pretokens = all.counted.pretokens.checked_add(piece.pretokens);
            all.counted.pretokens = pretokens.ok_or(CountOverflow)?;
            piece::add_report(&mut all.counted.read, piece.report);
            all.parts.extend(piece.parts);
            if let (Some(sum), Some(name)) = (&mut all.counted.sketch, piece.sketch) {
                let bytes = self.scratch.read(&name).unwrap_or_default();
                let raw = zstd::bulk::decompress(&bytes, sum.len() * 4).ok();
                let sketch = raw.and_then(|raw| BigramSketch::from_bytes(&raw));
                match sketch.filter(|sketch| sketch.len() == sum.len()) {
                    Some(sketch) => sum.merge(&sketch),
                    None => return Err(self.damaged(&name)),
                }
            }
        }
        let read = &all.counted.read;
        if read.bytes == 0 && !self.read.allow_empty {
            return Err(crate::corpus::empty(self.sources, read).into());
        }
        all.counted.groups = groups_read(self.read.groups.as_ref(), read);
        Ok(all)
    }

    fn damaged(&self, name: &str) -> TrainError {
        TrainError::Scratch {
            path: self.scratch.path(name).display().to_string(),
            reason: "it is damaged".into(),
            full: None,
        }
    }

    /// Puts the counts of all pieces together.
    pub(super) fn gather_counts(
        &self,
        parts: &[(u64, String)],
    ) -> Result<PretokenCounts, TrainError> {
        let mut all = PretokenCounts::default();
        for (times, part) in parts {
            crate::observe::check_stop(self.observer)?;
            let file = self
                .scratch
                .open_file(part)
                .ok_or_else(|| self.damaged(part))?;
            let mut exceeded = None;
            let result = all.read_from(file, *times, |counts| {
                self.fits("distinct words", counts.memory(), &mut exceeded)
            });
            self.checked(result, exceeded, part)?;
        }
        Ok(all)
    }

    fn fits(
        &self,
        what: &'static str,
        memory: usize,
        exceeded: &mut Option<TrainError>,
    ) -> Result<(), CountFileError> {
        match self
            .budget
            .map_or(Ok(()), |budget| budget.check(what, memory))
        {
            Ok(()) => Ok(()),
            Err(error) => {
                *exceeded = Some(error);
                Err(CountFileError::Damaged)
            }
        }
    }

    fn checked(
        &self,
        result: Result<(), CountFileError>,
        exceeded: Option<TrainError>,
        part: &str,
    ) -> Result<(), TrainError> {
        match (result, exceeded) {
            (_, Some(exceeded)) => Err(exceeded),
            (Ok(()), None) => Ok(()),
            (Err(CountFileError::Overflow(overflow)), None) => Err(overflow.into()),
            (Err(_), None) => Err(self.damaged(part)),
        }
    }

    /// Collects the candidates.
    pub(super) fn candidates(
        &self,
        eligible: &Eligible,
        sketch: Option<&BigramSketch>,
        cut_below: u64,
        corpus: &Value,
        words: &str,
    ) -> Result<(CandidateCounts, ReadReport), TrainError> {
        let early = sketch.filter(|_| cut_below > 1).map(|sketch| EarlyCut {
            sketch,
            threshold: cut_below,
        });
        let more = json!([
            words,
            early.map(|early| (early.threshold, early.sketch.len()))
        ]);
        let make = || CandidateCounter::new(self.pretokenizer.clone(), eligible, early);
        let pieces = self.run(Phase::Candidates, corpus, &more, make, |_, _| Ok((None, 0)))?;
        let mut read = ReadReport::default();
        let mut parts = Vec::new();
        for piece in pieces {
            piece::add_report(&mut read, piece.report);
            parts.extend(piece.parts);
        }
        let mut all = CandidateCounts::default();
        for (times, part) in parts {
            crate::observe::check_stop(self.observer)?;
            let file = self
                .scratch
                .open_file(&part)
                .ok_or_else(|| self.damaged(&part))?;
            let mut exceeded = None;
            let result = all.read_from(file, times, |counts| {
                self.fits("candidates", counts.memory(), &mut exceeded)
            });
            self.checked(result, exceeded, &part)?;
        }
        if cut_below > 1 {
            all = cut(&all, cut_below, self.observer)?;
        }
        Ok((all, read))
    }
}

/// What was counted, the counts themselves still in files.
pub(super) struct CountedPieces {
    pub(super) parts: Vec<(u64, String)>,
    pub(super) counted: Counted,
}
