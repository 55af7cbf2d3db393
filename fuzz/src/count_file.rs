//! **Promise:** any bytes are counts or give an error. Counts that are read are written, partitioned
//! and read again unchanged.

use std::cell::RefCell;
use std::num::NonZeroU32;

use xxhash_rust::xxh3::xxh3_64;

use super::support::engine::{
    BigramBounds, CandidateCounts, CountFileError, Counts, NamedCandidates, Partition,
    PretokenCounts, TokenColumn, numbers,
};
use super::support::input::Input;

pub fn check(data: &[u8]) {
    let Some((&mode, content)) = data.split_first() else {
        return;
    };
    match mode % 8 {
        0 => both(content),
        1..4 => both(&with_checksum(content)),
        4 | 5 => columns(content),
        6 => bounds(content),
        _ => both(&from_records(content)),
    }
}

fn both(file: &[u8]) {
    if let Some(counts) = round_trip::<PretokenCounts>(file) {
        let of = NonZeroU32::new(3).expect("not zero");
        let mut sum = PretokenCounts::default();
        let mut checksum = 0u64;
        for number in 0..3 {
            let part = counts.partition(Partition { number, of });
            checksum = checksum.wrapping_add(part.checksum().0);
            sum.merge(&part).expect("the sum was there before");
        }
        assert_eq!(checksum, counts.checksum().0);
        assert_eq!(written(&sum), written(&counts), "partitions add up");
    }
    round_trip::<CandidateCounts>(file);
}

fn round_trip<C: Counts>(file: &[u8]) -> Option<C> {
    let counts: C = read(file).ok()?;
    let first = written(&counts);
    let again: C = read(&first).expect("counts that were written");
    assert_eq!(again.len(), counts.len());
    assert_eq!(written(&again), first);
    Some(counts)
}

fn read<C: Counts>(file: &[u8]) -> Result<C, CountFileError> {
    let mut counts = C::default();
    counts.read_from(file, 1, |_| true, || Ok::<(), CountFileError>(()))?;
    Ok(counts)
}

fn written<C: Counts>(counts: &C) -> Vec<u8> {
    let mut file = Vec::new();
    counts.write_to(&mut file).expect("memory is written");
    file
}

/// The same content between a correct start and a correct end.
fn with_checksum(content: &[u8]) -> Vec<u8> {
    let mut file = [b"SWCOUNT1", content, &[0]].concat();
    file.extend(xxh3_64(&file).to_le_bytes());
    file
}

/// A file with well-formed records.
fn from_records(content: &[u8]) -> Vec<u8> {
    let mut input = Input::new(content);
    let mut records = Vec::new();
    while !input.is_empty() {
        let key = input.bytes();
        let length = key.len().min(100);
        if length > 0 {
            records.push(length as u8);
            records.extend(&key[..length]);
            records.push(input.byte() & 0x7f);
        }
    }
    with_checksum(&records)
}

/// Columns of Arrow with any offsets.
fn columns(content: &[u8]) {
    let mut input = Input::new(content);
    let (offsets, runs) = (input.bytes(), input.bytes());
    let Ok(column) = TokenColumn::new(offsets, input.rest()) else {
        return;
    };
    let runs: Vec<u64> = numbers(runs).collect();
    let mut named = NamedCandidates::default();
    for row in 0..runs.len() {
        if let Ok(run) = column.run(&runs, row) {
            let _ = named.add(run.into_iter(), 1);
        }
    }
    assert_eq!(named.sorted().len(), named.len());
}

/// A slice of bounds, which is compressed.
fn bounds(content: &[u8]) {
    thread_local! {
        // Kept between inputs, because it takes 32 MB.
        static BOUNDS: RefCell<Option<BigramBounds>> = const { RefCell::new(None) };
    }
    let mut input = Input::new(content);
    let (number, of) = (u32::from(input.byte()), 1 << 15);
    BOUNDS.with_borrow_mut(|bounds| {
        let bounds = bounds.get_or_insert_with(BigramBounds::default);
        let _ = bounds.add_slice(number, of, input.rest());
        let slice = bounds.slice(number, of).expect("memory is written");
        bounds
            .add_slice(number, of, &slice)
            .expect("a slice that was written");
    });
}
