//! Bytes to events.

use polywire_core::{Budget, ErrorKind, Frame, Limits, Reader, Result, Sink};

use crate::machine::{Machine, Root};
use crate::marker::shared;
use crate::token::Token;
use crate::walk::Walk;

/// Reads messages of one kind.
#[derive(Debug, Default)]
pub struct AmfReader {
    root: Root,
    machine: Machine,
    /// A machine that looks ahead.
    ahead: Machine,
    closes: Vec<u8>,
    /// True while a message is being framed.
    framing: bool,
}

impl AmfReader {
    /// Makes a reader of messages that are `root`.
    pub fn new(root: Root) -> AmfReader {
        AmfReader { root, ..AmfReader::default() }
    }

    /// Frames a shared object by its length.
    fn frame_shared(buf: &[u8], eof: bool) -> Frame {
        let head = shared::COUNTED + shared::SIGNATURE.len();
        match buf.first_chunk::<{ shared::COUNTED }>() {
            _ if buf.len() < head && !eof => Frame::More(head - buf.len()),
            // The walk finds what is wrong and reports it.
            None => Frame::Message { start: 0, end: buf.len() },
            Some([one, two, ..]) if [*one, *two] != shared::MAGIC => Frame::Message { start: 0, end: head.min(buf.len()) },
            Some([_, _, length @ ..]) => {
                let end = shared::COUNTED.saturating_add(u32::from_be_bytes(*length) as usize).max(head);
                match buf.len() {
                    len if len < end && !eof => Frame::More(end - len),
                    len => Frame::Message { start: 0, end: end.min(len) },
                }
            }
        }
    }
}

impl Reader for AmfReader {
    fn frame(&mut self, buf: &[u8], _: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        if self.root == Root::SharedObject {
            return Ok(AmfReader::frame_shared(buf, eof));
        }
        if !self.framing {
            self.machine.begin(self.root, Limits::MAX_DEPTH, true);
            self.framing = true;
        }
        let end = loop {
            match self.machine.next(buf, 0) {
                Ok(Token::End) => break self.machine.pos(),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Truncated && !eof => return Ok(Frame::More(1)),
                Err(error) if error.kind() == ErrorKind::Truncated => break buf.len(),
                // The walk finds the same error and reports more about it.
                Err(_) => break self.machine.pos().max(1),
            }
        };
        self.framing = false;
        Ok(Frame::Message { start: 0, end })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.closes.clear();
        self.machine.begin(self.root, budget.limits().depth, false);
        let walk = Walk {
            root: self.root,
            machine: &mut self.machine,
            ahead: &mut self.ahead,
            names: None,
            closes: &mut self.closes,
            msg,
            base,
            sink,
            budget,
        };
        walk.message().map_err(|error| error.format_is(self.root.name()))
    }
}
