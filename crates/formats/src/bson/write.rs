//! Events to BSON bytes.

use polywire_core::bytes::{Mark, OutBuf};
use polywire_core::value::{ROUNDED, nearest_f64};
use polywire_core::{
    Error, ErrorKind, Fault, Field, Hint, Len, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Timestamp, Writer,
};

use super::decimal128;
use super::wire::{
    ARRAY, BINARY, BINARY_OLD, BOOL, CODE, CODE_WITH_SCOPE, DATETIME, DB_POINTER, DECIMAL128, DOCUMENT, DOUBLE, MESSAGE, NAME,
};
use super::wire::{
    GENERIC, INT32, INT64, MAX_KEY, MIN_KEY, NULL, OBJECT_ID, OBJECT_ID_LEN, REGEX, SYMBOL, TEXT, TIMESTAMP, UNDEFINED, sorted_options,
};
use crate::key_text::KeyText;

/// Writes BSON.
#[derive(Debug, Default)]
pub struct BsonWriter {
    out: OutBuf,
    levels: Vec<Level>,
    /// The document around a message that is none.
    around: Option<Mark>,
    /// Number of values outside of any container: one, when the message is complete.
    roots: u64,
    special: Special,
    /// The first texts of a pair whose second value is due.
    pair: [String; 2],
    key: KeyText,
    losses: Losses,
}

#[derive(Debug, Clone, Copy)]
enum Level {
    Document(Document),
    /// A list, and the index of its next element.
    Array {
        mark: Mark,
        next: u64,
    },
    /// A case of a sum type: a document of one field.
    Variant(Variant),
    /// A tagged value: its tag was written with its contents, or dropped.
    Tagged,
    /// Code with its scope, which is a document.
    Scoped {
        mark: Mark,
    },
}

#[derive(Debug, Clone, Copy)]
struct Document {
    mark: Mark,
    /// Start of the document around it, if it is the message and needs a wrapper.
    around: Option<Mark>,
    fields: u64,
    /// Position of the type of the field whose value is due, to be filled in.
    due: Option<usize>,
    /// True if it looks like a wrapper around a message so far.
    wraps: bool,
}

#[derive(Debug, Clone, Copy)]
struct Variant {
    /// True if a document with its one field looks like a wrapper, as long as the value is no
    /// document.
    wraps: bool,
    /// Position of the type of its one field.
    kind: usize,
    /// Place of the head of a list if a second value comes.
    list: Mark,
    /// Type of the first value.
    first: u8,
    values: u64,
}

/// A tagged value of BSON's own that is not written yet, because its contents decide its form.
#[derive(Debug, Clone, Copy, Default)]
enum Special {
    #[default]
    None,
    /// Its code; the contents come next.
    Tag(u64, Span),
    /// The type of a pair whose tuple is open, and the number of its values kept so far.
    Pair(u8, usize, Span),
}

/// Replacement of a zero byte in names and patterns, which end at the first zero byte: U+2400,
/// symbol for null.
const ZERO: &str = "\u{2400}";

const DROPPED: &str = "tag dropped: its contents are not those of its type";

impl BsonWriter {
    /// Writes the head of a value: its type and, if it has no name of its own, a name.
    #[inline]
    fn element(&mut self, kind: u8) -> Result<()> {
        let Some(level) = self.levels.iter_mut().rfind(|level| !matches!(level, Level::Tagged)) else {
            self.roots += 1;
            self.around = Some(self.out.open());
            self.out.byte(kind);
            self.out.put(MESSAGE.as_bytes());
            self.out.byte(0);
            return Ok(());
        };
        match level {
            Level::Document(document) => {
                let due = document.due.take().ok_or_else(|| broken("a value without a name"))?;
                self.out.bytes_mut()[due] = kind;
            }
            Level::Array { next, .. } => {
                self.out.byte(kind);
                self.out.put(itoa::Buffer::new().format(*next).as_bytes());
                self.out.byte(0);
                *next += 1;
            }
            Level::Variant(variant) => {
                variant.values += 1;
                if variant.values == 1 {
                    variant.first = kind;
                    self.out.bytes_mut()[variant.kind] = kind;
                } else {
                    self.out.byte(kind);
                    self.out.put(itoa::Buffer::new().format(variant.values - 1).as_bytes());
                    self.out.byte(0);
                }
            }
            Level::Scoped { .. } | Level::Tagged => return Err(broken("a third value in code with its scope")),
        }
        Ok(())
    }

    /// Opens a document, as the message or as a value.
    fn document(&mut self) -> Result<()> {
        let root = self.levels.iter().rev().all(|level| matches!(level, Level::Tagged));
        let around = if root {
            self.roots += 1;
            Some(self.out.open())
        } else {
            self.element(DOCUMENT)?;
            None
        };
        self.push_document(around);
        Ok(())
    }

    fn push_document(&mut self, around: Option<Mark>) {
        let mark = self.out.open();
        self.levels.push(Level::Document(Document { mark, around, fields: 0, due: None, wraps: false }));
    }

    fn list(&mut self) -> Result<()> {
        self.element(ARRAY)?;
        let mark = self.out.open();
        self.levels.push(Level::Array { mark, next: 0 });
        Ok(())
    }

    /// Reports whether the next value is the key of a map.
    #[inline]
    fn is_key(&self) -> bool {
        matches!(self.levels.last(), Some(Level::Document(document)) if document.due.is_none())
    }

    /// Writes the name of the next field; its type is filled in later.
    fn name(&mut self, name: &str, at: Span) -> Result<()> {
        let Some(Level::Document(document)) = self.levels.last_mut() else { return Err(broken("a name outside of all documents")) };
        if document.due.is_some() {
            return Err(broken("a name where a value is due"));
        }
        document.wraps = document.fields == 0 && name == MESSAGE;
        document.fields += 1;
        document.due = Some(self.out.position());
        self.out.byte(0);
        self.cstring(name, at);
        Ok(())
    }

    /// Writes a text that ends at the first zero byte.
    fn cstring(&mut self, text: &str, at: Span) {
        if text.as_bytes().contains(&0) {
            self.losses.value("zero byte in a name or pattern became U+2400", at);
            self.out.put(text.replace('\0', ZERO).as_bytes());
        } else {
            self.out.put(text.as_bytes());
        }
        self.out.byte(0);
    }

    /// Writes a text with its length.
    #[inline]
    fn text(&mut self, text: &str) -> Result<()> {
        self.out.put(&length(text.len().saturating_add(1))?);
        self.out.put(text.as_bytes());
        self.out.byte(0);
        Ok(())
    }

    fn binary(&mut self, subtype: u8, bytes: &[u8]) -> Result<()> {
        self.element(BINARY)?;
        if subtype == BINARY_OLD {
            self.out.put(&length(bytes.len().saturating_add(4))?);
            self.out.byte(subtype);
            self.out.put(&length(bytes.len())?);
        } else {
            self.out.put(&length(bytes.len())?);
            self.out.byte(subtype);
        }
        self.out.put(bytes);
        Ok(())
    }

    fn as_text(&mut self, text: &str) -> Result<()> {
        self.element(TEXT)?;
        self.text(text)
    }

    fn time(&mut self, moment: Timestamp, at: Span) -> Result<()> {
        let milliseconds = i128::from(moment.seconds()) * 1000 + i128::from(moment.nanos() / 1_000_000);
        let Ok(milliseconds) = i64::try_from(milliseconds) else {
            self.losses.value("timestamp beyond 64 bits of milliseconds became text", at);
            return self.as_text(&moment.to_string());
        };
        if !moment.nanos().is_multiple_of(1_000_000) {
            self.losses.value("fraction of a millisecond dropped from a timestamp", at);
        }
        self.element(DATETIME)?;
        self.out.put(&milliseconds.to_le_bytes());
        Ok(())
    }

    fn decimal(&mut self, bits: [u8; 16]) -> Result<()> {
        self.element(DECIMAL128)?;
        self.out.put(&bits);
        Ok(())
    }

    /// Writes a decimal number. One that decimal128 does not hold is rounded, unless its type is
    /// decimal.
    fn decimal_number(&mut self, text: &str, hint: Hint<'_>, at: Span) -> Result<()> {
        if let Some(bits) = decimal128::decimal(text) {
            return self.decimal(bits);
        }
        let Some(nearest) = nearest_f64(text, hint) else {
            self.losses.value("decimal beyond decimal128 became text", at);
            return self.as_text(text);
        };
        match decimal128::nearest(text) {
            Some(bits) => {
                self.losses.rounded("decimal rounded to 34 digits", at);
                self.decimal(bits)
            }
            None => {
                self.losses.rounded(ROUNDED, at);
                self.element(DOUBLE)?;
                self.out.put(&nearest.to_le_bytes());
                Ok(())
            }
        }
    }

    #[inline]
    fn plain(&mut self, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        match value {
            Scalar::Text(text) => {
                self.element(TEXT)?;
                self.text(text.get())?;
            }
            Scalar::UInt(_, hint) | Scalar::Int(_, hint) | Scalar::F64(_, hint) | Scalar::Big(_, hint) | Scalar::Decimal(_, hint)
                if hint.exponent().is_some()
                    && let Some(bits) = decimal128::hinted(hint) =>
            {
                self.decimal(bits)?;
            }
            Scalar::UInt(value, hint) => match i64::try_from(value) {
                Ok(value) => self.integer(value, hint)?,
                Err(_) => {
                    let bits = decimal128::whole(itoa::Buffer::new().format(value)).ok_or_else(|| broken("20 digits that are too many"))?;
                    self.decimal(bits)?;
                }
            },
            Scalar::Int(value, hint) => self.integer(value, hint)?,
            Scalar::F64(value, _) => {
                self.element(DOUBLE)?;
                self.out.put(&value.to_le_bytes());
            }
            Scalar::F32(value, _) => {
                self.element(DOUBLE)?;
                self.out.put(&f64::from(value).to_le_bytes());
            }
            Scalar::Bool(value) => {
                self.element(BOOL)?;
                self.out.byte(u8::from(value));
            }
            Scalar::Null => self.element(NULL)?,
            Scalar::Big(digits, _) => match decimal128::whole(digits.get()) {
                Some(bits) => self.decimal(bits)?,
                None => {
                    self.losses.value("integer of more than 34 digits became text", at);
                    self.as_text(digits.get())?;
                }
            },
            Scalar::Decimal(text, hint) => self.decimal_number(text.get(), hint, at)?,
            Scalar::Bytes(bytes) => self.binary(GENERIC, bytes.get())?,
            Scalar::Octets(octets) => match std::str::from_utf8(octets.get()) {
                Ok(text) => {
                    self.losses.value("octets became text", at);
                    self.as_text(text)?;
                }
                Err(_) => {
                    self.losses.value("octets became bytes", at);
                    self.binary(GENERIC, octets.get())?;
                }
            },
            Scalar::Time(moment) => self.time(moment, at)?,
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(())
    }

    #[inline]
    fn integer(&mut self, value: i64, hint: Hint<'_>) -> Result<()> {
        match i32::try_from(value) {
            Ok(value) if hint.width() != Some(64) => {
                self.element(INT32)?;
                self.out.put(&value.to_le_bytes());
            }
            _ => {
                self.element(INT64)?;
                self.out.put(&value.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Writes a scalar in a tagged value of BSON's own, or without its tag if the tag is for other
    /// contents.
    fn tagged(&mut self, code: u64, value: Scalar<'_, '_>, mark: Span, at: Span) -> Result<()> {
        let kind = u8::try_from(code).unwrap_or(BINARY);
        match value {
            Scalar::Bytes(bytes) if kind == OBJECT_ID && bytes.get().len() == OBJECT_ID_LEN => {
                self.element(kind)?;
                self.out.put(bytes.get());
            }
            Scalar::Bytes(bytes) if code >> 8 == u64::from(BINARY) && code as u8 != GENERIC => self.binary(code as u8, bytes.get())?,
            Scalar::UInt(value, _) if kind == TIMESTAMP => {
                self.element(kind)?;
                self.out.put(&value.to_le_bytes());
            }
            Scalar::Text(text) if matches!(kind, CODE | SYMBOL) => {
                self.element(kind)?;
                self.text(text.get())?;
            }
            Scalar::Null if matches!(kind, UNDEFINED | MIN_KEY | MAX_KEY) => self.element(kind)?,
            Scalar::F64(value, hint) if kind == DECIMAL128 && !value.is_finite() => {
                let bits = decimal128::hinted(hint)
                    .or_else(|| decimal128::special(value))
                    .ok_or_else(|| broken("a special number that is none"))?;
                self.decimal(bits)?;
            }
            _ => {
                self.losses.value(DROPPED, mark);
                self.plain(value, at)?;
            }
        }
        Ok(())
    }

    /// Writes the tuple in a tagged value as a list, with the values kept so far: it has other
    /// contents than its type demands.
    fn unpair(&mut self, kept: usize, at: Span) -> Result<()> {
        self.special = Special::None;
        self.losses.value(DROPPED, at);
        self.losses.value("tuple became list", at);
        self.list()?;
        for n in 0..kept {
            let text = std::mem::take(&mut self.pair[n]);
            self.as_text(&text)?;
            self.pair[n] = text;
        }
        Ok(())
    }

    fn keep(&mut self, index: usize, text: &str) {
        self.pair[index].clear();
        self.pair[index].push_str(text);
    }

    /// Fills a gap with the length of the bytes since, and four bytes for itself.
    fn fill(&mut self, mark: Mark) -> Result<usize> {
        let len = self.out.since(mark).saturating_add(4);
        self.out.close(mark, &length(len)?);
        Ok(len)
    }

    fn close_document(&mut self, document: Document) -> Result<()> {
        if document.due.is_some() {
            return Err(broken("a document that ends after a name"));
        }
        self.out.byte(0);
        let len = self.fill(document.mark)?;
        if let (Some(around), true) = (document.around, document.wraps) {
            self.out.byte(0);
            let mut head = [0; 4 + 1 + MESSAGE.len() + 1];
            let total = length(len.saturating_add(head.len() + 1))?;
            head[..4].copy_from_slice(&total);
            head[4] = DOCUMENT;
            head[5..9].copy_from_slice(MESSAGE.as_bytes());
            self.out.close(around, &head);
        }
        // This document decides whether the document around it looks like a wrapper.
        let holder = self.levels.iter_mut().rev().find(|level| !matches!(level, Level::Tagged | Level::Variant(_)));
        if let Some(Level::Document(outer)) = holder {
            outer.wraps &= document.wraps;
        }
        Ok(())
    }
}

/// Returns a length as it is written.
#[inline]
fn length(len: usize) -> Result<[u8; 4]> {
    i32::try_from(len).map(i32::to_le_bytes).map_err(|_| too_large(len))
}

#[cold]
fn too_large(len: usize) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data)
        .seen(format!("a text, binary value or document of {len} bytes"))
        .expected("at most 2147483647")
        .format_is(NAME)
}

#[cold]
fn broken(seen: &'static str) -> Error {
    Error::internal(seen).format_is(NAME)
}

impl<'m> Sink<'m> for BsonWriter {
    /// Asks for repeated fields as a list, since a document has each name once, and for values in
    /// one piece, since their length precedes them.
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.key.is_open() {
            return self.key.open(open, at).map(|()| Next::Enter);
        }
        match (self.special, open) {
            (Special::None, _) => {}
            (Special::Tag(code, mark), Open::Tuple(Len::Unknown | Len::Claimed(2)))
                if [REGEX, DB_POINTER, CODE_WITH_SCOPE].map(u64::from).contains(&code) =>
            {
                self.special = Special::Pair(code as u8, 0, mark);
                return Ok(Next::Enter);
            }
            (Special::Pair(CODE_WITH_SCOPE, 1, _), Open::Record { name: "", .. } | Open::Map(_)) => {
                self.special = Special::None;
                self.element(CODE_WITH_SCOPE)?;
                let mark = self.out.open();
                let code = std::mem::take(&mut self.pair[0]);
                self.text(&code)?;
                self.pair[0] = code;
                self.levels.push(Level::Scoped { mark });
                self.push_document(None);
                return Ok(Next::Enter);
            }
            (Special::Tag(_, mark), _) => {
                self.special = Special::None;
                self.losses.value(DROPPED, mark);
            }
            (Special::Pair(DB_POINTER, 2, _), _) => return Err(broken("a third value in a pointer to an object")),
            (Special::Pair(_, kept, mark), _) => self.unpair(kept, mark)?,
        }
        if self.is_key() {
            self.losses.value("key that is no text became text", at);
            return self.key.open(open, at).map(|()| Next::Enter);
        }
        match open {
            Open::List(_) => self.list()?,
            Open::Map(_) => self.document()?,
            Open::Tuple(_) => {
                self.losses.value("tuple became list", at);
                self.list()?;
            }
            Open::Record { name, .. } => {
                if !name.is_empty() {
                    self.losses.value("record name dropped", at);
                }
                self.document()?;
            }
            Open::Variant { name, index } => {
                self.losses.value("variant became a document of its name", at);
                self.document()?;
                if name.is_empty() {
                    self.name(itoa::Buffer::new().format(index), at)?;
                } else {
                    self.name(name, at)?;
                }
                if let Some(&Level::Document(Document { due: Some(kind), wraps, .. })) = self.levels.last() {
                    let variant = Variant { wraps, kind, list: self.out.open(), first: NULL, values: 0 };
                    self.levels.push(Level::Variant(variant));
                }
            }
            Open::Tagged { space, code } => {
                self.levels.push(Level::Tagged);
                if space == NAME {
                    self.special = Special::Tag(code, at);
                } else {
                    self.losses.value("tag dropped", at);
                }
            }
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.key.is_open() {
            return self.key.field(field).map(|()| Next::Enter);
        }
        self.name(field.name.get(), at)?;
        Ok(Next::Enter)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.key.is_open() {
            return self.key.inner(value);
        }
        match (self.special, value) {
            (Special::None, _) => {}
            (Special::Tag(code, mark), _) => {
                self.special = Special::None;
                return self.tagged(code, value, mark, at);
            }
            (Special::Pair(kind, 0, mark), Scalar::Text(text)) => {
                self.keep(0, text.get());
                self.special = Special::Pair(kind, 1, mark);
                return Ok(());
            }
            (Special::Pair(REGEX, 1, mark), Scalar::Text(text)) => {
                self.keep(1, text.get());
                self.special = Special::Pair(REGEX, 2, mark);
                return Ok(());
            }
            (Special::Pair(DB_POINTER, 1, mark), Scalar::Bytes(bytes)) if bytes.get().len() == OBJECT_ID_LEN => {
                self.special = Special::Pair(DB_POINTER, 2, mark);
                let name = std::mem::take(&mut self.pair[0]);
                self.element(DB_POINTER)?;
                self.text(&name)?;
                self.out.put(bytes.get());
                self.pair[0] = name;
                return Ok(());
            }
            (Special::Pair(DB_POINTER, 2, _), _) => return Err(broken("a third value in a pointer to an object")),
            (Special::Pair(_, kept, mark), _) => self.unpair(kept, mark)?,
        }
        if self.is_key() {
            self.losses.value("key that is no text became text", at);
            let mut key = std::mem::take(&mut self.key);
            let named = key.scalar(value).and_then(|name| self.name(name, at));
            self.key = key;
            return named;
        }
        self.plain(value, at)
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(broken("a value in parts for a writer that needs whole ones"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.key.is_open() {
            let mut key = std::mem::take(&mut self.key);
            let named = key.close(at).and_then(|name| name.map_or(Ok(()), |name| self.name(name, at)));
            self.key = key;
            return named;
        }
        match self.special {
            Special::None => {}
            Special::Pair(REGEX, 2, mark) => {
                self.special = Special::None;
                let [pattern, mut options] = std::mem::take(&mut self.pair);
                options = sorted_options(&options).unwrap_or(options);
                self.element(REGEX)?;
                self.cstring(&pattern, mark);
                self.cstring(&options, mark);
                self.pair = [pattern, options];
                return Ok(());
            }
            Special::Pair(DB_POINTER, 2, _) => {
                self.special = Special::None;
                return Ok(());
            }
            Special::Pair(_, kept, mark) => self.unpair(kept, mark)?,
            Special::Tag(..) => return Err(broken("a tagged value without contents")),
        }
        match self.levels.pop() {
            None => return Err(broken("a close without an open")),
            Some(Level::Tagged) => {}
            Some(Level::Document(document)) => self.close_document(document)?,
            Some(Level::Array { mark, .. }) => {
                self.out.byte(0);
                self.fill(mark)?;
            }
            Some(Level::Scoped { mark }) => {
                self.fill(mark)?;
            }
            Some(Level::Variant(variant)) => {
                if variant.values == 0 {
                    self.out.bytes_mut()[variant.kind] = NULL;
                } else if variant.values > 1 {
                    // The first value becomes the first element of a list.
                    self.out.bytes_mut()[variant.kind] = ARRAY;
                    self.out.byte(0);
                    let mut head = [0; 7];
                    let total = length(self.out.since(variant.list).saturating_add(head.len()))?;
                    head[..4].copy_from_slice(&total);
                    head[4..].copy_from_slice(&[variant.first, b'0', 0]);
                    self.out.close(variant.list, &head);
                }
                let Some(Level::Document(mut document)) = self.levels.pop() else { return Err(broken("a variant without its document")) };
                document.due = None;
                if variant.values != 1 {
                    document.wraps = variant.wraps;
                }
                self.close_document(document)?;
            }
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for BsonWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.levels.is_empty() || self.roots != 1 || self.key.is_open() {
            return Err(broken("the end of a message that is not whole"));
        }
        if let Some(around) = self.around.take() {
            self.out.byte(0);
            self.fill(around)?;
        }
        self.roots = 0;
        self.out.finish(out);
        Ok(())
    }

    fn reset(&mut self) {
        self.out.clear();
        self.levels.clear();
        self.around = None;
        self.roots = 0;
        self.special = Special::None;
        self.key.reset();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
