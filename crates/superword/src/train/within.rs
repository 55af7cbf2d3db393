//! The stages that read text, within a limit on memory: counts that do not fit are put into
//! temporary files and added up in the end. The results are those of the stages without a limit.

use serde_json::{Value, json};

use super::TrainError;
use super::bounded::{PIECE_BYTES, Pass};
use super::scratch::Scratch;
use super::spilling::Budget;
use super::stages::Counted;
use crate::corpus::{ReadOptions, ReadReport, Source};
use crate::count::{CandidateCounts, Eligible};
use crate::observe::Observer;
use crate::text::Pretokenizer;

/// Whether anything can be counted within `max_memory` bytes; the error says how many are needed.
///
/// ```
/// use superword::corpus::ReadOptions;
/// use superword::train::{TrainError, check_memory};
/// let read = ReadOptions { threads: 1, ..ReadOptions::default() };
/// assert!(check_memory(1 << 30, &read).is_ok());
/// assert!(matches!(check_memory(1 << 20, &read), Err(TrainError::MemoryTooSmall { .. })));
/// ```
pub fn check_memory(max_memory: u64, read: &ReadOptions) -> Result<(), TrainError> {
    Budget::new(max_memory, read).map(|_| ())
}

/// [`super::count_pretokens`] without a sketch, within about `max_memory` bytes. The counts of the
/// whole text have to fit in the end: [`TrainError::MemoryExceeded`].
pub fn count_pretokens_within(
    sources: &[Source],
    read: &ReadOptions,
    pretokenizer: &Pretokenizer,
    max_memory: u64,
    observer: &dyn Observer,
) -> Result<Counted, TrainError> {
    let scratch = Scratch::open(None)?;
    let pass = pass_within(max_memory, &scratch, sources, read, pretokenizer, observer)?;
    let pieces = pass.count(false, &numbered(sources))?;
    let counts = pass.gather_counts(&pieces.parts)?;
    Ok(Counted {
        counts,
        ..pieces.counted
    })
}

/// [`super::count_candidates`] without a sketch, within about `max_memory` bytes. The candidates of
/// the whole text have to fit in the end, before they are cut: [`TrainError::MemoryExceeded`].
pub fn count_candidates_within(
    sources: &[Source],
    read: &ReadOptions,
    pretokenizer: &Pretokenizer,
    eligible: &Eligible,
    cut_below: u64,
    max_memory: u64,
    observer: &dyn Observer,
) -> Result<(CandidateCounts, ReadReport), TrainError> {
    let scratch = Scratch::open(None)?;
    let pass = pass_within(max_memory, &scratch, sources, read, pretokenizer, observer)?;
    let (counts, report) = pass.candidates(eligible, None, cut_below, &numbered(sources), "")?;
    if report.bytes == 0 && !read.allow_empty {
        return Err(crate::corpus::empty(sources, &report).into());
    }
    Ok((counts, report))
}

/// A pass over the whole text that stays within about `max_memory` bytes.
fn pass_within<'p>(
    max_memory: u64,
    scratch: &'p Scratch,
    sources: &'p [Source],
    read: &'p ReadOptions,
    pretokenizer: &'p Pretokenizer,
    observer: &'p dyn Observer,
) -> Result<Pass<'p>, TrainError> {
    Ok(Pass {
        sources,
        read,
        pretokenizer,
        piece_bytes: PIECE_BYTES,
        scratch,
        budget: Some(Budget::new(max_memory, read)?),
        observer,
    })
}

/// Tells sources apart within one run, whatever their names.
pub(super) fn numbered(sources: &[Source]) -> Value {
    let names = sources.iter().map(Source::name);
    names.enumerate().map(|named| json!(named)).collect()
}
