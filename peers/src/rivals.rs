//! The other libraries, each used as its documentation shows for input of unknown shape.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_core::error::{Error, Result};
use polywire_formats::registry;
use quick_xml::events::Event;
use sonic_rs::JsonContainerTrait;

use crate::ours::count_stream;
use crate::peer::Peer;
use crate::workload::Input;

/// Messages, a function that does the work on one of them, and one that counts the values in it.
struct Each<'a, M, W, C> {
    messages: Vec<M>,
    work: W,
    count: C,
    input: std::marker::PhantomData<&'a ()>,
}

impl<M: AsRef<[u8]>, W: FnMut(&[u8]) -> Result<()>, C> Subject for Each<'_, M, W, C> {
    fn pass(&mut self) -> Result<()> {
        self.messages.iter().try_for_each(|message| (self.work)(black_box(message.as_ref())))
    }
}

impl<'a, M: AsRef<[u8]> + 'a, W: FnMut(&[u8]) -> Result<()> + 'a, C: FnMut(&[u8]) -> Result<u64> + 'a> Peer<'a> for Each<'a, M, W, C> {
    fn check(&mut self) -> Result<u64> {
        self.messages.iter().map(|message| (self.count)(message.as_ref())).sum()
    }
}

fn each<'a, M: AsRef<[u8]> + 'a>(
    messages: Vec<M>,
    work: impl FnMut(&[u8]) -> Result<()> + 'a,
    count: impl FnMut(&[u8]) -> Result<u64> + 'a,
) -> Result<Box<dyn Peer<'a> + 'a>> {
    Ok(Box::new(Each { messages, work, count, input: std::marker::PhantomData }))
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("a rival failed: {error}"))
}

pub fn sonic<'a>(input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    fn values(value: &sonic_rs::Value) -> u64 {
        let inner: u64 = match (value.as_array(), value.as_object()) {
            (Some(array), _) => array.iter().map(values).sum(),
            (_, Some(object)) => object.iter().map(|(_, value)| values(value)).sum(),
            _ => 0,
        };
        1 + inner
    }
    let parse = |message: &[u8]| sonic_rs::from_slice::<sonic_rs::Value>(message).map_err(failed);
    let work = move |message: &[u8]| parse(message).map(|value| drop(black_box(value)));
    each(input.each().collect(), work, move |message| Ok(values(&parse(message)?)))
}

fn json_values(value: &serde_json::Value) -> u64 {
    1 + match value {
        serde_json::Value::Array(values) => values.iter().map(json_values).sum(),
        serde_json::Value::Object(members) => members.values().map(json_values).sum(),
        _ => 0,
    }
}

fn parse_json(message: &[u8]) -> Result<serde_json::Value> {
    serde_json::from_slice(message).map_err(failed)
}

pub fn serde_json<'a>(input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    let work = |message: &[u8]| parse_json(message).map(|value| drop(black_box(value)));
    each(input.each().collect(), work, |message| Ok(json_values(&parse_json(message)?)))
}

/// Messages are framed before, so that the rival only parses and writes.
pub fn serde_json_to_rmp<'a>(input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    let mut out = Vec::new();
    let work = move |message: &[u8]| {
        out.clear();
        let value = parse_json(message)?;
        rmp_serde::encode::write(&mut out, &value).map_err(failed)?;
        black_box(&out);
        Ok(())
    };
    let count = |message: &[u8]| {
        let written = rmp_serde::to_vec(&parse_json(message)?).map_err(failed)?;
        count_stream(registry::find("msgpack")?, &written)
    };
    each(input.each().collect(), work, count)
}

pub fn rmp<'a>(input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    fn values(value: &rmpv::Value) -> u64 {
        1 + match value {
            rmpv::Value::Array(inner) => inner.iter().map(values).sum(),
            rmpv::Value::Map(pairs) => pairs.iter().map(|(_, value)| values(value)).sum(),
            _ => 0,
        }
    }
    let parse = |message: &[u8]| rmp_serde::from_slice::<rmpv::Value>(message).map_err(failed);
    let work = move |message: &[u8]| parse(message).map(|value| drop(black_box(value)));
    each(input.converted("msgpack")?, work, move |message| Ok(values(&parse(message)?)))
}

pub fn ciborium<'a>(input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    fn values(value: &ciborium::Value) -> u64 {
        1 + match value {
            ciborium::Value::Array(inner) => inner.iter().map(values).sum(),
            ciborium::Value::Map(pairs) => pairs.iter().map(|(_, value)| values(value)).sum(),
            _ => 0,
        }
    }
    let parse = |message: &[u8]| ciborium::from_reader::<ciborium::Value, _>(message).map_err(failed);
    let work = move |message: &[u8]| parse(message).map(|value| drop(black_box(value)));
    each(input.converted("cbor")?, work, move |message| Ok(values(&parse(message)?)))
}

/// The bare reader: tokens, nothing unescaped, attributes not looked at, text not checked to be UTF-8.
pub fn quick_xml<'a>(input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    fn elements(message: &[u8]) -> Result<u64> {
        let mut reader = quick_xml::Reader::from_reader(message);
        let mut count = 0;
        loop {
            match reader.read_event().map_err(failed)? {
                Event::Start(_) | Event::Empty(_) => count += 1,
                Event::Eof => return Ok(count),
                _ => {}
            }
        }
    }
    each(
        input.each().collect(),
        |message| {
            elements(message).map(|count| {
                black_box(count);
            })
        },
        elements,
    )
}
