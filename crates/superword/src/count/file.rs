//! Counts in files: sorted by key, with a checksum, read back one by one.
//!
//! A file starts with the bytes `SWCOUNT1`. Records follow: the length of a key, the key, its count.
//! A length of 0 and the xxh3 hash of everything before end the file. Numbers are in base 128, the
//! low digits first.

use std::io::{self, BufRead, Read, Write};

use xxhash_rust::xxh3::Xxh3;

use super::{CHECK_EVERY, CountError, CountOverflow};
use crate::observe::Observer;

const MAGIC: &[u8; 8] = b"SWCOUNT1";

/// A longer key means that the file is damaged: no document is that long.
const MAX_KEY: u64 = 1 << 40;

struct Hashed<W> {
    inner: W,
    hash: Xxh3,
}

impl<W: Write> Hashed<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.inner.write_all(bytes)
    }

    fn number(&mut self, mut number: u64) -> io::Result<()> {
        let mut bytes = [0; 10];
        let mut length = 0;
        loop {
            bytes[length] = (number & 0x7f) as u8 | if number > 0x7f { 0x80 } else { 0 };
            length += 1;
            number >>= 7;
            if number == 0 {
                return self.put(&bytes[..length]);
            }
        }
    }
}

fn write<'k>(out: impl Write, records: impl Iterator<Item = (&'k [u8], u64)>) -> io::Result<()> {
    let mut out = Hashed {
        inner: out,
        hash: Xxh3::new(),
    };
    out.put(MAGIC)?;
    for (key, count) in records {
        out.number(key.len() as u64)?;
        out.put(key)?;
        out.number(count)?;
    }
    out.number(0)?;
    let hash = out.hash.digest();
    out.inner.write_all(&hash.to_le_bytes())
}

/// Keys to sort, in one buffer: an allocation per key would take too much memory.
struct Keys {
    arena: Vec<u8>,
    entries: Vec<(usize, usize, u64)>,
}

impl Keys {
    fn with_capacity(keys: usize) -> Keys {
        Keys {
            arena: Vec::new(),
            entries: Vec::with_capacity(keys),
        }
    }

    fn push(&mut self, key: &[u8], count: u64) {
        let start = self.arena.len();
        self.arena.extend_from_slice(key);
        self.entries.push((start, self.arena.len(), count));
    }

    fn write_sorted(mut self, out: impl Write) -> io::Result<()> {
        let arena = &self.arena;
        let key = |&(start, end, _): &(usize, usize, u64)| &arena[start..end];
        self.entries.sort_unstable_by(|a, b| key(a).cmp(key(b)));
        write(out, self.entries.iter().map(|entry| (key(entry), entry.2)))
    }
}

/// Why counts could not be read back.
#[derive(Debug, thiserror::Error)]
pub enum CountFileError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The content is not what was written.
    #[error("the file is damaged")]
    Damaged,
    /// A sum does not fit.
    #[error(transparent)]
    Overflow(#[from] CountOverflow),
}

struct Checked<R> {
    inner: R,
    hash: Xxh3,
}

impl<R: BufRead> Checked<R> {
    fn byte(&mut self) -> Result<u8, CountFileError> {
        let mut byte = [0];
        self.inner
            .read_exact(&mut byte)
            .map_err(|_| CountFileError::Damaged)?;
        self.hash.update(&byte);
        Ok(byte[0])
    }

    fn number(&mut self) -> Result<u64, CountFileError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return Err(CountFileError::Damaged);
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(CountFileError::Damaged)
    }

    fn key(&mut self, length: u64, key: &mut Vec<u8>) -> Result<(), CountFileError> {
        if length > MAX_KEY {
            return Err(CountFileError::Damaged);
        }
        key.clear();
        // No capacity is reserved: a damaged length must not fill the memory.
        let read = (&mut self.inner).take(length).read_to_end(key)?;
        if read as u64 != length {
            return Err(CountFileError::Damaged);
        }
        self.hash.update(key);
        Ok(())
    }

    fn check_hash(&mut self) -> Result<(), CountFileError> {
        let hash = self.hash.digest();
        let mut written = [0; 8];
        self.inner
            .read_exact(&mut written)
            .map_err(|_| CountFileError::Damaged)?;
        if written == hash.to_le_bytes() {
            Ok(())
        } else {
            Err(CountFileError::Damaged)
        }
    }
}

fn read<E: From<CountFileError>>(
    inner: impl BufRead,
    mut each: impl FnMut(&[u8], u64) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = Checked {
        inner,
        hash: Xxh3::new(),
    };
    let mut key = Vec::new();
    file.key(MAGIC.len() as u64, &mut key)?;
    if key != MAGIC {
        return Err(CountFileError::Damaged.into());
    }
    loop {
        let length = file.number()?;
        if length == 0 {
            break;
        }
        file.key(length, &mut key)?;
        let count = file.number()?;
        each(&key, count)?;
    }
    Ok(file.check_hash()?)
}

/// See [`Counts::for_some_keys`].
pub(crate) const ONE_IN: usize = super::table::SEGMENTS;

/// Counts by key: [`PretokenCounts`](super::PretokenCounts) and
/// [`CandidateCounts`](super::CandidateCounts), for adding up, writing and reading.
pub trait Counts: Default + Send {
    /// What is counted, for messages: "the {NAME} of the text do not fit".
    const NAME: &'static str;

    /// The most cells that a byte or symbol takes in the sequences in which merges are made.
    const CELLS: usize;

    /// The number of distinct keys.
    fn len(&self) -> usize;

    /// True if nothing was counted.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory used, in bytes.
    fn memory(&self) -> usize;

    /// The most memory that a table with as many keys as this one uses, in bytes. Tables grow in steps.
    fn most_memory(&self) -> usize;

    /// The share of [`Counts::most_memory`] that a key of this length has.
    fn most_memory_of(length: usize) -> usize;

    /// The number of bytes or symbols in all keys.
    fn items(&self) -> usize;

    /// Calls `visit` with the hash and the length of one in `ONE_IN` keys. Whether a key is one of them
    /// depends only on the key.
    fn for_some_keys(&self, visit: impl FnMut(u64, usize));

    /// The sum of several counts, each multiplied by its number of times.
    fn sum(
        parts: Vec<(Self, u64)>,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<Self, CountError>;

    /// Calls `visit` with every key as bytes and its count, in no particular order.
    fn for_each_key(&self, visit: impl FnMut(&[u8], u64));

    /// Adds to the count of a key from [`Counts::for_each_key`]. Other keys are
    /// [`CountFileError::Damaged`].
    fn add_key(&mut self, key: &[u8], count: u64) -> Result<(), CountFileError>;

    /// Writes all counts, sorted by key.
    fn write_to(&self, out: impl Write) -> io::Result<()> {
        let mut keys = Keys::with_capacity(self.len());
        self.for_each_key(|key, count| keys.push(key, count));
        keys.write_sorted(out)
    }

    /// Adds what [`Counts::write_to`] wrote, multiplied by `times`. Keys for which `wanted` returns false are left out. Calls
    /// `check` every few thousand keys and stops at its first error.
    fn read_from<E: From<CountFileError>>(
        &mut self,
        input: impl BufRead,
        times: u64,
        wanted: impl Fn(&[u8]) -> bool,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut number = 0usize;
        read(input, |key, count| {
            number = number.wrapping_add(1);
            if number.is_multiple_of(CHECK_EVERY) {
                check()?;
            }
            if !wanted(key) {
                return Ok(());
            }
            let count = count.checked_mul(times).ok_or(CountOverflow);
            let added = count.map_err(CountFileError::from);
            added.and_then(|count| self.add_key(key, count))?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CandidateCounts, PretokenCounts};
    use super::*;
    use crate::token::Symbol;

    fn no_check() -> Result<(), CountFileError> {
        Ok(())
    }

    fn all(_: &[u8]) -> bool {
        true
    }

    fn counts() -> PretokenCounts {
        let mut counts = PretokenCounts::default();
        for (key, count) in [
            (&b"a"[..], 1),
            (b"\xff\x00", u64::MAX),
            (b" a longer one than fits inline", 1 << 40),
        ] {
            counts.add(key, count).unwrap();
        }
        counts
    }

    #[test]
    fn counts_are_read_back_and_added_up() {
        let mut file = Vec::new();
        counts().write_to(&mut file).unwrap();
        let mut again = PretokenCounts::default();
        again.read_from(&file[..], 1, all, no_check).unwrap();
        assert_eq!(again.len(), 3);
        assert_eq!(again.get(b"\xff\x00"), u64::MAX);
        let twice = again.read_from(&file[..], 1, all, no_check);
        assert!(matches!(twice, Err(CountFileError::Overflow(_))));

        let mut candidates = CandidateCounts::default();
        candidates.add(&[Symbol(7), Symbol(1 << 20)], 5).unwrap();
        let mut file = Vec::new();
        candidates.write_to(&mut file).unwrap();
        let mut again = CandidateCounts::default();
        again.read_from(&file[..], 1, all, no_check).unwrap();
        again.read_from(&file[..], 1, all, no_check).unwrap();
        let all: Vec<_> = again.iter().collect();
        assert_eq!(all, [(&[Symbol(7), Symbol(1 << 20)][..], 10)]);
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_detected() {
        let mut file = Vec::new();
        counts().write_to(&mut file).unwrap();
        for at in 0..file.len() {
            let cut = PretokenCounts::default().read_from(&file[..at], 1, all, no_check);
            assert!(cut.is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut damaged = file.clone();
                damaged[at] ^= 1 << bit;
                let read = PretokenCounts::default().read_from(&damaged[..], 1, all, no_check);
                assert!(read.is_err(), "bit {bit} of {at}");
            }
        }
    }
}
