//! Conversions to and from the common schema.

use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::value::Value;
use polywire_extprot::language::{Extprot, schema};
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::testing::{self, Layout, Rng};

fn named(name: &str, ty: Type) -> NamedType {
    NamedType { name: name.into(), doc: String::new(), ty }
}

fn record(fields: Vec<FieldType>) -> Type {
    Type::Record(Record { fields, ..Record::default() })
}

fn case(name: &str, carries: Vec<Type>) -> Case {
    Case { name: name.into(), id: None, carries, doc: String::new() }
}

fn reference(name: &str) -> Type {
    Type::Reference(name.into(), vec![])
}

fn written(schema: &Schema) -> (String, Vec<String>) {
    let (text, losses) = Extprot.write(schema).unwrap();
    if let Err(diagnostics) = compile("written", text.as_bytes(), &mut NoFiles) {
        panic!("{text}\n{diagnostics}");
    }
    (text, losses.into_iter().map(|loss| format!("{}: {}", loss.at, loss.what)).collect())
}

#[test]
fn a_schema_becomes_a_protocol() {
    let voucher = Record {
        fields: vec![
            FieldType { doc: "Counts from 1.".into(), ..FieldType::required("id", Type::Int(Width::W32)) },
            FieldType { default: Some(Value::UInt(7)), ..FieldType::required("total", Type::Int(Width::W64)) },
            FieldType::required("type", Type::Text(Constraint::NONE)),
            FieldType::required("state", reference("State")).optional(),
            FieldType::required("lines", Type::List(Box::new(record(vec![FieldType::required("a b", Type::Bool)])), Constraint::NONE)),
            FieldType::required("kind", Type::Nullable(Box::new(Type::F64))),
            FieldType::required("tags", Type::Map(Box::new(Type::Text(Constraint::NONE)), Box::new(Type::Null))),
        ],
        ..Record::default()
    };
    let state = Type::Sum(Sum { cases: vec![case("open", vec![]), case("Paid", vec![Type::F64, Type::Bool])], ..Sum::default() });
    let schema = Schema {
        types: vec![NamedType { doc: "What was paid.\nOr not.".into(), ..named("Voucher", Type::Record(voucher)) }, named("State", state)],
        root: Some("Voucher".into()),
    };
    let (text, losses) = written(&schema);
    let expected = "\
(* The value null. *)
type null = Null

(* A value, or none. *)
type option 'a = None | Some 'a

type state =
    Open
  | Paid float bool

type voucher_lines_item = {
    a_b : bool;
}

(* What was paid.
   Or not. *)
message voucher = {
    (* Counts from 1. *)
    id : int;
    total : long [@default 7];
    type_ : string;
    state : option<state>;
    lines : [ voucher_lines_item ];
    kind : option<float>;
    tags : [ (string * null) ];
}
";
    assert_eq!(text, expected);
    assert_eq!(
        losses,
        [
            "State.open: its name became `Open`",
            "Voucher.type: its name became `type_`",
            "Voucher.lines.a b: its name became `a_b`",
            "Voucher.tags: a map became a list of pairs",
        ]
    );
}

#[test]
fn recursion_is_refused_with_its_circle() {
    let node = |field: &str, to: &str| record(vec![FieldType::required(field, Type::List(Box::new(reference(to)), Constraint::NONE))]);
    let schema = Schema { types: vec![named("A", node("b", "B")), named("B", node("c", "C")), named("C", node("b", "B"))], root: None };
    let error = Extprot.write(&schema).unwrap_err();
    assert!(error.to_string().contains("B → C → B"), "{error}");
}

#[test]
fn a_protocol_becomes_a_schema_and_a_protocol_again() {
    let text = "\
(* A pair. *)
type pair 'a = ('a * int)

type colour = Red | Green (* the best *)
type kind = Plain | Rich pair<string> long
message small = { b : byte [@default 3]; s : string [@default \"x\\xff\"] }
message shape = Dot small | Line { (* from here *) from : small; colour : colour; more : [ kind ] }
";
    let protocol = compile("p", text.as_bytes(), &mut NoFiles).unwrap();
    let (first, losses) = schema(&protocol).unwrap();
    first.check().unwrap();
    assert_eq!(losses, []);
    assert_eq!(first.root.as_deref(), Some("shape"));
    let shown: Vec<String> = first.types.iter().map(|named| format!("{} = {}", named.name, named.ty)).collect();
    let int = "integer -9223372036854775808..9223372036854775807";
    assert_eq!(
        shown,
        [
            "colour = Red | Green".to_string(),
            format!("pair_string = (octets, {int})"),
            "kind = Plain | Rich(pair_string, int64)".into(),
            "small = {b: uint8, s: octets}".into(),
            "shape = Dot({b: uint8, s: octets}) | Line({from: small, colour: colour, more: list of kind})".into(),
        ]
    );
    let (again, losses) = written(&first);
    assert_eq!(losses, [] as [String; 0]);
    assert!(again.contains("Green (* the best *)") || again.contains("(* the best *)\n  | Green"), "{again}");
    let (second, _) = schema(&compile("again", again.as_bytes(), &mut NoFiles).unwrap()).unwrap();
    let types =
        |schema: &Schema| -> Vec<(String, Type)> { schema.types.iter().map(|named| (named.name.clone(), named.ty.clone())).collect() };
    // Variants that took the fields of a message have a record of their own now.
    assert_eq!(types(&first), types(&second), "{again}");
}

#[test]
fn what_the_common_schema_cannot_say_is_told() {
    let text = "type t = int options \"ocaml.pp\" = \"x\" message a = { mutable x : [| t |]; y [@lazy] : string; z : Mod.name } message b = {| a | x |}";
    let read = Extprot.reader().unwrap().read(&SchemaText { name: "p", bytes: text.as_bytes(), identity: "" }, &mut NoFiles).unwrap();
    let losses: Vec<String> = read.losses.iter().map(|loss| format!("{}: {}", loss.at, loss.what)).collect();
    assert_eq!(
        losses,
        [
            "t: the option ocaml.pp",
            "a.x: `mutable`",
            "a.x: an array became a list",
            "a.y: that it is decoded on access",
            "a.z: the message Mod.name of another module is not known",
            "b: it is a view of `a`, for reading only",
            "b.x: `mutable`",
            "b.x: an array became a list",
        ]
    );
    assert_eq!(read.schema.root.as_deref(), Some("a"), "a view cannot be written");
}

/// Types that double in place of a parameter are shared by a protocol, but too large for a schema.
#[test]
fn a_schema_is_bounded() {
    let doubling: String = (1..40).map(|n| format!("type t{n} 'a = t{}<('a * 'a)>\n", n - 1)).collect();
    let text = format!("type t0 'a = ['a]\n{doubling}message m = {{ x : t39<int> }}");
    let protocol = compile("p", text.as_bytes(), &mut NoFiles).unwrap();
    assert_eq!(schema(&protocol).unwrap_err().findings[0].code, "too_large");
}

/// A random type: of named types only those below `named`, so that there is no recursion.
fn ty(rng: &mut Rng, depth: u32, named: usize, parameters: &[String]) -> Type {
    let odd = |rng: &mut Rng| match rng.u8(..8) {
        0 => "type".to_string(),
        1 => "".to_string(),
        2 => "日本".to_string(),
        3 => "A b".to_string(),
        4 => "0x".to_string(),
        n => format!("{}{}", if n == 5 { "F" } else { "f" }, rng.u8(..20)),
    };
    let bounds = |rng: &mut Rng| if rng.u8(..4) == 0 { Constraint::range(-3, rng.i64(0..i64::MAX).into()) } else { Constraint::NONE };
    let kinds = if depth == 0 { 16 } else { 26 };
    let inner = |rng: &mut Rng| Box::new(ty(rng, depth.saturating_sub(1), named, parameters));
    match rng.u8(..kinds) {
        0 => Type::Null,
        1 => Type::Bool,
        2 => Type::Int([Width::W8, Width::W16, Width::W32, Width::W64][rng.usize(..4)]),
        3 => Type::UInt([Width::W8, Width::W16, Width::W32, Width::W64][rng.usize(..4)]),
        4 => Type::Integer(bounds(rng)),
        5 => Type::Decimal,
        6 => Type::F32,
        7 => Type::F64,
        8 => Type::Text(bounds(rng)),
        9 => Type::Octets(Constraint::NONE),
        10 => Type::Bytes(bounds(rng)),
        11 => Type::ObjectIdentifier,
        12 => Type::Timestamp(TimeUnit::Millisecond),
        13 => Type::Any,
        14 if !parameters.is_empty() => Type::Parameter(parameters[rng.usize(..parameters.len())].clone()),
        15 if named > 0 => Type::Reference(format!("T{}", rng.usize(..named)), vec![]),
        14 | 15 => Type::BitString { bits: vec![], size: Constraint::NONE },
        16 => Type::List(inner(rng), bounds(rng)),
        17 => Type::Set(inner(rng), Constraint::NONE),
        18 => Type::Map(inner(rng), inner(rng)),
        19 => Type::Tuple((0..rng.usize(..4)).map(|_| *inner(rng)).collect()),
        20 => Type::Nullable(inner(rng)),
        21 => Type::Tagged { space: "cbor".into(), code: 3, inner: inner(rng) },
        22 => {
            let count = rng.usize(..4);
            let members = (0..count).map(|n| (format!("{}{n}", odd(rng)), rng.i64(0..4))).collect();
            Type::Enumeration(Enumeration { members, extensible: rng.bool() })
        }
        23 => {
            let cases = (0..rng.usize(..4))
                .map(|n| Case {
                    name: format!("{}{n}", odd(rng)),
                    id: rng.bool().then_some(n as u64),
                    carries: (0..rng.usize(..3)).map(|_| *inner(rng)).collect(),
                    doc: ["", "said *) \" (*", "one\n  two"][rng.usize(..3)].into(),
                })
                .collect();
            Type::Sum(Sum { cases, extensible: rng.bool(), untagged: false })
        }
        _ => {
            let mut fields: Vec<FieldType> = Vec::new();
            for n in 0..rng.usize(..5) {
                let name = odd(rng);
                if fields.iter().any(|field| field.name == name) {
                    continue;
                }
                let ty = *inner(rng);
                let presence = [Presence::Required, Presence::Optional, Presence::Repeated][rng.usize(..3)];
                let default = [
                    None,
                    Some(Value::UInt(300)),
                    Some(Value::Int(-1)),
                    Some(Value::F64(1e300)),
                    Some(Value::text("a\"\n\\b")),
                    Some(Value::Bool(true)),
                    Some(Value::List(vec![])),
                    Some(Value::Octets(vec![255])),
                ][rng.usize(..8)]
                .clone();
                fields.push(FieldType {
                    id: rng.bool().then_some(n as u64),
                    presence,
                    default,
                    deprecated: rng.bool(),
                    doc: ["", "(*)", "x\ny"][rng.usize(..3)].into(),
                    ..FieldType::required(name, ty)
                });
            }
            Type::Record(Record { fields, extension: rng.bool().then_some(0), unordered: rng.bool() })
        }
    }
}

#[test]
fn every_schema_becomes_a_protocol_that_is_accepted() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..1500 {
        let count = rng.usize(1..6);
        let mut types: Vec<NamedType> = (0..count).map(|n| named(&format!("T{n}"), ty(&mut rng, 3, n, &[]))).collect();
        let parameters = ["A", "a", "b"].map(str::to_string);
        let polymorphic = ty(&mut rng, 2, 0, &parameters);
        types.push(named("Poly", polymorphic));
        let root = rng.bool().then(|| format!("T{}", count - 1));
        rng.shuffle(&mut types);
        let schema = Schema { types, root };
        schema.check().unwrap();
        let (text, _) = written(&schema);
        testing::language(text.as_bytes());
    }
}

#[test]
fn every_protocol_becomes_a_schema_that_becomes_a_protocol() {
    let mut rng = Rng::with_seed(8);
    for _ in 0..500 {
        let (text, _) = testing::protocol(&mut rng, Layout::Commented);
        let (first, _) = schema(&compile("p", text.as_bytes(), &mut NoFiles).unwrap()).unwrap();
        first.check().unwrap();
        written(&first);
    }
}
