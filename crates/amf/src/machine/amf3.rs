//! Values of AMF3.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use super::amf0::known;
use super::level::{Level, Place};
use super::{Machine, Slice, Traits, wrong};
use crate::external::{self, External, FLAGS, MORE, MOST_BYTES};
use crate::marker::amf3;
use crate::tags;
use crate::token::{Container, Element, Token, Version};
use crate::u29;

impl Machine {
    /// Reads a value, up to its entries.
    pub(super) fn value3<'b>(&mut self, buf: &'b [u8], input: &mut Input<'b>) -> Result<Token<'b>> {
        let marker = input.u8("a value of AMF3")?;
        Ok(match marker {
            amf3::UNDEFINED => Token::Undefined,
            amf3::NULL => Token::Null,
            amf3::FALSE => Token::Bool(false),
            amf3::TRUE => Token::Bool(true),
            amf3::INTEGER => Token::Int(u29::signed(u29::read(input, "an integer")?)),
            amf3::DOUBLE => Token::Number(input.f64_be("a number")?, Version::Amf3),
            amf3::STRING => {
                let (text, repeated) = self.string(buf, input, "a string")?;
                Token::Text(text, repeated)
            }
            amf3::OBJECT => return self.object3(buf, input),
            amf3::XML_DOCUMENT..=amf3::DICTIONARY => {
                let before = input.offset();
                let head = u29::read(input, "the head of a value")?;
                let number = head >> 1;
                if head & 1 == 0 {
                    return self.reference(input, input.offset() - before, number, marker);
                }
                let token = self.valued(marker, number, buf, input)?;
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
    fn reference<'b>(&self, input: &Input<'_>, len: u64, index: u32, marker: u8) -> Result<Token<'b>> {
        known(input, len, index, self.objects.len())?;
        match self.objects[index as usize] {
            kind if kind == marker => Ok(Token::Reference(Version::Amf3, index)),
            kind => Err(wrong(input, len, format!("a reference of the type 0x{marker:02x} to a value of the type 0x{kind:02x}"))
                .expected("a reference of its type")),
        }
    }

    /// Reads a value that references may mean, behind its head.
    fn valued<'b>(&mut self, marker: u8, number: u32, buf: &'b [u8], input: &mut Input<'b>) -> Result<Token<'b>> {
        let numbers = |element: Element, input: &mut Input<'b>| -> Result<Token<'b>> {
            let fixed = input.u8("the head of a vector")? != 0;
            let bytes = input.take(u64::from(number) * element.size() as u64, "the elements of a vector")?;
            Ok(Token::Numbers(element, fixed, bytes))
        };
        Ok(match marker {
            amf3::XML_DOCUMENT => Token::XmlDocument(input.take(u64::from(number), "an XML document")?),
            amf3::XML => Token::Xml(input.take(u64::from(number), "XML")?),
            amf3::BYTE_ARRAY => Token::Bytes(input.take(u64::from(number), "bytes")?),
            amf3::DATE => Token::Date(input.f64_be("a date")?, 0),
            amf3::ARRAY => {
                self.holds(input, number, 1)?;
                let mut next = *input;
                if next.u8("the elements of an array")? == 1 {
                    *input = next;
                    return Ok(self.open([Level::Dense(number)], Container::List(number)));
                }
                self.open([Level::Names(number)], Container::Named)
            }
            amf3::VECTOR_INT => numbers(Element::Int, input)?,
            amf3::VECTOR_UINT => numbers(Element::UInt, input)?,
            amf3::VECTOR_DOUBLE => numbers(Element::Double, input)?,
            amf3::VECTOR_OBJECT => {
                let fixed = input.u8("the head of a vector")? != 0;
                self.holds(input, number, 1)?;
                let (class, _) = self.string(buf, input, "the class of a vector")?;
                self.open([Level::Dense(number)], Container::Objects(fixed, class, number))
            }
            _ => {
                let weak = input.u8("the head of a dictionary")? != 0;
                self.holds(input, number, 2)?;
                self.surveyed += 1;
                self.open([Level::Dictionary(number * 2)], Container::Dictionary(weak, number, self.surveyed - 1))
            }
        })
    }

    /// Reads a text; true if it is a reference to an earlier one.
    #[inline]
    pub(super) fn string<'b>(&mut self, buf: &'b [u8], input: &mut Input<'b>, what: &'static str) -> Result<(&'b [u8], bool)> {
        let before = input.offset();
        let head = u29::read(input, what)?;
        if head & 1 == 0 {
            known(input, input.offset() - before, head >> 1, self.strings.len())?;
            return Ok((self.strings[(head >> 1) as usize].of(buf), true));
        }
        let start = input.pos();
        let text = input.take(u64::from(head >> 1), what)?;
        if !text.is_empty() {
            self.strings.push(Slice { start, len: text.len() });
        }
        Ok((text, false))
    }

    /// Reads an object up to its members, or to the names of its sealed ones.
    fn object3<'b>(&mut self, buf: &'b [u8], input: &mut Input<'b>) -> Result<Token<'b>> {
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
        let (class, _) = self.string(buf, input, "the name of a class")?;
        let start = if class.is_empty() { 0 } else { polywire_core::bytes::offset_in(buf, class).unwrap_or_default() };
        let class = Slice { start, len: class.len() };
        let traits = Traits { class, dynamic: head & 8 != 0, external, first: self.members.len(), count };
        self.traits.push(traits);
        self.objects.push(amf3::OBJECT);
        let index = self.traits.len() as u32 - 1;
        self.instance(index, (count > 0).then_some(Level::Members(count)), buf, input)
    }

    /// Opens an object of known traits, whose members come behind `first`.
    fn instance<'b>(&mut self, index: u32, first: Option<Level>, buf: &'b [u8], input: &Input<'_>) -> Result<Token<'b>> {
        let Traits { class, dynamic, external, count, .. } = self.traits[index as usize];
        let class = class.of(buf);
        if let Some(bits) = external {
            let mark = tags::EXTERNAL | u64::from(bits);
            return match external::of(class) {
                Some(External::One(name)) => Ok(self.open([Level::Only(name)], Container::Object(class, mark))),
                Some(External::Message(kind)) => {
                    let place = Place { kind, group: 0, byte: 0 };
                    Ok(self.open([Level::Flags(place, 0)], Container::Object(class, mark)))
                }
                None => Err(Error::data(ErrorKind::Unsupported, input.offset())
                    .seen(format!("an object of the externalizable class `{}`", String::from_utf8_lossy(class)))
                    .expected("a class of Flex or BlazeDS: only the program that wrote the object knows the bytes of others")),
            };
        }
        let mark = match (class.is_empty(), dynamic, count) {
            (true, true, 0) | (false, false, _) => 0,
            (true, false, _) => tags::SEALED,
            (_, true, count) => tags::DYNAMIC | u64::from(count),
        };
        let token = self.open([Level::Object(index, 0)], Container::Object(class, mark));
        self.levels.extend(first);
        Ok(token)
    }

    /// Reads the name of a sealed member.
    pub(super) fn traits_member<'b>(&mut self, left: u32, buf: &'b [u8], input: &mut Input<'b>) -> Result<Option<Token<'b>>> {
        let (name, _) = self.string(buf, input, "the name of a member")?;
        let start = if name.is_empty() { 0 } else { polywire_core::bytes::offset_in(buf, name).unwrap_or_default() };
        self.members.push(Slice { start, len: name.len() });
        if left > 1 {
            self.levels.push(Level::Members(left - 1));
        }
        Ok(Some(Token::Member(name)))
    }

    /// Gives the name of the next member, or the end of the object.
    #[inline]
    pub(super) fn member<'b>(&mut self, index: u32, next: u32, buf: &'b [u8], input: &mut Input<'b>) -> Result<Token<'b>> {
        let Traits { first, count, dynamic, .. } = self.traits[index as usize];
        if next < count {
            self.becomes(Level::Object(index, next + 1));
            self.due = Some(Version::Amf3);
            return Ok(Token::Name(self.members[first + next as usize].of(buf), true));
        }
        if !dynamic {
            self.levels.pop();
            return Ok(Token::Close);
        }
        let (name, repeated) = self.string(buf, input, "the name of a member")?;
        if name.is_empty() {
            self.levels.pop();
            return Ok(Token::Close);
        }
        self.due = Some(Version::Amf3);
        Ok(Token::Name(name, repeated))
    }

    /// Reads a key or a value of a dictionary, of which `left` are left.
    pub(super) fn entry<'b>(&mut self, left: u32, buf: &'b [u8], input: &mut Input<'b>) -> Result<Token<'b>> {
        self.becomes(Level::Dictionary(left - 1));
        let token = self.value3(buf, input)?;
        // Keys that are text are names.
        let Token::Text(name, repeated) = token else { return Ok(token) };
        if !left.is_multiple_of(2) || std::str::from_utf8(name).is_err() {
            return Ok(token);
        }
        self.becomes(Level::Dictionary(left - 2));
        self.due = Some(Version::Amf3);
        Ok(Token::Name(name, repeated))
    }

    /// Reads a byte of flags.
    pub(super) fn flags<'b>(&mut self, place: Place, flags: u64, input: &mut Input<'b>) -> Result<Option<Token<'b>>> {
        if usize::from(place.group) == place.kind.groups().len() {
            return Ok(Some(Token::Close));
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
        Ok(Some(Token::Frame("flags of the values that follow")))
    }

    /// Gives the name of the next value whose flag is set.
    pub(super) fn flagged<'b>(&mut self, place: Place, flags: u64) -> Option<Token<'b>> {
        let group = place.kind.groups().get(usize::from(place.group))?;
        if flags == 0 {
            self.levels.push(Level::Flags(Place { group: place.group + 1, byte: 0, ..place }, 0));
            return None;
        }
        let flag = flags.trailing_zeros() as usize;
        self.levels.push(Level::Flagged(place, flags & (flags - 1)));
        self.due = Some(Version::Amf3);
        Some(Token::Flag(group, flag))
    }
}
