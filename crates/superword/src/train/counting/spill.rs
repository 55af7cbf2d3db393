//! Moves counts from memory to files.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::super::TrainError;
use super::super::work::Directory;
use super::counter::{Counter, Extras};
use super::forecast::Forecast;
use super::piece::Part;
use crate::corpus::DocumentSink;
use crate::count::Counts;

/// Where the parts of a piece go, and when.
pub(super) struct Spill<'s> {
    directory: Directory<'s>,
    /// Parts are named `{prefix}-{number}.part`.
    prefix: &'s str,
    next_number: AtomicU64,
    /// A table that takes more memory is written at once.
    max_table_bytes: usize,
    /// Is told what was counted, if there is a memory limit.
    forecast: Option<&'s Forecast<'s>>,
}

/// The bytes of text between two reports of a worker to the forecast.
const REPORT_EVERY: usize = 4 << 20;

impl<'s> Spill<'s> {
    pub(super) fn new(
        directory: Directory<'s>,
        prefix: &'s str,
        max_table_bytes: usize,
        forecast: Option<&'s Forecast<'s>>,
    ) -> Self {
        Spill {
            directory,
            prefix,
            next_number: AtomicU64::new(0),
            max_table_bytes,
            forecast,
        }
    }

    fn write<C: Counts>(&self, counts: &C) -> Result<Part<C>, TrainError> {
        let number = self.next_number.fetch_add(1, Relaxed);
        let name = format!("{}-{number}.part", self.prefix);
        self.directory.write(&name, |out| counts.write_to(out))?;
        Ok(Part::File(name))
    }
}

/// What a sink counted.
pub(super) type Counted<C> = (Vec<Part<C>>, Extras);

/// A sink that counts, and writes its counts to files. Without `spill` they stay in memory.
pub(super) struct Spilling<'s, C: Counter> {
    counter: C,
    spill: Option<&'s Spill<'s>>,
    written: Vec<Part<C::Counts>>,
    /// The bytes of text since the last report to the forecast.
    unreported: usize,
}

impl<'s, C: Counter> Spilling<'s, C> {
    pub(super) fn new(counter: C, spill: Option<&'s Spill<'s>>) -> Self {
        Spilling {
            counter,
            spill,
            written: Vec::new(),
            unreported: 0,
        }
    }

    /// Everything that was counted.
    pub(super) fn finish(mut self) -> Result<Counted<C::Counts>, TrainError> {
        let (counts, extras) = self.counter.finish();
        match self.spill {
            _ if counts.is_empty() => {}
            None => self.written.push(Part::Memory(counts)),
            Some(spill) => self.written.push(spill.write(&counts)?),
        }
        Ok((self.written, extras))
    }
}

impl<C: Counter> DocumentSink for Spilling<'_, C> {
    // Boxed, since the result is passed on for every document.
    type Error = Box<TrainError>;

    #[inline]
    fn document(&mut self, text: &str) -> Result<(), Box<TrainError>> {
        if let Err(error) = self.counter.document(text) {
            return Err(Box::new(error.into()));
        }
        if let Some(spill) = self.spill {
            self.unreported += text.len();
            let is_full = self.counter.counts().memory() > spill.max_table_bytes;
            if let Some(forecast) = spill.forecast
                && (is_full || self.unreported >= REPORT_EVERY)
            {
                forecast.take(self.counter.counts());
                self.unreported = 0;
            }
            if is_full {
                let counts = self.counter.take_counts();
                self.written.push(spill.write(&counts).map_err(Box::new)?);
            }
        }
        Ok(())
    }
}
