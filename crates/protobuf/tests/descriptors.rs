//! The Python package `protobuf` judges resolved schemas, editions included. Its `protoc` judges
//! descriptors and printed texts.

mod judge;

use fastrand::Rng;
use judge::Judge;
use polywire_core::Limits;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_protobuf::descriptor::{FileDescriptor, FileDescriptorSet};
use polywire_protobuf::language::print;
use polywire_protobuf::model::{Cardinality, Default, EnumId, Field, Kind, Pool, Presence};
use polywire_protobuf::source::{bare, read};
use polywire_protobuf::testing::schema;
use serde_json::{Value, json};

fn set(bytes: &[u8]) -> FileDescriptorSet {
    let set = FileDescriptorSet::read(bytes, &Limits::DEFAULT).unwrap();
    let mut again = Vec::new();
    set.write(&mut again);
    assert!(again == bytes, "what is read is written as it was");
    set
}

/// The one file that is not imported.
fn own(set: &FileDescriptorSet) -> FileDescriptor {
    let mut file = bare(set).file.pop().unwrap();
    file.name = None;
    file
}

/// A default as Python prints it.
fn default(pool: &Pool, field: &Field) -> Option<String> {
    Some(match field.default.as_ref()? {
        Default::Double(value) => float(*value),
        Default::Float(value) => float(f64::from(*value)),
        Default::Int(value) => value.to_string(),
        Default::UInt(value) => value.to_string(),
        Default::Bool(true) => "True".into(),
        Default::Bool(false) => "False".into(),
        Default::String(text) => text.to_string(),
        Default::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Default::Enum(number) => {
            assert!(matches!(field.kind, Kind::Enum(id) if pool[id].by_number(*number).is_some()));
            number.to_string()
        }
    })
}

fn float(value: f64) -> String {
    if value.is_nan() { "nan".into() } else { format!("{value:?}") }
}

/// Returns the resolved properties of a field, in the judge's form.
fn told(pool: &Pool, message: usize, field: &Field) -> Value {
    use polywire_protobuf::descriptor::kind;
    let (number, of) = match field.kind {
        Kind::Double => (kind::DOUBLE, None),
        Kind::Float => (kind::FLOAT, None),
        Kind::Int64 => (kind::INT64, None),
        Kind::UInt64 => (kind::UINT64, None),
        Kind::Int32 => (kind::INT32, None),
        Kind::Fixed64 => (kind::FIXED64, None),
        Kind::Fixed32 => (kind::FIXED32, None),
        Kind::Bool => (kind::BOOL, None),
        Kind::String => (kind::STRING, None),
        Kind::Bytes => (kind::BYTES, None),
        Kind::UInt32 => (kind::UINT32, None),
        Kind::SFixed32 => (kind::SFIXED32, None),
        Kind::SFixed64 => (kind::SFIXED64, None),
        Kind::SInt32 => (kind::SINT32, None),
        Kind::SInt64 => (kind::SINT64, None),
        Kind::Enum(id) => (kind::ENUM, Some(&pool[id].name)),
        Kind::Message(id) => (kind::MESSAGE, Some(&pool[id].name)),
        Kind::Group(id) => (kind::GROUP, Some(&pool[id].name)),
    };
    let message = &pool.messages()[message];
    json!({
        "name": field.name,
        "json": field.json_name,
        "number": field.number,
        "type": number,
        "repeated": field.cardinality != Cardinality::Singular,
        "required": field.presence == Presence::Required,
        "presence": field.presence != Presence::Implicit,
        "packed": field.packed,
        "oneof": field.oneof.map(|oneof| &message.oneofs[oneof as usize].name),
        "of": of,
        "default": default(pool, field),
    })
}

/// Compares the pool with the judge's view of the file `t.proto`.
fn agree(pool: &Pool, judged: &Value, text: &str) -> usize {
    let mut fields = 0;
    let messages = judged["messages"].as_object().unwrap();
    for (name, theirs) in messages {
        let id = pool.message(name).unwrap_or_else(|| panic!("no {name}"));
        let ours: Vec<Value> = pool[id].fields.iter().map(|field| told(pool, id.index(), field)).collect();
        for (ours, theirs) in ours.iter().zip(theirs.as_array().unwrap()) {
            let mut theirs = theirs.clone();
            // Python prints floats of 32 bits with their own digits.
            let close = |one: &Value, other: &Value| {
                let number = |value: &Value| value.as_str().and_then(|text| text.parse::<f64>().ok());
                matches!((number(one), number(other)), (Some(one), Some(other)) if one == other || (one.is_nan() && other.is_nan()) || (one as f32) == (other as f32))
            };
            if close(&ours["default"], &theirs["default"]) {
                theirs["default"] = ours["default"].clone();
            }
            assert_eq!(ours, &theirs, "{name}\n{text}");
            fields += 1;
        }
        assert_eq!(ours.len(), theirs.as_array().unwrap().len());
    }
    for (name, closed) in judged["enums"].as_object().unwrap() {
        let id: EnumId = pool.enumeration(name).unwrap();
        assert_eq!(pool[id].closed, closed.as_bool().unwrap(), "{name}\n{text}");
    }
    fields
}

#[test]
fn editions_are_resolved_as_the_judge_does() {
    let mut judge = Judge::start();
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protos/edition.proto")).unwrap();
    for text in [text.clone(), text.replace("edition = \"2023\"", "edition = \"2024\"").replace("numbers = 102", "more_numbers = 102")] {
        let compiled = judge.compile(&text).unwrap();
        let set = set(&compiled);
        let pool = Pool::new(&set).unwrap();
        assert!(agree(&pool, &judge.fields(), &text) >= 20);
        let mixed = pool.message("judge.edition.Mixed").unwrap();
        let field = |number: u32| pool.field(mixed, number).unwrap();
        assert!(matches!((field(4).kind, field(5).kind), (Kind::Group(_), Kind::Message(_))));
        assert!(matches!((field(101).kind, field(101).presence), (Kind::Group(_), Presence::Explicit)));
        assert!(field(8).utf8 && !field(9).utf8 && !field(102).packed);
        assert_eq!(field(10).cardinality, Cardinality::Map);
        assert_eq!(
            pool.map_entry(field(10)).map(|(_, value)| matches!(value.kind, Kind::Message(_))),
            Some(true),
            "maps are never delimited"
        );
        // The printed text is the same schema.
        let (printed, losses) = print(&set, set.file.len() - 1).unwrap();
        assert_eq!(losses, []);
        let again = self::set(&judge.compile(&printed).unwrap_or_else(|error| panic!("{printed}\n{error}")));
        assert_eq!(own(&again), own(&set), "{printed}");
    }
}

#[test]
fn random_schemas_are_resolved_as_the_judge_does() {
    let mut judge = Judge::start();
    let mut rng = Rng::with_seed(41);
    let rounds = std::env::var("POLYWIRE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(300);
    let (mut accepted, mut texts, mut fields) = (0, 0, 0);
    for _ in 0..rounds {
        let text = schema(&mut rng);
        let edition = text.starts_with("edition");
        let ours = read(&SchemaText { name: "t.proto", bytes: text.as_bytes(), identity: "" }, &mut NoFiles);
        let Ok(compiled) = judge.compile(&text) else {
            assert!(ours.is_err() || edition, "the judge refuses it, we don't:\n{text}");
            continue;
        };
        accepted += 1;
        let theirs = set(&compiled);
        let pool = Pool::new(&theirs).unwrap_or_else(|error| panic!("{text}\n{error}"));
        fields += agree(&pool, &judge.fields(), &text);
        if !edition {
            let ours = ours.unwrap_or_else(|error| panic!("{text}\n{error}"));
            assert_eq!(own(&ours.set), own(&theirs), "{text}");
            texts += 1;
        }
        let (printed, losses) = print(&theirs, theirs.file.len() - 1).unwrap();
        assert_eq!(losses, []);
        let again = set(&judge.compile(&printed).unwrap_or_else(|error| panic!("{printed}\n{error}")));
        let sorted = |set: &FileDescriptorSet| {
            let mut file = own(set);
            // Groups stand where their fields are.
            file.message_type.sort_by(|one, other| one.name.cmp(&other.name));
            for message in &mut file.message_type {
                message.nested_type.sort_by(|one, other| one.name.cmp(&other.name));
            }
            file
        };
        assert_eq!(sorted(&again), sorted(&theirs), "{printed}");
    }
    assert!(accepted > rounds / 2 && texts > rounds / 4 && fields > rounds * 5, "{accepted}, {texts}, {fields}");
}
