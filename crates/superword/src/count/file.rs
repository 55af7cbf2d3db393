//! Counts in scratch files: sorted, checked, read back one by one.
//!
//! The bytes `SWCOUNT1`, then records: the length of a key, the key, its count, numbers in base 128
//! with the low end first; then a length of zero and the xxh3 hash of all that came before.

use std::io::{self, BufRead, Read, Write};

use xxhash_rust::xxh3::Xxh3;

use super::{CandidateCounts, CountOverflow, PretokenCounts};
use crate::token::Symbol;

const MAGIC: &[u8; 8] = b"SWCOUNT1";

/// The longest key that is believed. No document is longer.
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

/// Keys to be sorted, all in one place: where memory is short, small allocations are dear.
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

    fn push(&mut self, key: impl Iterator<Item = u8>, count: u64) {
        let start = self.arena.len();
        self.arena.extend(key);
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
    /// The system failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not what was written.
    #[error("the file is damaged")]
    Damaged,
    /// The sum does not fit.
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
        // Not reserved before it is there: a damaged length must not fill the memory.
        let read = (&mut self.inner).take(length).read_to_end(key)?;
        if read as u64 != length {
            return Err(CountFileError::Damaged);
        }
        self.hash.update(key);
        Ok(())
    }
}

fn read(
    inner: impl BufRead,
    mut each: impl FnMut(&[u8], u64) -> Result<(), CountFileError>,
) -> Result<(), CountFileError> {
    let mut file = Checked {
        inner,
        hash: Xxh3::new(),
    };
    let mut key = Vec::new();
    file.key(MAGIC.len() as u64, &mut key)?;
    if key != MAGIC {
        return Err(CountFileError::Damaged);
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
    let hash = file.hash.digest();
    let mut written = [0; 8];
    file.inner
        .read_exact(&mut written)
        .map_err(|_| CountFileError::Damaged)?;
    if written == hash.to_le_bytes() {
        Ok(())
    } else {
        Err(CountFileError::Damaged)
    }
}

impl PretokenCounts {
    /// Writes all counts, sorted.
    pub fn write_to(&self, out: impl Write) -> io::Result<()> {
        let mut keys = Keys::with_capacity(self.len());
        self.for_each(|bytes, count| keys.push(bytes.iter().copied(), count));
        keys.write_sorted(out)
    }

    /// Adds what was written, `times` over. `more` is asked now and then whether to go on.
    pub fn read_from(
        &mut self,
        input: impl BufRead,
        times: u64,
        mut more: impl FnMut(&PretokenCounts) -> Result<(), CountFileError>,
    ) -> Result<(), CountFileError> {
        let mut seen = 0u32;
        read(input, |key, count| {
            self.add(key, count.checked_mul(times).ok_or(CountOverflow)?)?;
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(1 << 12) {
                more(self)?;
            }
            Ok(())
        })
    }
}

impl CandidateCounts {
    /// Writes all counts, sorted.
    pub fn write_to(&self, out: impl Write) -> io::Result<()> {
        let mut keys = Keys::with_capacity(self.len());
        for (symbols, count) in self.iter() {
            keys.push(
                symbols.iter().flat_map(|symbol| symbol.0.to_be_bytes()),
                count,
            );
        }
        keys.write_sorted(out)
    }

    /// Adds what was written, `times` over. `more` is asked now and then whether to go on.
    pub fn read_from(
        &mut self,
        input: impl BufRead,
        times: u64,
        mut more: impl FnMut(&CandidateCounts) -> Result<(), CountFileError>,
    ) -> Result<(), CountFileError> {
        let mut symbols = Vec::new();
        let mut seen = 0u32;
        read(input, |key, count| {
            if !key.len().is_multiple_of(4) || key.len() < 8 {
                return Err(CountFileError::Damaged);
            }
            symbols.clear();
            symbols.extend(key.chunks_exact(4).map(|chunk| {
                let mut bytes = [0; 4];
                bytes.copy_from_slice(chunk);
                Symbol(u32::from_be_bytes(bytes))
            }));
            self.add(&symbols, count.checked_mul(times).ok_or(CountOverflow)?)?;
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(1 << 12) {
                more(self)?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn counts_come_back_and_are_added() {
        let mut file = Vec::new();
        counts().write_to(&mut file).unwrap();
        let mut again = PretokenCounts::default();
        again.read_from(&file[..], 1, |_| Ok(())).unwrap();
        assert_eq!(again.len(), 3);
        assert_eq!(again.get(b"\xff\x00"), u64::MAX);
        let twice = again.read_from(&file[..], 1, |_| Ok(()));
        assert!(matches!(twice, Err(CountFileError::Overflow(_))));

        let mut candidates = CandidateCounts::default();
        candidates.add(&[Symbol(7), Symbol(1 << 20)], 5).unwrap();
        let mut file = Vec::new();
        candidates.write_to(&mut file).unwrap();
        let mut again = CandidateCounts::default();
        again.read_from(&file[..], 1, |_| Ok(())).unwrap();
        again.read_from(&file[..], 1, |_| Ok(())).unwrap();
        let all: Vec<_> = again.iter().collect();
        assert_eq!(all, [(&[Symbol(7), Symbol(1 << 20)][..], 10)]);
    }

    #[test]
    fn every_damage_is_noticed() {
        let mut file = Vec::new();
        counts().write_to(&mut file).unwrap();
        for at in 0..file.len() {
            let cut = PretokenCounts::default().read_from(&file[..at], 1, |_| Ok(()));
            assert!(cut.is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut damaged = file.clone();
                damaged[at] ^= 1 << bit;
                let read = PretokenCounts::default().read_from(&damaged[..], 1, |_| Ok(()));
                assert!(read.is_err(), "bit {bit} of {at}");
            }
        }
    }
}
