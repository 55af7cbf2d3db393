//! Pipes, where a read may wait for a long time.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::input::{CHUNK, copy_from};

/// How often a worker that waits for a pipe checks whether to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// A pipe that is read by its own thread. A read that waits for the writer cannot be cancelled, but
/// the worker that waits for this thread can give up. The bytes that the thread holds are then lost.
pub(in crate::corpus) struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    current: Vec<u8>,
    position: usize,
    ended: bool,
}

impl Pipe {
    /// Starts the thread, which calls `open` and reads to the end.
    pub(in crate::corpus) fn start<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> io::Result<Pipe> {
        let (sender, chunks) = sync_channel(4);
        let read_all = move || {
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
                // Sending fails if the receiver was dropped because the work was stopped.
                if sender.send(message).is_err() || !more {
                    return;
                }
            }
        };
        std::thread::Builder::new().spawn(read_all)?;
        Ok(Pipe {
            chunks,
            current: Vec::new(),
            position: 0,
            ended: false,
        })
    }

    /// Reads into the front of `buffer`. Returns `None` if no bytes arrived for a while.
    pub(in crate::corpus) fn read(&mut self, buffer: &mut [u8]) -> Option<io::Result<usize>> {
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
                    return Some(Err(io::Error::other("the reading thread ended early")));
                }
            }
        }
        Some(Ok(copy_from(&self.current, &mut self.position, buffer)))
    }
}
