//! The bytes that are inspected: all at hand, or read in pieces.

use std::io::{self, Read};

use crate::error::{Error, ErrorKind, Result};
use crate::text::lines::Lines;
use crate::tools::adapt::Walker;
use crate::walk::event::Span;
use crate::walk::read::Frame;

/// Bytes read at a time.
const CHUNK: usize = 128 << 10;

/// A stream that holds the bytes from a given offset on, up to the end of the last message.
pub(super) trait Source {
    /// Returns the bounds of the next message, as `walker`'s format frames it; `None` at the end.
    /// The bytes from `kept` on stay at hand.
    fn next(&mut self, walker: &mut Walker, kept: u64) -> Result<Option<Span>>;

    /// Returns the bytes at hand, and the offset of the first.
    fn bytes(&self) -> (&[u8], u64);

    /// Returns the lines before the bytes at hand.
    fn lines(&self) -> Lines;

    /// Brings all bytes at hand, up to the end.
    fn read_on(&mut self) -> Result<()>;
}

/// Bytes that are at hand.
pub(super) struct Whole<'b> {
    bytes: &'b [u8],
    start: usize,
    ended: bool,
}

impl<'b> Whole<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Whole<'b> {
        Whole { bytes, start: 0, ended: false }
    }
}

impl Source for Whole<'_> {
    fn next(&mut self, walker: &mut Walker, _: u64) -> Result<Option<Span>> {
        loop {
            let frame = walker.frame(&self.bytes[self.start..], self.start as u64, true)?;
            match found(frame, self.start, self.bytes.len(), true, &mut self.ended, walker)? {
                Found::Message(from, to) => {
                    self.start = to;
                    return Ok(Some(Span::new(from as u64, to as u64)));
                }
                Found::Between(to) => self.start = to,
                Found::End | Found::More => return Ok(None),
            }
        }
    }

    fn bytes(&self) -> (&[u8], u64) {
        (self.bytes, 0)
    }

    fn lines(&self) -> Lines {
        Lines::default()
    }

    fn read_on(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Bytes that are read in pieces. Memory: at most twice the longest message, and a piece.
pub(super) struct Pieces<R> {
    input: R,
    /// The piece that is read.
    piece: Vec<u8>,
    buf: Vec<u8>,
    /// Offset of `buf[0]`.
    base: u64,
    /// Lines before it.
    lines: Lines,
    /// The next message starts here in `buf`, or the bytes before it.
    start: usize,
    eof: bool,
    ended: bool,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(input: R) -> Pieces<R> {
        Pieces { input, piece: vec![0; CHUNK], buf: Vec::new(), base: 0, lines: Lines::default(), start: 0, eof: false, ended: false }
    }

    /// Reads a piece, and lets go of the bytes before `kept`.
    fn fill(&mut self, kept: u64) -> Result<()> {
        let gone = usize::try_from(kept.saturating_sub(self.base)).map_or(self.start, |gone| gone.min(self.start));
        if gone > 0 {
            self.lines.pass(&self.buf[..gone]);
            self.buf.drain(..gone);
            self.base += gone as u64;
            self.start -= gone;
        }
        let old = self.buf.len();
        // In proportion to what is held, so that all moves together stay linear.
        if self.piece.len() < old / 2 {
            self.piece.resize(old / 2, 0);
        }
        let read = loop {
            match self.input.read(&mut self.piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buf.extend_from_slice(&self.piece[..*read.as_ref().unwrap_or(&0)]);
        match read {
            Ok(read) => {
                self.eof = read == 0;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(Error::data(ErrorKind::Encoding, self.base + old as u64).seen(error.to_string()))
            }
            Err(error) => Err(Error::io("reading", &error)),
        }
    }
}

impl<R: Read> Source for Pieces<R> {
    fn next(&mut self, walker: &mut Walker, kept: u64) -> Result<Option<Span>> {
        loop {
            let frame = walker.frame(&self.buf[self.start..], self.base + self.start as u64, self.eof)?;
            match found(frame, self.start, self.buf.len(), self.eof, &mut self.ended, walker)? {
                Found::Message(from, to) => {
                    self.start = to;
                    return Ok(Some(Span::new(self.base + from as u64, self.base + to as u64)));
                }
                Found::Between(to) => self.start = to,
                Found::End => return Ok(None),
                Found::More => self.fill(kept)?,
            }
        }
    }

    fn bytes(&self) -> (&[u8], u64) {
        (&self.buf, self.base)
    }

    fn lines(&self) -> Lines {
        self.lines
    }

    fn read_on(&mut self) -> Result<()> {
        while !self.eof {
            self.fill(self.base)?;
        }
        Ok(())
    }
}

/// A frame, as places in the buffer.
enum Found {
    Message(usize, usize),
    Between(usize),
    More,
    End,
}

/// Places a frame that was found at `start` of a buffer of `len` bytes. `ended` notes that a
/// message of no bytes was handed over, as the last one.
fn found(frame: Frame, start: usize, len: usize, eof: bool, ended: &mut bool, walker: &Walker) -> Result<Found> {
    match frame {
        Frame::Message { start: from, end } => {
            let to = (start + end).min(len);
            if to > start {
                return Ok(Found::Message(start + from, to));
            }
            // No bytes at all are one message where the schema names its type.
            if eof && start == len && !std::mem::replace(ended, true) {
                return Ok(Found::Message(start, start));
            }
        }
        Frame::Between(bytes) if bytes > 0 => return Ok(Found::Between((start + bytes).min(len))),
        Frame::More(_) if !eof => return Ok(Found::More),
        Frame::End => return Ok(Found::End),
        Frame::Between(_) | Frame::More(_) => {}
    }
    Err(Error::internal("framing that does not go on").at(start as u64).format_is(walker.format().name))
}
