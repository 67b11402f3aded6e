//! Trials: the reader of one version gets a message of the other.

use std::cell::OnceCell;
use std::sync::Arc;

use polywire_core::schema::language::{Effect, Reading, Witness};
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Error, Limits, Reader, Result};

use crate::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use crate::model::{MessageId, Pool, Presence};
use crate::plan::Plan;
use crate::walk::ProtobufReader;
use crate::wire::framing::Framing;

/// A message type of one version.
pub(super) struct Side<'p> {
    types: &'p Types,
    id: MessageId,
}

/// The result of a trial.
pub(super) struct Tried {
    /// The effect on messages.
    pub effect: Effect,
    /// The message and its reading.
    pub witness: Witness,
}

/// Marks the name of an enum's value that replaces its number.
const NUMBER: char = '#';

/// Returns the pool with numbers in place of names.
fn numbered(pool: &Pool) -> Pool {
    let mut pool = pool.clone();
    let rename = |field: &mut crate::model::Field| {
        field.name = field.number.to_string().into();
        field.json_name = field.name.clone();
        if field.presence == Presence::Required {
            field.presence = Presence::Explicit;
        }
    };
    pool.messages.iter_mut().flat_map(|message| &mut message.fields).for_each(rename);
    pool.extensions.iter_mut().map(|extension| &mut extension.field).for_each(rename);
    for value in pool.enums.iter_mut().flat_map(|declared| &mut declared.values) {
        value.name = format!("{NUMBER}{}", value.number).into();
    }
    pool
}

/// The types of one version. Plans for trials are made on first use.
pub(super) struct Types {
    pool: Pool,
    /// The plan of the schema as it is.
    plan: OnceCell<Plan>,
    /// The plan with numbers in place of names, and nothing required, to compare the meaning of
    /// values.
    numbered: OnceCell<Plan>,
}

impl Types {
    pub fn new(pool: &Pool) -> Types {
        Types { pool: pool.clone(), plan: OnceCell::new(), numbered: OnceCell::new() }
    }

    pub fn side(&self, id: MessageId) -> Side<'_> {
        Side { types: self, id }
    }
}

impl Side<'_> {
    fn plan(&self) -> Arc<Plan> {
        Arc::new(self.types.plan.get_or_init(|| Plan::new(&self.types.pool, self.id)).of(self.id))
    }

    fn numbered(&self) -> Arc<Plan> {
        Arc::new(self.types.numbered.get_or_init(|| Plan::new(&numbered(&self.types.pool), self.id)).of(self.id))
    }

    /// Returns the meaning of the message, whatever its names.
    fn value(&self, bytes: &[u8]) -> Result<Value> {
        walked(self.numbered(), bytes)
    }

    /// Returns the message for people: its canonical JSON, or its bytes if that cannot hold it.
    /// Required fields are checked.
    ///
    /// # Errors
    /// The message is refused.
    fn text(&self, bytes: &[u8]) -> Result<String> {
        self.json(bytes).or_else(|_| walked(self.plan(), bytes).map(|_| format!("\"{}\", which JSON cannot say", bytes.escape_ascii())))
    }

    fn json(&self, bytes: &[u8]) -> Result<String> {
        let mut out = Vec::new();
        let mut printer = JsonPrinter::new(self.plan(), PrintOptions::default());
        printer.print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT))?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    fn parse(&self, json: &str) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut parser = JsonParser::new(self.plan(), ParseOptions::default());
        parser.parse(json.as_bytes(), 0, &mut out, &mut Budget::new(&Limits::DEFAULT))?;
        Ok(out)
    }

    fn reading(&self, bytes: &[u8]) -> Reading {
        match self.text(bytes) {
            Ok(text) => Reading::As(text),
            Err(error) => Reading::Refused(error.to_string()),
        }
    }
}

fn walked(plan: Arc<Plan>, bytes: &[u8]) -> Result<Value> {
    let mut sink = ValueSink::default();
    ProtobufReader::new(plan, Framing::Whole).walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    sink.finish().ok_or_else(|| Error::internal("a message without a value"))
}

/// Gives bytes of the writer to the reader. Returns `None` if the writer would not write them.
pub(super) fn wire(writer: &Side<'_>, reader: &Side<'_>, bytes: Vec<u8>) -> Option<Tried> {
    let value = writer.value(&bytes).ok()?;
    let meant = writer.text(&bytes).ok()?;
    let effect = match reader.value(&bytes) {
        Err(_) => Effect::Refused,
        Ok(read) if same(&value, &read) => Effect::Fine,
        Ok(_) => Effect::Misread,
    };
    Some(Tried { effect, witness: Witness { read: reader.reading(&bytes), bytes, meant } })
}

/// Gives bytes of the writer to the reader, with required fields checked.
pub(super) fn strictly(writer: &Side<'_>, reader: &Side<'_>, bytes: Vec<u8>) -> Option<Tried> {
    let meant = writer.text(&bytes).ok()?;
    let read = reader.reading(&bytes);
    let effect = if matches!(read, Reading::Refused(_)) { Effect::Refused } else { Effect::Fine };
    Some(Tried { effect, witness: Witness { bytes, meant, read } })
}

/// Gives the message to the reader as JSON, which is also the witness.
pub(super) fn json(writer: &Side<'_>, reader: &Side<'_>, bytes: &[u8]) -> Option<Tried> {
    let text = writer.json(bytes).ok()?;
    let value = writer.value(&writer.parse(&text).ok()?).ok()?;
    let (effect, read) = match reader.parse(&text) {
        Err(error) => (Effect::Refused, Reading::Refused(error.to_string())),
        Ok(parsed) => {
            let effect = if reader.value(&parsed).is_ok_and(|read| same(&value, &read)) { Effect::Fine } else { Effect::Misread };
            (effect, reader.reading(&parsed))
        }
    };
    Some(Tried { effect, witness: Witness { bytes: text.clone().into_bytes(), meant: text, read } })
}

/// Gives the message to the reader as JSON, where fields and enum values are known by their names.
/// The reader has to write the same text again.
pub(super) fn json_by_name(writer: &Side<'_>, reader: &Side<'_>, bytes: &[u8]) -> Option<Tried> {
    let text = writer.json(bytes).ok()?;
    let (effect, read) = match reader.parse(&text) {
        Err(error) => (Effect::Refused, Reading::Refused(error.to_string())),
        Ok(parsed) => match reader.json(&parsed) {
            Ok(again) if again == text => (Effect::Fine, Reading::As(again)),
            Ok(again) => (Effect::Misread, Reading::As(again)),
            Err(error) => (Effect::Refused, Reading::Refused(error.to_string())),
        },
    };
    Some(Tried { effect, witness: Witness { bytes: text.clone().into_bytes(), meant: text, read } })
}

/// Returns whether values mean the same in different types. Whole numbers, bools and enums compare
/// by number, text and bytes by bytes; a value equals a list of it, a message its bytes, and a map
/// its entries.
fn same(writer: &Value, reader: &Value) -> bool {
    match (writer, reader) {
        (Value::List(one), Value::List(other)) => one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other)),
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|((key, value), (other_key, other))| same(key, other_key) && same(value, other))
        }
        (Value::Map(pairs), Value::List(values)) | (Value::List(values), Value::Map(pairs)) => {
            pairs.len() == values.len()
                && pairs.iter().zip(values).all(|((key, value), entry)| {
                    matches!(entry, Value::Record { fields, .. } if matches!(&fields[..], [(_, one), (_, two)] if same(key, one) && same(value, two)))
                })
        }
        (Value::List(values), one) | (one, Value::List(values)) => matches!(&values[..], [value] if same(value, one)),
        (Value::Record { fields: one, .. }, Value::Record { fields: other, .. }) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|((name, value), (other_name, other))| name == other_name && same(value, other))
        }
        (Value::Record { .. }, Value::Bytes(_)) => true,
        (one, other) => scalar(one) == scalar(other),
    }
}

#[derive(PartialEq)]
enum Plain<'v> {
    Number(i128),
    Bytes(&'v [u8]),
    Other(&'v Value),
}

fn scalar(value: &Value) -> Plain<'_> {
    match value {
        Value::Bool(value) => Plain::Number(i128::from(*value)),
        Value::Int(value) => Plain::Number(i128::from(*value)),
        Value::UInt(value) => Plain::Number(i128::from(*value)),
        Value::Text(text) => match text.strip_prefix(NUMBER).and_then(|number| number.parse().ok()) {
            Some(number) => Plain::Number(number),
            None => Plain::Bytes(text.as_bytes()),
        },
        Value::Bytes(bytes) | Value::Octets(bytes) => Plain::Bytes(bytes),
        other => Plain::Other(other),
    }
}
