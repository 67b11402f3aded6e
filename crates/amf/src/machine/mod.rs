//! Steps over the bytes of a message: framing, skipping, surveys and walks all take them.
//!
//! A step either succeeds, or leaves the machine as it was, so that a message may come in pieces.

mod amf0;
mod amf3;
pub(crate) mod envelope;
mod level;

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use crate::token::{Container, Token, Version};
use level::Level;

/// The value that a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Root {
    /// A value of AMF0.
    #[default]
    Amf0,
    /// A value of AMF3.
    Amf3,
    /// A packet of remoting (AMF0 4).
    Packet,
    /// A local shared object, a file `.sol`.
    SharedObject,
}

impl Root {
    /// Returns the name of its format.
    pub const fn name(self) -> &'static str {
        match self {
            Root::Amf0 => "amf0",
            Root::Amf3 => "amf3",
            Root::Packet => "amf-packet",
            Root::SharedObject => "sol",
        }
    }
}

/// Part of the message.
#[derive(Debug, Clone, Copy, Default)]
struct Slice {
    start: usize,
    len: usize,
}

impl Slice {
    fn of(self, buf: &[u8]) -> &[u8] {
        buf.get(self.start..self.start + self.len).unwrap_or_default()
    }
}

/// Traits of a class of AMF3: the names of its sealed members are `count` of the pool from `first`
/// on.
#[derive(Debug, Clone, Copy)]
struct Traits {
    class: Slice,
    dynamic: bool,
    /// The bits of an externalizable class that mean nothing.
    external: Option<u32>,
    first: usize,
    count: u32,
}

/// A machine over one message.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    /// Number of bytes that were stepped over.
    pos: usize,
    /// Position where the last step began.
    start: usize,
    levels: Vec<Level>,
    /// Number of levels around the container that was opened last.
    outer: usize,
    /// Most levels.
    deepest: usize,
    /// True if bytes may be missing: counts are not held against them.
    partial: bool,
    /// Texts of AMF3 that references may mean.
    strings: Vec<Slice>,
    traits: Vec<Traits>,
    members: Vec<Slice>,
    /// Markers of the objects of AMF3 so far.
    objects: Vec<u8>,
    /// Number of objects of AMF0 so far.
    objects0: u32,
    /// Number of containers so far that are surveyed.
    surveyed: usize,
    /// End of a shared object, and the version of its values.
    end: usize,
    version: u8,
}

impl Machine {
    /// Begins a message, at most `depth` containers deep. `partial` means that bytes may be
    /// missing.
    pub fn begin(&mut self, root: Root, depth: u32, partial: bool) {
        self.clear_tables();
        self.levels.clear();
        self.levels.push(match root {
            Root::Amf0 => Level::Value(Version::Amf0),
            Root::Amf3 => Level::Value(Version::Amf3),
            Root::Packet => Level::Packet(0),
            Root::SharedObject => Level::Shared(0),
        });
        (self.pos, self.start, self.outer, self.surveyed) = (0, 0, 0, 0);
        // A container has at most two levels; a packet and a shared object have a few more.
        self.deepest = (depth as usize).saturating_mul(2).saturating_add(12);
        self.partial = partial;
    }

    /// Forgets what references may mean.
    fn clear_tables(&mut self) {
        self.strings.clear();
        self.traits.clear();
        self.members.clear();
        self.objects.clear();
        self.objects0 = 0;
    }

    /// Returns the number of bytes that were stepped over, up to what is wrong after an error.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Returns where the last step began.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the number of levels around the container that was opened last, which is reached
    /// again behind it.
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// Returns the number of open levels.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Returns the number of containers so far that a survey looks into.
    pub fn surveyed(&self) -> usize {
        self.surveyed
    }

    /// Takes a step; `None` means the end of the message.
    ///
    /// # Errors
    /// The bytes are wrong, or missing.
    #[inline]
    pub fn next<'b>(&mut self, buf: &'b [u8], base: u64) -> Result<Option<Token<'b>>> {
        while let Some(level) = self.levels.pop() {
            let depth = self.levels.len();
            let mut input = Input::new(buf, base);
            input.seek(self.pos);
            match self.step(level, buf, &mut input) {
                Ok(token) if self.levels.len() <= self.deepest => {
                    self.start = self.pos;
                    self.pos = input.pos();
                    if token.is_some() {
                        return Ok(token);
                    }
                }
                Ok(_) => {
                    let error = Error::data(ErrorKind::Limit, base + self.pos as u64);
                    self.pos = input.pos();
                    return Err(error.seen("too many containers within each other").expected("a value that is less deep"));
                }
                Err(error) => {
                    if error.kind() == ErrorKind::Truncated {
                        self.levels.truncate(depth);
                        self.levels.push(level);
                    } else {
                        self.pos = input.pos();
                    }
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    #[inline]
    fn step<'b>(&mut self, level: Level, buf: &'b [u8], input: &mut Input<'b>) -> Result<Option<Token<'b>>> {
        match level {
            Level::Value(Version::Amf0) => self.value0(input).map(Some),
            Level::Value(Version::Amf3) => self.value3(buf, input).map(Some),
            Level::Pairs => self.pair0(input).map(Some),
            Level::Strict(0) | Level::Dense(0) | Level::Places(0, _) | Level::Dictionary(0) | Level::Switch => Ok(Some(Token::Close)),
            Level::Strict(left) => {
                self.levels.push(Level::Strict(left - 1));
                self.value0(input).map(Some)
            }
            Level::Dense(left) => {
                self.levels.push(Level::Dense(left - 1));
                self.value3(buf, input).map(Some)
            }
            Level::Object(class, next) => self.member(class, next, buf, input).map(Some),
            Level::Members(class, left) => self.traits_member(class, left, buf, input),
            Level::Names(dense) => {
                let (name, repeated) = self.string(buf, input, "the name of an element")?;
                if name.is_empty() {
                    self.levels.push(Level::Places(dense, 0));
                    return Ok(None);
                }
                self.levels.extend([Level::Names(dense), Level::Value(Version::Amf3)]);
                Ok(Some(Token::Name(name, repeated)))
            }
            Level::Places(left, next) => {
                self.levels.extend([Level::Places(left - 1, next + 1), Level::Value(Version::Amf3)]);
                Ok(Some(Token::Count(next)))
            }
            Level::Dictionary(left) => self.entry(left, buf, input).map(Some),
            Level::Only(name) => {
                self.levels.extend([Level::Close, Level::Value(Version::Amf3)]);
                Ok(Some(Token::Name(name.as_bytes(), true)))
            }
            Level::Close => Ok(Some(Token::Close)),
            Level::Flags(groups, flags, byte) => self.flags(groups, flags, byte, input),
            Level::Flagged(groups, flags) => Ok(self.flagged(groups, flags)),
            Level::Packet(stage) => self.packet(stage, input).map(Some),
            Level::Parts(left, message) => Ok(Some(self.part(left, message))),
            Level::Part(stage, message) => self.inside(stage, message, input).map(Some),
            Level::Length(end) => self.length(end, input).map(|()| None),
            Level::Shared(stage) => self.shared(stage, input).map(Some),
            Level::Entries => self.shared_entry(buf, input).map(Some),
            Level::Padding => match input.u8("00 behind a value of a shared object")? {
                0 => Ok(None),
                other => Err(wrong(input, 1, format!("byte 0x{other:02x} behind a value of a shared object")).expected("00")),
            },
        }
    }

    /// Opens a container whose levels are `levels`.
    fn open<'b, const N: usize>(&mut self, levels: [Level; N], container: Container<'b>) -> Token<'b> {
        self.outer = self.levels.len();
        self.levels.extend(levels);
        Token::Open(container)
    }

    /// Refuses a count of values, of at least `least` bytes each, that the bytes that are left
    /// cannot hold.
    fn holds(&self, input: &Input<'_>, count: u32, least: usize) -> Result<()> {
        if self.partial || (count as usize).saturating_mul(least) <= input.remaining() {
            return Ok(());
        }
        Err(Error::data(ErrorKind::Truncated, input.offset())
            .seen(format!("a count of {count} values, with {} bytes left", input.remaining()))
            .expected("a count that the message can hold")
            .hint("the message was cut short, or is of another format"))
    }
}

/// Returns the error of the byte `back` bytes before the cursor.
#[cold]
fn wrong(input: &Input<'_>, back: u64, seen: impl Into<String>) -> Error {
    Error::data(ErrorKind::Syntax, input.offset() - back).seen(seen.into())
}
