//! Adds parts up.

use xxhash_rust::xxh3::xxh3_64;

use super::super::TrainError;
use super::Pass;
use super::budget::{Budget, Size};
use super::piece::{Part, WeightedPart};
use crate::count::{CountFileError, Counts, ONE_IN};
use crate::observe::{Phase, Step, check_stop};

/// Why reading a part ended early.
enum GatherError {
    File(CountFileError),
    Other(TrainError),
}

impl From<CountFileError> for GatherError {
    fn from(error: CountFileError) -> Self {
        GatherError::File(error)
    }
}

impl Pass<'_> {
    /// Adds parts up, in the second step of `phase`. The sum must fit in the memory budget: [`TrainError::MemoryExceeded`].
    pub(in crate::train) fn gather<C: Counts>(
        &self,
        phase: Phase,
        parts: Vec<WeightedPart<C>>,
    ) -> Result<C, TrainError> {
        let (mut tables, mut files) = (Vec::new(), Vec::new());
        for WeightedPart { times, part } in parts {
            match part {
                Part::Memory(counts) => tables.push((counts, times)),
                Part::File(name) => files.push((name, times)),
            }
        }
        if let Some(budget) = &self.budget {
            let size = self.size_of_files::<C>(&files)?;
            let needed = Budget::needed(size, self.purpose, self.other_bytes());
            if budget.is_below(needed) {
                return Err(self.exceeded::<C>(budget, needed));
            }
        }
        let threads = crate::threads::resolve(self.read.threads);
        self.observer.step(phase, Step::AddUp, 0.0);
        let mut sum = C::sum(tables, threads, self.observer)?;
        let number = files.len() as f64;
        for (done, (name, times)) in files.into_iter().enumerate() {
            check_stop(self.observer)?;
            self.observer.step(phase, Step::AddUp, done as f64 / number);
            self.add_file(&mut sum, &name, times, |_| true)?;
            // All parts of a table grow at about the same time, and what they leave behind is too small for the next ones.
            self.observer.freed();
        }
        Ok(sum)
    }

    /// The size of the sum of these files, estimated from some of the keys. Almost no memory is needed for it.
    fn size_of_files<C: Counts>(&self, files: &[(String, u64)]) -> Result<Size, TrainError> {
        let mut some = C::default();
        for (name, _) in files {
            check_stop(self.observer)?;
            let wanted = |key: &[u8]| xxh3_64(key).is_multiple_of(ONE_IN as u64);
            self.add_file(&mut some, name, 1, wanted)?;
        }
        Ok(Size::of(&some).times(ONE_IN as f64))
    }

    /// Adds those counts of a file whose keys are wanted.
    fn add_file<C: Counts>(
        &self,
        sum: &mut C,
        name: &str,
        times: u64,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<(), TrainError> {
        let directory = self.store.spill_directory();
        let file = directory.and_then(|directory| directory.open(name));
        let damaged = || self.store.damaged(name);
        let check =
            || check_stop(self.observer).map_err(|stopped| GatherError::Other(stopped.into()));
        let result = sum.read_from(file.ok_or_else(damaged)?, times, wanted, check);
        result.map_err(|error| match error {
            GatherError::Other(error) => error,
            GatherError::File(CountFileError::Overflow(overflow)) => overflow.into(),
            GatherError::File(CountFileError::Io(_) | CountFileError::Damaged) => damaged(),
        })
    }
}
