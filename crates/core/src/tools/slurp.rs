//! All messages as one: the list of them.

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::declaration::ListMarks;
use crate::format::dialect::Dialect;
use crate::limits::Limits;
use crate::tools::adapt::Walker;
use crate::tools::message::Message;
use crate::walk::event::{Len, Open, Span};
use crate::walk::write::Writer;

/// Writes messages as the elements of one list.
pub(crate) struct Slurp {
    /// The bytes around elements that are written one by one; `None` if the list is one message of
    /// the writer.
    marks: Option<&'static ListMarks>,
    /// Elements so far.
    count: u64,
    /// Bytes of the elements so far.
    bytes: u64,
    /// Most bytes of elements that are held.
    most: u64,
    /// True if an element failed, so that the writer holds a part of it.
    broken: bool,
}

impl Slurp {
    pub(crate) fn new(to: &Dialect, limits: &Limits) -> Slurp {
        let marks = to.format().list_marks.filter(|_| !to.is_bound());
        Slurp { marks, count: 0, bytes: 0, most: limits.decoded, broken: false }
    }

    /// Writes the list as one message of the writer, which lays it out.
    pub(crate) fn hold(&mut self) {
        self.marks = None;
    }

    /// Writes a message as the next element.
    pub(crate) fn put(&mut self, message: Message<'_>, walker: &mut Walker, writer: &mut dyn Writer, out: &mut Vec<u8>) -> Result<()> {
        let Some(marks) = self.marks else {
            self.broken = true;
            self.bytes = self.bytes.saturating_add(message.bytes.len() as u64);
            if self.bytes > self.most {
                return Err(Error::new(ErrorKind::Limit, Fault::Data)
                    .seen(format!("a list of {} messages and more than {} bytes", self.count + 1, self.most))
                    .expected("less, since this format has the list in memory before it is written")
                    .hint("--max-decoded allows more")
                    .at(message.base));
            }
            if self.count == 0 {
                writer.open(Open::List(Len::Unknown), Span::NONE)?;
            }
            walker.walk(message.bytes, message.base, writer)?;
            (self.broken, self.count) = (false, self.count + 1);
            return Ok(());
        };
        out.extend_from_slice(if self.count == 0 { marks.open } else { marks.between });
        walker.walk(message.bytes, message.base, writer)?;
        writer.finish(out).map_err(|error| error.or_at(message.base))?;
        self.count += 1;
        Ok(())
    }

    /// Ends the list. A list that is held is not written if an element failed.
    pub(crate) fn end(&mut self, writer: &mut dyn Writer, out: &mut Vec<u8>) -> Result<()> {
        if let Some(marks) = self.marks {
            if self.count == 0 {
                out.extend_from_slice(marks.open);
            }
            out.extend_from_slice(marks.close);
            return Ok(());
        }
        if self.broken {
            return Ok(());
        }
        if self.count == 0 {
            writer.open(Open::List(Len::Unknown), Span::NONE)?;
        }
        writer.close(Span::NONE)?;
        writer.finish(out)
    }
}
