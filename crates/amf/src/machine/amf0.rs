//! Values of AMF0.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use super::level::Level;
use super::{Machine, wrong};
use crate::marker::amf0;
use crate::tags;
use crate::token::{Container, Token, Version};

impl Machine {
    /// Reads a value, up to its entries.
    pub(super) fn value0<'b>(&mut self, input: &mut Input<'b>) -> Result<Token<'b>> {
        Ok(match input.u8("a value of AMF0")? {
            amf0::NUMBER => Token::Number(input.f64_be("a number")?, Version::Amf0),
            amf0::BOOLEAN => Token::Bool(input.u8("a truth value")? != 0),
            amf0::STRING => Token::Text(short(input, "a string")?, false),
            amf0::OBJECT => self.object0(b"", 0),
            amf0::NULL => Token::Null,
            amf0::UNDEFINED => Token::Undefined,
            amf0::REFERENCE => {
                let index = u32::from(input.u16_be("a reference")?);
                known(input, 2, index, self.objects0 as usize)?;
                Token::Reference(Version::Amf0, index)
            }
            amf0::ECMA_ARRAY => {
                let count = input.u32_be("the count of an ECMA array")?;
                self.objects0 += 1;
                self.surveyed += 1;
                self.open([Level::Pairs], Container::Ecma(count, self.surveyed - 1))
            }
            amf0::STRICT_ARRAY => {
                let count = input.u32_be("the count of an array")?;
                self.holds(input, count, 1)?;
                self.objects0 += 1;
                self.open([Level::Strict(count)], Container::List(count))
            }
            amf0::DATE => Token::Date(input.f64_be("a date")?, input.u16_be("the time zone of a date")? as i16),
            amf0::LONG_STRING => Token::LongText(long(input, "a long string")?),
            amf0::UNSUPPORTED => Token::Unsupported,
            amf0::XML_DOCUMENT => Token::XmlDocument(long(input, "an XML document")?),
            amf0::TYPED_OBJECT => {
                let class = short(input, "the name of a class")?;
                self.object0(class, if class.is_empty() { tags::TYPED } else { 0 })
            }
            amf0::AVM_PLUS => {
                let token = self.open([Level::Switch], Container::Switch);
                self.due = Some(Version::Amf3);
                token
            }
            amf0::OBJECT_END => return Err(wrong(input, 1, "09, the end of an object").expected("a value of AMF0")),
            other => {
                return Err(wrong(input, 1, format!("the type 0x{other:02x}"))
                    .expected("a type of AMF0: 00 to 03, 05 to 0d, 0f to 11")
                    .hint("a value of AMF3 begins with other types: --from amf3"));
            }
        })
    }

    fn object0<'b>(&mut self, class: &'b [u8], mark: u64) -> Token<'b> {
        self.objects0 += 1;
        self.open([Level::Pairs], Container::Object(class, mark))
    }

    /// Reads the name of a property, or the end of the object.
    pub(super) fn pair0<'b>(&mut self, input: &mut Input<'b>) -> Result<Token<'b>> {
        let name = short(input, "the name of a property")?;
        if name.is_empty() {
            let mut next = *input;
            // An empty name may have a value too.
            if next.u8("the end of an object")? == amf0::OBJECT_END {
                *input = next;
                self.levels.pop();
                return Ok(Token::Close);
            }
        }
        self.due = Some(Version::Amf0);
        Ok(Token::Name(name, false))
    }
}

/// Reads a text behind a length of two bytes.
pub(super) fn short<'b>(input: &mut Input<'b>, what: &'static str) -> Result<&'b [u8]> {
    let len = input.u16_be(what)?;
    input.take(u64::from(len), what)
}

fn long<'b>(input: &mut Input<'b>, what: &'static str) -> Result<&'b [u8]> {
    let len = input.u32_be(what)?;
    input.take(u64::from(len), what)
}

/// Refuses a reference to an object that did not come yet; it lies in the `len` bytes before the
/// cursor.
pub(super) fn known(input: &Input<'_>, len: u64, index: u32, objects: usize) -> Result<()> {
    if (index as usize) < objects {
        return Ok(());
    }
    Err(Error::data(ErrorKind::Syntax, input.offset() - len)
        .seen(format!("a reference to {index}, where {objects} came before"))
        .expected("the number of one that came before, from 0 on"))
}
