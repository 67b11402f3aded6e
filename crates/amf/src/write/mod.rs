//! Events to bytes.

mod amf0;
mod amf3;
mod envelope;
mod external;
mod marks;
mod scalars;
mod tables;
mod task;

use polywire_core::value::{Held, Tree};
use polywire_core::{Error, ErrorKind, Fault, Field, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use crate::machine::Root;
use crate::machine::envelope::UNKNOWN;
use task::Encoder;

/// Writes messages of one kind. It holds a message until its end, since the traits of a class stand
/// before the values of its members.
#[derive(Debug)]
pub struct AmfWriter {
    root: Root,
    held: Held,
    /// Places of values whose lengths were unknown, and what stood there.
    unmeasured: Vec<(usize, u32)>,
}

impl AmfWriter {
    /// Makes a writer of messages that are `root`.
    pub fn new(root: Root) -> AmfWriter {
        AmfWriter { root, held: Held::new(None), unmeasured: Vec::new() }
    }
}

impl<'m> Sink<'m> for AmfWriter {
    fn needs(&self) -> Needs {
        self.held.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.held.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.held.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.held.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.held.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.held.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if let Note::Frame(remark) = note
            && let Some((length, _)) = UNKNOWN.iter().find(|(_, unknown)| *unknown == remark)
        {
            self.unmeasured.push((self.held.tree.next_place(), *length));
        }
        self.held.note(note, at)
    }
}

impl Writer for AmfWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let written = self.encode(&tree, out);
        self.held.tree = tree.recycle();
        self.unmeasured.clear();
        written.map_err(|error| error.format_is(self.root.name()))
    }

    fn reset(&mut self) {
        self.held.reset();
        self.unmeasured.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.held.losses()
    }
}

impl AmfWriter {
    fn encode(&mut self, tree: &Tree<'static>, out: &mut Vec<u8>) -> Result<()> {
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message")) };
        let mut encoder = Encoder::new(out, &mut self.held.losses, &self.unmeasured);
        encoder.message(self.root, root)?;
        encoder.run()
    }
}

#[cold]
fn unsupported(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen.into())
}

#[cold]
fn mismatch(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen.into())
}
