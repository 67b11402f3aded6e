//! prost-reflect: messages of a type that is known at run time, and their JSON by serde_json.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};
use prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor};

use crate::failed::failed;
use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};

/// What is made of a message: bytes or text behind those that are there.
type Make = fn(&MessageDescriptor, &[u8], &mut Vec<u8>) -> Result<()>;

/// Holds what was made of a message against the input.
type Check = fn(&Input, &[Vec<u8>]) -> Result<()>;

struct Ready<'a> {
    descriptor: MessageDescriptor,
    make: Make,
    check: Check,
    input: &'a Input,
    out: Vec<u8>,
}

impl Subject for Ready<'_> {
    fn pass(&mut self) -> Result<()> {
        for message in self.input.each() {
            self.out.clear();
            (self.make)(&self.descriptor, black_box(message), &mut self.out)?;
            black_box(&self.out);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Ready<'a> {
    fn check(&mut self) -> Result<u64> {
        let mut made = Vec::new();
        for message in self.input.each() {
            let mut out = Vec::new();
            (self.make)(&self.descriptor, message, &mut out)?;
            made.push(out);
        }
        (self.check)(self.input, &made)?;
        Ok(made.len() as u64)
    }
}

/// The messages that were made must be those of the input.
fn same(input: &Input, made: &[Vec<u8>]) -> Result<()> {
    if input.each().eq(made.iter().map(Vec::as_slice)) { Ok(()) } else { Err(Error::internal("prost-reflect: another message")) }
}

fn bytes(descriptor: &MessageDescriptor, message: &[u8]) -> Result<DynamicMessage> {
    DynamicMessage::decode(descriptor.clone(), message).map_err(failed)
}

/// Only decoded: what the check sees is encoded again.
struct Decode<'a>(Ready<'a>);

impl Subject for Decode<'_> {
    fn pass(&mut self) -> Result<()> {
        self.0.input.each().try_for_each(|message| {
            black_box(bytes(&self.0.descriptor, black_box(message))?);
            Ok(())
        })
    }
}

impl<'a> Peer<'a> for Decode<'a> {
    fn check(&mut self) -> Result<u64> {
        self.0.check()
    }
}

/// Messages decoded.
pub fn decode(_: Work, input: &Input) -> Prepared<'_> {
    let make: Make = |descriptor, message, out| bytes(descriptor, message)?.encode(out).map_err(failed);
    Ok(Some(Box::new(Decode(Ready { descriptor: input.message_type()?.descriptor()?, make, check: same, input, out: Vec::new() }))))
}

/// Messages to JSON.
pub fn print(_: Work, input: &Input) -> Prepared<'_> {
    let make: Make = |descriptor, message, out| serde_json::to_writer(out, &bytes(descriptor, message)?).map_err(failed);
    let check: Check = |input, made| input.answer()?.agrees(input.answer_of(&made.concat())?).map(drop);
    Ok(Some(Box::new(Ready { descriptor: input.message_type()?.descriptor()?, make, check, input, out: Vec::new() })))
}

/// JSON to messages.
pub fn parse(_: Work, input: &Input) -> Prepared<'_> {
    let make: Make = |descriptor, text, out| {
        let mut text = serde_json::Deserializer::from_slice(text);
        let message = DynamicMessage::deserialize(descriptor.clone(), &mut text).map_err(failed)?;
        text.end().map_err(failed)?;
        message.encode(out).map_err(failed)
    };
    let check: Check = |input, made| same(input.protobuf()?, made);
    Ok(Some(Box::new(Ready { descriptor: input.message_type()?.descriptor()?, make, check, input, out: Vec::new() })))
}
