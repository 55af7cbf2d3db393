//! Texts of documents, compressed in chunks: in memory while they are few, else in a file without a
//! name, which disappears with its last use.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use crate::corpus::stream::input::read_at;
use crate::memory;

/// Text bytes that make a chunk. A longer document is a chunk of its own.
const CHUNK_BYTES: usize = 1 << 20;

/// Compressed bytes that stay in memory.
const SMALL: usize = 8 << 20;

/// Why texts could not be kept.
#[derive(Debug)]
pub(crate) enum KeepError {
    /// The system cannot write or read the file.
    Io(io::Error),
    /// The file does not hold what was written.
    Damaged,
}

impl From<io::Error> for KeepError {
    fn from(error: io::Error) -> Self {
        KeepError::Io(error)
    }
}

/// A compressed part of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Its place among the stored bytes.
    offset: u64,
    /// Its compressed size.
    pub stored: u64,
    /// Its size before compression.
    pub bytes: u64,
    /// A hash of the compressed bytes.
    pub hash: u64,
}

/// Where compressed bytes are.
#[derive(Debug)]
enum Storage {
    Memory(Vec<u8>),
    File(File),
}

/// Documents that were written, and can be read any number of times.
#[derive(Debug)]
pub(crate) struct Texts {
    storage: Storage,
    chunks: Vec<Chunk>,
}

impl Texts {
    /// Texts in a file, with the stored size, the size and the hash of each chunk. `None` if the file
    /// has another size.
    pub(crate) fn open(path: &Path, chunks: &[[u64; 3]]) -> Option<Texts> {
        let file = File::open(path).ok()?;
        let mut offset = 0u64;
        let mut placed = Vec::with_capacity(chunks.len());
        for &[stored, bytes, hash] in chunks {
            placed.push(Chunk {
                offset,
                stored,
                bytes,
                hash,
            });
            offset = offset.checked_add(stored)?;
        }
        (file.metadata().ok()?.len() == offset).then_some(Texts {
            storage: Storage::File(file),
            chunks: placed,
        })
    }

    /// The chunks.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Copies everything that is stored.
    pub(crate) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.storage {
            Storage::Memory(bytes) => out.write_all(bytes),
            Storage::File(file) => {
                let mut file = file;
                file.seek(SeekFrom::Start(0))?;
                let size = self.chunks.iter().map(|chunk| chunk.stored).sum();
                io::copy(&mut file.take(size), out).map(|_| ())
            }
        }
    }

    /// Decompresses a chunk into `out`. `scratch` is a reusable buffer.
    pub(super) fn read(
        &self,
        chunk: &Chunk,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), KeepError> {
        let stored = usize::try_from(chunk.stored).map_err(|_| KeepError::Damaged)?;
        let bytes = usize::try_from(chunk.bytes).map_err(|_| KeepError::Damaged)?;
        let compressed = match &self.storage {
            Storage::Memory(all) => {
                let start = chunk.offset as usize;
                all.get(start..start + stored).ok_or(KeepError::Damaged)?
            }
            Storage::File(file) => {
                scratch.clear();
                memory::reserve(scratch, stored);
                scratch.resize(stored, 0);
                read_exact_at(file, scratch, chunk.offset)?;
                scratch
            }
        };
        if xxh3_64(compressed) != chunk.hash {
            return Err(KeepError::Damaged);
        }
        out.clear();
        memory::reserve(out, bytes);
        out.resize(bytes, 0);
        match zstd::bulk::decompress_to_buffer(compressed, out) {
            Ok(length) if length == bytes => Ok(()),
            _ => Err(KeepError::Damaged),
        }
    }
}

fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> Result<(), KeepError> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(KeepError::Damaged),
            Ok(count) => {
                buffer = &mut buffer[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Collects chunks from several threads.
pub(super) struct Collected {
    directory: PathBuf,
    texts: Mutex<Texts>,
}

impl Collected {
    /// Texts that do not fit in memory go to a file in `directory`.
    pub(super) fn new(directory: &Path) -> Collected {
        Collected {
            directory: directory.to_owned(),
            texts: Mutex::new(Texts {
                storage: Storage::Memory(Vec::new()),
                chunks: Vec::new(),
            }),
        }
    }

    /// Everything that was written.
    pub(super) fn finish(self) -> Texts {
        self.texts
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, compressed: &[u8], bytes: usize) -> io::Result<()> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let Texts { storage, chunks } = &mut *texts;
        let offset = chunks.last().map_or(0, |last| last.offset + last.stored);
        if let Storage::Memory(all) = storage
            && all.len() + compressed.len() > SMALL
        {
            let mut file = tempfile::tempfile_in(&self.directory)?;
            file.write_all(all)?;
            *storage = Storage::File(file);
        }
        match storage {
            Storage::Memory(all) => memory::extend(all, compressed),
            Storage::File(file) => file.write_all(compressed)?,
        }
        chunks.push(Chunk {
            offset,
            stored: compressed.len() as u64,
            bytes: bytes as u64,
            hash: xxh3_64(compressed),
        });
        Ok(())
    }
}

/// Writes the documents of one thread.
pub(super) struct Writer<'a> {
    collected: &'a Collected,
    buffer: Vec<u8>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(collected: &'a Collected) -> Writer<'a> {
        Writer {
            collected,
            buffer: Vec::new(),
        }
    }

    /// Writes a document of a source, given by its index.
    pub(super) fn write(&mut self, source: usize, text: &str) -> Result<(), KeepError> {
        if self.buffer.len() + text.len() > CHUNK_BYTES {
            self.flush()?;
        }
        memory::extend(&mut self.buffer, &(source as u64).to_le_bytes());
        memory::extend(&mut self.buffer, &(text.len() as u64).to_le_bytes());
        memory::extend(&mut self.buffer, text.as_bytes());
        Ok(())
    }

    /// Passes on what was written since the last time.
    pub(super) fn flush(&mut self) -> Result<(), KeepError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let compressed = zstd::bulk::compress(&self.buffer, 1)?;
        self.collected.add(&compressed, self.buffer.len())?;
        self.buffer.clear();
        if self.buffer.capacity() > 4 * CHUNK_BYTES {
            self.buffer = Vec::new();
        }
        Ok(())
    }
}

/// The documents of a chunk: the index of the source, and the text. `None` for what is no document.
pub(super) fn documents(bytes: &[u8]) -> impl Iterator<Item = Option<(usize, &str)>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let document = next_document(&mut rest);
        if document.is_none() {
            rest = &[];
        }
        Some(document)
    })
}

fn next_document<'b>(rest: &mut &'b [u8]) -> Option<(usize, &'b str)> {
    let (source, after) = rest.split_first_chunk::<8>()?;
    let (length, after) = after.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (text, after) = after.split_at_checked(length)?;
    *rest = after;
    let source = usize::try_from(u64::from_le_bytes(*source)).ok()?;
    Some((source, std::str::from_utf8(text).ok()?))
}

/// The ranges of chunks that hold about `max_bytes` of text each.
pub(crate) fn ranges(chunks: &[Chunk], max_bytes: u64) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut size) = (0, 0u64);
    for (index, chunk) in chunks.iter().enumerate() {
        if start < index && size.saturating_add(chunk.bytes) > max_bytes {
            ranges.push(start..index);
            (start, size) = (index, 0);
        }
        size = size.saturating_add(chunk.bytes);
    }
    if start < chunks.len() {
        ranges.push(start..chunks.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(texts: &Texts) -> Vec<(usize, String)> {
        let (mut scratch, mut bytes) = (Vec::new(), Vec::new());
        let mut all = Vec::new();
        for chunk in texts.chunks() {
            texts.read(chunk, &mut scratch, &mut bytes).unwrap();
            for document in documents(&bytes) {
                let (source, text) = document.unwrap();
                all.push((source, text.to_owned()));
            }
        }
        all
    }

    /// Texts that do not compress well.
    fn text(number: u64, length: usize) -> String {
        let mut random = crate::testing::Random(number);
        (0..length)
            .map(|_| char::from(b' ' + (random.next() % 90) as u8))
            .collect()
    }

    #[test]
    fn what_is_written_is_read_from_memory_and_from_files() {
        let directory = tempfile::tempdir().unwrap();
        for (count, length) in [(0, 0), (10, 0), (100, 300), (12, 1 << 20), (2, 9 << 20)] {
            let collected = Collected::new(directory.path());
            let mut writer = Writer::new(&collected);
            let wanted: Vec<(usize, String)> = (0..count)
                .map(|number| (number % 3, text(number as u64, length)))
                .collect();
            for (source, text) in &wanted {
                writer.write(*source, text).unwrap();
            }
            writer.flush().unwrap();
            let texts = collected.finish();
            let in_file = matches!(texts.storage, Storage::File(_));
            assert_eq!(in_file, count * length > SMALL * 5 / 4);
            assert_eq!(all(&texts), wanted);
            let copy = directory.path().join("copy");
            let mut file = File::create(&copy).unwrap();
            texts.write_to(&mut file).unwrap();
            let chunks: Vec<[u64; 3]> = texts
                .chunks()
                .iter()
                .map(|chunk| [chunk.stored, chunk.bytes, chunk.hash])
                .collect();
            let again = Texts::open(&copy, &chunks).unwrap();
            assert_eq!(again.chunks(), texts.chunks());
            assert_eq!(all(&again), wanted);
            file.write_all(b"x").unwrap();
            assert!(Texts::open(&copy, &chunks).is_none());
        }
        // No file with a name is left.
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn damaged_chunks_are_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let collected = Collected::new(directory.path());
        let mut writer = Writer::new(&collected);
        writer.write(0, &text(1, 1000)).unwrap();
        writer.flush().unwrap();
        let mut texts = collected.finish();
        let chunk = texts.chunks[0];
        let (mut scratch, mut out) = (Vec::new(), Vec::new());
        for change in [
            |chunk: &mut Chunk| chunk.hash += 1,
            |chunk: &mut Chunk| chunk.bytes -= 1,
            |chunk: &mut Chunk| chunk.bytes += 1,
            |chunk: &mut Chunk| chunk.stored -= 1,
            |chunk: &mut Chunk| chunk.stored = u64::MAX / 2,
        ] {
            let mut wrong = chunk;
            change(&mut wrong);
            let result = texts.read(&wrong, &mut scratch, &mut out);
            assert!(matches!(result, Err(KeepError::Damaged)), "{wrong:?}");
        }
        if let Storage::Memory(bytes) = &mut texts.storage {
            bytes[20] ^= 1;
        }
        let result = texts.read(&chunk, &mut scratch, &mut out);
        assert!(matches!(result, Err(KeepError::Damaged)));
        assert_eq!(documents(b"12345678").collect::<Vec<_>>(), [None]);
        let too_long = [&0u64.to_le_bytes()[..], &9u64.to_le_bytes(), b"short"].concat();
        assert_eq!(documents(&too_long).collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn ranges_hold_whole_chunks() {
        let chunk = |bytes| Chunk {
            offset: 0,
            stored: 1,
            bytes,
            hash: 0,
        };
        let chunks = [5, 5, 20, 1, 1, 1].map(chunk);
        assert_eq!(ranges(&chunks, 10), [0..2, 2..3, 3..6]);
        assert_eq!(ranges(&chunks, 0).len(), 6);
        assert_eq!(ranges(&chunks, 99).len(), 1);
        assert!(ranges(&[], 10).is_empty());
    }
}
