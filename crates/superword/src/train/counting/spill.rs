//! Moves counts from memory to files.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::super::TrainError;
use super::super::work::Directory;
use super::counter::{Counter, Extras};
use super::forecast::Forecast;
use super::piece::Part;
use crate::corpus::DocumentSink;
use crate::count::{Counts, Left};

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

/// The forecast is told at least this often how much text was read.
const TELL_EVERY: usize = 64 << 10;

/// The counts of a larger document may have to be written before its end.
const LARGE_DOCUMENT: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

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
    /// The part of them that the forecast was not told about.
    untold: usize,
    /// The rest of the text is only measured.
    measures: bool,
}

impl<'s, C: Counter> Spilling<'s, C> {
    pub(super) fn new(counter: C, spill: Option<&'s Spill<'s>>) -> Self {
        Spilling {
            counter,
            spill,
            written: Vec::new(),
            unreported: 0,
            untold: 0,
            measures: false,
        }
    }

    /// Everything that was counted. Nothing if the text was only measured.
    pub(super) fn finish(mut self) -> Result<Counted<C::Counts>, TrainError> {
        if let Some(forecast) = self.spill.and_then(|spill| spill.forecast)
            && forecast.measures()
        {
            forecast.take(&self.counter.take_counts(), self.unreported as u64);
            return Ok((Vec::new(), Extras::default()));
        }
        let (counts, extras) = self.counter.finish();
        match self.spill {
            _ if counts.is_empty() => {}
            None => self.written.push(Part::Memory(counts)),
            Some(spill) => self.written.push(spill.write(&counts)?),
        }
        Ok((self.written, extras))
    }

    /// Writes the counts to a file if they take too much memory.
    fn write_if_full(&mut self, spill: &Spill<'_>) -> Result<(), TrainError> {
        if self.counter.counts().memory() <= spill.max_table_bytes {
            return Ok(());
        }
        let counts = self.counter.take_counts();
        if let Some(forecast) = spill.forecast {
            forecast.take(&counts, std::mem::take(&mut self.unreported) as u64);
        }
        self.written.push(spill.write(&counts)?);
        Ok(())
    }

    /// Tells the forecast about a document.
    fn report(&mut self, forecast: &Forecast<'_>, text: usize) {
        self.unreported += text;
        self.untold += text;
        if self.untold >= TELL_EVERY {
            forecast.read(std::mem::take(&mut self.untold) as u64);
        }
        if self.unreported < REPORT_EVERY {
            return;
        }
        let text = std::mem::take(&mut self.unreported) as u64;
        match self.measures {
            true => forecast.take(&self.counter.take_counts(), text),
            false => forecast.take(self.counter.counts(), text),
        }
    }

    /// Stops counting. The rest of the text is only measured.
    #[cold]
    fn measure(&mut self, forecast: &Forecast<'_>) {
        let text = std::mem::take(&mut self.unreported) as u64;
        forecast.take(&self.counter.take_counts(), text);
        self.counter.measure();
        self.measures = true;
    }

    /// Counts a document whose counts may not fit into memory.
    #[cold]
    #[inline(never)]
    fn large_document(&mut self, text: &str, spill: &Spill<'_>) -> Result<(), TrainError> {
        let mut left = Left::default();
        while let Some(next) = self
            .counter
            .document_from(text, left, spill.max_table_bytes)?
        {
            left = next;
            self.write_if_full(spill)?;
        }
        Ok(())
    }
}

impl<C: Counter> DocumentSink for Spilling<'_, C> {
    // Boxed, since the result is passed on for every document.
    type Error = Box<TrainError>;

    #[inline]
    fn document(&mut self, text: &str) -> Result<(), Box<TrainError>> {
        let counted = match self.spill {
            Some(spill) if text.len() > LARGE_DOCUMENT && !self.measures => {
                self.large_document(text, spill)
            }
            _ => self.counter.document(text).map_err(TrainError::from),
        };
        counted.map_err(Box::new)?;
        if let Some(spill) = self.spill {
            self.write_if_full(spill).map_err(Box::new)?;
            if let Some(forecast) = spill.forecast {
                self.report(forecast, text.len());
                if forecast.measures() && !self.measures {
                    self.measure(forecast);
                }
            }
        }
        Ok(())
    }
}
