//! Message after message from an input that is read in pieces.

use std::io::{self, Cursor, Read};

use crate::adapt::Walker;
use crate::error::{Error, ErrorKind, Result};
use crate::payload::Codec;
use crate::read::Frame;

/// Reads messages one by one. Memory: a buffer, and at most twice the longest message.
pub struct Stream<R> {
    input: R,
    buf: Vec<u8>,
    /// The next message starts here in `buf`, or what separates it from the last.
    start: usize,
    /// Offset of `buf[0]` in the stream.
    base: u64,
    eof: bool,
}

/// A message and where it starts in the stream.
#[derive(Debug, Clone, Copy)]
pub struct Message<'b> {
    /// All its bytes.
    pub bytes: &'b [u8],
    /// Offset of the first.
    pub base: u64,
}

impl<R: Read> Stream<R> {
    /// How much is read at a time, in bytes.
    const CHUNK: usize = 128 << 10;

    /// The messages of `input`.
    pub fn new(input: R) -> Stream<R> {
        Stream { input, buf: Vec::new(), start: 0, base: 0, eof: false }
    }

    /// Reads ahead until `bytes` are there or the input ends: what recognition looks at. True if that is all there is.
    pub fn peek(&mut self, bytes: usize) -> Result<(&[u8], bool)> {
        while self.buf.len() - self.start < bytes && !self.eof {
            self.fill()?;
        }
        Ok((&self.buf[self.start..], self.eof))
    }

    /// The next message as `walker`'s format frames it; `None` at the end.
    pub fn next(&mut self, walker: &mut Walker) -> Result<Option<Message<'_>>> {
        loop {
            let base = self.base + self.start as u64;
            match walker.frame(&self.buf[self.start..], base, self.eof)? {
                Frame::Message { start, end } => {
                    let from = self.start + start;
                    let to = (self.start + end).min(self.buf.len());
                    if to <= self.start {
                        return Err(Error::internal("a message of no bytes").at(base));
                    }
                    self.start = to;
                    return Ok(Some(Message { bytes: &self.buf[from..to], base: base + start as u64 }));
                }
                Frame::End => return Ok(None),
                Frame::More(_) if self.eof => return Err(Error::internal("more bytes wanted after the end").at(base)),
                Frame::More(_) => self.fill()?,
            }
        }
    }

    /// The same input without `codec` around it, and a stream of what it holds. Nothing may have been handed over yet.
    pub fn decoded(mut self, codec: &'static Codec) -> Result<Stream<Box<dyn Read>>>
    where
        R: 'static,
    {
        self.buf.drain(..self.start);
        let input = Box::new(Cursor::new(self.buf).chain(self.input));
        codec.reader(input).map(Stream::new).map_err(|error| failed(&error, 0))
    }

    /// All that was not handed over yet, in one piece.
    pub fn read_all(mut self) -> Result<Vec<u8>> {
        self.buf.drain(..self.start);
        let read = self.input.read_to_end(&mut self.buf);
        read.map(|_| self.buf).map_err(|error| failed(&error, self.base))
    }

    /// Offset of the first byte that was not handed over.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    fn fill(&mut self) -> Result<()> {
        if self.start > 0 {
            self.buf.drain(..self.start);
            self.base += self.start as u64;
            self.start = 0;
        }
        // In proportion to what is held, so that the moves stay linear in total; never by what a message claims.
        let old = self.buf.len();
        let room = Self::CHUNK.max(old / 2);
        self.buf.resize(old + room, 0);
        let read = loop {
            match self.input.read(&mut self.buf[old..]) {
                Ok(read) => break read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.buf.truncate(old);
                    return Err(failed(&error, self.base + old as u64));
                }
            }
        };
        self.buf.truncate(old + read);
        self.eof = read == 0;
        Ok(())
    }
}

/// An input that cannot be read up to `offset`: the file system's fault, or that of the bytes that a codec was to decode.
#[cold]
fn failed(error: &io::Error, offset: u64) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidData => Error::data(ErrorKind::Encoding, offset).seen(error.to_string()),
        _ => Error::io("reading", error),
    }
}
