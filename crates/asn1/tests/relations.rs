//! Component relation constraints (X.682 10): ways of several names, levels, keys in places that an
//! encoding wraps or a sink skips. Each in all encodings.

use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::ber::{BerReader, BerWriter, Rules, defaults};
use polywire_asn1::jer::{Checks, Jer};
use polywire_asn1::per::{Per, Variant};
use polywire_asn1::walk::Plan;
use polywire_core::value::Value;
use polywire_core::{Budget, Field, Limits, Needs, Next, Open, Reader, Result, Scalar, Sink, Span, Tree, Writer};

mod show;

/// A class with two rows: 1 is text, 2 a pair.
const CLASS: &str = "C ::= CLASS { &id INTEGER (0..255) UNIQUE, &Type, &Sign } WITH SYNTAX { &Type, &Sign ID &id } \
    Set C ::= { { UTF8String, BOOLEAN ID 1 } | { Pair, INTEGER ID 2 }, ... } Pair ::= SEQUENCE { a INTEGER, b BOOLEAN } ";

/// Encoding with its name.
type Codec = (&'static str, Box<dyn Reader>, Box<dyn Writer>);

/// Readers and writers of a type in every encoding.
fn codecs(types: &str, name: &str) -> Vec<Codec> {
    let mut modules = Modules::new();
    modules.add("r.asn", format!("R DEFINITIONS AUTOMATIC TAGS ::= BEGIN {CLASS} {types} END").as_bytes());
    let model = modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}"));
    let ty = model.named("R", name).unwrap_or_else(|| panic!("no {name}"));
    let plan = Arc::new(Plan::new(Arc::new(model), ty).unwrap());
    let mut codecs: Vec<Codec> = Vec::new();
    let absent = Arc::new(defaults(&plan));
    for (name, rules) in [("BER", Rules::Basic), ("DER", Rules::Distinguished), ("CER", Rules::Canonical)] {
        let reader = BerReader::new(Arc::clone(&plan), Arc::clone(&absent), rules);
        codecs.push((name, Box::new(reader), Box::new(BerWriter::new(Arc::clone(&plan), Arc::clone(&absent), rules))));
    }
    for variant in [Variant::Unaligned, Variant::Aligned, Variant::Octets, Variant::CanonicalOctets] {
        let per = Per::new(Arc::clone(&plan), variant);
        codecs.push((variant.format(), Box::new(per.reader(false)), Box::new(per.writer())));
    }
    let jer = Jer::new(plan);
    codecs.push(("asn1-jer", Box::new(jer.reader(Checks::Remark)), Box::new(jer.writer())));
    codecs
}

/// Sink that skips the fields of one name.
struct Without<'n, 'm> {
    name: &'n str,
    tree: Tree<'m>,
}

impl<'m> Sink<'m> for Without<'_, 'm> {
    fn needs(&self) -> Needs {
        self.tree.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.tree.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if field.name.get() == self.name { Ok(Next::Skip) } else { self.tree.field(field, at) }
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tree.scalar(value, at)
    }

    fn part(&mut self, part: polywire_core::Part<'_>, at: Span) -> Result<()> {
        self.tree.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.tree.close(at)
    }
}

fn shown(reader: &mut dyn Reader, bytes: &[u8], without: &str) -> String {
    let mut sink = Without { name: without, tree: Tree::new() };
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).unwrap_or_else(|error| panic!("{error}"));
    let mut out = String::new();
    show::show(sink.tree.root().expect("a value"), &mut out);
    out
}

/// Writes a value in each encoding and reads it again, as a whole and without a field.
fn holds(types: &str, value: &Value, expected: &str, without: &str, rest: &str) {
    for (name, mut reader, mut writer) in codecs(types, "T") {
        let mut bytes = Vec::new();
        value.emit(&mut *writer).unwrap_or_else(|error| panic!("{name}: {error}"));
        writer.finish(&mut bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(shown(&mut *reader, &bytes, ""), expected, "{name}");
        assert_eq!(shown(&mut *reader, &bytes, without), rest, "{name} without {without}");
    }
}

fn case(name: &str, index: u32, value: Value) -> Value {
    Value::Variant { name: name.to_string(), index, values: vec![value] }
}

fn pair() -> Value {
    Value::record([("a", Value::int(5)), ("b", Value::Bool(true))])
}

#[test]
fn a_key_lies_in_a_structure_beside() {
    // As PKIX1Explicit-2009 has it: the key of `signature` is in a structure that has ended.
    let types = "T ::= SEQUENCE { algorithm SEQUENCE { id C.&id ({Set}), parameters C.&Type ({Set}{@algorithm.id}) OPTIONAL }, \
        signature BIT STRING (CONTAINING C.&Sign ({Set}{@algorithm.id})), open C.&Type ({Set}{@algorithm.id}) }";
    let value = |id: i64, parameters: Value, signature: Value, open: Value| {
        let algorithm = Value::record([("id", Value::int(id)), ("parameters", parameters)]);
        Value::record([("algorithm", algorithm), ("signature", signature), ("open", open)])
    };
    holds(
        types,
        &value(2, pair(), Value::int(7), pair()),
        r#"{"algorithm":{"id":2,"parameters":{"a":5,"b":true}},"signature":7,"open":{"a":5,"b":true}}"#,
        "algorithm",
        r#"{"signature":7,"open":{"a":5,"b":true}}"#,
    );
    holds(
        types,
        &value(1, Value::text("x"), Value::Bool(true), Value::text("yz")),
        r#"{"algorithm":{"id":1,"parameters":"x"},"signature":true,"open":"yz"}"#,
        "id",
        r#"{"algorithm":{"parameters":"x"},"signature":true,"open":"yz"}"#,
    );
}

#[test]
fn a_way_begins_at_the_outermost_type_of_the_text() {
    // As X.511 has it: from the CHOICE down to a component of the alternative.
    let types = "T ::= CHOICE { other NULL, substrings SEQUENCE { type C.&id ({Set}), strings SEQUENCE OF CHOICE { \
        initial C.&Type ({Set}{@substrings.type}), any C.&Type ({Set}{@substrings.type}) } } }";
    let strings = Value::List(vec![case("any", 1, pair()), case("initial", 0, pair())]);
    let value = case("substrings", 1, Value::record([("type", Value::int(2)), ("strings", strings)]));
    holds(
        types,
        &value,
        r#"{"substrings":{"type":2,"strings":[{"any":{"a":5,"b":true}},{"initial":{"a":5,"b":true}}]}}"#,
        "type",
        r#"{"substrings":{"strings":[{"any":{"a":5,"b":true}},{"initial":{"a":5,"b":true}}]}}"#,
    );
    // Two components of the name: `@id` is the outer one, `@.id` the inner, `@..id` the outer.
    let types = "T ::= SEQUENCE { id C.&id ({Set}), in SEQUENCE { id C.&id ({Set}), outer C.&Type ({Set}{@id}), \
        inner C.&Type ({Set}{@.id}), up C.&Type ({Set}{@..id}) } }";
    let within = [("id", Value::int(2)), ("outer", Value::text("o")), ("inner", pair()), ("up", Value::text("u"))];
    let value = Value::record([("id", Value::int(1)), ("in", Value::record(within))]);
    holds(
        types,
        &value,
        r#"{"id":1,"in":{"id":2,"outer":"o","inner":{"a":5,"b":true},"up":"u"}}"#,
        "id",
        r#"{"in":{"outer":"o","inner":{"a":5,"b":true},"up":"u"}}"#,
    );
    // The text of a type with parameters is its own.
    let types = "T ::= SEQUENCE { id C.&id ({Set}), in In {{Set}} } \
        In { C: S } ::= SEQUENCE { id C.&id ({S}), value C.&Type ({S}{@id}) }";
    let value = Value::record([("id", Value::int(1)), ("in", Value::record([("id", Value::int(2)), ("value", pair())]))]);
    let rest = r#"{"in":{"value":{"a":5,"b":true}}}"#;
    holds(types, &value, r#"{"id":1,"in":{"id":2,"value":{"a":5,"b":true}}}"#, "id", rest);
}

#[test]
fn a_way_leads_through_an_alternative_and_an_addition() {
    // The key is in an alternative of a choice, which is an addition: an open type of PER and OER.
    let types = "T ::= SEQUENCE { n NULL, ..., key CHOICE { none NULL, some SEQUENCE { deep SEQUENCE { id C.&id ({Set}) } } }, \
        value C.&Type ({Set}{@key.some.deep.id}) }";
    let some = case("some", 1, Value::record([("deep", Value::record([("id", Value::int(2))]))]));
    let value = Value::record([("n", Value::Null), ("key", some), ("value", pair())]);
    holds(
        types,
        &value,
        r#"{"n":null,"key":{"some":{"deep":{"id":2}}},"value":{"a":5,"b":true}}"#,
        "key",
        r#"{"n":null,"value":{"a":5,"b":true}}"#,
    );
    // A group of additions, whose key is skipped.
    let types = "T ::= SEQUENCE { n NULL, ..., [[ key SEQUENCE { ..., [[ id C.&id ({Set}) ]] }, value C.&Type ({Set}{@key.id}) ]] }";
    let value = Value::record([("n", Value::Null), ("key", Value::record([("id", Value::int(1))])), ("value", Value::text("t"))]);
    holds(types, &value, r#"{"n":null,"key":{"id":1},"value":"t"}"#, "key", r#"{"n":null,"value":"t"}"#);
}

#[test]
fn a_key_that_is_not_there_leaves_octets() {
    let types = "T ::= SEQUENCE { key CHOICE { none NULL, some SEQUENCE { id C.&id ({Set}) } }, value C.&Type ({Set}{@key.some.id}) }";
    for (name, mut reader, mut writer) in codecs(types, "T") {
        // A complete encoding of NULL in BER, a text in JER, and a single octet elsewhere.
        let octets = show::bytes(match name {
            "asn1-jer" => "37",
            name if name.ends_with("ER") => "0500",
            _ => "07",
        });
        let value = Value::record([("key", case("none", 0, Value::Null)), ("value", Value::Bytes(octets.clone()))]);
        let mut bytes = Vec::new();
        value.emit(&mut *writer).unwrap();
        writer.finish(&mut bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(shown(&mut *reader, &bytes, ""), format!(r#"{{"key":{{"none":null}},"value":"0x{}"}}"#, show::hex(&octets)), "{name}");
    }
}
