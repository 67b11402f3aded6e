//! `.proto` as a schema language: there and back, and to and from other languages.

use polywire_core::Limits;
use polywire_core::schema::language::{ReadSchema, SchemaLanguage, SchemaText};
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::text::sources::{Files, NoFiles, identity};
use polywire_core::value::Value;
use polywire_protobuf::descriptor::{FileDescriptor, FileDescriptorSet};
use polywire_protobuf::language::{Proto, make, print};
use polywire_protobuf::source::{Protos, bare, read};

fn file(name: &str) -> Protos {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos").join(name);
    let bytes = std::fs::read(&path).unwrap();
    read(&SchemaText { name: path.to_str().unwrap(), bytes: &bytes, identity: &identity(&path) }, &mut Files::new())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn compile(text: &str) -> Protos {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos/compiled.proto");
    read(&SchemaText { name: path.to_str().unwrap(), bytes: text.as_bytes(), identity: path.to_str().unwrap() }, &mut Files::new())
        .unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn schema(text: &str) -> ReadSchema {
    Proto.reader().unwrap().read(&SchemaText { name: "a.proto", bytes: text.as_bytes(), identity: "" }, &mut NoFiles).unwrap()
}

/// The one file of a set that is not imported.
fn own(set: &FileDescriptorSet) -> FileDescriptor {
    let mut file = bare(set).file.pop().unwrap();
    file.name = None;
    // The message of an extended group stands where its extension does.
    file.message_type.sort_by(|one, other| one.name.cmp(&other.name));
    file
}

#[test]
fn what_is_printed_is_read_as_it_was() {
    for name in ["old.proto", "new.proto", "sub/shared.proto", "ruled.proto"] {
        let protos = file(name);
        let (text, losses) = print(&protos.set, protos.set.file.len() - 1).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        let again = compile(&text);
        assert_eq!(own(&again.set), own(&protos.set), "{text}");
        let (third, _) = print(&again.set, again.set.file.len() - 1).unwrap();
        assert_eq!(third, text, "comments stay too");
        assert_eq!(polywire_protobuf::source::layout::lay_out(&text).unwrap(), text);
    }
}

#[test]
fn a_schema_comes_back() {
    let text = r#"syntax = "proto3";

package shop;

import "google/protobuf/timestamp.proto";

enum State {
  UNKNOWN = 0;
  OPEN = 1;
}

// A voucher.
message Voucher {
  // Its number.
  uint64 number = 1;
  optional string buyer = 2;
  repeated Line lines = 4;
  map<string, int32> counts = 5;
  State state = 6 [deprecated = true];
  google.protobuf.Timestamp at = 7;
  oneof payment {
    string card = 8;
    Line cash = 9;
  }

  message Line {
    double price = 1;
    bytes seal = 2;
  }
}
"#;
    let ReadSchema { schema: first, losses, .. } = schema(text);
    assert_eq!(losses, []);
    let (written, losses) = Proto.write(&first).unwrap();
    assert_eq!(losses, []);
    assert_eq!(written, text);
    assert_eq!(first.root.as_deref(), Some("shop.Voucher"));
    let Type::Record(record) = first.get("shop.Voucher").unwrap() else { panic!("no record") };
    assert_eq!(record.fields[0].default, Some(Value::UInt(0)));
    assert_eq!(record.fields[6].name, "payment");
}

#[test]
fn proto2_is_written_where_a_default_has_to_be_said() {
    let text = r#"syntax = "proto2";

enum Level {
  LOW = 1;
  HIGH = 2;
}

message M {
  required int32 a = 1;
  optional int32 b = 2 [default = -5];
  optional string c = 3 [default = "x\"\n"];
  optional bytes d = 4 [default = "\000\377"];
  optional double e = 5 [default = inf];
  repeated int32 f = 6 [packed = true];
  optional Level g = 7 [default = HIGH];
}
"#;
    let ReadSchema { schema: first, losses, .. } = schema(text);
    assert!(losses.iter().all(|loss| loss.what.contains("UTF-8")), "{losses:?}");
    assert_eq!(Proto.write(&first).unwrap().0, text);
}

#[test]
fn what_the_common_schema_cannot_say_is_told() {
    let losses = schema(
        "syntax = \"proto2\"; message M { optional sint32 a = 1; repeated int32 b = 2; optional string c = 3 [json_name = \"x\"]; \
         optional group G = 4 {} reserved 9; extensions 100 to 200; oneof o { int32 d = 5; } } \
         extend M { optional int32 e = 100; } service S { rpc F(M) returns (M); }",
    )
    .losses;
    let told: Vec<String> = losses.iter().map(|loss| format!("{}: {}", loss.at, loss.what)).collect();
    for expected in [
        "M.a: its layout as sint32",
        "M.b: that it is not packed",
        "M.c: its name `x` in JSON",
        "M.g: its layout as group",
        "M: reserved numbers and names",
        "M: numbers for extensions",
        "M.e: that it is an extension",
        "S: services are not said",
    ] {
        assert!(told.iter().any(|told| told == expected), "{expected}: {told:#?}");
    }
}

/// Every type of the common schema has a form in `.proto`, and each form compiles.
#[test]
fn every_type_of_the_common_schema_is_written() {
    let reference = |name: &str| Type::Reference(name.into(), Vec::new());
    let case = |name: &str, id: Option<u64>, carries: Vec<Type>| Case { name: name.into(), id, carries, doc: "A case.".into() };
    let list = |ty: Type| Type::List(Box::new(ty), Constraint::NONE);
    let text = || Type::Text(Constraint::NONE);
    let types = vec![
        Type::Null,
        Type::Bool,
        Type::Int(Width::W8),
        Type::UInt(Width::W64),
        Type::Integer(Constraint::NONE),
        Type::Integer(Constraint::range(0, 10)),
        Type::Decimal,
        Type::F32,
        Type::F64,
        text(),
        Type::Octets(Constraint::range(0, 5)),
        Type::Bytes(Constraint::NONE),
        Type::BitString { bits: vec![], size: Constraint::NONE },
        Type::ObjectIdentifier,
        Type::Timestamp(TimeUnit::Second),
        list(list(Type::Bool)),
        Type::Set(Box::new(Type::Bool), Constraint::NONE),
        Type::Map(Box::new(text()), Box::new(list(reference("Other")))),
        Type::Map(Box::new(Type::F64), Box::new(Type::Bool)),
        Type::Tuple(vec![Type::Bool, Type::Tuple(vec![])]),
        Type::Record(Record { fields: vec![FieldType::required("x", reference("All"))], ..Record::default() }),
        Type::Sum(Sum { cases: vec![case("A", None, vec![]), case("B", Some(77), vec![Type::Bool, text()])], ..Sum::default() }),
        Type::Sum(Sum { cases: vec![case("C", None, vec![]), case("D", None, vec![])], ..Sum::default() }),
        Type::Sum(Sum::default()),
        Type::Enumeration(Enumeration { members: vec![("one".into(), 1), ("a b".into(), 1 << 40)], extensible: true }),
        Type::Enumeration(Enumeration { members: vec![("one".into(), 1), ("uno".into(), 1)], extensible: true }),
        Type::Enumeration(Enumeration::default()),
        Type::Nullable(Box::new(Type::Bool)),
        Type::Nullable(Box::new(list(Type::Nullable(Box::new(Type::Bool))))),
        Type::Reference("Pair".into(), vec![Type::Bool, reference("Alias")]),
        Type::Tagged { space: "cbor".into(), code: 5, inner: Box::new(Type::Bool) },
        Type::Any,
        reference("Alias"),
        reference("Lists"),
        reference("google.protobuf.Duration"),
    ];
    for presence in [Presence::Required, Presence::Optional, Presence::Repeated] {
        let fields = types.iter().enumerate().map(|(index, ty)| FieldType {
            presence,
            doc: format!("Field {index}.\nIn two lines, with */ in it."),
            ..FieldType::required(format!("f {index}"), ty.clone())
        });
        let named = |name: &str, ty: Type| NamedType { name: name.into(), doc: "A type.".into(), ty };
        let parameter = |name: &str| Type::Parameter(name.into());
        let pair = Record {
            fields: vec![FieldType::required("a", parameter("a")), FieldType::required("b", list(parameter("b")))],
            ..Record::default()
        };
        let duration = Record { fields: vec![], ..Record::default() };
        let schema = Schema {
            types: vec![
                named("All", Type::Record(Record { fields: fields.collect(), ..Record::default() })),
                named("Other", Type::Record(Record::default())),
                named("Alias", Type::UInt(Width::W16)),
                named("Lists", list(reference("Lists"))),
                named("Pair", Type::Record(pair)),
                named("All.Inner", Type::Enumeration(Enumeration { members: vec![("zero".into(), 0)], extensible: false })),
                named("google.protobuf.Duration", Type::Record(duration)),
                named("state of it", Type::Sum(Sum { cases: vec![case("int32", None, vec![Type::Bool])], ..Sum::default() })),
            ],
            root: Some("All".into()),
        };
        let (written, losses) = Proto.write(&schema).unwrap();
        assert!(losses.len() > 20 && losses.iter().all(|loss| !loss.what.is_empty()));
        let protos = compile(&written);
        assert!(protos.pool.message("All").is_some() && protos.pool.enumeration("All.Inner").is_some(), "{written}");
        assert_eq!(make(&schema).unwrap().root.as_deref(), Some("All"));
        // The written text has the one layout, and reading it loses nothing more.
        let (again, _) = print(&protos.set, protos.set.file.len() - 1).unwrap();
        assert_eq!(again, written);
        let second = Proto.reader().unwrap().read(&SchemaText { name: "a.proto", bytes: written.as_bytes(), identity: "" }, &mut NoFiles);
        let second = second.unwrap();
        second.schema.check().unwrap();
        let third = Proto.write(&second.schema).unwrap().0;
        compile(&third);
    }
    // The root comes first and is found, because no other message contains it.
    let line = FieldType::required("line", reference("Line"));
    let named = |name: &str, fields: Vec<FieldType>| NamedType {
        name: name.into(),
        doc: String::new(),
        ty: Type::Record(Record { fields, ..Record::default() }),
    };
    let schema = Schema { types: vec![named("Order", vec![line]), named("Line", vec![])], root: Some("Order".into()) };
    let protos = compile(&Proto.write(&schema).unwrap().0);
    assert_eq!(protos.root().map(|id| &*protos.pool[id].name), Some("Order"));
    // A root that is a scalar gets a message around it.
    let schema = Schema { types: vec![NamedType { name: "n".into(), doc: String::new(), ty: Type::Bool }], root: Some("n".into()) };
    let (written, losses) = Proto.write(&schema).unwrap();
    assert!(compile(&written).pool.message("n").is_some() && losses.len() == 1, "{written}");
}

/// Values keep their names where enums share some: messages of JSON are read as they were.
#[test]
fn enums_that_share_names_keep_them() {
    let members = |names: [&str; 2]| {
        let members = names.iter().zip(0..).map(|(name, number)| (name.to_string(), number)).collect();
        Type::Enumeration(Enumeration { members, extensible: true })
    };
    let named = |name: &str, ty: Type| NamedType { name: name.into(), doc: "A type.".into(), ty };
    let reference = |name: &str| Type::Reference(name.into(), Vec::new());
    let fields = vec![
        FieldType::required("a", reference("One")),
        FieldType::required("b", reference("Two")),
        FieldType::required("c", members(["X", "Y"])),
        FieldType::required("d", members(["Y", "Z"])),
    ];
    let record = Type::Record(Record { fields, ..Record::default() });
    let schema =
        Schema { types: vec![named("M", record), named("One", members(["A", "B"])), named("Two", members(["B", "C"]))], root: None };
    let (text, losses) = Proto.write(&schema).unwrap();
    assert!(losses.iter().all(|loss| !loss.what.contains("name")), "{losses:?}");
    let pool = compile(&text).pool;
    assert_eq!(pool.root(), pool.message("M"), "the message around an enum is not what is meant");
    for (name, value) in [("One", "A"), ("Two.Value", "B"), ("M.C", "Y"), ("M.D.Value", "Y")] {
        let id = pool.enumeration(name).unwrap_or_else(|| panic!("no {name}: {text}"));
        assert!(pool[id].by_name(value).is_some(), "{text}");
    }
}

#[test]
fn endless_types_are_refused() {
    let grown = Type::Reference("T".into(), vec![Type::List(Box::new(Type::Parameter("a".into())), Constraint::NONE)]);
    let field = |ty: Type| Type::Record(Record { fields: vec![FieldType::required("f", ty)], ..Record::default() });
    let named = |name: &str, ty: Type| NamedType { name: name.into(), doc: String::new(), ty };
    let schema = Schema {
        types: vec![named("T", field(grown)), named("M", field(Type::Reference("T".into(), vec![Type::Bool])))],
        root: Some("M".into()),
    };
    assert!(Proto.write(&schema).is_err());
    let mut deep = Type::Bool;
    for _ in 0..200 {
        deep = field(deep);
    }
    assert!(Proto.write(&Schema { types: vec![named("M", deep)], root: None }).is_err());
}

#[test]
fn descriptor_sets_of_editions_are_printed() {
    let (text, losses) = print(&edition(), 0).unwrap();
    assert_eq!(losses, []);
    for part in [
        "edition = \"2023\";",
        "option features.field_presence = IMPLICIT;",
        "int32 a = 1 [features.field_presence = EXPLICIT];",
        "reserved gone;",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// Returns the output of `protoc` for a small file of edition 2023.
fn edition() -> FileDescriptorSet {
    use polywire_protobuf::descriptor::{Descriptor, FeatureSet, FieldDescriptor, FieldOptions, FileOptions, edition, kind, label};
    let features = |presence: i32| Some(Box::new(FeatureSet { field_presence: Some(presence), ..FeatureSet::default() }));
    let field = FieldDescriptor {
        name: Some("a".into()),
        number: Some(1),
        label: Some(label::OPTIONAL),
        kind: Some(kind::INT32),
        options: Some(Box::new(FieldOptions { features: features(1), ..FieldOptions::default() })),
        ..FieldDescriptor::default()
    };
    let message = Descriptor { name: Some("M".into()), field: vec![field], reserved_name: vec!["gone".into()], ..Descriptor::default() };
    let file = FileDescriptor {
        name: Some("e.proto".into()),
        syntax: Some("editions".into()),
        edition: Some(edition::E2023),
        message_type: vec![message],
        options: Some(Box::new(FileOptions { features: features(2), ..FileOptions::default() })),
        ..FileDescriptor::default()
    };
    let set = FileDescriptorSet { file: vec![file], ..FileDescriptorSet::default() };
    let mut bytes = Vec::new();
    set.write(&mut bytes);
    assert_eq!(FileDescriptorSet::read(&bytes, &Limits::DEFAULT).unwrap(), set);
    set
}

/// The fuzz target over the texts of the tests and random schemas, mutated.
#[test]
fn mutated_schemas_break_nothing() {
    use polywire_protobuf::testing::{Rng, language, schema};
    let mut rng = Rng::with_seed(6);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protos/");
    let mut texts: Vec<Vec<u8>> = ["old.proto", "new.proto", "edition.proto", "sub/shared.proto"]
        .iter()
        .map(|name| std::fs::read(format!("{folder}{name}")).unwrap())
        .collect();
    texts.extend((0..100).map(|_| schema(&mut rng).into_bytes()));
    let mut set = Vec::new();
    bare(&file("old.proto").set).write(&mut set);
    texts.push(set);
    let mut words: Vec<Vec<u8>> = Vec::new();
    for text in &texts {
        language(text);
        words.extend(text.split(|byte| byte.is_ascii_whitespace()).filter(|word| word.len() < 20).take(200).map(<[u8]>::to_vec));
    }
    let rounds = std::env::var("POLYWIRE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3000);
    for _ in 0..rounds {
        let text = &texts[rng.usize(..texts.len())];
        let mut mutated = polywire_testing::mutate(&mut rng, text);
        if rng.bool() && !mutated.is_empty() {
            // Moving a word breaks a schema less often than changing it.
            let at = rng.usize(..mutated.len());
            let at = mutated[at..].iter().position(|byte| *byte == b' ').map_or(at, |space| at + space);
            let word = &words[rng.usize(..words.len())];
            mutated.splice(at..at, [b" ", &word[..], b" "].concat());
        }
        language(&mutated);
    }
}
