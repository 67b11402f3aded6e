//! Messages to events (X.697).

mod numbers;
mod strings;
mod structures;

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Frame as Found, Needs, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};
use polywire_json::cursor::Text;
use polywire_json::frame::Framer;
use polywire_json::scan::{Scan, Token};

use super::{CONTAINING, NAME, opaque};
use crate::model::TypeId;
use crate::walk::checks::{self, Checks, Outside};
use crate::walk::keys::Keys;
use crate::walk::{Op, Plan, meaning};

/// Reader of messages of one type, in JER.
#[derive(Debug)]
pub struct JerReader {
    plan: Arc<Plan>,
    checks: Checks,
    framer: Framer,
    scratch: Scratch,
}

/// Memory of one walk.
#[derive(Debug, Default)]
struct Scratch {
    frames: Vec<Frame>,
    /// Components of the open structures that were seen.
    seen: Vec<bool>,
    keys: Keys,
    unescaped: String,
    octets: Vec<u8>,
    text: String,
}

impl JerReader {
    /// Returns a reader of a plan's root type.
    pub(crate) fn new(plan: Arc<Plan>, checks: Checks) -> JerReader {
        JerReader { plan, checks, framer: Framer::default(), scratch: Scratch::default() }
    }
}

impl Reader for JerReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Found> {
        Ok(self.framer.frame(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let text = polywire_core::bytes::utf8(msg).ok_or_else(|| {
            let bad = std::str::from_utf8(msg).map_or_else(|error| error.valid_up_to(), |_| 0);
            let error = Error::data(ErrorKind::Encoding, base + bad as u64).seen(format!("byte 0x{:02x}", msg[bad]));
            error.expected("UTF-8 text").format_is(NAME)
        })?;
        let scratch = &mut self.scratch;
        scratch.frames.clear();
        scratch.seen.clear();
        scratch.keys.clear();
        let guesses = sink.needs().has(Needs::GUESSES);
        let mut walk = Walk {
            plan: &self.plan,
            scan: Scan::new(text, base, std::mem::take(&mut scratch.unescaped)),
            sink,
            budget,
            frames: &mut scratch.frames,
            seen: &mut scratch.seen,
            keys: &mut scratch.keys,
            octets: &mut scratch.octets,
            text: &mut scratch.text,
            guesses,
            refuses: self.checks == Checks::Refuse,
            checked: guesses || self.checks == Checks::Refuse,
            stopped: false,
        };
        let walked = walk.run();
        scratch.unescaped = std::mem::take(&mut walk.scan.scratch);
        walked.map_err(|error| error.format_is(NAME))
    }

    fn has_unique_keys(&self) -> bool {
        true
    }

    fn groups_fields(&self) -> bool {
        true
    }
}

/// Place in a value that is under way.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// Members of an object.
    Structure {
        structure: u32,
        /// Index of its first component in `seen`.
        seen: usize,
        /// Component that comes next most likely.
        next: u32,
    },
    /// Elements of an array.
    List { ty: TypeId, element: TypeId, count: u64 },
    /// Behind the value of an alternative.
    Variant,
    /// Behind the value in a string.
    Containing,
}

struct Walk<'w, 'm> {
    plan: &'w Plan,
    scan: Scan<'m>,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
    frames: &'w mut Vec<Frame>,
    seen: &'w mut Vec<bool>,
    keys: &'w mut Keys,
    octets: &'w mut Vec<u8>,
    text: &'w mut String,
    /// The sink shows the meaning of values.
    guesses: bool,
    /// Values outside of constraints are errors.
    refuses: bool,
    /// Constraints are looked at.
    checked: bool,
    stopped: bool,
}

impl<'m> Walk<'_, 'm> {
    fn run(&mut self) -> Result<()> {
        self.value(self.plan.root())?;
        while !self.stopped
            && let Some(frame) = self.frames.pop()
        {
            match frame {
                Frame::Structure { structure, seen, next } => self.members(structure, seen, next, false)?,
                Frame::List { ty, element, count } => self.elements(ty, element, count)?,
                Frame::Variant => {
                    let at = self.end_of_one()?;
                    self.sink.close(at)?;
                }
                Frame::Containing => {
                    self.end_of_one()?;
                }
            }
        }
        if self.stopped || self.scan.peek().is_none() {
            return Ok(());
        }
        Err(self.scan.wrong(self.scan.cursor.at, "the end of the message"))
    }

    /// Reads the end of an object of one member.
    fn end_of_one(&mut self) -> Result<Span> {
        self.scan.expect(b'}', "'}', as the object has one member")?;
        self.budget.leave();
        Ok(self.span(self.scan.cursor.at - 1))
    }

    fn offset(&self, at: usize) -> u64 {
        self.scan.base + at as u64
    }

    /// Returns the span from `start` up to the next byte.
    fn span(&self, start: usize) -> Span {
        Span::new(self.offset(start), self.offset(self.scan.cursor.at))
    }

    fn scalar(&mut self, scalar: Scalar<'m, '_>, start: usize) -> Result<()> {
        let span = self.span(start);
        self.sink.scalar(scalar, span)
    }

    /// Returns the kind of the next value, and its place.
    fn token(&mut self) -> Result<(Token, usize)> {
        let token = self.scan.token()?;
        Ok((token, self.scan.cursor.at))
    }

    /// Steps over a value.
    fn skip(&mut self) -> Result<()> {
        self.scan.skip(self.budget.limits().depth)
    }

    /// Makes the error of a value whose kind is not that of its type.
    #[cold]
    fn misfit(&self, ty: TypeId, token: Token, expected: &str, at: usize) -> Error {
        let error = Error::data(ErrorKind::Syntax, self.offset(at)).seen(token.name());
        error.expected(format!("{expected}, as the type is {}", self.plan.shown(ty)))
    }

    /// Reads the string at the cursor, for a type whose values are strings.
    fn string(&mut self, ty: TypeId) -> Result<(Text<'m>, usize)> {
        let (token, start) = self.token()?;
        if token != Token::String {
            return Err(self.misfit(ty, token, "a string", start));
        }
        Ok((self.scan.string()?, start))
    }

    /// Refuses a value outside of a constraint, or notes that it is.
    fn check(&mut self, outside: Option<Outside>, at: usize) -> Result<()> {
        let Some(Outside { seen, expected }) = outside else { return Ok(()) };
        if self.refuses {
            let error = Error::data(ErrorKind::Range, self.offset(at)).seen(seen).expected(expected);
            return Err(error.hint("the schema's constraint forbids it: the sender may have another version of the schema"));
        }
        self.sink.note(Note::Meaning(&format!("{seen} is outside of the module's {expected}")), Span::NONE)
    }

    /// Checks the octets at hand, those of X.690, and notes what they mean. `bits` is the number of
    /// bits of a bit string.
    fn judge(&mut self, ty: TypeId, bits: u64, start: usize) -> Result<()> {
        if self.checked && self.plan.node(ty).constrained {
            let outside = checks::scalar(self.plan, ty, self.octets, bits);
            self.check(outside, start)?;
        }
        if self.guesses {
            let span = self.span(start);
            meaning::note(self.plan, ty, self.octets, span, self.sink, self.text)?;
        }
        Ok(())
    }

    /// Reads a value: emits it, or pushes a frame that does.
    fn value(&mut self, ty: TypeId) -> Result<()> {
        let plan = self.plan;
        self.scan.cursor.white();
        self.budget.item(self.offset(self.scan.cursor.at))?;
        let node = plan.node(ty);
        if node.contents.is_some()
            && let Some(contents) = self.keys.contents(plan, node)
        {
            return self.containing(ty, contents);
        }
        match node.op {
            Op::Structure(index) => self.structure(ty, index),
            Op::List(element) => self.list(ty, element),
            Op::Choice(index) => self.choice(ty, index),
            Op::Open => match self.keys.resolve(plan, node) {
                Some(found) => self.value(found),
                None => self.unknown(),
            },
            Op::Integer => self.integer(ty),
            Op::Real => self.real(ty),
            Op::Boolean => {
                let (token, start) = self.token()?;
                match token {
                    Token::True => self.scan.word("true")?,
                    Token::False => self.scan.word("false")?,
                    _ => return Err(self.misfit(ty, token, "true or false", start)),
                }
                self.scalar(Scalar::Bool(token == Token::True), start)
            }
            Op::Null => {
                let (token, start) = self.token()?;
                if token != Token::Null {
                    return Err(self.misfit(ty, token, "null", start));
                }
                self.scan.word("null")?;
                self.scalar(Scalar::Null, start)
            }
            Op::Enumerated(index) => self.enumerated(ty, index),
            Op::Bits(_) => self.bits(ty),
            Op::Octets => self.octet_string(ty),
            Op::Oid | Op::RelativeOid => self.oid(ty),
            Op::Iri | Op::Text(_) | Op::Time(_) => self.characters(ty),
        }
    }

    /// Reads the value in an octet or bit string.
    fn containing(&mut self, ty: TypeId, contents: TypeId) -> Result<()> {
        let (token, start) = self.token()?;
        if token != Token::Object {
            return Err(self.misfit(ty, token, "an object with the member `containing`", start));
        }
        self.budget.enter(self.offset(start))?;
        self.scan.cursor.at += 1;
        self.member(CONTAINING)?;
        self.frames.push(Frame::Containing);
        self.value(contents)
    }

    /// Reads the name of an object's only member.
    fn member(&mut self, name: &'static str) -> Result<()> {
        self.scan.cursor.white();
        let at = self.scan.cursor.at;
        let found = match self.scan.string()? {
            Text::Plain(found) => found,
            Text::Unescaped => &self.scan.scratch,
        };
        if found != name {
            let error = Error::data(ErrorKind::Syntax, self.offset(at)).seen(format!("the member `{}`", shortened(found)));
            return Err(error.expected(format!("the member `{name}`")));
        }
        self.scan.expect(b':', "':'")
    }

    /// Reads a value of an open type that no table knows.
    fn unknown(&mut self) -> Result<()> {
        let (_, start) = self.token()?;
        self.skip()?;
        let text = self.scan.cursor.text;
        let bytes = &text[start..self.scan.cursor.at];
        self.octets.clear();
        let span = self.span(start);
        let bytes = if opaque::from_hex(bytes, self.octets) { Str::Scratch(&self.octets[..]) } else { Str::Input(bytes.as_bytes()) };
        self.sink.scalar(Scalar::Bytes(bytes), span)
    }

    /// Opens a container at the cursor. Returns false if the sink does not want it: then it was
    /// stepped over, or the walk is stopped.
    fn open(&mut self, open: Open<'_>, start: usize, span: Span) -> Result<bool> {
        match self.sink.open(open, span)? {
            Next::Enter => return Ok(true),
            Next::Skip => {
                self.scan.cursor.at = start;
                self.skip()?;
            }
            Next::Stop => self.stopped = true,
        }
        Ok(false)
    }
}

/// Returns the start of a text, for errors.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(at, _)| &text[..at])
}
