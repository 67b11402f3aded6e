//! Events to bencode bytes.

use polywire_core::{Error, Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use super::order::{Dictionary, Order};
use super::wire::{COLON, DICTIONARY, END, INTEGER, LIST, NAME};
use crate::key_text::KeyText;

/// Writes bencode. The memory used is the message, and an entry per name of the dictionaries that
/// are open or out of order.
#[derive(Debug, Default)]
pub struct BencodeWriter {
    out: Vec<u8>,
    order: Order,
    levels: Vec<Level>,
    /// Number of values outside of any container: one, when the message is complete.
    roots: u64,
    key: KeyText,
    losses: Losses,
}

#[derive(Debug, Clone, Copy)]
enum Level {
    List,
    Dictionary {
        order: Dictionary,
        value_due: bool,
    },
    /// A case of a sum type: a dictionary of its name and the list of its values.
    Variant,
    /// A tagged value, whose tag was dropped.
    Tagged,
}

impl BencodeWriter {
    /// Starts a value.
    #[inline]
    fn value(&mut self) {
        match self.levels.iter_mut().rfind(|level| !matches!(level, Level::Tagged)) {
            Some(Level::Dictionary { value_due, .. }) => *value_due = false,
            Some(_) => {}
            None => self.roots += 1,
        }
    }

    /// Reports whether the next value is the key of a map.
    #[inline]
    fn is_key(&self) -> bool {
        matches!(self.levels.last(), Some(Level::Dictionary { value_due: false, .. }))
    }

    /// Writes a key.
    #[inline]
    fn name(&mut self, name: &[u8]) -> Result<()> {
        let start = self.out.len();
        self.string(name);
        let key = (self.out.len() - name.len(), self.out.len());
        match self.levels.last_mut() {
            Some(Level::Dictionary { order, value_due: due @ false }) => {
                *due = true;
                self.order.key(order, &self.out, start, key);
                Ok(())
            }
            Some(Level::Dictionary { .. }) => Err(broken("a name where a value is due")),
            _ => Err(broken("a name outside of all dictionaries")),
        }
    }

    #[inline]
    fn string(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(itoa::Buffer::new().format(bytes.len()).as_bytes());
        self.out.push(COLON);
        self.out.extend_from_slice(bytes);
    }

    fn integer(&mut self, digits: &str) {
        self.out.push(INTEGER);
        self.out.extend_from_slice(digits.as_bytes());
        self.out.push(END);
    }

    fn text_instead(&mut self, what: &'static str, text: &str, at: Span) {
        self.losses.value(what, at);
        self.string(text.as_bytes());
    }

    fn float(&mut self, value: f64, at: Span) {
        if value.is_finite() {
            self.text_instead("float became text", ryu::Buffer::new().format_finite(value), at);
        } else {
            self.text_instead("float became text", &value.to_string(), at);
        }
    }

    /// Notes the losses of a string: bencode has one form for all strings.
    fn string_losses(&mut self, value: &Scalar<'_, '_>, at: Span) {
        let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
        match value {
            Scalar::Bytes(bytes) if is_text(bytes.get()) => self.losses.value("bytes became text", at),
            Scalar::Bytes(_) => self.losses.value("bytes became octets", at),
            Scalar::Octets(bytes) if is_text(bytes.get()) => self.losses.value("octets became text", at),
            _ => {}
        }
    }

    fn push(&mut self, head: u8) {
        self.out.push(head);
        let level = match head {
            LIST => Level::List,
            _ => Level::Dictionary { order: self.order.open(), value_due: false },
        };
        self.levels.push(level);
    }
}

#[cold]
fn broken(seen: &'static str) -> Error {
    Error::internal(seen).format_is(NAME)
}

impl<'m> Sink<'m> for BencodeWriter {
    /// Asks for repeated fields as a list, since a dictionary has each key once, and for strings in
    /// one piece, since their length precedes them.
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.key.is_open() {
            return self.key.open(open, at).map(|()| Next::Enter);
        }
        if self.is_key() {
            self.losses.value("key that is no string became text", at);
            return self.key.open(open, at).map(|()| Next::Enter);
        }
        if let Open::Tagged { .. } = open {
            self.losses.value("tag dropped", at);
            self.levels.push(Level::Tagged);
            return Ok(Next::Enter);
        }
        self.value();
        match open {
            Open::List(_) => self.push(LIST),
            Open::Tuple(_) => {
                self.losses.value("tuple became list", at);
                self.push(LIST);
            }
            Open::Record { name, .. } => {
                if !name.is_empty() {
                    self.losses.value("record name dropped", at);
                }
                self.push(DICTIONARY);
            }
            Open::Variant { name, index } => {
                self.losses.value("variant became a dictionary of its name", at);
                self.out.push(DICTIONARY);
                if name.is_empty() {
                    self.string(itoa::Buffer::new().format(index).as_bytes());
                } else {
                    self.string(name.as_bytes());
                }
                self.out.push(LIST);
                self.levels.push(Level::Variant);
            }
            Open::Map(_) | Open::Tagged { .. } => self.push(DICTIONARY),
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        if self.key.is_open() {
            return self.key.field(field).map(|()| Next::Enter);
        }
        self.name(field.name.get().as_bytes())?;
        Ok(Next::Enter)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.key.is_open() {
            return self.key.inner(value);
        }
        if self.is_key() {
            return match value {
                Scalar::Text(text) => self.name(text.get().as_bytes()),
                Scalar::Bytes(bytes) | Scalar::Octets(bytes) => {
                    self.string_losses(&value, at);
                    self.name(bytes.get())
                }
                _ => {
                    self.losses.value("key that is no string became text", at);
                    let mut key = std::mem::take(&mut self.key);
                    let named = key.scalar(value).and_then(|name| self.name(name.as_bytes()));
                    self.key = key;
                    named
                }
            };
        }
        self.value();
        match value {
            Scalar::Text(text) => self.string(text.get().as_bytes()),
            Scalar::UInt(value, _) => self.integer(itoa::Buffer::new().format(value)),
            Scalar::Int(value, _) => self.integer(itoa::Buffer::new().format(value)),
            Scalar::Big(digits, _) => self.integer(digits.get()),
            Scalar::Bytes(bytes) | Scalar::Octets(bytes) => {
                self.string_losses(&value, at);
                self.string(bytes.get());
            }
            Scalar::Null => self.text_instead("null became empty text", "", at),
            Scalar::Bool(value) => {
                self.losses.value("truth value became 0 or 1", at);
                self.integer(if value { "1" } else { "0" });
            }
            Scalar::F32(value, _) => self.float(f64::from(value), at),
            Scalar::F64(value, _) => self.float(value, at),
            Scalar::Decimal(text, _) => self.text_instead("decimal became text", text.get(), at),
            Scalar::Time(moment) => self.text_instead("timestamp became text", &moment.to_string(), at),
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(broken("a value in parts for a writer that needs whole ones"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.key.is_open() {
            let mut key = std::mem::take(&mut self.key);
            let named = key.close(at).and_then(|name| name.map_or(Ok(()), |name| self.name(name.as_bytes())));
            self.key = key;
            return named;
        }
        match self.levels.pop() {
            None => return Err(broken("a close without an open")),
            Some(Level::Tagged) => {}
            Some(Level::List) => self.out.push(END),
            Some(Level::Variant) => self.out.extend_from_slice(&[END, END]),
            Some(Level::Dictionary { value_due: true, .. }) => return Err(broken("a dictionary that ends after a key")),
            Some(Level::Dictionary { order, .. }) => {
                self.order.close(order, &self.out, self.out.len());
                self.out.push(END);
            }
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for BencodeWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.levels.is_empty() || self.roots != 1 || self.key.is_open() {
            return Err(broken("the end of a message that is not whole"));
        }
        self.order.finish(&self.out, out);
        self.out.clear();
        self.roots = 0;
        Ok(())
    }

    fn reset(&mut self) {
        self.out.clear();
        self.order.clear();
        self.levels.clear();
        self.roots = 0;
        self.key.reset();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
