//! The protocols bound to common schemas: values that Thrift has no type for come back, and the
//! bytes are those of the text that a schema is written as.

use std::sync::Arc;

use polywire_core::format::{Bound, Format};
use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::schema::{Case, Constraint, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::text::sources::NoFiles;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits, Result, Timestamp, Value};
use polywire_testing::{self as testing, Rng};
use polywire_thrift::idl::Idl;
use polywire_thrift::{BINARY, COMPACT, JSON, SIMPLE_JSON};

const FORMATS: [&Format; 3] = [&BINARY, &COMPACT, &JSON];

fn schema(ty: Type) -> Schema {
    let tree = Record {
        fields: vec![
            FieldType::required("v", Type::UInt(Width::W8)),
            FieldType::required("kids", Type::List(Box::new(Type::Reference("tree".into(), Vec::new())), Constraint::NONE)).optional(),
        ],
        ..Record::default()
    };
    let types = [("message", ty), ("tree", Type::Record(tree))];
    let types = types.map(|(name, ty)| NamedType { name: name.into(), doc: String::new(), ty });
    Schema { types: types.into(), root: Some("message".into()) }
}

fn case(name: &str, carries: Vec<Type>) -> Case {
    Case { name: name.into(), id: None, carries, doc: String::new() }
}

fn text() -> Type {
    Type::Text(Constraint::NONE)
}

/// A record with all that Thrift lacks.
fn all() -> Schema {
    let mixed =
        Sum { cases: vec![case("text", vec![text()]), case("int", vec![Type::Int(Width::W64)])], extensible: false, untagged: true };
    let events = Sum {
        cases: vec![case("idle", vec![]), case("busy", vec![Type::UInt(Width::W16), Type::Bool])],
        extensible: false,
        untagged: false,
    };
    let list = |ty| Type::List(Box::new(ty), Constraint::NONE);
    let map = |key, value| Type::Map(Box::new(key), Box::new(value));
    let mut fields = vec![
        FieldType::required("big number", Type::UInt(Width::W64)),
        FieldType::required("class", Type::Nullable(Box::new(text()))),
        FieldType::required("nothing", Type::Null),
        FieldType::required("mixed", list(Type::Sum(mixed))),
        FieldType::required("events", list(Type::Sum(events))),
        FieldType::required("digits", Type::Integer(Constraint::NONE)),
        FieldType::required("price", Type::Decimal),
        FieldType::required("number", Type::Number),
        FieldType::required("single", Type::F32),
        FieldType::required("at", Type::Timestamp(TimeUnit::Millisecond)),
        FieldType::required("any", Type::Any),
        FieldType::required("names", map(text(), Type::Nullable(Box::new(Type::Bool)))),
        FieldType::required("keys", map(Type::UInt(Width::W32), text())),
        FieldType::required("odd", map(Type::Nullable(Box::new(text())), text())),
        FieldType::required("pair", Type::Tuple(vec![text(), Type::Bool])),
        FieldType::required("tree", Type::Reference("tree".into(), Vec::new())).optional(),
        FieldType::required("bytes", Type::Bytes(Constraint::NONE)),
    ];
    fields.push(FieldType { presence: Presence::Repeated, ..FieldType::required("tag", text()) });
    schema(Type::Record(Record { fields, ..Record::default() }))
}

fn message(n: u64) -> Value {
    let variant = |name: &str, index, values| Value::Variant { name: name.into(), index, values };
    let mut fields = vec![
        ("big number", Value::UInt(u64::MAX - n)),
        ("class", if n == 0 { Value::Null } else { Value::text("x") }),
        ("nothing", Value::Null),
        ("mixed", Value::List(vec![Value::text("5"), Value::int(-5)])),
        ("events", Value::List(vec![variant("idle", 0, vec![]), variant("busy", 1, vec![Value::UInt(n), Value::Bool(true)])])),
        ("digits", Value::Big("-123456789012345678901234567890".into())),
        ("price", Value::Decimal("1.10000000000000000000000000000001".into())),
        ("number", if n == 0 { Value::UInt(3) } else { Value::F64(0.5) }),
        ("single", Value::F32(0.1)),
        ("at", Value::Time(Timestamp::new(1_700_000_000, 5_000_000).expect("a moment"))),
        ("any", Value::List(vec![Value::Null, Value::record([("a", Value::Bytes(vec![0xff]))])])),
        ("names", Value::record([("a b", Value::Null), ("c", Value::Bool(n > 0))])),
        ("keys", Value::Map(vec![(Value::UInt(1 << 20), Value::text("k"))])),
        ("odd", Value::Map(vec![(Value::Null, Value::text("null")), (Value::text("a"), Value::text("b"))])),
        ("pair", Value::List(vec![Value::text("p"), Value::Bool(false)])),
        ("tree", Value::record([("v", Value::UInt(1)), ("kids", Value::List(vec![Value::record([("v", Value::UInt(2))])]))])),
        ("bytes", Value::Bytes(b"plain".to_vec())),
    ];
    if n > 0 {
        fields.push(("tag", Value::List(vec![Value::text("a"), Value::text("b")])));
    }
    Value::record(fields)
}

fn write(bound: &Arc<dyn Bound>, value: &Value) -> Result<(Vec<u8>, Vec<&'static str>)> {
    let mut writer = bound.writer().expect("it is written");
    value.emit(&mut *writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok((out, writer.losses().iter().map(|lost| lost.what).collect()))
}

fn read(bound: &Arc<dyn Bound>, bytes: &[u8]) -> Result<Value> {
    let mut sink = ValueSink::default();
    bound.reader().walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(sink.finish().expect("a message is a value"))
}

fn adopted(format: &Format, schema: &Schema) -> Arc<dyn Bound> {
    format.binder.expect("it takes schemas").adopt(schema).unwrap_or_else(|error| panic!("{error}"))
}

fn of_text(format: &Format, text: &str, name: Option<&str>) -> Result<Arc<dyn Bound>> {
    let text = SchemaText { name: "inferred.thrift", bytes: text.as_bytes(), identity: "" };
    format.binder.expect("it takes schemas").bind_text(&text, &mut NoFiles, name)
}

#[test]
fn what_thrift_lacks_comes_back() {
    for format in FORMATS {
        let bound = adopted(format, &all());
        for n in 0..3 {
            let (bytes, losses) = write(&bound, &message(n)).unwrap_or_else(|error| panic!("{}: {error}", format.name));
            assert!(losses.is_empty(), "{}: {losses:?}", format.name);
            testing::assert_same(&message(n), &read(&bound, &bytes).unwrap(), format.name);
        }
        // A value of another type is refused, and never changed.
        for (name, other) in [("big number", Value::text("5")), ("class", Value::Bool(true)), ("pair", Value::List(vec![]))] {
            let Value::Record { mut fields, .. } = message(1) else { panic!("no record") };
            fields.iter_mut().filter(|(known, _)| **known == *name).for_each(|(_, value)| *value = other.clone());
            let error = write(&bound, &Value::record(fields)).unwrap_err().to_string();
            assert!(error.contains("a value of the type of its samples"), "{error}");
        }
    }
}

#[test]
fn a_message_may_be_any_value() {
    let list = Type::List(Box::new(Type::Nullable(Box::new(Type::Bool))), Constraint::NONE);
    let call = Sum { cases: vec![case("call", vec![text()]), case("none", vec![])], extensible: false, untagged: false };
    for (ty, values) in [
        (list, vec![Value::List(vec![]), Value::List(vec![Value::Null, Value::Bool(true)])]),
        (text(), vec![Value::text(""), Value::text("x\u{1}")]),
        (Type::Null, vec![Value::Null]),
        // A record of one field, whose name is that of an envelope.
        (Type::Sum(call), vec![Value::record([("call", Value::text("x"))]), Value::text("none")]),
        (Type::Reference("tree".into(), Vec::new()), vec![Value::record([("v", Value::UInt(7))])]),
    ] {
        for format in FORMATS {
            let bound = adopted(format, &schema(ty.clone()));
            for value in &values {
                let (bytes, losses) = write(&bound, value).unwrap_or_else(|error| panic!("{}: {value:?}: {error}", format.name));
                assert!(losses.is_empty(), "{losses:?}");
                testing::assert_same(value, &read(&bound, &bytes).unwrap(), format.name);
            }
        }
    }
}

#[test]
fn the_text_has_the_same_bytes_and_its_own_names() {
    let (text, losses) = Idl.write_mapped(&all()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(Idl.reader().unwrap().format(&SchemaText { name: "", bytes: text.as_bytes(), identity: "" }).unwrap(), text);
    let start = text.find("\n/* Names and types").unwrap();
    let value = message(1);
    for format in FORMATS {
        let bytes = write(&adopted(format, &all()), &value).unwrap().0;
        for name in [None, Some("message")] {
            let mapped = of_text(format, &text, name).unwrap();
            assert_eq!(write(&mapped, &value).unwrap().0, bytes, "{}", format.name);
            testing::assert_same(&value, &read(&mapped, &bytes).unwrap(), format.name);
        }
        // Without the mapping, values are those of the declarations.
        let Value::Record { fields, .. } = read(&of_text(format, &text[..start], None).unwrap(), &bytes).unwrap() else {
            panic!("no record")
        };
        let own = |name: &str| fields.iter().find(|(known, _)| **known == *name).map(|(_, value)| value.clone());
        assert_eq!(own("big_number"), Some(Value::int(-2)));
        assert_eq!(own("class_"), Some(Value::Variant { name: "value".into(), index: 1, values: vec![Value::text("x")] }));
        assert_eq!(own("nothing"), Some(Value::record::<&str>([])));
        assert_eq!(own("at"), Some(Value::text("2023-11-14T22:13:20.005Z")));
        assert_eq!(own("bytes"), Some(Value::Bytes(b"plain".to_vec())));
        let declared = of_text(format, &text, None).unwrap().declared().expect("the text has declarations");
        assert_eq!(read(&declared, &bytes).unwrap(), Value::Record { name: String::new(), fields });
        // Other names are the same declarations, other types are not.
        let renamed = text[..start].replace("class_", "klass").replace("struct message {", "struct Order {") + &text[start..];
        assert_eq!(write(&of_text(format, &renamed, None).unwrap(), &value).unwrap().0, bytes);
        let changed = text[..start].replace("required i64 big_number", "required i32 big_number") + &text[start..];
        assert_ne!(changed, text);
        let error = of_text(format, &changed, None).err().expect("other bytes").to_string();
        assert!(error.contains("whose declarations have other bytes than its mapping"), "{error}");
        assert!(of_text(format, &changed, Some("message")).is_ok(), "by its name, a type is as it is declared");
    }
    // The simple protocol has the names of the IDL.
    assert!(!SIMPLE_JSON.binder.unwrap().adopts() && SIMPLE_JSON.binder.unwrap().adopt(&all()).is_err());
    let simple = of_text(&SIMPLE_JSON, &text, None).unwrap();
    let tree = of_text(&SIMPLE_JSON, &text, Some("tree")).unwrap();
    assert!(write(&simple, &value).is_err());
    assert_eq!(write(&tree, &Value::record([("v", Value::UInt(1))])).unwrap().0, b"{\"v\":1}");
}

#[test]
fn schemas_that_the_idl_lacks_are_refused() {
    let refused = |schema: &Schema| BINARY.binder.unwrap().adopt(schema).err().expect("no such schema").to_string();
    let fields = (0..40_000).map(|n| FieldType::required(format!("f{n}"), Type::Bool)).collect();
    assert!(refused(&schema(Type::Record(Record { fields, ..Record::default() }))).contains("more than 32767 fields"));
    let endless = Type::List(Box::new(Type::Reference("message".into(), Vec::new())), Constraint::NONE);
    assert!(refused(&schema(endless)).contains("stands for itself"));
    assert!(refused(&schema(Type::ObjectIdentifier)).contains("types that no message shows"));
    assert!(refused(&Schema { root: None, ..all() }).contains("types that no message shows"));
}

#[test]
fn any_bytes_give_a_value_or_an_error() {
    let mut rng = Rng::with_seed(24);
    for format in FORMATS {
        let bound = adopted(format, &all());
        let start = write(&bound, &message(1)).unwrap().0;
        let mut values = 0;
        for _ in 0..3000 {
            match read(&bound, &testing::mutate(&mut rng, &start)) {
                Ok(_) => values += 1,
                Err(error) => assert!(!error.to_string().contains("a bug"), "{error}"),
            }
        }
        assert!(values > 30, "{}: {values}", format.name);
        for len in 0..start.len() {
            assert!(read(&bound, &start[..len]).is_err(), "{}: {len}", format.name);
        }
    }
}
