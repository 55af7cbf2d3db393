//! Raw bytes of a source, before decompression.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::source::BatchStream;
use super::{Compression, CorpusError, Location, ReadError, Source};
use crate::observe::{Observer, Stopped, check_stop};

/// Bytes asked of the system at a time.
pub(super) const CHUNK: usize = 128 << 10;

/// How often a worker that waits for a pipe looks whether it should stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// A pipe that ends within this many bytes is kept in memory by [`Source::buffer`].
const SMALL: usize = 8 << 20;

/// Why raw bytes did not come.
#[derive(Debug)]
pub(super) enum InputError {
    Stopped(Stopped),
    Io(io::Error),
}

/// An open source.
pub(super) enum Input {
    File(File),
    Memory {
        bytes: Arc<[u8]>,
        position: usize,
    },
    Spooled {
        file: Arc<File>,
        position: u64,
    },
    Piped(Pipe),
    Batches {
        stream: Box<dyn BatchStream>,
        batch: Vec<u8>,
        position: usize,
    },
}

impl Input {
    pub(super) fn open(source: &Source) -> Result<Input, CorpusError> {
        Ok(match &source.location {
            Location::Path(path) if is_pipe(path) => {
                let path = path.clone();
                // The far end of a named pipe may be slow to come: it is opened over there too.
                Input::Piped(Pipe::start(move || File::open(path)))
            }
            Location::Path(path) => {
                Input::File(File::open(path).map_err(|error| open_error(source.name(), &error))?)
            }
            Location::Stdin => Input::Piped(Pipe::start(|| Ok(io::stdin()))),
            Location::Memory(_, bytes) => Input::Memory {
                bytes: bytes.clone(),
                position: 0,
            },
            Location::Spooled(_, file) => Input::Spooled {
                file: file.clone(),
                position: 0,
            },
            Location::Batches(batches) => Input::Batches {
                stream: batches
                    .open()
                    .map_err(|error| open_error(source.name(), &error))?,
                batch: Vec::new(),
                position: 0,
            },
        })
    }

    /// Fills the front of `buffer` and says how much; 0 at the end. Never waits for long once the
    /// observer wants to stop.
    pub(super) fn read(
        &mut self,
        buffer: &mut [u8],
        observer: &dyn Observer,
    ) -> Result<usize, InputError> {
        loop {
            check_stop(observer).map_err(InputError::Stopped)?;
            let result = match self {
                Input::File(file) => file.read(buffer),
                Input::Memory { bytes, position } => {
                    let rest = &bytes[*position..];
                    let count = rest.len().min(buffer.len());
                    buffer[..count].copy_from_slice(&rest[..count]);
                    *position += count;
                    Ok(count)
                }
                Input::Spooled { file, position } => {
                    let result = read_at(file, buffer, *position);
                    *position += *result.as_ref().unwrap_or(&0) as u64;
                    result
                }
                Input::Batches {
                    stream,
                    batch,
                    position,
                } => next_of_batches(stream.as_mut(), batch, position, buffer),
                Input::Piped(pipe) => match pipe.read(buffer) {
                    Some(result) => result,
                    None => continue,
                },
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(InputError::Io(error)),
                Ok(count) => return Ok(count),
            }
        }
    }
}

fn next_of_batches(
    stream: &mut dyn BatchStream,
    batch: &mut Vec<u8>,
    position: &mut usize,
    buffer: &mut [u8],
) -> io::Result<usize> {
    while *position == batch.len() {
        batch.clear();
        *position = 0;
        if !stream.next(batch)? {
            return Ok(0);
        }
    }
    let rest = &batch[*position..];
    let count = rest.len().min(buffer.len());
    buffer[..count].copy_from_slice(&rest[..count]);
    *position += count;
    Ok(count)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

/// A pipe, read by a thread of its own: a read that waits for the far end cannot be called off,
/// but the worker that waits for this thread can leave. What the thread holds then is lost.
pub(super) struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    current: Vec<u8>,
    position: usize,
    ended: bool,
}

impl Pipe {
    fn start<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Pipe {
        let (sender, chunks) = sync_channel(4);
        std::thread::spawn(move || {
            let mut reader = match open() {
                Ok(reader) => reader,
                Err(error) => {
                    let _ = sender.send(Err(error));
                    return;
                }
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let result = match reader.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    result => result,
                };
                let more = matches!(result, Ok(count) if count > 0);
                let message = result.map(|count| {
                    chunk.truncate(count);
                    chunk
                });
                // Nobody listens any more: the work was stopped.
                if sender.send(message).is_err() || !more {
                    return;
                }
            }
        });
        Pipe {
            chunks,
            current: Vec::new(),
            position: 0,
            ended: false,
        }
    }

    /// `None` if nothing came for a while.
    fn read(&mut self, buffer: &mut [u8]) -> Option<io::Result<usize>> {
        if self.position == self.current.len() && !self.ended {
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(Ok(chunk)) => {
                    self.ended = chunk.is_empty();
                    self.current = chunk;
                    self.position = 0;
                }
                Ok(Err(error)) => return Some(Err(error)),
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err(io::Error::other("the reading thread is gone")));
                }
            }
        }
        let rest = &self.current[self.position..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Some(Ok(count))
    }
}

/// True for a name that is there and is neither file nor directory: a pipe, a terminal, a socket.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn open_error(source_name: String, error: &io::Error) -> CorpusError {
    match error.kind() {
        io::ErrorKind::NotFound => CorpusError::NotFound { source_name },
        io::ErrorKind::PermissionDenied => CorpusError::PermissionDenied { source_name },
        io::ErrorKind::IsADirectory => CorpusError::IsDirectory { source_name },
        _ => CorpusError::Open {
            source_name,
            reason: error.to_string(),
        },
    }
}

/// Looks at all sources before any work starts: each must be there and readable, stdin at most
/// once. Returns the sum of their sizes, or `None` where one is a pipe.
pub(super) fn inspect(sources: &[Source]) -> Result<Option<u64>, CorpusError> {
    let mut total = Some(0u64);
    let mut stdin = None;
    for (index, source) in sources.iter().enumerate() {
        let size = match &source.location {
            Location::Stdin => {
                if let Some(first) = stdin.replace(index) {
                    return Err(CorpusError::StdinTwice {
                        first,
                        second: index,
                    });
                }
                None
            }
            Location::Memory(_, bytes) => Some(bytes.len() as u64),
            Location::Batches(batches) => Some(batches.size_guess()).filter(|&size| size > 0),
            Location::Spooled(_, file) => Some(
                file.metadata()
                    .map_err(|error| open_error(source.name(), &error))?
                    .len(),
            ),
            Location::Path(path) => {
                let fail = |error: io::Error| open_error(source.name(), &error);
                let metadata = std::fs::metadata(path).map_err(fail)?;
                if metadata.is_dir() {
                    return Err(CorpusError::IsDirectory {
                        source_name: source.name(),
                    });
                }
                if metadata.is_file() {
                    File::open(path).map_err(fail)?;
                    Some(metadata.len())
                } else {
                    None
                }
            }
        };
        total = total
            .zip(size)
            .map(|(total, size)| total.saturating_add(size));
    }
    Ok(total)
}

impl Source {
    /// About how many bytes of text the source holds: its size, times four where it is
    /// compressed; 0 where that is unknown.
    pub fn size_guess(&self) -> u64 {
        let stored = self.stored_bytes();
        match self.compression {
            Compression::Gzip | Compression::Zstd => stored.saturating_mul(4),
            Compression::Detect | Compression::None => stored,
        }
    }

    /// The bytes that the source takes where it is; 0 where that is unknown.
    pub fn stored_bytes(&self) -> u64 {
        match &self.location {
            Location::Path(path) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
            Location::Stdin => 0,
            Location::Batches(batches) => batches.size_guess(),
            Location::Memory(_, bytes) => bytes.len() as u64,
            Location::Spooled(_, file) => file.metadata().map_or(0, |metadata| metadata.len()),
        }
    }

    /// True if the source can be read only once: stdin, or a named pipe.
    pub fn is_once_only(&self) -> bool {
        match &self.location {
            Location::Path(path) => is_pipe(path),
            Location::Stdin => true,
            Location::Memory(..) | Location::Spooled(..) | Location::Batches(..) => false,
        }
    }

    /// Makes a source that can be read several times, as training does: what comes through a
    /// pipe is kept in memory if it is small, else in a temporary file without a name, which
    /// goes away with the last use. Other sources are returned as they are.
    pub fn buffer(
        self,
        observer: &dyn Observer,
    ) -> Result<Source, ReadError<std::convert::Infallible>> {
        if !self.is_once_only() {
            return Ok(self);
        }
        let input = Input::open(&self)?;
        let location = spool(self.name(), input, SMALL, observer)?;
        Ok(Source { location, ..self })
    }
}

fn spool(
    name: String,
    mut input: Input,
    small: usize,
    observer: &dyn Observer,
) -> Result<Location, ReadError<std::convert::Infallible>> {
    let spool_error = |error: io::Error| CorpusError::Spool {
        reason: error.to_string(),
    };
    let mut memory = Vec::new();
    let mut file: Option<File> = None;
    let mut chunk = vec![0; CHUNK];
    let mut offset = 0;
    loop {
        let count = input
            .read(&mut chunk, observer)
            .map_err(|error| match error {
                InputError::Stopped(stopped) => ReadError::Stopped(stopped),
                InputError::Io(error) => ReadError::Corpus(CorpusError::Read {
                    source_name: name.clone(),
                    offset,
                    reason: error.to_string(),
                }),
            })?;
        if count == 0 {
            break;
        }
        offset += count as u64;
        memory.extend_from_slice(&chunk[..count]);
        if memory.len() > small || file.is_some() {
            let file = match &mut file {
                Some(file) => file,
                None => file.insert(tempfile::tempfile().map_err(spool_error)?),
            };
            file.write_all(&memory).map_err(spool_error)?;
            memory.clear();
        }
    }
    Ok(match file {
        Some(file) => Location::Spooled(name, Arc::new(file)),
        None => Location::Memory(name, memory.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::{Phase, Silent};

    fn pipe(bytes: Vec<u8>) -> Input {
        Input::Piped(Pipe::start(move || Ok(io::Cursor::new(bytes))))
    }

    fn read_all(mut input: Input) -> Vec<u8> {
        let mut all = Vec::new();
        let mut chunk = [0; 1000];
        loop {
            match input.read(&mut chunk, &Silent).unwrap() {
                0 => return all,
                count => all.extend_from_slice(&chunk[..count]),
            }
        }
    }

    #[test]
    fn a_pipe_gives_all_its_bytes() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 7).map(|i| (i % 251) as u8).collect();
        assert_eq!(read_all(pipe(bytes.clone())), bytes);
        assert_eq!(read_all(pipe(Vec::new())), Vec::<u8>::new());
    }

    #[test]
    fn a_spooled_pipe_can_be_read_twice_from_memory_or_disk() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 7).map(|i| (i % 251) as u8).collect();
        for small in [SMALL, CHUNK] {
            let location = spool("stdin".into(), pipe(bytes.clone()), small, &Silent).unwrap();
            assert_eq!(matches!(location, Location::Memory(..)), small == SMALL);
            let source = Source {
                location,
                ..Source::stdin(super::super::Format::Text)
            };
            assert!(!source.is_once_only());
            for _ in 0..2 {
                assert_eq!(read_all(Input::open(&source).unwrap()), bytes);
            }
            assert_eq!(inspect(&[source]).unwrap(), Some(bytes.len() as u64));
        }
    }

    #[test]
    fn waiting_for_a_silent_pipe_can_be_stopped() {
        struct StopSoon(std::time::Instant);
        impl Observer for StopSoon {
            fn progress(&self, _: Phase, _: u64, _: Option<u64>) {}
            fn stop_requested(&self) -> bool {
                self.0.elapsed() > Duration::from_millis(20)
            }
        }
        struct Never;
        impl Read for Never {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                std::thread::sleep(Duration::from_secs(3));
                Ok(0)
            }
        }
        let mut input = Input::Piped(Pipe::start(|| Ok(Never)));
        let start = std::time::Instant::now();
        let result = input.read(&mut [0; 10], &StopSoon(start));
        assert!(matches!(result, Err(InputError::Stopped(_))), "{result:?}");
        assert!(start.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn a_failing_pipe_says_so() {
        let input = Input::Piped(Pipe::start(|| {
            Err::<File, _>(io::Error::other("far end gone"))
        }));
        let error = spool("p".into(), input, SMALL, &Silent).unwrap_err();
        assert!(
            matches!(&error, ReadError::Corpus(CorpusError::Read { offset: 0, reason, .. }) if reason == "far end gone"),
            "{error:?}"
        );
    }
}
