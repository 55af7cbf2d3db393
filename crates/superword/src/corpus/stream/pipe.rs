//! Pipes, which may keep a reader waiting.

use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::input::CHUNK;

/// How often a worker that waits for a pipe looks whether it should stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// A pipe, read by a thread of its own: a read that waits for the far end cannot be called off,
/// but the worker that waits for this thread can leave. What the thread holds then is lost.
pub(in crate::corpus) struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    current: Vec<u8>,
    position: usize,
    ended: bool,
}

impl Pipe {
    pub(in crate::corpus) fn start<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> Pipe {
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
pub(in crate::corpus) fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}
