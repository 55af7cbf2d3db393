//! Reads the raw bytes of a source, before decompression.

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::pipe::Pipe;
use super::sections::Section;
use crate::corpus::source::BatchStream;
use crate::corpus::{Compression, CorpusError, Location, Source};
use crate::observe::{Observer, Stopped, check_stop};

/// Bytes requested from the system at a time.
pub(in crate::corpus) const CHUNK: usize = 128 << 10;

/// Why raw bytes could not be read.
#[derive(Debug)]
pub(in crate::corpus) enum InputError {
    Stopped(Stopped),
    Io(io::Error),
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    /// A pipe or a terminal: a stream that can be read once.
    Pipe,
    /// Another device, such as `/dev/zero`, which may never end.
    Device,
}

impl Kind {
    pub(super) fn of(path: &Path) -> io::Result<Kind> {
        let metadata = std::fs::metadata(path)?;
        Ok(if metadata.is_file() {
            Kind::File
        } else if metadata.is_dir() {
            Kind::Directory
        } else if is_device(&metadata) && !File::open(path).is_ok_and(|file| file.is_terminal()) {
            Kind::Device
        } else {
            Kind::Pipe
        })
    }
}

#[cfg(unix)]
fn is_device(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device() || metadata.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_device(_metadata: &Metadata) -> bool {
    false
}

/// An open source.
pub(in crate::corpus) enum Input {
    File(File),
    /// A part of a file, of which `left` bytes are unread.
    Section {
        file: File,
        left: u64,
    },
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
        let fail = |error: io::Error| open_error(source.name(), &error);
        Ok(match &source.location {
            Location::Path(path) => match Kind::of(path).map_err(fail)? {
                Kind::Pipe => {
                    // Opening a named pipe waits for the writer, so the reading thread does it.
                    let path = path.clone();
                    Input::Piped(Pipe::start(move || File::open(path)).map_err(fail)?)
                }
                Kind::Device => {
                    return Err(CorpusError::Device {
                        source_name: source.name(),
                    });
                }
                Kind::File | Kind::Directory => Input::File(File::open(path).map_err(fail)?),
            },
            Location::Stdin => Input::Piped(Pipe::start(|| Ok(io::stdin())).map_err(fail)?),
            Location::Memory(_, bytes) => Input::Memory {
                bytes: bytes.clone(),
                position: 0,
            },
            Location::Spooled(_, file) => Input::Spooled {
                file: file.clone(),
                position: 0,
            },
            Location::Batches(batches) => Input::Batches {
                stream: batches.open().map_err(fail)?,
                batch: Vec::new(),
                position: 0,
            },
        })
    }

    /// Opens a part of a source that was divided with [`Source::sections`].
    pub(in crate::corpus) fn open_section(
        source: &Source,
        section: &Section,
    ) -> Result<Input, CorpusError> {
        let Input::File(mut file) = Input::open(source)? else {
            // Only files are divided, so it is one no longer.
            return Err(CorpusError::Open {
                source_name: source.name(),
                reason: "it is no longer a file".into(),
            });
        };
        let (start, end) = (section.bytes.start, section.bytes.end);
        file.seek(SeekFrom::Start(start))
            .map_err(|error| open_error(source.name(), &error))?;
        Ok(Input::Section {
            file,
            left: end.saturating_sub(start),
        })
    }

    /// Reads into the front of `buffer` and returns the number of bytes; 0 at the end. Returns
    /// [`InputError::Stopped`] soon after the observer asks to stop, even while a pipe is silent.
    pub(in crate::corpus) fn read(
        &mut self,
        buffer: &mut [u8],
        observer: &dyn Observer,
    ) -> Result<usize, InputError> {
        loop {
            check_stop(observer).map_err(InputError::Stopped)?;
            let result = match self {
                Input::File(file) => file.read(buffer),
                Input::Section { file, left } => {
                    let most = usize::try_from(*left).unwrap_or(usize::MAX);
                    let most = most.min(buffer.len());
                    let result = file.read(&mut buffer[..most]);
                    *left -= *result.as_ref().unwrap_or(&0) as u64;
                    result
                }
                Input::Memory { bytes, position } => Ok(copy_from(bytes, position, buffer)),
                Input::Spooled { file, position } => {
                    let result = read_at(file, buffer, *position);
                    *position += *result.as_ref().unwrap_or(&0) as u64;
                    result
                }
                Input::Batches {
                    stream,
                    batch,
                    position,
                } => read_batches(stream.as_mut(), batch, position, buffer),
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

/// Copies from `bytes[*position..]` as much as fits and advances the position.
pub(super) fn copy_from(bytes: &[u8], position: &mut usize, buffer: &mut [u8]) -> usize {
    let rest = &bytes[*position..];
    let count = rest.len().min(buffer.len());
    buffer[..count].copy_from_slice(&rest[..count]);
    *position += count;
    count
}

fn read_batches(
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
    Ok(copy_from(batch, position, buffer))
}

#[cfg(unix)]
pub(in crate::corpus) fn read_at(
    file: &File,
    buffer: &mut [u8],
    position: u64,
) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
pub(in crate::corpus) fn read_at(
    file: &File,
    buffer: &mut [u8],
    position: u64,
) -> io::Result<usize> {
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

/// Checks all sources before any work starts: each must exist and be readable, and stdin may occur
/// only once. Returns the sum of their sizes, or `None` if one is a pipe.
pub(in crate::corpus) fn inspect(sources: &[Source]) -> Result<Option<u64>, CorpusError> {
    let mut total = Some(0u64);
    let mut stdin = None;
    for (index, source) in sources.iter().enumerate() {
        let fail = |error: io::Error| open_error(source.name(), &error);
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
            Location::Spooled(_, file) => Some(file.metadata().map_err(fail)?.len()),
            Location::Path(path) => match Kind::of(path).map_err(fail)? {
                Kind::File => {
                    let file = File::open(path).map_err(fail)?;
                    Some(file.metadata().map_err(fail)?.len())
                }
                Kind::Directory => {
                    return Err(CorpusError::IsDirectory {
                        source_name: source.name(),
                    });
                }
                Kind::Device => {
                    return Err(CorpusError::Device {
                        source_name: source.name(),
                    });
                }
                Kind::Pipe => None,
            },
        };
        total = total
            .zip(size)
            .map(|(total, size)| total.saturating_add(size));
    }
    Ok(total)
}

impl Source {
    /// An estimate of the bytes of text in the source: its size, times four if it is compressed.
    /// 0 if unknown.
    pub(crate) fn size_guess(&self) -> u64 {
        let stored = self.stored_bytes();
        match self.compression {
            Compression::Gzip | Compression::Zstd => stored.saturating_mul(4),
            Compression::Detect | Compression::None => stored,
        }
    }

    /// The size of the source as it is stored, in bytes; 0 if unknown.
    pub(crate) fn stored_bytes(&self) -> u64 {
        match &self.location {
            Location::Path(path) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
            Location::Stdin => 0,
            Location::Batches(batches) => batches.size_guess(),
            Location::Memory(_, bytes) => bytes.len() as u64,
            Location::Spooled(_, file) => file.metadata().map_or(0, |metadata| metadata.len()),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::corpus::Format;
    use crate::observe::Silent;

    #[test]
    fn devices_are_refused_whatever_reads_them() {
        let source = Source::from_path("/dev/zero", Some(Format::Lines)).unwrap();
        let refused = CorpusError::Device {
            source_name: "/dev/zero".into(),
        };
        assert_eq!(inspect(std::slice::from_ref(&source)), Err(refused.clone()));
        assert_eq!(Input::open(&source).err(), Some(refused.clone()));
        assert!(!source.is_once_only());
        assert!(source.buffer(&Silent).is_ok());
        assert!(refused.hint().unwrap().contains("pipe"));
    }
}
