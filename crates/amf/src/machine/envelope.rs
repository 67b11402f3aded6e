//! The bytes around values: packets of remoting, and shared objects.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use super::level::Level;
use super::{Machine, wrong};
use crate::marker::shared;
use crate::token::{Token, Version};

/// Names of the parts of a packet and of a shared object, in their order.
pub(crate) const PACKET: [&str; 3] = ["version", "headers", "messages"];
pub(crate) const HEADER: [&str; 3] = ["name", "required", "value"];
pub(crate) const MESSAGE: [&str; 3] = ["target", "response", "body"];
pub(crate) const SHARED: [&str; 3] = ["name", "version", "data"];

/// Lengths of values that their writers did not know, and the remarks on them. The first is that of
/// the specification (AMF0 4.2), the second is written by some libraries: no value has no bytes.
pub(crate) const UNKNOWN: [(u32, &str); 2] = [(u32::MAX, "length of the value: unknown"), (0, "length of the value: none")];

impl Machine {
    /// Gives the name of the next part: stages are a name and a value by turns.
    fn part_name(&mut self, names: &[&'static str; 3], stage: u8) -> Token {
        self.found.known = names[usize::from(stage / 2) % 3];
        Token::Known
    }

    /// Opens a record or a list of the envelope.
    fn open_part<const N: usize>(&mut self, levels: [Level; N], container: Token) -> Token {
        (self.found.slice, self.found.mark) = Default::default();
        self.open(levels, container)
    }

    /// Steps over a part of a packet: its names have even stages, behind the opening.
    pub(super) fn packet(&mut self, stage: u8, input: &mut Input<'_>) -> Result<Token> {
        Ok(match stage {
            0 => self.open_part([Level::Packet(1)], Token::Object),
            1 | 3 | 5 => {
                self.levels.extend([Level::Packet(stage + 2), Level::Packet(stage + 1)]);
                self.part_name(&PACKET, stage - 1)
            }
            2 => match input.u16_be("the version of a packet")? {
                version @ (0 | 3) => {
                    self.found.number = u32::from(version);
                    Token::Count
                }
                other => return Err(wrong(input, 2, format!("a packet of the version {other}")).expected("00 00 or 00 03")),
            },
            4 | 6 => {
                let count = u32::from(input.u16_be("the number of headers or messages")?);
                // A header has at least eight bytes, and a message nine.
                self.holds(input, count, 8)?;
                self.found.number = count;
                self.open_part([Level::Parts(count, stage == 6)], Token::List)
            }
            _ => Token::Close,
        })
    }

    /// Opens the next header or message.
    pub(super) fn part(&mut self, left: u32, message: bool) -> Token {
        if left == 0 {
            return Token::Close;
        }
        self.levels.push(Level::Parts(left - 1, message));
        self.open_part([Level::Part(0, message)], Token::Object)
    }

    /// Steps over a part of a header or of a message.
    pub(super) fn inside(&mut self, stage: u8, message: bool, input: &mut Input<'_>) -> Result<Token> {
        Ok(match stage {
            0 | 2 | 4 => {
                self.levels.extend([Level::Part(stage + 2, message), Level::Part(stage + 1, message)]);
                self.part_name(if message { &MESSAGE } else { &HEADER }, stage)
            }
            1 => self.short(input, "the name of a header, or the target of a message").map(|()| Token::Text)?,
            3 if message => self.short(input, "the target of a response").map(|()| Token::Text)?,
            3 => {
                if input.u8("whether a header must be understood")? == 0 {
                    Token::False
                } else {
                    Token::True
                }
            }
            5 => {
                let len = input.u32_be("the length of a value")?;
                let unknown = UNKNOWN.iter().find(|(unknown, _)| *unknown == len);
                let end = if unknown.is_some() { usize::MAX } else { input.pos().saturating_add(len as usize) };
                // Each value counts its objects anew.
                self.clear_tables();
                self.levels.push(Level::Length(end));
                self.in_length = true;
                self.due = Some(Version::Amf0);
                self.found.known = unknown.map_or("length of the value", |(_, remark)| remark);
                Token::Frame
            }
            _ => Token::Close,
        })
    }

    /// Holds that a value has the length that was given.
    pub(super) fn length(&self, end: usize, input: &Input<'_>) -> Result<()> {
        match end {
            usize::MAX => Ok(()),
            end if end != input.pos() => Err(Error::data(ErrorKind::Mismatch, input.offset())
                .seen(format!("the end of a value at byte {} of the packet", input.pos()))
                .expected(format!("an end at byte {end}, by the length before the value"))),
            _ => Ok(()),
        }
    }

    /// Steps over a part of a shared object.
    pub(super) fn shared(&mut self, stage: u8, input: &mut Input<'_>) -> Result<Token> {
        Ok(match stage {
            0 => {
                let magic: [u8; 2] = input.array("a shared object")?;
                if magic != shared::MAGIC {
                    return Err(wrong(input, 2, format!("bytes {:02x} {:02x}", magic[0], magic[1])).expected("00 bf, a shared object"));
                }
                let len = input.u32_be("the length of a shared object")?;
                let end = input.pos().saturating_add(len as usize);
                let signature: [u8; 10] = input.array("the signature of a shared object")?;
                if signature != shared::SIGNATURE {
                    return Err(wrong(input, 10, format!("the signature {}", signature.escape_ascii()))
                        .expected(format!("{}", shared::SIGNATURE.escape_ascii())));
                }
                self.end = end;
                self.open_part([Level::Shared(1)], Token::Object)
            }
            1 | 3 | 5 => {
                self.levels.extend([Level::Shared(stage + 2), Level::Shared(stage + 1)]);
                self.part_name(&SHARED, stage - 1)
            }
            2 => self.short(input, "the name of a shared object").map(|()| Token::Text)?,
            4 => {
                let [zeros @ .., version] = input.array::<4>("the version of a shared object")?;
                if zeros != shared::PADDING || !matches!(version, 0 | 3) {
                    return Err(wrong(input, 4, format!("bytes {zeros:02x?} and the version {version}"))
                        .expected("three zeros, and the version 0 or 3"));
                }
                self.version = version;
                // In AMF0 the data is the first object.
                self.objects0 = 1;
                self.found.number = u32::from(version);
                Token::Count
            }
            6 => self.open_part([Level::Entries], Token::Object),
            _ => Token::Close,
        })
    }

    /// Reads the name of a value of a shared object, or its end.
    pub(super) fn shared_entry(&mut self, input: &mut Input<'_>) -> Result<Token> {
        if input.pos() == self.end {
            return Ok(Token::Close);
        }
        if input.pos() > self.end {
            return Err(Error::data(ErrorKind::Mismatch, input.offset())
                .seen(format!("a name or value that ends at byte {} of the shared object", input.pos()))
                .expected(format!("an end at byte {} at most, by its length", self.end)));
        }
        let what = "the name of a value of a shared object";
        let version = if self.version == 0 { Version::Amf0 } else { Version::Amf3 };
        match version {
            Version::Amf0 => self.short(input, what)?,
            Version::Amf3 => self.string(input, what)?,
        }
        self.levels.extend([Level::Entries, Level::Padding]);
        self.due = Some(version);
        Ok(Token::Name)
    }
}
