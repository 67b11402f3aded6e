//! Libraries of JSON.

use std::hint::black_box;

use jiter::JsonValue;
use polywire_core::value::Value;
use polywire_core::{Error, Result};
use polywire_formats::registry;
use simd_json::prelude::Writable;

use crate::library::{Library, failed};

/// serde_json's `Value`.
#[derive(Default)]
pub(crate) struct SerdeJson;

impl Library for SerdeJson {
    const NAME: &'static str = "serde_json";
    const FORMAT: &'static str = "json";
    const ABOUT: &'static str = "from_slice to Value, to_writer";
    const WRITES: bool = true;
    type Tree<'m> = serde_json::Value;

    fn read(&mut self, message: &[u8]) -> Result<serde_json::Value> {
        serde_json::from_slice(message).map_err(failed)
    }

    fn write(&mut self, tree: &serde_json::Value, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(out, tree).map_err(failed)
    }
}

/// sonic-rs' `Value`.
#[derive(Default)]
pub(crate) struct SonicRs;

impl Library for SonicRs {
    const NAME: &'static str = "sonic-rs";
    const FORMAT: &'static str = "json";
    const ABOUT: &'static str = "from_slice to Value, to_writer";
    const WRITES: bool = true;
    type Tree<'m> = sonic_rs::Value;

    fn read(&mut self, message: &[u8]) -> Result<sonic_rs::Value> {
        sonic_rs::from_slice(message).map_err(failed)
    }

    fn write(&mut self, tree: &sonic_rs::Value, out: &mut Vec<u8>) -> Result<()> {
        sonic_rs::to_writer(out, tree).map_err(failed)
    }
}

/// simd-json's `BorrowedValue`. It parses in place: its users' bytes are moved to where it may
/// write. The values that it writes are its `OwnedValue`s, which can be kept.
#[derive(Default)]
pub(crate) struct SimdJson {
    room: Vec<u8>,
    buffers: simd_json::Buffers,
}

impl SimdJson {
    fn borrowed(&mut self, message: &[u8]) -> Result<simd_json::BorrowedValue<'_>> {
        self.room.clear();
        self.room.extend_from_slice(message);
        simd_json::value::borrowed::to_value_with_buffers(&mut self.room, &mut self.buffers).map_err(failed)
    }
}

impl Library for SimdJson {
    const NAME: &'static str = "simd-json";
    const FORMAT: &'static str = "json";
    const ABOUT: &'static str = "a copy of the message to BorrowedValue with reused buffers, write";
    const WRITES: bool = true;
    type Tree<'m> = simd_json::OwnedValue;

    fn read(&mut self, message: &[u8]) -> Result<simd_json::OwnedValue> {
        self.borrowed(message).map(simd_json::OwnedValue::from)
    }

    fn write(&mut self, tree: &simd_json::OwnedValue, out: &mut Vec<u8>) -> Result<()> {
        tree.write(out).map_err(failed)
    }

    fn decode(&mut self, message: &[u8]) -> Result<()> {
        self.borrowed(message).map(|tree| drop(black_box(tree)))
    }
}

/// jiter's `JsonValue`, which it does not write.
#[derive(Default)]
pub(crate) struct Jiter;

impl Library for Jiter {
    const NAME: &'static str = "jiter";
    const FORMAT: &'static str = "json";
    const ABOUT: &'static str = "JsonValue::parse, borrowing";
    const WRITES: bool = false;
    type Tree<'m> = JsonValue<'m>;

    fn read<'m>(&mut self, message: &'m [u8]) -> Result<JsonValue<'m>> {
        JsonValue::parse(message, false).map_err(failed)
    }

    fn write(&mut self, tree: &JsonValue<'_>, out: &mut Vec<u8>) -> Result<()> {
        let writer = registry::find(Self::FORMAT)?.writer.ok_or_else(|| Error::internal("a format that is not written"))?;
        let mut writer = writer();
        held(tree).emit(&mut *writer)?;
        writer.finish(out)
    }
}

fn held(tree: &JsonValue<'_>) -> Value {
    match tree {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(value) => Value::Bool(*value),
        JsonValue::Int(value) => Value::int(*value),
        JsonValue::BigInt(value) => u64::try_from(value).map_or_else(|_| Value::Big(value.to_string()), Value::UInt),
        JsonValue::Float(value) => Value::F64(*value),
        JsonValue::Str(text) => Value::text(text.clone()),
        JsonValue::Array(values) => Value::List(values.iter().map(held).collect()),
        JsonValue::Object(members) => Value::record(members.iter().map(|(name, value)| (name.clone(), held(value)))),
    }
}
