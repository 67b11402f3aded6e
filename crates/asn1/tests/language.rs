//! ASN.1 as a schema language: reading, writing, layout, imports.

use std::collections::BTreeMap;
use std::io;

use polywire_asn1::language::Asn1;
use polywire_core::schema::language::{ReadSchema, SchemaLanguage, SchemaReader, SchemaText};
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::{Loaded, Loader, NoFiles};
use polywire_core::value::Value;

const TICKETS: &str = include_str!("../../../testdata/asn1/Tickets.asn");

fn text<'t>(name: &'t str, text: &'t str) -> SchemaText<'t> {
    SchemaText { name, bytes: text.as_bytes(), identity: "" }
}

fn read(source: &str) -> ReadSchema {
    Asn1.read(&text("a.asn", source), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"))
}

fn format(source: &str) -> String {
    Asn1.format(&text("a.asn", source)).unwrap_or_else(|found| panic!("{found}"))
}

fn field<'s>(schema: &'s Schema, of: &str, name: &str) -> &'s FieldType {
    let Some(Type::Record(record)) = schema.get(of) else { panic!("no record {of}") };
    record.fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("no field {of}.{name}"))
}

/// Files in memory. With a text, a folder of the name before its last `/`.
#[derive(Default)]
struct Memory {
    files: BTreeMap<String, String>,
    include: Vec<String>,
}

impl Memory {
    fn of(files: &[(&str, &str)], include: &[&str]) -> Memory {
        let files = files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        Memory { files, include: include.iter().map(ToString::to_string).collect() }
    }
}

impl Loader for Memory {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        let text = self.files.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Loaded { bytes: text.clone().into_bytes(), identity: format!("/{path}") })
    }

    fn include(&self) -> &[String] {
        &self.include
    }

    fn list(&mut self, folder: &str, deep: bool) -> Vec<String> {
        let folder = if folder == "." { String::new() } else { format!("{folder}/") };
        let within = self.files.keys().filter(|path| path.strip_prefix(&folder).is_some_and(|rest| deep || !rest.contains('/')));
        within.cloned().collect()
    }
}

#[test]
fn modules_become_a_common_schema() {
    let ReadSchema { schema, losses, warnings, .. } = read(TICKETS);
    schema.check().unwrap();
    assert_eq!((schema.root.as_deref(), warnings.len()), (Some("Sale"), 0));
    assert_eq!(field(&schema, "Sale", "serial").ty.to_string(), "integer 1..4294967295");
    let state = field(&schema, "Sale", "state");
    assert_eq!((state.presence, state.ty.to_string().as_str()), (Presence::Optional, "State"));
    assert_eq!(state.default, Some(Value::Variant { name: "reserved".into(), index: 0, values: Vec::new() }));
    assert_eq!(field(&schema, "Sale", "seats").ty.to_string(), "list of Seat 1..10");
    // Two names of the additions are there together or not at all, but one of them is optional.
    assert_eq!(field(&schema, "Sale", "points").presence, Presence::Optional);
    let Some(Type::Record(sale)) = schema.get("Sale") else { panic!() };
    assert_eq!((sale.extension, sale.fields[5].name.as_str()), (Some(6), "parts"));
    let Type::Text(place) = &field(&schema, "Seat", "place").ty else { panic!() };
    assert_eq!((place.low, place.high, place.alphabet.as_deref()), (Some(1), Some(3), Some("0123456789ABCDEF")));
    let Some(Type::Sum(price)) = schema.get("Price") else { panic!() };
    let cases: Vec<(&str, usize)> = price.cases.iter().map(|case| (case.name.as_str(), case.carries.len())).collect();
    assert_eq!((cases, price.extensible, price.untagged), (vec![("cents", 1), ("free", 0), ("points", 1)], true, false));
    // An instance of a type with parameters has the name of that type.
    assert_eq!(field(&schema, "Sale", "parts").ty.to_string(), "list of Part 0..8");
    let lost: Vec<&str> = losses.iter().map(|loss| loss.at.as_str()).collect();
    // The size of a UTF8String and the absence of an alternative are nothing that PER sees.
    assert_eq!(lost, ["Sale.voucher", "Note", "Small", "Part.body"], "{losses:?}");
}

#[test]
fn a_recursive_schema_has_an_end() {
    let schema = read(
        "M DEFINITIONS ::= BEGIN
         Filter ::= CHOICE { and [0] SET OF Filter, not [1] Filter, plain [2] BOOLEAN }
         Tree{T} ::= SEQUENCE { value T, next Tree{T} OPTIONAL, all SEQUENCE OF Tree{T} }
         Nest ::= SEQUENCE OF Nest
         Wood ::= SEQUENCE { tree Tree{INTEGER (0..255)} }
         END",
    )
    .schema;
    schema.check().unwrap();
    assert_eq!(schema.get("Filter").unwrap().to_string(), "and(set of Filter) | not(Filter) | plain(bool)");
    assert_eq!(field(&schema, "Wood", "tree").ty.to_string(), "Tree");
    assert_eq!(schema.get("Tree").unwrap().to_string(), "{value: uint8, next?: Tree, all: list of Tree}");
    assert_eq!(schema.get("Nest").unwrap().to_string(), "list of Nest");
}

#[test]
fn comments_become_documentation() {
    let schema = read(
        "M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
         -- far away

         -- One seat
         --   of a row.
         Seat ::= SEQUENCE {
           row INTEGER, -- from the stage
           /* letters and digits */
           place UTF8String
         }
         END",
    )
    .schema;
    assert_eq!(schema.types[0].doc, "One seat\nof a row.");
    assert_eq!(field(&schema, "Seat", "row").doc, "from the stage");
    assert_eq!(field(&schema, "Seat", "place").doc, "letters and digits");
}

/// Every type that ASN.1 has, and some that it lacks.
fn every_type() -> Schema {
    let named = |name: &str, ty| NamedType { name: name.into(), doc: String::new(), ty };
    let case = |name: &str, carries: Vec<Type>| Case { name: name.into(), id: None, carries, doc: String::new() };
    let enumeration = Enumeration { members: vec![("red".into(), 7), ("light-green".into(), -2)], extensible: true };
    let sum = Sum { cases: vec![case("none", vec![]), case("one", vec![Type::Bool])], extensible: true, untagged: false };
    let bits = Type::BitString { bits: vec![("first".into(), 0), ("last".into(), 9)], size: Constraint::range(10, 10) };
    let mut fields = vec![
        FieldType { default: Some(Value::Bool(true)), ..FieldType::required("truth", Type::Bool).optional() },
        FieldType::required("small", Type::Int(Width::W8)),
        FieldType::required("large", Type::UInt(Width::W64)),
        FieldType::required("half-open", Type::Integer(Constraint { low: Some(-5), ..Constraint::NONE })),
        FieldType::required("grows", Type::Integer(Constraint { extensible: true, ..Constraint::range(1, 9) })),
        FieldType::required("real", Type::F64),
        FieldType::required("text", Type::Text(Constraint::NONE)),
        FieldType::required("letters", Type::Text(Constraint { alphabet: Some("\"ab".into()), ..Constraint::NONE })),
        FieldType::required("printable", Type::Text(Constraint { alphabet: Some(printable()), ..Constraint::range(3, 3) })),
        FieldType::required("bytes", Type::Bytes(Constraint { extensible: true, ..Constraint::range(0, 4) })),
        FieldType::required("bits", bits),
        FieldType::required("oid", Type::ObjectIdentifier),
        FieldType::required("time", Type::Timestamp(TimeUnit::Nanosecond)),
        FieldType::required("list", Type::List(Box::new(Type::Reference("Colour".into(), vec![])), Constraint::range(1, 100))),
        FieldType::required("set", Type::Set(Box::new(Type::Null), Constraint::NONE)),
        FieldType::required("case", Type::Reference("Case".into(), vec![])),
        FieldType::required("self", Type::Reference("Root".into(), vec![])).optional(),
    ];
    let colour = Value::Variant { name: "light-green".into(), index: 1, values: vec![] };
    let shown = FieldType::required("colour", Type::Reference("Colour".into(), vec![])).optional();
    fields.push(FieldType { default: Some(colour), ..shown });
    let record = Record { extension: Some(15), fields, unordered: false };
    let fields = vec![FieldType::required("later", Type::Bool)];
    let set = Record { extension: Some(1), fields, unordered: true };
    Schema {
        types: vec![
            named("Root", Type::Record(record)),
            named("Colour", Type::Enumeration(enumeration)),
            named("Case", Type::Sum(sum)),
            named("Unordered", Type::Record(set)),
        ],
        root: Some("Root".into()),
    }
}

fn printable() -> String {
    let letters = (' '..='z').filter(|letter| letter.is_ascii_alphanumeric() || " '()+,-./:=?".contains(*letter));
    letters.collect()
}

#[test]
fn a_written_schema_reads_as_it_was() {
    let mut schema = every_type();
    let (written, losses) = Asn1.write(&schema).unwrap();
    assert_eq!(losses, [], "{written}");
    assert_eq!(format(&written), written);
    let mut back = read(&written).schema;
    // Additions are optional, for older messages lack them, and a real has no width. The order of
    // numbers is that of the module's own.
    let Type::Record(root) = &mut schema.types[0].ty else { panic!() };
    root.fields[15] = root.fields[15].clone().optional();
    let Some(named) = schema.types.iter_mut().find(|named| named.name == "Colour") else { panic!() };
    let Type::Enumeration(colour) = &mut named.ty else { panic!() };
    colour.members.sort_by_key(|(_, number)| *number);
    back.types.retain(|named| named.name != "Float64");
    let Some(NamedType { ty: Type::Record(root), .. }) = back.types.first_mut() else { panic!() };
    let Some(Value::Variant { index, .. }) = &mut root.fields[17].default else { panic!() };
    *index = 1;
    assert_eq!(back, schema, "{written}");
}

#[test]
fn names_and_types_that_asn1_lacks_are_named_losses() {
    let case = |name: &str, carries: Vec<Type>| Case { name: name.into(), id: None, carries, doc: String::new() };
    let either = Sum { cases: vec![case("a", vec![Type::Bool]), case("b", vec![Type::Null])], untagged: true, ..Sum::default() };
    let colour = Enumeration { members: vec![("RED".into(), 1), ("ROT".into(), 1)], extensible: false };
    let fields = vec![
        FieldType::required("first_name", Type::Text(Constraint::NONE)),
        FieldType::required("first.name", Type::Any),
        FieldType::required("Map", Type::Map(Box::new(Type::Text(Constraint::NONE)), Box::new(Type::F32))),
        FieldType::required("pair", Type::Tuple(vec![Type::Bool, Type::Nullable(Box::new(Type::Decimal))])),
        FieldType::required("either", Type::Sum(either)),
        FieldType::required("colour", Type::Enumeration(colour)),
        FieldType { presence: Presence::Repeated, ..FieldType::required("marks", Type::Octets(Constraint::NONE)) },
    ];
    let ty = Type::Record(Record { fields, ..Record::default() });
    let schema = Schema { types: vec![NamedType { name: "my.odd_type".into(), doc: "Odd -- very --".into(), ty }], root: None };
    let (written, losses) = Asn1.write(&schema).unwrap();
    let lost: Vec<String> = losses.iter().map(|loss| format!("{}: {}", loss.at, loss.what)).collect();
    let expected = [
        "my.odd_type: its name became `My-odd-type`",
        "my.odd_type.first_name: its name became `first-name`",
        "my.odd_type.first.name: its name became `first-name-2`",
        "my.odd_type.first.name: a value of any type became text",
        "my.odd_type.Map: its name became `map`",
        "my.odd_type.Map: a map became a list of pairs",
        "my.odd_type.pair: values without names got names: `item-1` and so on",
        "my.odd_type.marks: text in an unknown character set became bytes",
        "my.odd_type.colour.ROT: left out: another name has its number 1 too",
        "my.odd_type.colour.RED: its name became `red`",
        "my.odd_type.either: the bytes name the case, which the values did not",
    ];
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(lost), sorted(expected.map(str::to_string).to_vec()), "{written}");
    read(&written);
    for part in ["-- Odd - - very - -\n", "value Decimal", "SEQUENCE OF OCTET STRING", "Float32 ::= REAL (WITH COMPONENTS {"] {
        assert!(written.contains(part), "{part} in {written}");
    }
}

#[test]
fn polymorphic_types_have_parameters() {
    let parameter = || Type::Parameter("a".into());
    let pair =
        Record { fields: vec![FieldType::required("one", parameter()), FieldType::required("two", parameter())], ..Record::default() };
    let fields = vec![FieldType::required("pair", Type::Reference("Pair".into(), vec![Type::Bool]))];
    let root = Record { fields, ..Record::default() };
    let named = |name: &str, ty| NamedType { name: name.into(), doc: String::new(), ty };
    let types = vec![named("Pair", Type::Record(pair)), named("Root", Type::Record(root))];
    let (written, losses) = Asn1.write(&Schema { types, root: Some("Root".into()) }).unwrap();
    assert!(losses.is_empty() && written.contains("Pair {A} ::= SEQUENCE"), "{written}");
    assert_eq!(read(&written).schema.get("Pair").unwrap().to_string(), "{one: bool, two: bool}");
}

#[test]
fn a_text_has_one_layout() {
    let once = format(TICKETS);
    assert_eq!(format(&once), once);
    assert_eq!(read(&once).schema, read(TICKETS).schema);
    let untidy = "M{iso(1) 2}DEFINITIONS::=BEGIN EXPORTS;IMPORTS a,B FROM N c FROM O;
-- of A
A::=SEQUENCE{a [0]INTEGER(1..2)--first--,b B{{C}}({D}{@.a})OPTIONAL-- last
,c NULL}\n\n\nn INTEGER::=-5\nE::=ENUMERATED{x(1),...}END";
    let expected = "M { iso(1) 2 } DEFINITIONS ::=
BEGIN

EXPORTS;

IMPORTS
  a, B
    FROM N
  c
    FROM O;

-- of A
A ::= SEQUENCE {
  a [0] INTEGER (1..2), --first--
  b B {{C}} ({D}{@.a}) OPTIONAL, -- last
  c NULL
}

n INTEGER ::= -5
E ::= ENUMERATED { x(1), ... }

END
";
    assert_eq!(format(untidy), expected);
    assert_eq!(format(expected), expected);
}

#[test]
fn a_broken_text_has_no_layout() {
    for (source, at) in [("this is no schema", "a.asn:1:1"), ("M DEFINITIONS ::= BEGIN\nA ::= SEQUENCE { a }\nEND", "a.asn:2:20")] {
        let found: Diagnostics = Asn1.format(&text("a.asn", source)).unwrap_err();
        assert!(found.to_string().contains(at), "{found}");
    }
}

#[test]
fn imports_are_found_by_the_names_of_modules() {
    let main = "Main DEFINITIONS ::= BEGIN IMPORTS A FROM Near B FROM Far {1 2 7} C FROM Gone; R ::= SEQUENCE { a A, b B, c C } END";
    let near = "Near DEFINITIONS ::= BEGIN IMPORTS D FROM Deep; A ::= D END";
    let far = |size: u32| format!("Far {{1 2 {size}}} DEFINITIONS ::= BEGIN B ::= INTEGER (0..{size}) END");
    let files = [
        ("dir/other-name.asn", near),
        ("dir/broken.asn", "Near nothing"),
        ("lib/y2008/Far.asn", &far(6)),
        ("lib/y2012/Far.asn", &far(7)),
        ("lib/y2016/Far.asn", &far(8)),
        ("lib/deep.ASN1", "Deep DEFINITIONS ::= BEGIN D ::= BOOLEAN END"),
        ("lib/Far.txt", "no module"),
    ];
    let read = Asn1.read(&text("dir/main.asn", main), &mut Memory::of(&files, &["lib"])).unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(read.schema.get("B").unwrap().to_string(), "integer 0..7");
    assert_eq!(read.schema.get("A").unwrap().to_string(), "bool");
    let warned: Vec<&str> = read.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!((warned, read.losses[0].at.as_str()), (vec!["missing_module"], "R.c"));
    // A file may be named as an include folder.
    let read = Asn1.read(&text("dir/main.asn", main), &mut Memory::of(&files, &["lib/deep.ASN1", "lib/y2016/Far.asn"]));
    assert_eq!(read.unwrap_or_else(|found| panic!("{found}")).schema.get("B").unwrap().to_string(), "integer 0..8");
}

#[test]
fn mistakes_of_imported_modules_count_where_they_are_used() {
    let lib = "Lib {1 5} DEFINITIONS ::= BEGIN P{T} ::= SEQUENCE OF T Bad ::= Nowhere Good ::= INTEGER Ugly ::= SEQUENCE { a } END";
    let files = [("Lib.asn", lib)];
    let try_it = |oid: &str, uses: &str| {
        let main = format!("Main DEFINITIONS ::= BEGIN IMPORTS Good, Bad, Ugly, Lost, P FROM Lib {oid}; R ::= SEQUENCE {{ r {uses} }} END");
        Asn1.read(&text("main.asn", &main), &mut Memory::of(&files, &[]))
    };
    let warned = |oid: &str, uses: &str| {
        let read = try_it(oid, uses).unwrap_or_else(|found| panic!("{found}"));
        read.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    let refused = |oid: &str, uses: &str| try_it(oid, uses).unwrap_err().to_string();
    assert_eq!(warned("{1 5}", "Good"), ["unexpected_word"]);
    assert!(refused("{1 5}", "Bad").contains("Lib.asn:1:64: `Nowhere` is not defined"), "{}", refused("{1 5}", "Bad"));
    assert!(refused("{1 5}", "Ugly").contains("does not define `Ugly`") && refused("{1 5}", "Lost").contains("does not define `Lost`"));
    // An import that names another edition may be right about it.
    assert_eq!(warned("{1 6}", "Lost"), ["other_edition", "unexpected_word"]);
    assert_eq!(warned("{1 6}", "P{Good, Good}"), ["other_edition", "unexpected_word"]);
    assert!(refused("{1 5}", "P{Good, Good}").contains("`P` has 1 parameters, and 2 are given"));
}

#[test]
fn odd_forms_are_cautions() {
    let source = "M DEFINITIONS ::= BEGIN
         A :: = OCTET STRING SIZE (4)
         one\u{2013}two A ::= '00000000'H
         END";
    let ReadSchema { schema, warnings, .. } = read(source);
    assert_eq!(schema.get("A").unwrap().to_string(), "bytes 4..4");
    let codes: Vec<&str> = warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["bare_size", "odd_name"], "{warnings:?}");
}
