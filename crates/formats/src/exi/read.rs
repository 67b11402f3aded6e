//! Reads EXI.

use polywire_core::{Budget, Error, ErrorKind, Frame, Note, Reader, Result, Sink, Span};
use polywire_exi::{Decoder, Options};

use super::direct::{Direct, Halt, Work};
use super::frame::Framer;
use super::text::Text;
use crate::xml::XmlReader;

/// Reads EXI.
#[derive(Debug, Default)]
pub struct ExiReader {
    /// The options of streams that have none.
    given: Option<Options>,
    framer: Framer,
    decoder: Decoder,
    work: Work,
    text: Text,
    xml: XmlReader,
}

impl ExiReader {
    /// Creates a reader of streams that have these options, unless their header has others.
    pub fn with(options: Options) -> ExiReader {
        ExiReader { given: Some(options), ..ExiReader::default() }
    }
}

impl Reader for ExiReader {
    fn frame(&mut self, buf: &[u8], _: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.next(buf, eof, &mut self.decoder, self.given.as_ref()))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.document(msg, base, sink, budget).map_err(|error| error.format_is("exi"))
    }
}

impl ExiReader {
    fn document<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let before = budget.clone();
        // The decoder counts elements within each other, and the walk its records.
        let mut own = budget.inner(0);
        let mut direct = Direct::new(&mut self.work, sink);
        let mut events = Shared { direct: &mut direct, budget };
        let outcome = self.decoder.read(msg, base, self.given.as_ref(), &mut events, &mut own);
        let halt = direct.halt;
        if halt.is_none() {
            budget.settle(&own);
        }
        match (outcome, halt) {
            (_, Some(Halt::Stop)) => Ok(()),
            (_, Some(Halt::AsXml)) => {
                *budget = before;
                self.as_xml(msg, base, sink, budget)
            }
            (Err(error), None) => Err(error),
            (Ok(outcome), None) => {
                let end = base + outcome.len as u64;
                direct.finish(end, budget)?;
                trailing(msg, base, outcome.len)
            }
        }
    }

    fn as_xml<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.text.clear();
        let mut own = budget.inner(0);
        let outcome = self.decoder.read(msg, base, self.given.as_ref(), &mut self.text, &mut own)?;
        sink.note(Note::Coerced("read by way of its XML"), Span::new(base, base + outcome.len as u64))?;
        self.xml.made(&self.text.xml, &self.text.places, sink, budget)?;
        trailing(msg, base, outcome.len)
    }
}

fn trailing(msg: &[u8], base: u64, len: usize) -> Result<()> {
    if len == msg.len() {
        return Ok(());
    }
    Err(Error::data(ErrorKind::Trailing, base + len as u64)
        .seen(format!("{} more bytes", msg.len() - len))
        .expected("the end of the EXI stream")
        .hint("streams that follow each other need the cookie `$EXI`"))
}

/// Emits events with the budget of the walk, while the decoder spends its own.
struct Shared<'a, 'w, 'm> {
    direct: &'a mut Direct<'w, 'm>,
    budget: &'a mut Budget,
}

mod shared {
    use super::{Budget, Options, Result, Shared, Span};
    use polywire_exi::{Events, Name, Value};

    impl Events for Shared<'_, '_, '_> {
        fn header(&mut self, options: &Options, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.header(options, at, self.budget)
        }

        #[inline]
        fn start(&mut self, name: Name<'_>, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.start(name, at, self.budget)
        }

        #[inline]
        fn end(&mut self, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.end(at, self.budget)
        }

        fn self_contained(&mut self, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.self_contained(at, self.budget)
        }

        fn namespace(&mut self, prefix: &str, uri: &str, own: bool, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.namespace(prefix, uri, own, at, self.budget)
        }

        fn attribute(&mut self, name: Name<'_>, value: Value<'_>, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.attribute(name, value, at, self.budget)
        }

        #[inline]
        fn text(&mut self, text: &str, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.text(text, at, self.budget)
        }

        #[inline]
        fn leaf(&mut self, text: &str, at: Span, end: Span, _: &mut Budget) -> Result<()> {
            self.direct.leaf(text, at, end, self.budget)
        }

        fn comment(&mut self, text: &str, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.comment(text, at, self.budget)
        }

        fn instruction(&mut self, target: &str, text: &str, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.instruction(target, text, at, self.budget)
        }

        fn doctype(&mut self, parts: [&str; 4], at: Span, _: &mut Budget) -> Result<()> {
            self.direct.doctype(parts, at, self.budget)
        }

        fn reference(&mut self, name: &str, at: Span, _: &mut Budget) -> Result<()> {
            self.direct.reference(name, at, self.budget)
        }
    }
}
