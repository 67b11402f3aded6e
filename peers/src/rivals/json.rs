//! JSON libraries of Rust: parse, visit every value, and write again, as the C and C++ ones do.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};
use simd_json::prelude::*;
use sonic_rs::{JsonContainerTrait, JsonValueTrait};

use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};
use crate::visit::{Digest, Fold, Sink};

fn failed(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("a rival failed: {error}"))
}

/// A library that makes a tree of a message.
trait Library {
    /// Makes the tree, tells every value, and drops it.
    fn visit(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()>;

    /// Makes the tree and appends what its own writer makes of it.
    fn render(&mut self, message: &[u8], out: &mut Vec<u8>) -> Result<()>;
}

struct Ready<'a, L> {
    library: L,
    input: &'a Input,
    render: bool,
    out: Vec<u8>,
}

fn ready<'a>(library: impl Library + 'a, work: Work, input: &'a Input) -> Prepared<'a> {
    if !matches!(work, Work::Decode | Work::Render) {
        return Ok(None);
    }
    Ok(Some(Box::new(Ready { library, input, render: work == Work::Render, out: Vec::new() })))
}

impl<L: Library> Subject for Ready<'_, L> {
    fn pass(&mut self) -> Result<()> {
        self.out.clear();
        let mut fold = Fold::default();
        for message in self.input.each() {
            if self.render {
                self.library.render(black_box(message), &mut self.out)?;
                self.out.push(b'\n');
            } else {
                self.library.visit(black_box(message), &mut fold)?;
            }
        }
        black_box((fold.seen, &self.out));
        Ok(())
    }
}

impl<'a, L: Library + 'a> Peer<'a> for Ready<'a, L> {
    fn check(&mut self) -> Result<u64> {
        let found = if self.render {
            self.pass()?;
            self.input.answer_of(&self.out)?
        } else {
            let mut digest = Digest::default();
            self.input.each().try_for_each(|message| self.library.visit(message, &mut digest))?;
            digest.answer()
        };
        self.input.answer()?.agrees(found)
    }
}

struct SonicRs;

pub fn sonic_rs(work: Work, input: &Input) -> Prepared<'_> {
    ready(SonicRs, work, input)
}

impl SonicRs {
    fn tell(value: &sonic_rs::Value, sink: &mut impl Sink) {
        if let Some(text) = value.as_str() {
            sink.text(text.as_bytes());
        } else if let Some(items) = value.as_array() {
            sink.open(b'[');
            items.iter().for_each(|item| SonicRs::tell(item, sink));
            sink.close(b']');
        } else if let Some(fields) = value.as_object() {
            sink.open(b'{');
            for (key, field) in fields {
                sink.key(key.as_bytes());
                SonicRs::tell(field, sink);
            }
            sink.close(b'}');
        } else if let Some(number) = value.as_f64() {
            sink.number(number);
        } else {
            sink.literal(value.as_bool().map_or(b'0', |truth| if truth { b't' } else { b'f' }));
        }
    }
}

impl Library for SonicRs {
    fn visit(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()> {
        SonicRs::tell(&sonic_rs::from_slice(message).map_err(failed)?, sink);
        Ok(())
    }

    fn render(&mut self, message: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let value: sonic_rs::Value = sonic_rs::from_slice(message).map_err(failed)?;
        sonic_rs::to_writer(out, &value).map_err(failed)
    }
}

/// Its buffers are kept. Parsing destroys the message, so the copy is inside the clock.
#[derive(Default)]
struct SimdJson {
    buffers: simd_json::Buffers,
    copy: Vec<u8>,
}

pub fn simd_json(work: Work, input: &Input) -> Prepared<'_> {
    ready(SimdJson::default(), work, input)
}

impl SimdJson {
    fn parse(&mut self, message: &[u8]) -> Result<simd_json::BorrowedValue<'_>> {
        self.copy.clear();
        self.copy.extend_from_slice(message);
        simd_json::to_borrowed_value_with_buffers(&mut self.copy, &mut self.buffers).map_err(failed)
    }

    fn tell(value: &simd_json::BorrowedValue<'_>, sink: &mut impl Sink) {
        use simd_json::{BorrowedValue, StaticNode};
        match value {
            BorrowedValue::String(text) => sink.text(text.as_bytes()),
            BorrowedValue::Array(items) => {
                sink.open(b'[');
                items.iter().for_each(|item| SimdJson::tell(item, sink));
                sink.close(b']');
            }
            BorrowedValue::Object(fields) => {
                sink.open(b'{');
                for (key, field) in fields.iter() {
                    sink.key(key.as_bytes());
                    SimdJson::tell(field, sink);
                }
                sink.close(b'}');
            }
            BorrowedValue::Static(StaticNode::Bool(truth)) => sink.literal(if *truth { b't' } else { b'f' }),
            BorrowedValue::Static(StaticNode::Null) => sink.literal(b'0'),
            BorrowedValue::Static(StaticNode::I64(number)) => sink.number(*number as f64),
            BorrowedValue::Static(StaticNode::U64(number)) => sink.number(*number as f64),
            BorrowedValue::Static(StaticNode::F64(number)) => sink.number(*number),
        }
    }
}

impl Library for SimdJson {
    fn visit(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()> {
        SimdJson::tell(&self.parse(message)?, sink);
        Ok(())
    }

    fn render(&mut self, message: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.parse(message)?.write(out).map_err(failed)
    }
}

struct SerdeJson;

pub fn serde_json(work: Work, input: &Input) -> Prepared<'_> {
    ready(SerdeJson, work, input)
}

impl SerdeJson {
    fn tell(value: &serde_json::Value, sink: &mut impl Sink) {
        match value {
            serde_json::Value::String(text) => sink.text(text.as_bytes()),
            serde_json::Value::Array(items) => {
                sink.open(b'[');
                items.iter().for_each(|item| SerdeJson::tell(item, sink));
                sink.close(b']');
            }
            serde_json::Value::Object(fields) => {
                sink.open(b'{');
                for (key, field) in fields {
                    sink.key(key.as_bytes());
                    SerdeJson::tell(field, sink);
                }
                sink.close(b'}');
            }
            serde_json::Value::Number(number) => sink.number(number.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::Bool(truth) => sink.literal(if *truth { b't' } else { b'f' }),
            serde_json::Value::Null => sink.literal(b'0'),
        }
    }
}

impl Library for SerdeJson {
    fn visit(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()> {
        SerdeJson::tell(&serde_json::from_slice(message).map_err(failed)?, sink);
        Ok(())
    }

    fn render(&mut self, message: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let value: serde_json::Value = serde_json::from_slice(message).map_err(failed)?;
        serde_json::to_writer(out, &value).map_err(failed)
    }
}
