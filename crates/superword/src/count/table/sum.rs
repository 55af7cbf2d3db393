//! Adds tables up, segment by segment.

use std::sync::{Mutex, PoisonError};

use super::segment::Segment;
use super::{CountTable, Item, SEGMENTS};
use crate::count::CountError;
use crate::observe::{Observer, check_stop};
use crate::threads;

/// The segments of all tables with the same hashes, each with its number of times.
type Share<T> = Vec<(Segment<T>, u64)>;

/// The sum of tables, each multiplied by its number of times. Every thread takes one segment after the
/// other. Memory is freed as soon as it has been added up.
pub(crate) fn sum<T: Item>(
    tables: Vec<(CountTable<T>, u64)>,
    threads: usize,
    observer: &dyn Observer,
) -> Result<CountTable<T>, CountError> {
    let mut shares: Vec<Share<T>> = (0..SEGMENTS).map(|_| Vec::new()).collect();
    for (table, times) in tables {
        for (segment, share) in table.segments.into_iter().zip(&mut shares) {
            share.push((segment, times));
        }
    }
    let waiting = Mutex::new(shares.into_iter().enumerate().rev().collect::<Vec<_>>());
    let results = Mutex::new(Vec::with_capacity(SEGMENTS));
    let lock_failed = PoisonError::into_inner;
    threads::share(threads.min(SEGMENTS), || {
        loop {
            let next = waiting.lock().unwrap_or_else(lock_failed).pop();
            let Some((number, share)) = next else {
                return;
            };
            let result = check_stop(observer)
                .map_err(CountError::from)
                .and_then(|()| add_up(share));
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((number, result));
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|&(number, _)| number);
    let segments = results.into_iter().map(|(_, segment)| segment);
    Ok(CountTable {
        segments: segments.collect::<Result<_, _>>()?,
    })
}

fn add_up<T: Item>(mut share: Share<T>) -> Result<Segment<T>, CountError> {
    // The largest one becomes the sum, without a copy.
    let once = share
        .iter()
        .enumerate()
        .filter(|(_, (_, times))| *times == 1);
    let largest = once.max_by_key(|(_, (segment, _))| segment.len());
    let mut all = match largest.map(|(index, _)| index) {
        Some(index) => share.swap_remove(index).0,
        None => Segment::default(),
    };
    for (segment, times) in share {
        all.add_all(&segment, times)?;
    }
    Ok(all)
}
