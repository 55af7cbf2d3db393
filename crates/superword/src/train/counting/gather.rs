//! Adds parts up.

use super::super::TrainError;
use super::Pass;
use super::piece::{Part, WeightedPart};
use crate::count::{CountFileError, Counts};
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
        let mut sum = C::default();
        let number = parts.len().max(1) as f64;
        for (done, WeightedPart { times, part }) in parts.into_iter().enumerate() {
            check_stop(self.observer)?;
            self.observer.step(phase, Step::AddUp, done as f64 / number);
            match part {
                // The first table becomes the sum, without a copy.
                Part::Memory(counts) if times == 1 && sum.is_empty() => sum = counts,
                Part::Memory(counts) => sum.add_all(&counts, times, self.observer)?,
                Part::File(name) => self.add_file(&mut sum, &name, times)?,
            }
        }
        Ok(sum)
    }

    fn add_file<C: Counts>(&self, sum: &mut C, name: &str, times: u64) -> Result<(), TrainError> {
        let directory = self.store.spill_directory();
        let file = directory.and_then(|directory| directory.open(name));
        let damaged = || self.store.damaged(name);
        let result = sum.read_from(file.ok_or_else(damaged)?, times, |sum| {
            check_stop(self.observer).map_err(|stopped| GatherError::Other(stopped.into()))?;
            match &self.budget {
                Some(budget) => budget
                    .check(C::NAME, sum.memory())
                    .map_err(GatherError::Other),
                None => Ok(()),
            }
        });
        result.map_err(|error| match error {
            GatherError::Other(error) => error,
            GatherError::File(CountFileError::Overflow(overflow)) => overflow.into(),
            GatherError::File(CountFileError::Io(_) | CountFileError::Damaged) => damaged(),
        })
    }
}
