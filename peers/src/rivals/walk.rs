//! The other libraries: those that comparisons know, and what only these benchmarks ask of one.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_compare::rival::Contender;
use polywire_core::format::Format;
use polywire_core::{Error, Result};
use polywire_formats::registry;
use quick_xml::events::Event;

use crate::input::Input;
use crate::ours::walk::count_stream;
use crate::peer::{Peer, Prepared};

/// Messages, a function that does the work on one of them, and one that counts the values in it.
struct Each<'a, W, C> {
    messages: Vec<&'a [u8]>,
    work: W,
    count: C,
}

impl<W: FnMut(&[u8]) -> Result<()>, C> Subject for Each<'_, W, C> {
    fn pass(&mut self) -> Result<()> {
        self.messages.iter().try_for_each(|message| (self.work)(black_box(message)))
    }
}

impl<'a, W: FnMut(&[u8]) -> Result<()> + 'a, C: FnMut(&[u8]) -> Result<u64> + 'a> Peer<'a> for Each<'a, W, C> {
    fn check(&mut self) -> Result<u64> {
        self.messages.iter().map(|message| (self.count)(message)).sum()
    }
}

fn each<'a>(
    messages: Vec<&'a [u8]>,
    work: impl FnMut(&[u8]) -> Result<()> + 'a,
    count: impl FnMut(&[u8]) -> Result<u64> + 'a,
) -> Prepared<'a> {
    Ok(Some(Box::new(Each { messages, work, count })))
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("a rival failed: {error}"))
}

/// A library as `polywire compare --rivals` enters it: messages to its own tree, and the tree dropped.
struct Library<'a> {
    format: &'static Format,
    messages: Vec<&'a [u8]>,
    contender: Box<dyn Contender<'a> + 'a>,
}

pub fn library<'a>(format: &str, name: &str, input: &'a Input) -> Prepared<'a> {
    let rival = polywire_rivals::find(format, name).ok_or_else(|| Error::internal(format!("no {name} among the rivals of {format}")))?;
    let format = registry::find(format)?;
    // What was converted lives as long as the benchmark.
    let messages = input.converted(format.name)?.into_iter().map(|message| &*message.leak()).collect();
    Ok(Some(Box::new(Library { format, messages, contender: rival.enter(&format.into())? })))
}

impl Subject for Library<'_> {
    fn pass(&mut self) -> Result<()> {
        self.messages.iter().try_for_each(|message| self.contender.decode(message))
    }
}

impl<'a> Peer<'a> for Library<'a> {
    fn check(&mut self) -> Result<u64> {
        let mut answer = 0;
        let mut out = Vec::new();
        for message in &self.messages {
            out.clear();
            self.contender.answer(message, &mut out)?;
            answer += count_stream(self.format, &out)?;
        }
        Ok(answer)
    }
}

fn parse_json(message: &[u8]) -> Result<serde_json::Value> {
    serde_json::from_slice(message).map_err(failed)
}

/// Messages are framed before, so that the rival only parses and writes.
pub fn serde_json_to_rmp<'a>(input: &'a Input) -> Prepared<'a> {
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

/// The bare reader: tokens, nothing unescaped, attributes not looked at, text not checked to be UTF-8.
pub fn quick_xml<'a>(input: &'a Input) -> Prepared<'a> {
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
