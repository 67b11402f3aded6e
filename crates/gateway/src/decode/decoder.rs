//! The body of a reply as data, reduced to the wanted parts (docs/spec/ql.md 9).

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use polywire_core::format::Dialect;
use polywire_core::format::{Format, Nature, Repeats};
use polywire_core::tools::locate;
use polywire_core::{Budget, Error, Frame, Len, Limits, Next, Open, Reader, Result, Sink, Span};
use polywire_doc::{Datum, DocSink, Object, Read, Reading, Repeated, Shape, Wanted};
use polywire_formats::registry;

use super::charset;
use super::failure::Undecodable;
use super::media_type::BodyType;

/// Reads the replies of one table. It is made once, when the table is loaded.
#[derive(Debug, Clone, Default)]
pub struct Decoder {
    /// The format that the table names, perhaps with a schema; without one the media type decides.
    dialect: Option<Dialect>,
    /// The convention that the table names, for formats that have several.
    convention: Option<String>,
    shape: Shape,
    limits: Limits,
    /// The first media type seen, parsed: most services send the same one with all replies.
    known: OnceLock<(String, BodyType)>,
}

/// A body that was read.
#[derive(Debug)]
pub struct Decoded {
    /// The wanted parts.
    pub value: Datum,
    /// Skipped bytes; their contents are not checked.
    pub skipped: u64,
}

impl Decoder {
    /// Makes a decoder that goes by the media type, with nothing declared.
    pub fn by_media_type() -> Decoder {
        Decoder::default()
    }

    /// Reads every body as `dialect`, whatever its media type says.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Decoder {
        self.dialect = Some(dialect);
        self
    }

    /// Reads by the convention `name`, of the formats that have it.
    ///
    /// # Errors
    /// No format has it.
    pub fn convention(mut self, name: &str) -> Result<Decoder> {
        let known = registry::FORMATS.iter().filter_map(|format| registry::conventions(format)).flat_map(|conventions| conventions.list());
        let names: Vec<&str> = known.map(|convention| convention.name).collect();
        if !names.contains(&name) {
            return Err(Error::usage(format!("the convention `{name}`")).expected(format!("one of {}", names.join(", "))));
        }
        self.convention = Some(name.to_string());
        Ok(self)
    }

    /// Reads lists, numbers and texts as `shape` declares them.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Decoder {
        self.shape = shape;
        self
    }

    /// Keeps every body within `limits`.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Decoder {
        self.limits = limits;
        self
    }

    /// Returns the wanted parts of a body as data. Blank text is an empty object.
    ///
    /// # Errors
    /// No format has the media type, or the body is not in its format.
    pub fn decode(&self, body: &Bytes, content_type: Option<&str>, wanted: &Wanted) -> std::result::Result<Decoded, Undecodable> {
        let body_type = self.type_of(content_type);
        let wrong = |error: Error| Undecodable::Wrong { error, body: body.clone() };
        let is_text = match &self.dialect {
            // The character set of a binary body means nothing: a mock server sends one with
            // everything (docs/spec/ql.md 16.5).
            Some(dialect) => dialect.format().nature == Nature::Text,
            None => body_type.is_text(),
        };
        let (text, utf8) = if is_text { charset::to_utf8(body, &body_type).map_err(wrong)? } else { (body.clone(), false) };
        let is_blank = |body: &[u8]| body.iter().all(u8::is_ascii_whitespace);
        if is_blank(&text) && (is_text || self.dialect.is_none()) {
            return Ok(Decoded { value: Datum::Object(Object::default()), skipped: 0 });
        }
        let read = |dialect: &Dialect| self.read(dialect, &text, &body_type, utf8, wanted);
        if let Some(dialect) = &self.dialect {
            return read(dialect).map_err(wrong);
        }
        if let Some(format) = body_type.format() {
            return read(&Dialect::from(format)).map_err(wrong);
        }
        if !body_type.is_other_text() {
            return Err(Undecodable::unknown(&body_type.essence, body));
        }
        let mut first_error = None;
        for format in registry::GUESSES {
            match read(&Dialect::from(*format)) {
                Ok(decoded) => return Ok(decoded),
                // Text in none of the formats was most likely meant to be in the first.
                Err(error) => drop(first_error.get_or_insert(error)),
            }
        }
        Err(first_error.map_or_else(|| Undecodable::unknown(&body_type.essence, body), wrong))
    }

    fn type_of(&self, content_type: Option<&str>) -> Cow<'_, BodyType> {
        let text = content_type.unwrap_or_default();
        let (known, body_type) = self.known.get_or_init(|| (text.to_owned(), BodyType::parse(content_type)));
        if known == text { Cow::Borrowed(body_type) } else { Cow::Owned(BodyType::parse(content_type)) }
    }

    fn read(&self, dialect: &Dialect, body: &Bytes, body_type: &BodyType, utf8: bool, wanted: &Wanted) -> Result<Decoded> {
        let mut budget = Budget::new(&self.limits);
        let format = dialect.format();
        if let Some(conventions) = registry::conventions(format).filter(|_| !dialect.is_bound()) {
            let list = conventions.list();
            let named = self.convention.as_deref().and_then(|name| list.iter().find(|convention| convention.name == name));
            if let Some(convention) = named.or(list.first()) {
                let reading = Reading { wanted, shape: &self.shape, header: body_type.header, utf8 };
                let Read { doc, skipped } = conventions.read(convention.name, body, &reading, &mut budget)?;
                return Ok(Decoded { value: Datum::from(doc), skipped });
            }
        }
        let mut reader = dialect.reader();
        if format.repeats == Repeats::List && !is_framing(format) {
            let reading = Reading { wanted, shape: &self.shape, header: body_type.header, utf8 };
            let documents = registry::document_reader(format).and_then(|documents| documents(reader.as_mut()));
            if let Some(read) = documents.and_then(|reader| reader.document(body, &reading, &mut budget)) {
                let Read { doc, skipped } = read.map_err(|error| located(error, reader.as_mut(), body, 0, &budget))?;
                return Ok(Decoded { value: Datum::from(doc), skipped });
            }
        }
        let repeated = match format.repeats {
            Repeats::List => Repeated::Group,
            // Scripts use the last duplicate.
            Repeats::Doubled => Repeated::Last,
        };
        let mut sink = DocSink::new(body.clone(), wanted, repeated).shaped(&self.shape);
        if is_framing(format) {
            messages(reader.as_mut(), body, &mut sink, &mut budget)?;
        } else {
            walk(reader.as_mut(), body, 0, &mut sink, &mut budget)?;
        }
        let (doc, skipped) = sink.finish(body.len() as u64).map_err(|error| error.format_is(format.name))?;
        Ok(Decoded { value: Datum::from(doc), skipped })
    }
}

/// Returns true for a format that only adds framing to another one: its bodies are lists of
/// messages.
fn is_framing(format: &'static Format) -> bool {
    registry::unframed(format).name != format.name
}

/// Walks one message; errors have their path.
fn walk(reader: &mut dyn Reader, msg: &[u8], base: u64, sink: &mut DocSink<'_>, budget: &mut Budget) -> Result<()> {
    reader.walk(msg, base, sink, budget).map_err(|error| located(error, reader, msg, base, budget))
}

/// Adds the path to an error.
fn located(error: Error, reader: &mut dyn Reader, msg: &[u8], base: u64, budget: &Budget) -> Error {
    match (error.path(), error.offset()) {
        (None, Some(offset)) => {
            let path = locate(reader, msg, base, offset, budget.limits());
            error.path_is(path)
        }
        _ => error,
    }
}

/// Reads all messages of a body as one list.
fn messages(reader: &mut dyn Reader, body: &[u8], sink: &mut DocSink<'_>, budget: &mut Budget) -> Result<()> {
    if Sink::open(sink, Open::List(Len::Unknown), Span::NONE)? != Next::Enter {
        return Ok(());
    }
    let mut at = 0;
    loop {
        let base = at as u64;
        match reader.frame(&body[at..], base, true)? {
            Frame::Message { start, end } if end > 0 => {
                walk(reader, &body[at + start..at + end], base + start as u64, sink, budget)?;
                at += end;
            }
            Frame::Message { .. } => return Err(Error::internal("a message of no bytes").at(base)),
            Frame::Between(bytes) => at += bytes.max(1).min(body.len() - at),
            Frame::More(_) | Frame::End => break,
        }
    }
    Sink::close(sink, Span::NONE)
}
