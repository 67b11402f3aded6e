//! Compares code generated from `.proto` files with the codec of the walk.
#![allow(clippy::enum_variant_names, reason = "names are those of the schemas")]

use std::sync::{Arc, OnceLock};

use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::text::sources::NoFiles;
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Field, Limits as WalkLimits, Next, Note, Open, Part, Reader as _, Result as Outcome, Scalar, Sink, Span};
use polywire_protobuf::model::{Cardinality, MessageId, Pool, Presence};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::walk::ProtobufReader;
use polywire_protobuf::wire::framing::Framing;
use polywire_protobuf_runtime::{Arena, Cause, Decode, DecodeOwned, Encode, Error, Protobuf, Validate};

/// The generated code of one message.
pub struct Door {
    /// Text of the schema.
    pub schema: &'static str,
    /// Full name of the message.
    pub message: &'static str,
    /// True if unknown fields are kept.
    pub keeps: bool,
    /// Validates bytes as the message.
    pub validate: fn(&[u8]) -> Result<(), Error>,
    /// Decodes the borrowing type and encodes it. Checks that the owning type encodes the same.
    pub borrow: fn(&[u8]) -> Result<Vec<u8>, Error>,
    /// Decodes the owning type and encodes it.
    pub own: fn(&[u8]) -> Result<Vec<u8>, Error>,
}

/// A message in generated code and in the walk.
pub struct Twin {
    /// Generated code.
    pub door: &'static Door,
    /// Resolved schema.
    pub pool: Pool,
    /// Message type of the walk.
    pub plan: Arc<Plan>,
    root: MessageId,
}

/// The values of a walk, and its notes.
#[derive(Default)]
struct Told {
    value: ValueSink,
    unknown: Vec<u8>,
    /// True if a value was replaced, whose contents the walk does not check.
    replaced: bool,
}

impl<'m> Sink<'m> for Told {
    fn open(&mut self, open: Open<'_>, at: Span) -> Outcome<Next> {
        self.value.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Outcome<Next> {
        self.value.field(field, at)
    }

    fn scalar(&mut self, scalar: Scalar<'m, '_>, at: Span) -> Outcome<()> {
        self.value.scalar(scalar, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Outcome<()> {
        self.value.part(part, at)
    }

    fn close(&mut self, at: Span) -> Outcome<()> {
        self.value.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Outcome<()> {
        match note {
            Note::Unknown(bytes) => self.unknown.extend_from_slice(bytes),
            Note::Coerced(remark) => self.replaced |= remark.starts_with("replaced"),
            _ => {}
        }
        self.value.note(note, at)
    }
}

impl Twin {
    /// Returns both sides of a message.
    ///
    /// # Panics
    /// The schema of the door is invalid.
    pub fn new(door: &'static Door) -> Twin {
        let text = SchemaText { name: "schema.proto", bytes: door.schema.as_bytes(), identity: "schema.proto" };
        let protos = polywire_protobuf::source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
        let root = protos.pool.message(door.message).expect("the message is in the schema");
        Twin { door, plan: Arc::new(Plan::new(&protos.pool, root)), pool: protos.pool, root }
    }

    fn walk(&self, bytes: &[u8]) -> Result<(Value, Told), String> {
        let mut told = Told::default();
        let mut reader = ProtobufReader::new(Arc::clone(&self.plan), Framing::Whole);
        reader.walk(bytes, 0, &mut told, &mut Budget::new(&WalkLimits::DEFAULT)).map_err(|error| error.to_string())?;
        let value = std::mem::take(&mut told.value).finish().ok_or("no value")?;
        Ok((self.tidy(value, self.root), told))
    }

    /// Removes fields that mean the same as absent ones, and sorts fields and map entries.
    fn tidy(&self, value: Value, message: MessageId) -> Value {
        let Value::Record { name, fields } = value else { return value };
        let message = &self.pool[message];
        let known = |name: &str| {
            message.fields.iter().find(|field| field.message_name() == name).or_else(|| {
                let mut extensions = message.extensions.iter().map(|id| &self.pool[*id].field);
                extensions.find(|field| *field.json_name == *name)
            })
        };
        let mut tidied = Vec::new();
        for (name, value) in fields {
            let Some(field) = known(&name) else {
                tidied.push((name, value));
                continue;
            };
            let inner = field.kind.message();
            let value = match (value, field.cardinality) {
                (Value::List(values), _) => Value::List(
                    values.into_iter().map(|value| inner.map_or_else(|| value.clone(), |id| self.tidy(value.clone(), id))).collect(),
                ),
                (Value::Record { fields: entries, .. }, Cardinality::Map) => {
                    let value = self.pool.map_entry(field).and_then(|(_, value)| value.kind.message());
                    let tidied = entries
                        .into_iter()
                        .map(|(key, one)| (Value::text(key), value.map_or_else(|| one.clone(), |id| self.tidy(one.clone(), id))));
                    sorted(tidied.collect())
                }
                (Value::Map(entries), Cardinality::Map) => {
                    let value = self.pool.map_entry(field).and_then(|(_, value)| value.kind.message());
                    let tidied =
                        entries.into_iter().map(|(key, one)| (key, value.map_or_else(|| one.clone(), |id| self.tidy(one.clone(), id))));
                    sorted(tidied.collect())
                }
                (value, _) => inner.map_or_else(|| value.clone(), |id| self.tidy(value.clone(), id)),
            };
            let is_zero = match &value {
                Value::Bool(false) | Value::UInt(0) => true,
                Value::F32(value) => value.to_bits() == 0,
                Value::F64(value) => value.to_bits() == 0,
                Value::Text(text) => text.is_empty() || self.is_first(field.kind, text),
                Value::Bytes(bytes) => bytes.is_empty(),
                Value::List(values) => values.is_empty(),
                Value::Map(entries) => entries.is_empty(),
                _ => false,
            };
            if !(field.presence == Presence::Implicit && is_zero) {
                tidied.push((name, value));
            }
        }
        tidied.sort_by(|(one, _), (other, _)| one.cmp(other));
        Value::Record { name, fields: tidied }
    }

    fn is_first(&self, kind: polywire_protobuf::model::Kind, name: &str) -> bool {
        let polywire_protobuf::model::Kind::Enum(id) = kind else { return false };
        self.pool[id].by_number(0).is_some_and(|value| *value.name == *name)
    }

    /// Checks that both sides agree: whether the bytes are a message, and on its contents by the
    /// bytes that they encode. Returns true if the bytes are a message.
    ///
    /// # Panics
    /// They disagree.
    pub fn agree(&self, bytes: &[u8]) -> bool {
        let wanted = self.walk(bytes);
        let shown = || format!("{} as {} of\n{}", crate::bytes::hex(bytes), self.door.message, self.door.schema);
        let owned = (self.door.own)(bytes);
        let borrowed = (self.door.borrow)(bytes);
        assert_eq!(owned.as_ref().err(), borrowed.as_ref().err(), "{}", shown());
        assert_eq!((self.door.validate)(bytes).as_ref().err(), owned.as_ref().err(), "{}", shown());
        let again = match (&wanted, owned) {
            (Ok((_, told)), Err(error)) => {
                // Text is UTF-8 in Rust, and generated code also checks a value that is replaced
                // later.
                let is_text = error.cause() == Cause::Text && self.door.schema.contains("proto2");
                assert!(is_text || told.replaced, "{error} of {}", shown());
                return false;
            }
            (Err(why), Ok(_)) => panic!("taken, but {why} in {}", shown()),
            (Err(_), Err(error)) => {
                assert!(error.offset() <= bytes.len(), "{error} of {}", shown());
                return false;
            }
            (Ok(_), Ok(again)) => again,
        };
        assert_eq!(borrowed.as_ref(), Ok(&again), "{}", shown());
        let (Ok((wanted, told)), Ok((came, told_again))) = (wanted, self.walk(&again)) else {
            panic!("what was encoded is refused: {}", shown())
        };
        // The debug text compares NaN as equal.
        assert_eq!(format!("{came:?}"), format!("{wanted:?}"), "{}", shown());
        if self.door.keeps {
            assert!(told.unknown.len() <= told_again.unknown.len() + 16, "unknown fields were lost: {}", shown());
        } else {
            assert!(told_again.unknown.is_empty(), "unknown fields were kept: {}", shown());
        }
        assert_eq!((self.door.own)(&again).as_ref(), Ok(&again), "{}", shown());
        true
    }
}

fn sorted(mut entries: Vec<(Value, Value)>) -> Value {
    entries.sort_by_key(|(key, _)| format!("{key:?}"));
    Value::Map(entries)
}

/// Returns a value's message.
pub fn bytes<T: Encode<Protobuf>>(value: &T) -> Vec<u8> {
    value.to_bytes()
}

/// Decodes a message, borrowing.
///
/// # Panics
/// The bytes are not a message.
pub fn borrowed<'a, T: Decode<'a, Protobuf>>(bytes: &'a [u8], arena: &'a Arena) -> T {
    T::decode(bytes, arena).unwrap_or_else(|error| panic!("{error}"))
}

/// Decodes a message, owning, and validates it.
///
/// # Panics
/// The bytes are not a message.
pub fn owned<T: DecodeOwned<Protobuf>>(bytes: &[u8]) -> T {
    assert_eq!(T::validate(bytes), Ok(()));
    T::decode_owned(bytes).unwrap_or_else(|error| panic!("{error}"))
}

/// A schema of another language, as `polywire schema convert` makes it. Code with Protobuf as a
/// further encoding writes messages of this schema.
pub struct Converted(Pool);

impl Converted {
    /// Converts the schema in `text`. Returns `None` if it cannot be converted.
    pub fn new(language: &dyn SchemaLanguage, text: &str) -> Option<Converted> {
        let reader = language.reader()?;
        let read = reader.read(&SchemaText { name: "schema", bytes: text.as_bytes(), identity: "schema" }, &mut NoFiles).ok()?;
        let made = polywire_protobuf::language::make(&read.schema).ok()?;
        Pool::new(&made.set).ok().map(Converted)
    }

    /// Checks that bytes are a message of type `name` without unknown fields.
    ///
    /// # Panics
    /// They are not.
    pub fn knows(&self, name: &str, bytes: &[u8]) {
        let root = self.0.find(name).unwrap_or_else(|| panic!("no message {name}"));
        let mut told = Told::default();
        let mut reader = ProtobufReader::new(Arc::new(Plan::new(&self.0, root)), Framing::Whole);
        let walked = reader.walk(bytes, 0, &mut told, &mut Budget::new(&WalkLimits::DEFAULT));
        assert!(walked.is_ok() && told.unknown.is_empty(), "{walked:?}, unknown {:02x?}, of {bytes:02x?} as {name}", told.unknown);
    }
}

/// Returns all messages.
pub fn twins() -> &'static [Twin] {
    static TWINS: OnceLock<Vec<Twin>> = OnceLock::new();
    TWINS.get_or_init(|| DOORS.iter().map(Twin::new).collect())
}

/// Body of the fuzz target: the first bytes choose a message type, the rest is the input.
pub fn fuzz(data: &[u8]) {
    let Some((&[door, more], bytes)) = data.split_first_chunk::<2>() else { return };
    twins()[(usize::from(door) | usize::from(more) << 8) % twins().len()].agree(bytes);
}

include!(concat!(env!("OUT_DIR"), "/protobuf.rs"));
