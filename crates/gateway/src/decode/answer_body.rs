//! A value as the body of an answer, in a format that the caller accepts.

use polywire_core::format::Dialect;
use polywire_core::format::Nature;
use polywire_core::walk::Forward;
use polywire_core::{Error, Lost, Result, Scalar, Sink, Span};
use polywire_doc::{Datum, shortest};
use polywire_formats::registry;

use super::accept::{choose, ranges};
use super::fit::Strict;

/// The media type of pages; no result has it.
const PAGE: &str = "text/html";

/// A format of answers, under one of its media types. With a schema, a list may stand for the
/// message whose only list it is.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The media type.
    pub media_type: &'static str,
    dialect: Dialect,
}

/// A value as the body of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerBody {
    /// The media type, with its character set where one applies.
    pub content_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Losses of the format, each kind once, for people.
    pub losses: Vec<&'static str>,
}

/// Returns the offers of an answer: JSON first, then `bound`, the formats with schemas of a route,
/// then each format of the registry that is written without a schema. Each comes under all its
/// media types.
pub fn offers(bound: &[Dialect]) -> Vec<Offer> {
    let formats = std::iter::once(registry::DATA).chain(registry::FORMATS.iter().copied());
    let free = formats.filter(|format| format.writer.is_some()).map(Dialect::from);
    let mut offers: Vec<Offer> = Vec::new();
    // A schema of the route goes before the same format without one.
    for dialect in std::iter::once(Dialect::from(registry::DATA)).chain(bound.iter().cloned()).chain(free) {
        for media_type in dialect.format().media_types {
            if !offers.iter().any(|offer| offer.media_type == *media_type) {
                offers.push(Offer { media_type, dialect: dialect.clone() });
            }
        }
    }
    offers
}

impl Offer {
    /// Returns the offer that an `accept` header prefers; `None`, for status 406, if it accepts
    /// none. Where the header prefers a page, as browsers do, the first offer, JSON, is returned:
    /// the other formats in such a header are those of pages.
    pub fn wanted<'o>(offers: &'o [Offer], accept: Option<&str>) -> Option<&'o Offer> {
        let ranges = ranges(accept);
        let page = ranges.iter().any(|range| range.essence == PAGE).then_some(PAGE);
        match choose(&ranges, page.into_iter().chain(offers.iter().map(|offer| offer.media_type)))? {
            PAGE => offers.first(),
            chosen => offers.iter().find(|offer| offer.media_type == chosen),
        }
    }

    /// Returns true for JSON texts that follow each other.
    pub fn is_lines(&self) -> bool {
        let format = self.dialect.format();
        format.name != registry::DATA.name && registry::unframed(format).name == registry::DATA.name
    }

    /// Returns true for JSON text.
    pub fn is_json(&self) -> bool {
        registry::DATA.name == self.dialect.format().name
    }

    /// Writes the value as a body; `None` if it takes more than `most` bytes, counted as JSON or by
    /// [the weight](polywire_doc::Ref::weight) of the value.
    ///
    /// # Errors
    /// As [`Offer::write`].
    pub fn write_within(&self, value: &Datum, most: u64) -> Result<Option<AnswerBody>> {
        if self.is_json() {
            let bytes = value.to_json_within(usize::try_from(most).unwrap_or(usize::MAX));
            return Ok(bytes.map(|bytes| AnswerBody { content_type: self.content_type(), bytes, losses: Vec::new() }));
        }
        if value.view().weight(most) > most {
            return Ok(None);
        }
        self.write(value).map(Some)
    }

    fn content_type(&self) -> String {
        let is_text = self.dialect.format().nature == Nature::Text;
        let charset = if is_text && self.media_type.starts_with("text/") { "; charset=utf-8" } else { "" };
        format!("{}{charset}", self.media_type)
    }

    /// Writes the value as a body.
    ///
    /// # Errors
    /// The format cannot hold the value at all or, with a schema, not unchanged: the error has the
    /// path in the value.
    pub fn write(&self, value: &Datum) -> Result<AnswerBody> {
        let format = self.dialect.format();
        let content_type = self.content_type();
        if self.is_json() {
            return Ok(AnswerBody { content_type, bytes: value.to_json(), losses: Vec::new() });
        }
        let Some(mut writer) = self.dialect.writer() else {
            return Err(Error::usage(format!("an answer in {}", format.title)).expected("a format that can be written"));
        };
        let writer = &mut *writer;
        let listed = self.listed(value);
        let value = listed.as_ref().unwrap_or(value);
        let is_bound = self.dialect.is_bound();
        let mut body = Vec::new();
        let written = self.emit(value, writer).and_then(|()| writer.finish(&mut body));
        let mut lost = writer.losses();
        // The path is looked for after an error only: a usual answer pays nothing for it.
        if written.is_err() || (is_bound && lost.iter().any(Lost::is_value)) {
            writer.reset();
            self.emit(value, &mut Strict::new(writer, is_bound)).map_err(|error| error.format_is(format.name))?;
            writer.reset();
        }
        written.map_err(|error| error.format_is(format.name))?;
        lost.sort_unstable_by_key(|lost| lost.what);
        lost.dedup_by_key(|lost| lost.what);
        Ok(AnswerBody { content_type, bytes: body, losses: lost.into_iter().map(|lost| lost.what).collect() })
    }

    fn emit<'m>(&self, value: &'m Datum, sink: &mut dyn Sink<'m>) -> Result<()> {
        match self.dialect.is_bound() {
            true => value.view().emit(sink),
            false => value.view().emit(&mut Shortest(sink)),
        }
    }

    /// Returns a list as the message that has it in its only list.
    fn listed(&self, value: &Datum) -> Option<Datum> {
        let name = self.dialect.list_field().filter(|_| value.view().is_list())?;
        Some(Datum::object([(name, value.clone())]))
    }
}

/// Emits each 32-bit float as the 64-bit float with its shortest digits, so that an answer has the
/// same number in every format.
struct Shortest<'a, 'm>(&'a mut dyn Sink<'m>);

impl<'a, 'm: 'a> Forward<'m> for Shortest<'a, 'm> {
    type To = dyn Sink<'m> + 'a;

    fn to(&mut self) -> &mut Self::To {
        self.0
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        match value {
            Scalar::F32(value, _) => self.0.scalar(Scalar::f64(shortest(value)), at),
            other => self.0.scalar(other, at),
        }
    }
}
