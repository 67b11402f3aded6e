//! Messages in a stream.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::put::HEAD;

/// Size of the buffer that messages are read into. Most fit.
const ROOM: usize = 64 << 10;
/// Largest reservation for a message that does not fit, in bytes. A longer one grows as it comes.
const MOST_RESERVED: usize = 1 << 20;

/// One end of a stream of messages.
pub(crate) struct Frames {
    stream: UnixStream,
    room: Box<[u8]>,
    /// The bytes of `room` that have come, and are not read yet.
    start: usize,
    end: usize,
    /// A message that did not fit, as far as it has come: its kind and length.
    long: Option<(u8, usize, Vec<u8>)>,
    /// Largest message, in bytes.
    most: usize,
}

/// A message that has come.
pub(crate) struct Incoming {
    pub kind: u8,
    pub content: Vec<u8>,
}

impl Frames {
    /// Makes one end; `most` is the size of the largest message that may come.
    pub fn new(stream: UnixStream, most: usize) -> Frames {
        Frames { stream, room: vec![0; ROOM].into(), start: 0, end: 0, long: None, most }
    }

    /// Returns another handle of the stream.
    pub fn stream(&self) -> io::Result<UnixStream> {
        self.stream.try_clone()
    }

    /// Sends a message.
    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        (&self.stream).write_all(frame)
    }

    /// Sends a message that may take long. `goes_on` is called after each write, also if its time
    /// was over. An error of it ends the sending.
    pub fn send_while<E: From<io::Error>>(&self, mut frame: &[u8], mut goes_on: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        while !frame.is_empty() {
            match (&self.stream).write(frame) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(written) => frame = &frame[written..],
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(error) => return Err(error.into()),
            }
            if !frame.is_empty() {
                goes_on()?;
            }
        }
        Ok(())
    }

    /// Changes how long the next read waits. `None` means for ever.
    pub fn wait(&self, time: Option<Duration>) -> io::Result<()> {
        // Zero is refused.
        self.stream.set_read_timeout(time.map(|time| time.max(Duration::from_millis(1))))
    }

    /// Changes how long a write waits.
    pub fn wait_to_write(&self, time: Duration) -> io::Result<()> {
        self.stream.set_write_timeout(Some(time))
    }

    /// Returns the next message; `None` at the end of the stream, where a message may be cut. After
    /// an error of the kind `WouldBlock`, the next call goes on.
    pub fn receive(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            if let Some((kind, length, mut content)) = self.long.take() {
                let missing = (length - content.len()) as u64;
                let read = (&self.stream).take(missing).read_to_end(&mut content);
                if read.is_err() || content.len() < length {
                    let ended = read.map(|_| None);
                    self.long = Some((kind, length, content));
                    return ended;
                }
                return Ok(Some(Incoming { kind, content }));
            }
            let come = &self.room[self.start..self.end];
            if let Some((&head, rest)) = come.split_first_chunk::<HEAD>() {
                let [a, b, c, d, kind] = head;
                let length = u32::from_le_bytes([a, b, c, d]) as usize;
                if length > self.most {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!("a message of {length} bytes, at most {} may come", self.most),
                    ));
                }
                if let Some(content) = rest.get(..length) {
                    let content = content.to_vec();
                    self.start += HEAD + length;
                    return Ok(Some(Incoming { kind, content }));
                }
                if HEAD + length > ROOM {
                    let mut content = Vec::with_capacity(length.min(MOST_RESERVED));
                    content.extend_from_slice(rest);
                    (self.start, self.end) = (0, 0);
                    self.long = Some((kind, length, content));
                    continue;
                }
            }
            self.room.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            match self.stream.read(&mut self.room[self.end..]) {
                Ok(0) => return Ok(None),
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
