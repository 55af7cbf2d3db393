//! Raw bytes of a source, before decompression.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use super::pipe::{Pipe, is_pipe};
use crate::corpus::source::BatchStream;
use crate::corpus::{Compression, CorpusError, Location, Source};
use crate::observe::{Observer, Stopped, check_stop};

/// Bytes asked of the system at a time.
pub(in crate::corpus) const CHUNK: usize = 128 << 10;

/// Why raw bytes did not come.
#[derive(Debug)]
pub(in crate::corpus) enum InputError {
    Stopped(Stopped),
    Io(io::Error),
}

/// An open source.
pub(in crate::corpus) enum Input {
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
    pub(in crate::corpus) fn open(source: &Source) -> Result<Input, CorpusError> {
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
    pub(in crate::corpus) fn read(
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
pub(in crate::corpus) fn inspect(sources: &[Source]) -> Result<Option<u64>, CorpusError> {
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
}
