//! Adds tables up, segment by segment.

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
    let segments = threads::map(threads, shares, |share| {
        check_stop(observer)?;
        add_up(share)
    });
    Ok(CountTable {
        segments: segments.into_iter().collect::<Result<_, CountError>>()?,
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
