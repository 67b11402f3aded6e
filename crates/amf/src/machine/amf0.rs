//! Values of AMF0.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use super::level::Level;
use super::{Machine, wrong};
use crate::marker::amf0;
use crate::tags;
use crate::token::{Slice, Token, Version};

impl Machine {
    /// Reads a value, up to its entries.
    pub(super) fn value0(&mut self, input: &mut Input<'_>) -> Result<Token> {
        Ok(match input.u8("a value of AMF0")? {
            amf0::NUMBER => {
                self.found.float = input.f64_be("a number")?;
                Token::Number0
            }
            amf0::BOOLEAN => {
                if input.u8("a truth value")? == 0 {
                    Token::False
                } else {
                    Token::True
                }
            }
            amf0::STRING => {
                self.short(input, "a string")?;
                Token::Text
            }
            amf0::OBJECT => {
                self.found.slice = Slice::default();
                self.object0(0)
            }
            amf0::NULL => Token::Null,
            amf0::UNDEFINED => Token::Undefined,
            amf0::REFERENCE => {
                let index = u32::from(input.u16_be("a reference")?);
                known(input, 2, index, self.objects0 as usize)?;
                self.found.number = index;
                Token::Reference0
            }
            amf0::ECMA_ARRAY => {
                let count = input.u32_be("the count of an ECMA array")?;
                self.objects0 += 1;
                self.surveyed += 1;
                (self.found.number, self.found.surveyed) = (count, self.surveyed - 1);
                self.open([Level::Pairs], Token::Ecma)
            }
            amf0::STRICT_ARRAY => {
                let count = input.u32_be("the count of an array")?;
                self.holds(input, count, 1)?;
                self.objects0 += 1;
                self.found.number = count;
                self.open([Level::Strict(count)], Token::List)
            }
            amf0::DATE => {
                self.found.float = input.f64_be("a date")?;
                self.found.number = u32::from(input.u16_be("the time zone of a date")?);
                Token::Date
            }
            amf0::LONG_STRING => self.long(input, "a long string", Token::LongText)?,
            amf0::UNSUPPORTED => Token::Unsupported,
            amf0::XML_DOCUMENT => self.long(input, "an XML document", Token::XmlDocument)?,
            amf0::TYPED_OBJECT => {
                self.short(input, "the name of a class")?;
                self.object0(if self.found.slice.len == 0 { tags::TYPED } else { 0 })
            }
            amf0::AVM_PLUS => {
                let token = self.open([Level::Switch], Token::Switch);
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

    fn object0(&mut self, mark: u64) -> Token {
        self.objects0 += 1;
        self.found.mark = mark;
        self.open([Level::Pairs], Token::Object)
    }

    /// Finds a text behind a length of two bytes.
    #[inline]
    pub(super) fn short(&mut self, input: &mut Input<'_>, what: &'static str) -> Result<()> {
        let len = input.u16_be(what)?;
        self.take(input, u32::from(len), what)
    }

    /// Finds a text behind a length of four bytes.
    fn long(&mut self, input: &mut Input<'_>, what: &'static str, token: Token) -> Result<Token> {
        let len = input.u32_be(what)?;
        self.take(input, len, what)?;
        Ok(token)
    }

    /// Finds the next bytes.
    #[inline]
    pub(super) fn take(&mut self, input: &mut Input<'_>, len: u32, what: &'static str) -> Result<()> {
        let start = input.pos();
        let len = input.take(u64::from(len), what)?.len();
        (self.found.slice, self.found.repeated) = (Slice { start, len }, false);
        Ok(())
    }

    /// Reads the name of a property, or the end of the object.
    pub(super) fn pair0(&mut self, input: &mut Input<'_>) -> Result<Token> {
        self.short(input, "the name of a property")?;
        if self.found.slice.len == 0 {
            let mut next = *input;
            // An empty name may have a value too.
            if next.u8("the end of an object")? == amf0::OBJECT_END {
                *input = next;
                self.levels.pop();
                return Ok(Token::Close);
            }
        }
        self.due = Some(Version::Amf0);
        Ok(Token::Name)
    }
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
