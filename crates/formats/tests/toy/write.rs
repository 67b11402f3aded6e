//! Events to toy bytes.

use polywire_core::bytes::{Mark, OutBuf};
use polywire_core::{Error, ErrorKind, Fault, Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use super::wire::{BYTES, FALSE, FLOAT, LIST, MAGIC, MAP, NAME, NEGATIVE, NULL, RECORD, TAGGED, TEXT, TRUE, UNSIGNED};

/// Writes the toy format.
#[derive(Debug, Default)]
pub struct ToyWriter {
    body: OutBuf,
    levels: Vec<Level>,
    /// Values outside of all containers: one, when the message is complete.
    roots: u64,
    losses: Losses,
}

/// A container that is open, with the places of the lengths that its end fills.
#[derive(Debug, Clone, Copy)]
enum Level {
    Container {
        head: u8,
        length: Mark,
    },
    /// A case of a sum type: a record of its name and the list of its values.
    Variant {
        record: Mark,
        list: Mark,
    },
    /// A tagged value of another format, whose tag was dropped.
    Dropped,
}

impl ToyWriter {
    /// Starts a value.
    fn value(&mut self) {
        self.roots += u64::from(self.levels.iter().all(|level| matches!(level, Level::Dropped)));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.body.varint(bytes.len() as u64);
        self.body.put(bytes);
    }

    fn text(&mut self, text: &str) {
        self.body.byte(TEXT);
        self.bytes(text.as_bytes());
    }

    fn text_instead(&mut self, what: &'static str, text: &str, at: Span) {
        self.losses.value(what, at);
        self.text(text);
    }

    /// Starts a container, with a gap for its length.
    fn start(&mut self, head: u8) -> Mark {
        self.body.byte(head);
        self.body.open()
    }

    fn end(&mut self, length: Mark) {
        let bytes = self.body.since(length);
        self.body.close_varint(length, bytes as u64);
    }
}

#[cold]
fn broken(seen: &'static str) -> Error {
    Error::internal(seen).format_is(NAME)
}

impl<'m> Sink<'m> for ToyWriter {
    /// Asks for repeated fields as a list, since a record has each name once, and for whole texts,
    /// since their length precedes them.
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if let Open::Tagged { space, .. } = open
            && space != NAME
        {
            self.losses.value("tag dropped", at);
            self.levels.push(Level::Dropped);
            return Ok(Next::Enter);
        }
        self.value();
        let head = match open {
            Open::List(_) => LIST,
            Open::Tuple(_) => {
                self.losses.value("tuple became list", at);
                LIST
            }
            Open::Map(_) => MAP,
            Open::Record { name, .. } => {
                if !name.is_empty() {
                    self.losses.value("record name dropped", at);
                }
                RECORD
            }
            Open::Variant { name, .. } => {
                self.losses.value("variant became a record of its name", at);
                let record = self.start(RECORD);
                self.bytes(name.as_bytes());
                let list = self.start(LIST);
                self.levels.push(Level::Variant { record, list });
                return Ok(Next::Enter);
            }
            Open::Tagged { .. } => TAGGED,
            other => return Err(Error::unknown_event(other.kind())),
        };
        let length = self.start(head);
        if let Open::Tagged { code, .. } = open {
            self.body.varint(code);
        }
        self.levels.push(Level::Container { head, length });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = field.name.get();
        match self.levels.last() {
            Some(Level::Container { head: RECORD, .. }) => self.bytes(name.as_bytes()),
            Some(Level::Container { head: MAP, .. }) => self.text(name),
            _ => return Err(broken("a field outside of all records")),
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.value();
        match value {
            Scalar::Null => self.body.byte(NULL),
            Scalar::Bool(value) => self.body.byte(if value { TRUE } else { FALSE }),
            Scalar::UInt(value, _) => self.body.tagged_varint(UNSIGNED, value),
            Scalar::Int(value, _) if value < 0 => self.body.tagged_varint(NEGATIVE, (!value).cast_unsigned()),
            Scalar::Int(value, _) => self.body.tagged_varint(UNSIGNED, value.cast_unsigned()),
            Scalar::F64(value, _) => self.body.tagged(FLOAT, value.to_be_bytes()),
            Scalar::F32(value, _) => {
                self.losses.value("float32 became float64", at);
                self.body.tagged(FLOAT, f64::from(value).to_be_bytes());
            }
            Scalar::Text(text) => self.text(text.get()),
            Scalar::Bytes(bytes) => {
                self.body.byte(BYTES);
                self.bytes(bytes.get());
            }
            Scalar::Octets(bytes) => {
                self.losses.value("octets became bytes", at);
                self.body.byte(BYTES);
                self.bytes(bytes.get());
            }
            Scalar::Big(digits, _) => self.text_instead("big integer became text", digits.get(), at),
            Scalar::Decimal(text, _) => self.text_instead("decimal became text", text.get(), at),
            Scalar::Time(moment) => self.text_instead("timestamp became text", &moment.to_string(), at),
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(broken("a value in parts for a writer that needs whole ones"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        match self.levels.pop() {
            None => return Err(broken("a close without an open")),
            Some(Level::Dropped) => {}
            Some(Level::Container { length, .. }) => self.end(length),
            Some(Level::Variant { record, list }) => {
                self.end(list);
                self.end(record);
            }
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for ToyWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.levels.is_empty() || self.roots != 1 {
            return Err(broken("the end of a message that is not whole"));
        }
        let Ok(len) = u32::try_from(self.body.len()) else {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Data).seen("a body of 4 GiB or more").format_is(NAME));
        };
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&len.to_be_bytes());
        self.body.finish(out);
        self.roots = 0;
        Ok(())
    }

    fn reset(&mut self) {
        self.body.clear();
        self.levels.clear();
        self.roots = 0;
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
