//! Values of AMF3.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use super::amf0::known;
use super::level::{Level, Place};
use super::{Machine, Traits, wrong};
use crate::external::{self, External, FLAGS, MORE, MOST_BYTES};
use crate::marker::amf3;
use crate::tags;
use crate::token::{Element, Slice, Token, Version};
use crate::u29;

impl Machine {
    /// Reads a value, up to its entries.
    pub(super) fn value3(&mut self, buf: &[u8], input: &mut Input<'_>) -> Result<Token> {
        let marker = input.u8("a value of AMF3")?;
        Ok(match marker {
            amf3::UNDEFINED => Token::Undefined,
            amf3::NULL => Token::Null,
            amf3::FALSE => Token::False,
            amf3::TRUE => Token::True,
            amf3::INTEGER => {
                self.found.number = u29::read(input, "an integer")?;
                Token::Int
            }
            amf3::DOUBLE => {
                self.found.float = input.f64_be("a number")?;
                Token::Number3
            }
            amf3::STRING => {
                self.string(input, "a string")?;
                Token::Text
            }
            amf3::OBJECT => return self.object3(buf, input),
            amf3::XML_DOCUMENT..=amf3::DICTIONARY => {
                let before = input.offset();
                let head = u29::read(input, "the head of a value")?;
                let number = head >> 1;
                if head & 1 == 0 {
                    return self.reference(input, input.offset() - before, number, marker);
                }
                let token = self.valued(marker, number, input)?;
                self.objects.push(marker);
                token
            }
            other => {
                return Err(wrong(input, 1, format!("the type 0x{other:02x}"))
                    .expected("a type of AMF3: 00 to 11")
                    .hint("a value of AMF0 begins with other types: --from amf0"));
            }
        })
    }

    /// Returns a reference to an object, which lies in the `len` bytes before the cursor.
    fn reference(&mut self, input: &Input<'_>, len: u64, index: u32, marker: u8) -> Result<Token> {
        known(input, len, index, self.objects.len())?;
        match self.objects[index as usize] {
            kind if kind == marker => {
                self.found.number = index;
                Ok(Token::Reference3)
            }
            kind => Err(wrong(input, len, format!("a reference of the type 0x{marker:02x} to a value of the type 0x{kind:02x}"))
                .expected("a reference of its type")),
        }
    }

    /// Reads a value that references may mean, behind its head.
    fn valued(&mut self, marker: u8, number: u32, input: &mut Input<'_>) -> Result<Token> {
        self.found.number = number;
        Ok(match marker {
            amf3::XML_DOCUMENT => self.take(input, number, "an XML document").map(|()| Token::XmlDocument)?,
            amf3::XML => self.take(input, number, "XML").map(|()| Token::Xml)?,
            amf3::BYTE_ARRAY => self.take(input, number, "bytes").map(|()| Token::Bytes)?,
            amf3::DATE => {
                (self.found.float, self.found.number) = (input.f64_be("a date")?, 0);
                Token::Date
            }
            amf3::ARRAY => {
                self.holds(input, number, 1)?;
                let mut next = *input;
                if next.u8("the elements of an array")? == 1 {
                    *input = next;
                    return Ok(self.open([Level::Dense(number)], Token::List));
                }
                self.open([Level::Names(number)], Token::Named)
            }
            amf3::VECTOR_INT => self.numbers(Element::Int, number, input)?,
            amf3::VECTOR_UINT => self.numbers(Element::UInt, number, input)?,
            amf3::VECTOR_DOUBLE => self.numbers(Element::Double, number, input)?,
            amf3::VECTOR_OBJECT => {
                self.found.flag = input.u8("the head of a vector")? != 0;
                self.holds(input, number, 1)?;
                self.string(input, "the class of a vector")?;
                self.open([Level::Dense(number)], Token::Objects)
            }
            _ => {
                self.found.flag = input.u8("the head of a dictionary")? != 0;
                self.holds(input, number, 2)?;
                self.found.surveyed = self.surveyed;
                self.surveyed += 1;
                self.open([Level::Dictionary(number * 2)], Token::Dictionary)
            }
        })
    }

    /// Finds the elements of a vector of numbers.
    fn numbers(&mut self, element: Element, count: u32, input: &mut Input<'_>) -> Result<Token> {
        self.found.flag = input.u8("the head of a vector")? != 0;
        self.found.element = element;
        let start = input.pos();
        let len = input.take(u64::from(count) * element.size() as u64, "the elements of a vector")?.len();
        self.found.slice = Slice { start, len };
        Ok(Token::Numbers)
    }

    /// Finds a text, here or where a reference means one.
    #[inline]
    pub(super) fn string(&mut self, input: &mut Input<'_>, what: &'static str) -> Result<()> {
        let before = input.offset();
        let head = u29::read(input, what)?;
        if head & 1 == 0 {
            known(input, input.offset() - before, head >> 1, self.strings.len())?;
            (self.found.slice, self.found.repeated) = (self.strings[(head >> 1) as usize], true);
            return Ok(());
        }
        self.take(input, head >> 1, what)?;
        if self.found.slice.len > 0 {
            self.strings.push(self.found.slice);
        }
        Ok(())
    }

    /// Reads an object up to its members, or to the names of its sealed ones.
    fn object3(&mut self, buf: &[u8], input: &mut Input<'_>) -> Result<Token> {
        let before = input.offset();
        let head = u29::read(input, "the head of an object")?;
        let len = input.offset() - before;
        if head & 1 == 0 {
            return self.reference(input, len, head >> 1, amf3::OBJECT);
        }
        if head & 2 == 0 {
            known(input, len, head >> 2, self.traits.len())?;
            self.objects.push(amf3::OBJECT);
            return self.instance(head >> 2, None, buf, input);
        }
        // The bits of an externalizable class behind these mean nothing (AMF3 3.12).
        let external = (head & 4 != 0).then_some(head >> 3);
        let count = if external.is_some() { 0 } else { head >> 4 };
        self.holds(input, count, 1)?;
        self.string(input, "the name of a class")?;
        let class = self.found.slice;
        let traits = Traits { class, dynamic: head & 8 != 0, external, first: self.members.len(), count };
        self.traits.push(traits);
        self.objects.push(amf3::OBJECT);
        let index = self.traits.len() as u32 - 1;
        self.instance(index, (count > 0).then_some(Level::Members(count)), buf, input)
    }

    /// Opens an object of known traits, whose members come behind `first`.
    fn instance(&mut self, index: u32, first: Option<Level>, buf: &[u8], input: &Input<'_>) -> Result<Token> {
        let Traits { class, dynamic, external, count, .. } = self.traits[index as usize];
        self.found.slice = class;
        if let Some(bits) = external {
            self.found.mark = tags::EXTERNAL | u64::from(bits);
            let class = class.of(buf);
            return match external::of(class) {
                Some(External::One(name)) => Ok(self.open([Level::Only(name)], Token::Object)),
                Some(External::Message(kind)) => {
                    let place = Place { kind, group: 0, byte: 0 };
                    Ok(self.open([Level::Flags(place, 0)], Token::Object))
                }
                None => Err(Error::data(ErrorKind::Unsupported, input.offset())
                    .seen(format!("an object of the externalizable class `{}`", String::from_utf8_lossy(class)))
                    .expected("a class of Flex or BlazeDS: only the program that wrote the object knows the bytes of others")),
            };
        }
        self.found.mark = match (class.len == 0, dynamic, count) {
            (true, true, 0) | (false, false, _) => 0,
            (true, false, _) => tags::SEALED,
            (_, true, count) => tags::DYNAMIC | u64::from(count),
        };
        let token = self.open([Level::Object(index, 0)], Token::Object);
        self.levels.extend(first);
        Ok(token)
    }

    /// Reads the name of a sealed member.
    pub(super) fn traits_member(&mut self, left: u32, input: &mut Input<'_>) -> Result<Token> {
        self.string(input, "the name of a member")?;
        self.members.push(self.found.slice);
        if left > 1 {
            self.levels.push(Level::Members(left - 1));
        }
        Ok(Token::Member)
    }

    /// Gives the name of the next member, or the end of the object.
    #[inline]
    pub(super) fn member(&mut self, index: u32, next: u32, input: &mut Input<'_>) -> Result<Token> {
        let Traits { first, count, dynamic, .. } = self.traits[index as usize];
        if next < count {
            if let Some(Level::Object(_, next)) = self.levels.last_mut() {
                *next += 1;
            }
            self.due = Some(Version::Amf3);
            (self.found.slice, self.found.repeated) = (self.members[first + next as usize], true);
            return Ok(Token::Name);
        }
        if !dynamic {
            self.levels.pop();
            return Ok(Token::Close);
        }
        self.string(input, "the name of a member")?;
        if self.found.slice.len == 0 {
            self.levels.pop();
            return Ok(Token::Close);
        }
        self.due = Some(Version::Amf3);
        Ok(Token::Name)
    }

    /// Reads a key or a value of a dictionary, of which `left` are left.
    pub(super) fn entry(&mut self, left: u32, buf: &[u8], input: &mut Input<'_>) -> Result<Token> {
        let place = self.levels.len().wrapping_sub(1);
        let token = self.value3(buf, input)?;
        self.becomes(place, Level::Dictionary(left - 1));
        // Keys that are text are names.
        if token != Token::Text || !left.is_multiple_of(2) || std::str::from_utf8(self.found.slice.of(buf)).is_err() {
            return Ok(token);
        }
        self.becomes(place, Level::Dictionary(left - 2));
        self.due = Some(Version::Amf3);
        Ok(Token::Name)
    }

    /// Reads a byte of flags.
    pub(super) fn flags(&mut self, place: Place, flags: u64, input: &mut Input<'_>) -> Result<Token> {
        if usize::from(place.group) == place.kind.groups().len() {
            return Ok(Token::Close);
        }
        if usize::from(place.byte) == MOST_BYTES {
            return Err(wrong(input, 0, format!("more than {MOST_BYTES} bytes of flags")).expected("the last one, below 80"));
        }
        let read = input.u8("flags of a message")?;
        let flags = flags | u64::from(read & !MORE) << (FLAGS * usize::from(place.byte));
        self.levels.push(match read & MORE {
            0 => Level::Flagged(place, flags),
            _ => Level::Flags(Place { byte: place.byte + 1, ..place }, flags),
        });
        self.found.known = "flags of the values that follow";
        Ok(Token::Frame)
    }

    /// Gives the name of the next value whose flag is set.
    pub(super) fn flagged(&mut self, place: Place, flags: u64) -> Token {
        if flags == 0 {
            self.levels.push(Level::Flags(Place { group: place.group + 1, byte: 0, ..place }, 0));
            return Token::Nothing;
        }
        let flag = flags.trailing_zeros() as u8;
        self.levels.push(Level::Flagged(place, flags & (flags - 1)));
        self.due = Some(Version::Amf3);
        (self.found.kind, self.found.place) = (Some(place.kind), (place.group, flag));
        Token::Flag
    }
}
