//! Rust's types to XML, without events. Its twin is the writer.
//!
//! It writes structs of several fields, which stand in an element `message` and have all marks. Any
//! other message, and a value whose name or text XML cannot hold as it is, is left to events.

use std::fmt::Display;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::Growing;
use polywire_core::serde::is_special;
use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::{Error, Result};
use serde_core::Serialize;
use serde_core::ser::{self, SerializeMap};

use super::super::chars::{Name, first_illegal, scan_name};
use super::super::values::ITEM;
use super::super::write::escape;

/// The start of a message, as [`XmlWriter`](super::super::write::XmlWriter) patches it together.
const START: &[u8] = b"<message xmlns:pw=\"urn:polywire:values\" pw:root=\"value\">";

const END: &[u8] = b"</message>";

/// Appends a value to `out`. Returns `None`, and appends nothing, if the value is for events.
pub(crate) fn push<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Option<Result<()>> {
    let start = out.len();
    let mut text = Text {
        out: Growing::behind(std::mem::take(out)),
        unfit: false,
        is_key: false,
        name: Tag::Message,
        names: String::new(),
        escaped: Vec::new(),
    };
    let outcome = value.serialize(&mut text);
    let Text { out: mut text, unfit, .. } = text;
    if outcome.is_err() {
        text.truncate(start);
    }
    *out = text.finish();
    if unfit { None } else { Some(outcome) }
}

/// The name of an element.
#[derive(Debug, Clone, Copy)]
enum Tag {
    /// The element around everything.
    Message,
    Fixed(&'static str),
    /// The rest of [`Text::names`] from here on.
    Key(usize),
}

struct Text {
    out: Growing,
    unfit: bool,
    /// True if the next value is the key of a map.
    is_key: bool,
    /// The element of the next value.
    name: Tag,
    /// The keys of the maps that are open, one after the other.
    names: String,
    /// Memory for a text with escapes.
    escaped: Vec<u8>,
}

/// Returns whether an element can have this name as it is.
#[inline]
fn is_plain_name(name: &str) -> bool {
    matches!(scan_name(name, 0), Ok(Name { end, colon: false }) if end == name.len())
}

impl Text {
    #[cold]
    fn unfit<T>(&mut self) -> Result<T> {
        self.unfit = true;
        Err(Error::internal("a value that is left to events"))
    }

    /// Writes an element with a mark, perhaps none, and with contents as they are.
    #[inline(always)]
    fn element(&mut self, mark: &[u8], contents: &[u8]) -> Result<()> {
        let Text { out, names, name, is_key, .. } = self;
        let name = match *name {
            Tag::Fixed(name) => name,
            Tag::Key(start) => &names[start..],
            Tag::Message => return self.unfit(),
        };
        if *is_key {
            return self.unfit();
        }
        out.write(|place| {
            place.put(*b"<")?;
            place.text(name.as_bytes())?;
            place.text(mark)?;
            if contents.is_empty() {
                return place.put(*b"/>");
            }
            place.put(*b">")?;
            place.text(contents)?;
            place.put(*b"</")?;
            place.text(name.as_bytes())?;
            place.put(*b">")
        });
        Ok(())
    }

    /// Writes the start of a tag.
    #[inline(always)]
    fn start(&mut self, name: Tag, mark: &[u8]) -> Result<()> {
        let name = match name {
            Tag::Fixed(name) => name,
            Tag::Key(start) => &self.names[start..],
            Tag::Message => return self.unfit(),
        };
        self.out.write(|place| {
            place.put(*b"<")?;
            place.text(name.as_bytes())?;
            place.text(mark)
        });
        Ok(())
    }

    /// Writes an end tag, behind the end tags inside.
    #[inline(always)]
    fn end(&mut self, name: Tag) {
        let name = match name {
            Tag::Fixed(name) => name,
            Tag::Key(start) => &self.names[start..],
            Tag::Message => return self.out.push(END),
        };
        self.out.write(|place| {
            place.put(*b"</")?;
            place.text(name.as_bytes())?;
            place.put(*b">")
        });
    }

    #[inline]
    fn string(&mut self, text: &str) -> Result<()> {
        if self.is_key {
            if !is_plain_name(text) {
                return self.unfit();
            }
            self.is_key = false;
            self.name = Tag::Key(self.names.len());
            self.names.push_str(text);
            return Ok(());
        }
        let bytes = text.as_bytes();
        let mark: &[u8] = match bytes.first() {
            // Other texts are like no other scalar.
            Some(b't' | b'f' | b'-' | b'0'..=b'9') if classify(text) != Lexical::Text => b" pw:t=\"text\"",
            _ => b"",
        };
        // U+FFFE and U+FFFF begin with 0xef.
        let special = |&byte: &u8| byte < b' ' || matches!(byte, b'&' | b'<' | b'>' | 0xef);
        if bytes.iter().fold(false, |found, byte| found | special(byte)) { self.escaped(text, mark) } else { self.element(mark, bytes) }
    }

    #[inline(never)]
    fn escaped(&mut self, text: &str, mark: &[u8]) -> Result<()> {
        if first_illegal(text).is_some() {
            return self.unfit();
        }
        let mut escaped = std::mem::take(&mut self.escaped);
        escaped.clear();
        escape::text(&mut escaped, text, false);
        let outcome = self.element(mark, &escaped);
        self.escaped = escaped;
        outcome
    }

    fn null(&mut self) -> Result<()> {
        self.element(b" pw:t=\"null\"", b"")
    }

    #[inline(always)]
    fn begin(&mut self, kind: Kind, around: Option<Tag>) -> Result<Container<'_>> {
        let name = self.name;
        if self.is_key {
            return self.unfit();
        }
        match (name, kind) {
            (Tag::Message, Kind::List) => return self.unfit(),
            (Tag::Message, Kind::Fields) => self.out.push(START),
            (_, Kind::Fields) => self.start(name, b">")?,
            (_, Kind::List) => self.start(name, b" pw:t=\"list\">")?,
        }
        Ok(Container { text: self, kind, name, around, count: 0 })
    }

    /// Begins the element around the contents of an enum's case.
    fn case(&mut self, variant: &'static str) -> Result<Tag> {
        let around = self.name;
        if self.is_key || !is_plain_name(variant) {
            return self.unfit();
        }
        self.start(around, b">")?;
        self.name = Tag::Fixed(variant);
        Ok(around)
    }
}

macro_rules! integers {
    ($($method:ident $type:ty;)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<()> {
            self.element(b"", itoa::Buffer::new().format(value).as_bytes())
        }
    )*};
}

impl<'a> ser::Serializer for &'a mut Text {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Container<'a>;
    type SerializeTuple = Container<'a>;
    type SerializeTupleStruct = Container<'a>;
    type SerializeTupleVariant = Container<'a>;
    type SerializeMap = Container<'a>;
    type SerializeStruct = Container<'a>;
    type SerializeStructVariant = Container<'a>;

    integers! {
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_i128 i128;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_u128 u128;
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.element(b"", if value { b"true" } else { b"false" })
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        if !value.is_finite() {
            return self.unfit();
        }
        self.element(b" pw:t=\"f32\"", ryu::Buffer::new().format_finite(value).as_bytes())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        if !value.is_finite() {
            return self.unfit();
        }
        self.element(b"", ryu::Buffer::new().format_finite(value).as_bytes())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.string(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.string(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.element(b" pw:t=\"bytes\"", STANDARD.encode(value).as_bytes())
    }

    fn serialize_none(self) -> Result<()> {
        self.null()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.null()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.null()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.string(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        if is_special(name) { self.unfit() } else { value.serialize(self) }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, variant: &'static str, value: &T) -> Result<()> {
        let around = self.case(variant)?;
        value.serialize(&mut *self)?;
        self.end(around);
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Container<'a>> {
        self.begin(Kind::List, None)
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Container<'a>> {
        self.begin(Kind::List, None)
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Container<'a>> {
        if is_special(name) { self.unfit() } else { self.begin(Kind::List, None) }
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Container<'a>> {
        let around = self.case(variant)?;
        self.begin(Kind::List, Some(around))
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Container<'a>> {
        self.begin(Kind::Fields, None)
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Container<'a>> {
        self.begin(Kind::Fields, None)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Container<'a>> {
        let around = self.case(variant)?;
        self.begin(Kind::Fields, Some(around))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.string(&value.to_string())
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Fields,
    List,
}

/// A container whose entries are written.
pub(crate) struct Container<'a> {
    text: &'a mut Text,
    kind: Kind,
    name: Tag,
    /// The element of the case that it is within.
    around: Option<Tag>,
    count: u64,
}

impl Container<'_> {
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if !is_plain_name(name) {
            return self.text.unfit();
        }
        self.count += 1;
        self.text.name = Tag::Fixed(name);
        value.serialize(&mut *self.text)
    }

    #[inline(always)]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.count += 1;
        self.text.name = Tag::Fixed(ITEM);
        value.serialize(&mut *self.text)
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        let Container { text, kind, name, around, count } = self;
        match (name, kind) {
            // The only field is the document, and no field is an element with marks.
            (Tag::Message, _) if count < 2 => return text.unfit(),
            // A reader would take it for text.
            (_, Kind::Fields) if count == 0 => {
                text.out.drop_last(b'>');
                text.out.push(b" pw:t=\"map\"/>");
            }
            (_, Kind::List) if count == 0 => {
                text.out.drop_last(b'>');
                text.out.push(b"/>");
            }
            _ => text.end(name),
        }
        if let Some(around) = around {
            text.end(around);
        }
        Ok(())
    }
}

crate::serde::container::containers!(#[inline] impl[] Container<'_>);

impl SerializeMap for Container<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.text.is_key = true;
        key.serialize(&mut *self.text)?;
        // Any other key is unfit before this.
        if self.text.is_key { self.text.unfit() } else { Ok(()) }
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.count += 1;
        let Tag::Key(start) = self.text.name else { return self.text.unfit() };
        value.serialize(&mut *self.text)?;
        self.text.names.truncate(start);
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}
