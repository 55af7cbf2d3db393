//! Buffers input that can be read only once, so that it can be read again.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use super::input::{CHUNK, Input, InputError, Kind};
use crate::corpus::{CorpusError, Location, ReadError, Source};
use crate::observe::Observer;

/// [`Source::buffer`] keeps a pipe in memory if it ends within this many bytes.
const SMALL: usize = 8 << 20;

impl Source {
    /// True if the source can be read only once: stdin or a named pipe.
    pub fn is_once_only(&self) -> bool {
        match &self.location {
            Location::Path(path) => matches!(Kind::of(path), Ok(Kind::Pipe)),
            Location::Stdin => true,
            Location::Memory(..) | Location::Spooled(..) | Location::Batches(..) => false,
        }
    }

    /// True if the source is stored somewhere, so that it can be read again.
    pub(crate) fn is_stored(&self) -> bool {
        !self.is_once_only() && !matches!(self.location, Location::Batches(..))
    }

    /// Returns a source that can be read several times, as training does. A small pipe is kept in
    /// memory, a larger one in an unnamed temporary file, which disappears after its last use.
    /// Other sources are returned unchanged.
    pub fn buffer(self, observer: &dyn Observer) -> Result<Source, ReadError<Infallible>> {
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
) -> Result<Location, ReadError<Infallible>> {
    let spool_error = |error: io::Error| CorpusError::Spool {
        reason: error.to_string(),
    };
    let mut unwritten = Vec::new();
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
        unwritten.extend_from_slice(&chunk[..count]);
        if unwritten.len() > small || file.is_some() {
            let file = match &mut file {
                Some(file) => file,
                None => file.insert(tempfile::tempfile().map_err(spool_error)?),
            };
            file.write_all(&unwritten).map_err(spool_error)?;
            unwritten.clear();
        }
    }
    Ok(match file {
        Some(file) => Location::Spooled(name, Arc::new(file)),
        None => Location::Memory(name, unwritten.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::input::inspect;
    use super::super::pipe::Pipe;
    use super::*;
    use crate::observe::{Phase, Silent};
    use std::io::Read;
    use std::time::Duration;

    fn pipe(bytes: Vec<u8>) -> Input {
        Input::Piped(Pipe::start(move || Ok(io::Cursor::new(bytes))).unwrap())
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
    fn a_pipe_is_read_to_its_end() {
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
                ..Source::stdin(crate::corpus::Format::Text)
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
        let mut input = Input::Piped(Pipe::start(|| Ok(Never)).unwrap());
        let start = std::time::Instant::now();
        let result = input.read(&mut [0; 10], &StopSoon(start));
        assert!(matches!(result, Err(InputError::Stopped(_))), "{result:?}");
        assert!(start.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn the_error_of_a_pipe_is_reported() {
        let open = || Err::<File, _>(io::Error::other("writer gone"));
        let input = Input::Piped(Pipe::start(open).unwrap());
        let error = spool("p".into(), input, SMALL, &Silent).unwrap_err();
        assert!(
            matches!(&error, ReadError::Corpus(CorpusError::Read { offset: 0, reason, .. }) if reason == "writer gone"),
            "{error:?}"
        );
    }
}
