//! Reads messages whose types their shapes show.

use polywire_core::tools::Count;
use polywire_core::{Budget, Error, ErrorKind, Frame, Needs, Note, Reader, Result, Sink, Span};

use super::{NAME, shape, tables};
use crate::ber::{BerReader, Framer, Rules};

/// Reader of the bundled module's messages.
#[derive(Debug, Default)]
pub(super) struct X509Reader {
    framer: Framer,
    /// Readers of BER and of DER, once a message comes.
    readers: Option<Box<[BerReader; 2]>>,
}

impl X509Reader {
    fn readers(&mut self) -> Result<&mut [BerReader; 2]> {
        if self.readers.is_none() {
            let tables = tables()?;
            let reader = |rules| BerReader::new(tables.plan.clone(), tables.defaults.clone(), rules);
            self.readers = Some(Box::new([reader(Rules::Basic), reader(Rules::Distinguished)]));
        }
        self.readers.as_deref_mut().ok_or_else(|| Error::internal("no readers"))
    }
}

impl Reader for X509Reader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.framer.frame(buf, base, eof).map_err(|error| error.format_is(NAME))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let Some((index, _)) = shape::recognise(msg) else {
            return Err(Error::data(ErrorKind::Syntax, base)
                .seen("an encoding of another shape")
                .expected(format!("one of {}", shape::MESSAGES.join(", ")))
                .hint("`--from ber` shows its tags, and `--from asn1-ber --schema FILE` reads it by its own module")
                .format_is(NAME));
        };
        let [basic, strict] = self.readers()?;
        // A value of an extension that does not follow its type is left as it is: the rest of the
        // message has more to say.
        basic.close(Vec::new());
        while basic.closed().len() < MOST_CLOSED
            && let Err(error) = basic.alternative(index as u32).walk(msg, base, &mut Count::default(), &mut Budget::new(budget.limits()))
            && basic.close_failed(format!("does not follow its type: {}", reason(&error)))
        {}
        strict.close(basic.closed().to_vec());
        // Nothing but an inspection shows remarks. Keys and signed messages may be BER.
        if sink.needs().has(Needs::GUESSES)
            && shape::MESSAGES[index].starts_with("certificat")
            && let Err(error) = strict.alternative(index as u32).walk(msg, base, &mut Count::default(), &mut Budget::new(budget.limits()))
            && error.kind() == ErrorKind::Syntax
        {
            let place = error.offset().map_or(String::new(), |at| format!("byte {at:#x}: "));
            sink.note(Note::Meaning(&format!("not DER: {place}{}", reason(&error))), Span::NONE)?;
        }
        basic.alternative(index as u32).walk(msg, base, sink, budget).map_err(|error| error.format_is(NAME))
    }

    fn has_unique_keys(&self) -> bool {
        true
    }
}

/// Most values of a message that are left as they are.
const MOST_CLOSED: usize = 16;

/// Returns what was seen and what was expected.
fn reason(error: &Error) -> String {
    format!("{}, expected {}", error.seen_text(), error.expected_text())
}
