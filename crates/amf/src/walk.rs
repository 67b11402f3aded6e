//! The steps of a message as events.

use polywire_core::bytes::{Input, offset_in};
use polywire_core::value::show;
use polywire_core::{Budget, Error, ErrorKind, Field, Hint, Len, Next, Note, Open, Result, Scalar, Sink, Span, Spelling, Str};

use crate::machine::{Machine, Root};
use crate::marker::amf3;
use crate::survey::survey;
use crate::tags::{self, SPACE};
use crate::token::{Element, Token, Version};
use crate::u29;
use crate::values::{characters, moment, number};

/// Length up to which a text or name that is a reference costs no more than any value.
const SHORT: usize = 64;

/// Most characters of a name that a remark shows.
const SHOWN: usize = 80;

/// A walk over one message.
pub(crate) struct Walk<'w, 'm> {
    pub root: Root,
    pub machine: &'w mut Machine,
    pub ahead: &'w mut Machine,
    /// Numbers of names in the containers that are surveyed, in their order, once one is wanted.
    pub names: Option<Vec<u32>>,
    /// For each open container, the number of events that it closes.
    pub closes: &'w mut Vec<u8>,
    pub msg: &'m [u8],
    pub base: u64,
    pub sink: &'w mut dyn Sink<'m>,
    pub budget: &'w mut Budget,
}

/// True if the sink has stopped the walk.
type Stopped = bool;

impl<'m> Walk<'_, 'm> {
    /// Emits the message.
    pub fn message(mut self) -> Result<()> {
        let msg = self.msg;
        loop {
            let token = self.machine.next(msg, self.base)?;
            if token == Token::End {
                break;
            }
            if self.token(token)? {
                return Ok(());
            }
        }
        match msg.len() - self.machine.pos() {
            0 => Ok(()),
            more => Err(Error::data(ErrorKind::Trailing, self.base + self.machine.pos() as u64)
                .seen(format!("{more} bytes after the message"))
                .expected("its end")),
        }
    }

    fn span(&self) -> Span {
        Span::at(self.base, self.machine.start(), self.machine.pos())
    }

    /// Returns the text or the bytes of the last step.
    #[inline]
    fn slice(&self) -> &'m [u8] {
        self.machine.found.slice.of(self.msg)
    }

    #[inline]
    fn token(&mut self, token: Token) -> Result<Stopped> {
        let at = self.span();
        match token {
            Token::Name => {
                let name = self.slice();
                if self.machine.found.repeated {
                    self.repeated(name, at)?;
                }
                let name = self.utf8(name)?;
                self.field(Str::Input(name), at)
            }
            Token::Text => {
                let text = self.slice();
                if self.machine.found.repeated {
                    self.repeated(text, at)?;
                }
                self.scalar(characters(text), at)
            }
            Token::Int => self.integer(at),
            Token::Number0 => self.scalar(number(self.machine.found.float, Version::Amf0), at),
            Token::Number3 => self.scalar(number(self.machine.found.float, Version::Amf3), at),
            Token::False => self.scalar(Scalar::Bool(false), at),
            Token::True => self.scalar(Scalar::Bool(true), at),
            Token::Null => self.scalar(Scalar::Null, at),
            Token::Close => self.close(at).map(|()| false),
            token if token.opens() => self.open(token, at),
            other => self.rare(other, at),
        }
    }

    #[inline]
    fn integer(&mut self, at: Span) -> Result<Stopped> {
        let bits = self.machine.found.number;
        let bytes = &self.msg[self.machine.start() + 1..self.machine.pos()];
        let value = i64::from(u29::signed(bits));
        // An integer in more bytes than it needs keeps them.
        if bytes.len() > u29::len(bits) {
            let spelling = Spelling::wire(Root::Amf3.name(), 29, bytes);
            let hint = Hint::new(&spelling);
            return self.scalar(u64::try_from(value).map_or(Scalar::Int(value, hint), |value| Scalar::UInt(value, hint)), at);
        }
        self.scalar(Scalar::int(value), at)
    }

    #[inline(never)]
    fn rare(&mut self, token: Token, at: Span) -> Result<Stopped> {
        let (slice, number) = (self.slice(), self.machine.found.number);
        match token {
            Token::Undefined => self.tagged(tags::UNDEFINED, Scalar::Null, at),
            Token::Unsupported => self.tagged(tags::UNSUPPORTED, Scalar::Null, at),
            Token::Count => self.scalar(Scalar::uint(u64::from(number)), at),
            Token::LongText if slice.len() > usize::from(u16::MAX) => self.scalar(characters(slice), at),
            Token::LongText => self.tagged(tags::LONG_STRING, characters(slice), at),
            Token::Xml => self.tagged(tags::XML, characters(slice), at),
            Token::XmlDocument => self.tagged(tags::XML_DOCUMENT, characters(slice), at),
            Token::Date => {
                let milliseconds = self.machine.found.float;
                let value = moment(milliseconds).map_or(Scalar::f64(milliseconds), Scalar::Time);
                match (number, value) {
                    (0, Scalar::Time(_)) => self.scalar(value, at),
                    (0, _) => self.tagged(tags::DATE, value, at),
                    (zone, _) => self.tagged(tags::ZONED | u64::from(zone), value, at),
                }
            }
            Token::Bytes => self.scalar(Scalar::Bytes(Str::Input(slice)), at),
            Token::Reference0 => self.tagged(tags::REFERENCE_0, Scalar::uint(u64::from(number)), at),
            Token::Reference3 => self.tagged(tags::REFERENCE_3, Scalar::uint(u64::from(number)), at),
            Token::Numbers => self.numbers(self.machine.found.element, self.machine.found.flag, slice, at),
            Token::Known => self.field(Str::Input(self.machine.found.known), at),
            Token::Flag => {
                let (group, flag) = self.machine.found.place;
                let group = self.machine.found.kind.and_then(|kind| kind.groups().get(usize::from(group)));
                let name = group.map(|group| group.flag(usize::from(flag))).unwrap_or_default();
                self.field(Str::Scratch(&name), at)
            }
            Token::Member => {
                let mut shown = String::from("sealed member ");
                show::quoted(self.utf8(slice)?, SHOWN, &mut shown);
                self.sink.note(Note::Frame(&shown), at).map(|()| false)
            }
            Token::Frame => self.sink.note(Note::Frame(self.machine.found.known), at).map(|()| false),
            _ => Err(Error::internal("a token that is not rare")),
        }
    }

    /// Spends what a long text costs that stands elsewhere in the message.
    #[inline]
    fn repeated(&mut self, text: &[u8], at: Span) -> Result<()> {
        if text.len() > SHORT { self.budget.decode((text.len() - SHORT) as u64, at.start) } else { Ok(()) }
    }

    fn utf8(&self, name: &'m [u8]) -> Result<&'m str> {
        std::str::from_utf8(name).map_err(|error| {
            let bad = error.valid_up_to();
            let offset = self.base + (offset_in(self.msg, name).unwrap_or_default() + bad) as u64;
            let byte = name.get(bad).copied().unwrap_or_default();
            Error::data(ErrorKind::Encoding, offset).seen(format!("byte 0x{byte:02x} in a name")).expected("UTF-8 text")
        })
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<Stopped> {
        self.budget.item(at.start)?;
        self.sink.scalar(value, at).map(|()| false)
    }

    #[inline]
    fn field(&mut self, name: Str<'m, '_, str>, at: Span) -> Result<Stopped> {
        self.budget.item(at.start)?;
        match self.sink.field(Field::named(name), at)? {
            Next::Enter => Ok(false),
            Next::Skip => self.skip(self.machine.depth() - 1).map(|()| false),
            Next::Stop => Ok(true),
        }
    }

    /// Steps over what is open above `depth` levels.
    fn skip(&mut self, depth: usize) -> Result<()> {
        while self.machine.depth() > depth {
            self.machine.next(self.msg, self.base)?;
        }
        Ok(())
    }

    fn enter(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.budget.item(at.start)?;
        self.budget.enter(at.start)?;
        let next = self.sink.open(open, at)?;
        if next != Next::Enter {
            self.budget.leave();
        }
        Ok(next)
    }

    fn tagged(&mut self, code: u64, value: Scalar<'m, '_>, at: Span) -> Result<Stopped> {
        match self.enter(Open::Tagged { space: SPACE, code }, Span::new(at.start, at.start))? {
            Next::Enter => {
                self.scalar(value, at)?;
                self.leave(1, at.end)?;
                Ok(false)
            }
            next => Ok(next == Next::Stop),
        }
    }

    /// Closes containers at an offset.
    fn leave(&mut self, count: u8, at: u64) -> Result<()> {
        for _ in 0..count {
            self.budget.leave();
            self.sink.close(Span::new(at, at))?;
        }
        Ok(())
    }

    #[inline]
    fn close(&mut self, at: Span) -> Result<()> {
        let count = self.closes.pop().unwrap_or_default();
        if count > 0 {
            self.budget.leave();
            self.sink.close(at)?;
            self.leave(count - 1, at.end)?;
        }
        Ok(())
    }

    /// Returns the number of names in a container that is surveyed.
    fn names_in(&mut self, number: usize) -> u32 {
        if self.names.is_none() {
            self.names = Some(survey(self.ahead, self.root, self.msg));
        }
        self.names.as_ref().and_then(|names| names.get(number)).copied().unwrap_or_default()
    }

    fn open(&mut self, token: Token, at: Span) -> Result<Stopped> {
        let tag = |code| Some(Open::Tagged { space: SPACE, code });
        let (count, mark, number) = (self.machine.found.number, self.machine.found.mark, self.machine.found.surveyed);
        match token {
            Token::Object => {
                // The name of a class stands in its traits, which objects share.
                self.repeated(self.slice(), at)?;
                let name = self.utf8(self.slice())?;
                self.enter_both(if mark == 0 { None } else { tag(mark) }, Open::Record { name, len: Len::Unknown }, at)
            }
            Token::List => self.enter_both(None, Open::List(Len::Claimed(u64::from(count))), at),
            Token::Named => self.enter_both(tag(tags::ARRAY), Open::Map(Len::Unknown), at),
            Token::Ecma => {
                let names = self.names_in(number);
                let mark = if names == count { None } else { tag(tags::ECMA_ARRAY | u64::from(count)) };
                self.enter_both(mark, Open::Map(Len::Unknown), at)
            }
            Token::Dictionary => {
                let mark = if self.machine.found.flag {
                    tag(tags::WEAK_DICTIONARY)
                } else if self.names_in(number) == count {
                    tag(tags::DICTIONARY)
                } else {
                    None
                };
                self.enter_both(mark, Open::Map(Len::Claimed(u64::from(count))), at)
            }
            Token::Switch if self.is_plain() => {
                self.closes.push(0);
                Ok(false)
            }
            Token::Switch => self.enter_both(None, Open::Tagged { space: SPACE, code: tags::AMF3 }, at),
            _ => {
                self.repeated(self.slice(), at)?;
                self.objects(self.machine.found.flag, self.slice(), count, at)
            }
        }
    }

    /// Opens a container with a mark around it.
    fn enter_both(&mut self, mark: Option<Open<'_>>, open: Open<'_>, at: Span) -> Result<Stopped> {
        let mut count = 0;
        let outer = self.machine.outer();
        let before = mark.map(|mark| (mark, Span::new(at.start, at.start)));
        for (open, at) in before.into_iter().chain([(open, at)]) {
            match self.enter(open, at)? {
                Next::Enter => count += 1,
                Next::Skip => {
                    self.skip(outer)?;
                    let end = self.span().end;
                    return self.leave(count, end).map(|()| false);
                }
                Next::Stop => return Ok(true),
            }
        }
        self.closes.push(count);
        Ok(false)
    }

    /// Reports whether a value of AMF3 within AMF0 is of a kind that AMF0 always has so: bytes, and
    /// maps with keys that are no text.
    fn is_plain(&mut self) -> bool {
        let mut input = Input::new(&self.msg[self.machine.pos()..], 0);
        let what = "a value";
        let (Ok(marker), Ok(head)) = (input.u8(what), u29::read(&mut input, what)) else { return false };
        let here = head & 1 == 1;
        match marker {
            amf3::BYTE_ARRAY => here,
            amf3::DICTIONARY => {
                let number = self.machine.surveyed();
                here && input.u8(what).is_ok_and(|weak| weak == 0) && self.names_in(number) != head >> 1
            }
            _ => false,
        }
    }

    fn numbers(&mut self, element: Element, fixed: bool, bytes: &'m [u8], at: Span) -> Result<Stopped> {
        let code = match element {
            Element::Int => tags::VECTOR_INT,
            Element::UInt => tags::VECTOR_UINT,
            Element::Double => tags::VECTOR_DOUBLE,
        };
        let start = at.end - bytes.len() as u64;
        match self.enter(Open::Tagged { space: SPACE, code: code + u64::from(fixed) }, Span::new(at.start, at.start))? {
            Next::Enter => {}
            next => return Ok(next == Next::Stop),
        }
        let count = (bytes.len() / element.size()) as u64;
        let opened = self.enter(Open::List(Len::Claimed(count)), Span::new(at.start, start))?;
        match opened {
            Next::Stop => return Ok(true),
            Next::Skip => return self.leave(1, at.end).map(|()| false),
            Next::Enter => {}
        }
        let mut input = Input::new(bytes, start);
        while input.remaining() > 0 {
            let from = input.offset();
            let value = match element {
                Element::Int => Scalar::int(i64::from(input.u32_be("an element")? as i32)),
                Element::UInt => Scalar::uint(u64::from(input.u32_be("an element")?)),
                Element::Double => Scalar::f64(input.f64_be("an element")?),
            };
            self.scalar(value, Span::new(from, input.offset()))?;
        }
        self.leave(2, at.end).map(|()| false)
    }

    /// Opens a vector of objects: a mark, a tuple, the name of the class and a list.
    fn objects(&mut self, fixed: bool, class: &'m [u8], count: u32, at: Span) -> Result<Stopped> {
        let start = Span::new(at.start, at.start);
        let outer = self.machine.outer();
        let code = tags::VECTOR_OBJECT + u64::from(fixed);
        let opens = [Open::Tagged { space: SPACE, code }, Open::Tuple(Len::Claimed(2)), Open::List(Len::Claimed(u64::from(count)))];
        for (n, open) in (0..).zip(opens) {
            let mut at = start;
            if n == 2 {
                // The list begins behind the name of the class.
                self.scalar(characters(class), Span::new(start.start, self.span().end))?;
                at = Span::new(self.span().end, self.span().end);
            }
            match self.enter(open, at)? {
                Next::Enter => {}
                Next::Skip => {
                    self.skip(outer)?;
                    let end = self.span().end;
                    return self.leave(n, end).map(|()| false);
                }
                Next::Stop => return Ok(true),
            }
        }
        self.closes.push(3);
        Ok(false)
    }
}
