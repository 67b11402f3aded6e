//! Steps over the bytes of a message: framing, skipping, surveys and walks all take them.
//!
//! A step either succeeds, or leaves the machine as it was, so that a message may come in pieces.

mod amf0;
mod amf3;
pub(crate) mod envelope;
mod level;

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use crate::token::{Found, Slice, Token, Version};
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
    /// Texts and numbers of the last step.
    pub found: Found,
    /// A value that comes next, whatever is open.
    due: Option<Version>,
    /// Number of levels around the container that was opened last.
    outer: usize,
    /// True within a value whose length was given. The level of its end is not counted, since it
    /// ends without a token.
    in_length: bool,
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
        self.due = match root {
            Root::Amf0 => Some(Version::Amf0),
            Root::Amf3 => Some(Version::Amf3),
            Root::Packet | Root::SharedObject => None,
        };
        match root {
            Root::Packet => self.levels.push(Level::Packet(0)),
            Root::SharedObject => self.levels.push(Level::Shared(0)),
            Root::Amf0 | Root::Amf3 => {}
        }
        (self.pos, self.start, self.outer, self.surveyed) = (0, 0, 0, 0);
        self.in_length = false;
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

    /// Returns the number of open levels; a value that comes next is one.
    pub fn depth(&self) -> usize {
        self.around() + usize::from(self.due.is_some())
    }

    /// Returns the number of containers so far that a survey looks into.
    pub fn surveyed(&self) -> usize {
        self.surveyed
    }

    /// Takes a step, and leaves in [`Machine::found`] what belongs to it.
    ///
    /// # Errors
    /// The bytes are wrong, or missing.
    #[inline]
    pub fn next(&mut self, buf: &[u8], base: u64) -> Result<Token> {
        loop {
            let due = self.due;
            let mut input = Input::new(buf, base);
            input.seek(self.pos);
            let step = match due {
                Some(version) => {
                    self.due = None;
                    self.value(version, buf, &mut input)
                }
                None => self.step(buf, &mut input),
            };
            match step {
                Ok(token) if self.levels.len() <= self.deepest => {
                    self.start = self.pos;
                    self.pos = input.pos();
                    if token != Token::Nothing {
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
                        self.due = due;
                    } else {
                        self.pos = input.pos();
                    }
                    return Err(error);
                }
            }
        }
    }

    #[inline]
    fn value(&mut self, version: Version, buf: &[u8], input: &mut Input<'_>) -> Result<Token> {
        match version {
            Version::Amf0 => self.value0(input),
            Version::Amf3 => self.value3(buf, input),
        }
    }

    /// Takes the step of the innermost level: changes it where it stays, and removes it else. A
    /// step that fails changes nothing.
    #[inline]
    fn step(&mut self, buf: &[u8], input: &mut Input<'_>) -> Result<Token> {
        let place = self.levels.len().wrapping_sub(1);
        // Levels are written field by field, and a copy of a whole one would wait for these.
        let Some(top) = self.levels.last() else { return Ok(Token::End) };
        match *top {
            Level::Object(class, next) => self.member(class, next, input),
            Level::Pairs => self.pair0(input),
            Level::Strict(0) | Level::Dense(0) | Level::Places(0, _) | Level::Dictionary(0) | Level::Switch | Level::Close => {
                self.levels.pop();
                Ok(Token::Close)
            }
            Level::Strict(left) => {
                let token = self.value0(input)?;
                self.becomes(place, Level::Strict(left - 1));
                Ok(token)
            }
            Level::Dense(left) => {
                let token = self.value3(buf, input)?;
                self.becomes(place, Level::Dense(left - 1));
                Ok(token)
            }
            Level::Names(dense) => {
                self.string(input, "the name of an element")?;
                if self.found.slice.len == 0 {
                    self.becomes(place, Level::Places(dense, 0));
                    return Ok(Token::Nothing);
                }
                self.due = Some(Version::Amf3);
                Ok(Token::Name)
            }
            Level::Places(left, next) => {
                self.becomes(place, Level::Places(left - 1, next + 1));
                self.due = Some(Version::Amf3);
                self.found.number = next;
                Ok(Token::Count)
            }
            Level::Dictionary(left) => self.entry(left, buf, input),
            other => {
                self.levels.pop();
                let step = self.rare(other, input);
                if step.is_err() {
                    self.levels.truncate(place);
                    self.levels.push(other);
                }
                step
            }
        }
    }

    /// Takes the step of a level that was removed.
    #[inline(never)]
    fn rare(&mut self, level: Level, input: &mut Input<'_>) -> Result<Token> {
        match level {
            Level::Members(left) => self.traits_member(left, input),
            Level::Only(name) => {
                self.levels.push(Level::Close);
                self.due = Some(Version::Amf3);
                self.found.known = name.name();
                Ok(Token::Known)
            }
            Level::Flags(place, flags) => self.flags(place, flags, input),
            Level::Flagged(place, flags) => Ok(self.flagged(place, flags)),
            Level::Packet(stage) => self.packet(stage, input),
            Level::Parts(left, message) => Ok(self.part(left, message)),
            Level::Part(stage, message) => self.inside(stage, message, input),
            Level::Length(end) => {
                self.length(end, input)?;
                self.in_length = false;
                Ok(Token::Nothing)
            }
            Level::Shared(stage) => self.shared(stage, input),
            Level::Entries => self.shared_entry(input),
            Level::Padding => match input.u8("00 behind a value of a shared object")? {
                0 => Ok(Token::Nothing),
                other => Err(wrong(input, 1, format!("byte 0x{other:02x} behind a value of a shared object")).expected("00")),
            },
            other => {
                self.levels.push(other);
                Err(Error::internal("a level that is not rare"))
            }
        }
    }

    /// Changes the level of a place.
    #[inline]
    fn becomes(&mut self, place: usize, level: Level) {
        if let Some(top) = self.levels.get_mut(place) {
            *top = level;
        }
    }

    /// Returns the number of open levels that tokens close.
    fn around(&self) -> usize {
        self.levels.len() - usize::from(self.in_length)
    }

    /// Opens a container whose levels are `levels`.
    fn open<const N: usize>(&mut self, levels: [Level; N], container: Token) -> Token {
        self.outer = self.around();
        self.levels.extend(levels);
        container
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
