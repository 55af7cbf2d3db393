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
        let (mut tables, mut files) = (Vec::new(), Vec::new());
        for WeightedPart { times, part } in parts {
            match part {
                Part::Memory(counts) => tables.push((counts, times)),
                Part::File(name) => files.push((name, times)),
            }
        }
        let threads = crate::threads::resolve(self.read.threads);
        self.observer.step(phase, Step::AddUp, 0.0);
        let mut sum = C::sum(tables, threads, self.observer)?;
        let number = files.len() as f64;
        for (done, (name, times)) in files.into_iter().enumerate() {
            check_stop(self.observer)?;
            self.observer.step(phase, Step::AddUp, done as f64 / number);
            self.add_file(&mut sum, &name, times)?;
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
