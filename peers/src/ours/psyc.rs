//! The PSYC crate as a peer: its parser and renderer as a program uses them.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};
use polywire_psyc::batch::{End, Tape};
use polywire_psyc::packet::{Content, Modifier, Packet, Sizing, State};
use polywire_psyc::wire::{self, Mode, PacketStep, Parser};

use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};
use crate::visit::{Digest, Fold, Sink};

fn failed(error: impl std::fmt::Debug) -> Error {
    Error::internal(format!("PSYC: {error:?}"))
}

fn variable(modifier: &Modifier<'_>, sink: &mut impl Sink) {
    sink.literal(modifier.operator.byte());
    sink.text(modifier.name);
    sink.text(modifier.value);
}

fn body(method: &[u8], data: &[u8], sink: &mut impl Sink) {
    sink.text(method);
    if !data.is_empty() {
        sink.text(data);
    }
}

/// Tells every value of one packet in a buffer that may hold more.
#[inline]
fn packet(parser: &mut Parser, bytes: &[u8], sink: &mut impl Sink) -> Result<()> {
    loop {
        match parser.next(bytes).map_err(failed)? {
            PacketStep::Routing(modifier) | PacketStep::Entity(modifier) => variable(&modifier, sink),
            PacketStep::Body(method, data) => body(method, data, sink),
            PacketStep::State(state) => sink.literal(state.byte()),
            PacketStep::Complete => return Ok(()),
            step => return Err(failed(step)),
        }
    }
}

/// The pull parser, which goes on to the next packet as the one before is complete.
struct Pull<'a> {
    input: &'a Input,
    parser: Parser,
}

impl Pull<'_> {
    fn visit(&mut self, sink: &mut impl Sink) -> Result<()> {
        for message in self.input.each() {
            self.parser.drop_read();
            packet(&mut self.parser, black_box(message), sink)?;
        }
        Ok(())
    }
}

impl Subject for Pull<'_> {
    fn pass(&mut self) -> Result<()> {
        let mut fold = Fold::default();
        self.visit(&mut fold)?;
        black_box(fold.seen);
        Ok(())
    }
}

impl<'a> Peer<'a> for Pull<'a> {
    fn check(&mut self) -> Result<u64> {
        let mut digest = Digest::default();
        self.visit(&mut digest)?;
        self.input.answer()?.agrees(digest.answer())
    }
}

/// The pull parser, and with rendering the renderer behind it.
pub fn pull(work: Work, input: &Input) -> Prepared<'_> {
    let parser = Parser::new(Mode::All);
    match work {
        Work::Decode => Ok(Some(Box::new(Pull { input, parser }))),
        Work::Render => {
            Ok(Some(Box::new(Render { input, parser, routing: Vec::new(), entity: Vec::new(), out: vec![0; input.bytes().len()] })))
        }
        Work::Encode | Work::DecodeBase64 => Ok(None),
    }
}

/// All packets as one buffer, to a tape that is used again and again.
struct Batch<'a> {
    input: &'a Input,
    tape: Tape,
}

impl Batch<'_> {
    fn visit(&mut self, sink: &mut impl Sink) -> Result<()> {
        let batch = self.tape.parse(black_box(self.input.bytes()));
        for packet in batch.packets() {
            packet.routing().for_each(|modifier| variable(&modifier, sink));
            if let Some(state) = packet.state() {
                sink.literal(state.byte());
            }
            packet.entity().for_each(|modifier| variable(&modifier, sink));
            if !packet.method().is_empty() {
                body(packet.method(), packet.data(), sink);
            }
        }
        if batch.end() == End::Complete { Ok(()) } else { Err(failed(batch.end())) }
    }
}

impl Subject for Batch<'_> {
    fn pass(&mut self) -> Result<()> {
        let mut fold = Fold::default();
        self.visit(&mut fold)?;
        black_box(fold.seen);
        Ok(())
    }
}

impl<'a> Peer<'a> for Batch<'a> {
    fn check(&mut self) -> Result<u64> {
        let mut digest = Digest::default();
        self.visit(&mut digest)?;
        self.input.answer()?.agrees(digest.answer())
    }
}

/// The tape.
pub fn batch(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Decode {
        return Ok(None);
    }
    Ok(Some(Box::new(Batch { input, tape: Tape::default() })))
}

/// Parsed, and written as it came: sizes where there were sizes.
struct Render<'a> {
    input: &'a Input,
    parser: Parser,
    routing: Vec<Modifier<'a>>,
    entity: Vec<Modifier<'a>>,
    /// As long as what is written.
    out: Vec<u8>,
}

impl<'a> Render<'a> {
    /// Writes a packet to the buffer from `at` on, and says where it ends.
    fn one(&mut self, message: &'a [u8], at: usize) -> Result<usize> {
        self.routing.clear();
        self.entity.clear();
        self.parser.drop_read();
        let (mut state, mut method, mut data): (Option<State>, &[u8], &[u8]) = (None, b"", b"");
        loop {
            match self.parser.next(message).map_err(failed)? {
                PacketStep::Routing(modifier) => self.routing.push(modifier),
                PacketStep::Entity(modifier) => self.entity.push(modifier),
                PacketStep::State(line) => state = Some(line),
                PacketStep::Body(what, with) => (method, data) = (what, with),
                PacketStep::Complete => break,
                step => return Err(failed(step)),
            }
        }
        let packet = Packet {
            routing: &self.routing[..],
            content: Content::Parts { state, entity: &self.entity[..], method, data },
            sizing: if self.parser.content_size().is_some() { Sizing::Need } else { Sizing::No },
        };
        Ok(at + wire::render(&packet, &mut self.out[at..]).map_err(failed)?.total)
    }
}

impl Subject for Render<'_> {
    fn pass(&mut self) -> Result<()> {
        let input = self.input;
        let mut at = 0;
        for message in input.each() {
            at = self.one(black_box(message), at)?;
        }
        black_box(&self.out);
        Ok(())
    }
}

impl<'a> Peer<'a> for Render<'a> {
    fn check(&mut self) -> Result<u64> {
        self.out.fill(0);
        self.pass()?;
        if self.out != self.input.bytes() {
            return Err(Error::internal("PSYC: the packet was not written as it came"));
        }
        Ok(self.input.answer()?.values)
    }
}

/// What a buffer holds at once of a stream.
const PART: usize = 1_000_000;

/// The pull parser over a stream of which the buffer holds a part: values come in parts.
struct Parts<'a> {
    input: &'a Input,
}

impl Parts<'_> {
    /// Tells every value; of one that comes in parts, `part` is told each.
    fn visit<S: Sink>(&self, sink: &mut S, mut part: impl FnMut(&mut S, &[u8], bool)) -> Result<()> {
        let mut parser = Parser::new(Mode::All);
        let mut rest = black_box(self.input.bytes());
        loop {
            let buffer = &rest[..rest.len().min(PART)];
            match parser.next(buffer).map_err(failed)? {
                PacketStep::Routing(modifier) | PacketStep::Entity(modifier) => variable(&modifier, sink),
                PacketStep::Body(method, data) => body(method, data, sink),
                PacketStep::State(state) => sink.literal(state.byte()),
                PacketStep::EntityStart(modifier) => {
                    sink.literal(modifier.operator.byte());
                    sink.text(modifier.name);
                    part(sink, modifier.value, false);
                }
                PacketStep::BodyStart(method, data) => {
                    sink.text(method);
                    part(sink, data, false);
                }
                PacketStep::EntityPart(data) | PacketStep::BodyPart(data) => part(sink, data, false),
                PacketStep::EntityEnd(data) | PacketStep::BodyEnd(data) => part(sink, data, true),
                PacketStep::Complete => return Ok(()),
                PacketStep::More => {
                    if parser.cursor() == 0 {
                        return Err(failed("an item that is longer than the buffer"));
                    }
                    rest = &rest[parser.cursor()..];
                    parser.drop_read();
                }
            }
        }
    }
}

impl Subject for Parts<'_> {
    fn pass(&mut self) -> Result<()> {
        let mut fold = Fold::default();
        self.visit(&mut fold, |fold, part, _| fold.text(part))?;
        black_box(fold.seen);
        Ok(())
    }
}

impl<'a> Peer<'a> for Parts<'a> {
    fn check(&mut self) -> Result<u64> {
        let mut digest = Digest::default();
        let mut whole = Vec::new();
        self.visit(&mut digest, |digest, part, last| {
            whole.extend_from_slice(part);
            if last {
                digest.text(&whole);
                whole.clear();
            }
        })?;
        self.input.answer()?.agrees(digest.answer())
    }
}

/// The pull parser over a buffer of 1 MB that is filled again and again, without the time of filling it.
pub fn parts(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Decode || input.messages.len() != 1 {
        return Ok(None);
    }
    Ok(Some(Box::new(Parts { input })))
}
