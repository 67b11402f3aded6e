//! JER: texts of a judge both ways, later versions, mistakes with their places, and hostile
//! messages.

use std::sync::Arc;

use polywire_asn1::jer::{Checks, Jer};
use polywire_asn1::per::{Per, Variant};
use polywire_core::walk::{Indent, Layout};
use polywire_core::{
    Budget, Error, ErrorKind, Field, Limits, Needs, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span, Tree, Writer,
};

mod jer_bytes;
mod plainly;
mod show;

use plainly::{Plainly, plan, resolved};
use show::{bytes, hex, show};

const PACKED: &str = include_str!("../../../testdata/asn1/Packed.asn");
const VECTORS: &str = include_str!("../../../testdata/asn1/packed-jer.txt");
const BITS: &str = include_str!("../../../testdata/asn1/packed.txt");

/// Prepares a type of assignments.
fn module(assignments: &str, name: &str) -> Jer {
    Jer::new(plan(&resolved(&format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {assignments} END")), name))
}

fn walk<'m>(jer: &Jer, text: &'m str, sink: &mut dyn Sink<'m>) -> Result<()> {
    jer.reader(Checks::Remark).walk(text.as_bytes(), 0, sink, &mut Budget::new(&Limits::DEFAULT))
}

fn read(jer: &Jer, text: &str) -> Result<String> {
    let mut tree = Tree::new();
    walk(jer, text, &mut tree)?;
    let mut out = String::new();
    show(tree.root().unwrap(), &mut out);
    Ok(out)
}

fn through(jer: &Jer, text: &str, writer: &mut dyn Writer) -> Result<String> {
    let mut out = Vec::new();
    let mut sink = Plainly(writer);
    walk(jer, text, &mut sink)?;
    writer.finish(&mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn judges_texts_come_back() {
    let model = resolved(PACKED);
    let mut count = 0;
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split('\t').collect();
        let [name, text, value] = words[..] else { panic!("{line}") };
        let jer = Jer::new(plan(&model, name));
        assert_eq!(read(&jer, text).unwrap_or_else(|error| panic!("{line}: {error}")), value, "{line}");
        assert_eq!(through(&jer, text, &mut jer.relay()).unwrap(), text);
        assert_eq!(through(&jer, text, &mut jer.writer()).unwrap(), text);
        count += 1;
    }
    assert!(count > 200, "{count}");
}

/// Values are those of the other encodings: bits become text, and the same bits again.
#[test]
fn messages_of_per_come_back_through_jer() {
    let model = resolved(PACKED);
    let mut count = 0;
    for line in BITS.lines().filter(|line| !line.starts_with('#')) {
        let [name, bits, ..] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        // PER sorts it, and the judge of these bits does not.
        if name == "Many" {
            continue;
        }
        let plan = plan(&model, name);
        let (per, jer) = (Per::new(Arc::clone(&plan), Variant::Unaligned), Jer::new(plan));
        let (mut text, mut again) = (Vec::new(), Vec::new());
        let mut writer = jer.writer();
        per.reader(false).walk(&bytes(bits), 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        writer.finish(&mut text).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(writer.losses().is_empty(), "{line}");
        let mut writer = per.writer();
        walk(&jer, std::str::from_utf8(&text).unwrap(), &mut writer).unwrap_or_else(|error| panic!("{line}: {error}"));
        writer.finish(&mut again).unwrap();
        assert_eq!(hex(&again), bits, "{line}");
        count += 1;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn members_come_in_any_order() {
    let jer = Jer::new(plan(&resolved(PACKED), "Item"));
    let text = r#" { "value" : {"d":null,"a":5,"\u0063":"red"} , "id":1 } "#;
    assert_eq!(read(&jer, text).unwrap(), r#"{"value":{"d":null,"a":5,"c":"red"},"id":1}"#);
    assert_eq!(through(&jer, text, &mut jer.writer()).unwrap(), r#"{"id":1,"value":{"a":5,"c":"red","d":null}}"#);
    // No row has the number: the text of the value is its bytes.
    for (value, shown) in [("[1, {}]", "\"0x5b312c207b7d5d\""), ("\"00ff\"", "\"0x00ff\""), ("\"3135\"", "\"0x223331333522\"")] {
        let text = format!("{{\"id\":9,\"value\":{value}}}");
        assert_eq!(read(&jer, &text).unwrap(), format!("{{\"id\":9,\"value\":{shown}}}"));
        assert_eq!(through(&jer, &text, &mut jer.writer()).unwrap(), text.replace("ff", "FF"));
    }
    // The column of the values may be behind the open type, and a choice.
    let jer = module(
        "KEY ::= CLASS { &key Key, &Type } Key ::= CHOICE { local INTEGER, global OBJECT IDENTIFIER }
         All KEY ::= { { &key local:7, &Type BOOLEAN } | { &key global:{1 2 3}, &Type INTEGER } }
         A ::= SEQUENCE { value [0] KEY.&Type ({All}{@key}), key KEY.&key ({All}) }",
        "A",
    );
    for text in [r#"{"value":true,"key":{"local":7}}"#, r#"{"value":5,"key":{"global":"1.2.3"}}"#] {
        assert_eq!(through(&jer, text, &mut jer.writer()).unwrap(), text);
    }
}

#[test]
fn numbers_of_every_kind() {
    let jer = module("A ::= REAL", "A");
    for (text, shown, written) in [
        ("1.5", "1.5", "1.5"),
        ("-3", "-3.0", "-3.0"),
        ("1e300", "1e300", "1e300"),
        ("\"-0\"", "-0.0", "\"-0\""),
        ("-0", "-0.0", "\"-0\""),
        ("\"INF\"", "\"F64(inf, Hint(None))\"", "\"INF\""),
        ("\"-INF\"", "\"F64(-inf, Hint(None))\"", "\"-INF\""),
        ("\"NaN\"", "\"F64(NaN, Hint(None))\"", "\"NaN\""),
        ("0.1000000000000000000001", "0.1000000000000000000001", "0.1000000000000000000001"),
        ("9007199254740993", "9007199254740993.0", "9007199254740993.0"),
        ("{\"base10Value\":1.50}", "1.5", "{\"base10Value\":15e-1}"),
        ("{ \"base10Value\" : \"-2e3\" }", "-2000.0", "{\"base10Value\":-2e3}"),
    ] {
        assert_eq!(read(&jer, text).unwrap_or_else(|error| panic!("{text}: {error}")), shown, "{text}");
        assert_eq!(through(&jer, text, &mut jer.writer()).unwrap(), written, "{text}");
    }
    let jer = module("A ::= INTEGER { one(1) }", "A");
    for (text, written) in [
        ("-0", "0"),
        ("-123456789012345678901234567890", "-123456789012345678901234567890"),
        ("18446744073709551615", "18446744073709551615"),
    ] {
        assert_eq!(through(&jer, text, &mut jer.writer()).unwrap(), written);
    }
}

#[test]
fn parts_of_a_later_version_are_written_back() {
    let jer = module(
        "A ::= SEQUENCE { a INTEGER, ..., b B OPTIONAL, c C OPTIONAL } B ::= ENUMERATED { x, ... } C ::= CHOICE { n NULL, ..., s BOOLEAN }",
        "A",
    );
    let text = r#"{"a":1,"b":"later","c":{"other":[1, 2]},"d":{"e":null},"f":"x"}"#;
    assert_eq!(read(&jer, text).unwrap(), r#"{"a":1,"b":"later","c":{"other":"0x5b312c20325d"}}"#);
    assert_eq!(through(&jer, text, &mut jer.relay()).unwrap(), text);
    let mut writer = jer.writer();
    let error = through(&jer, text, &mut writer).unwrap_err();
    assert!(error.to_string().contains("`later`"), "{error}");
    writer.reset();
    let text = text.replace("\"b\":\"later\",", "");
    assert_eq!(through(&jer, &text, &mut writer).unwrap(), r#"{"a":1,"c":{"other":[1, 2]}}"#);
    assert_eq!(writer.losses().len(), 2);
}

fn refused(jer: &Jer, text: &str) -> Error {
    match read(jer, text) {
        Ok(value) => panic!("{text} is read as {value}"),
        Err(error) => error,
    }
}

#[test]
fn mistakes_have_their_places() {
    let jer = module(
        "A ::= SEQUENCE { a INTEGER OPTIONAL, b BOOLEAN OPTIONAL, e ENUMERATED { x, y } OPTIONAL, o OCTET STRING OPTIONAL,
            f BIT STRING (SIZE (9)) OPTIONAL, v BIT STRING OPTIONAL, c CHOICE { n NULL } OPTIONAL, l SEQUENCE OF NULL OPTIONAL,
            i OBJECT IDENTIFIER OPTIONAL, d DATE OPTIONAL, r REAL OPTIONAL, k OCTET STRING (CONTAINING BOOLEAN) OPTIONAL, z NULL OPTIONAL }
         B ::= SEQUENCE { must INTEGER }",
        "A",
    );
    for (text, place, words) in [
        (r#"{"a":1.5}"#, 5, "a whole number without a point and an exponent (X.697 21), saw `1.5`"),
        (r#"{"a":"1"}"#, 5, "expected a number, as the type is INTEGER, saw a string"),
        (r#"{"a":null}"#, 5, "saw null"),
        (r#"{"a":01}"#, 5, "leading zeros"),
        (r#"{"a":1,"a":2}"#, 7, "a second member `a`"),
        (r#"{"q":1}"#, 1, "a component: a, b, e, o, f, v, c, l, …, saw the member `q`"),
        (r#"{"b":1}"#, 5, "true or false"),
        (r#"{"e":"z"}"#, 5, "an enumerator: x, y, saw `z`"),
        (r#"{"e":0}"#, 5, "a string"),
        (r#"{"o":"abc"}"#, 5, "hexadecimal digits, two for each octet"),
        (r#"{"o":"0g"}"#, 5, "hexadecimal digits"),
        (r#"{"f":"ff"}"#, 5, "1 octets for 9 bits"),
        (r#"{"f":"ffff"}"#, 5, "bits behind the last that are not 0"),
        (r#"{"v":"ff"}"#, 5, "an object of `value` and `length`"),
        (r#"{"v":{"value":"ff"}}"#, 5, "both"),
        (r#"{"v":{"value":"ff","value":"ff"}}"#, 19, "each once"),
        (r#"{"v":{"value":"ff","length":9}}"#, 5, "1 octets for 9 bits"),
        (r#"{"v":{"value":"ff","length":-1}}"#, 28, "the number of bits"),
        (r#"{"c":{"m":null}}"#, 6, "an alternative: n, saw the member `m`"),
        (r#"{"c":{"n":null,"n":null}}"#, 14, "one member"),
        (r#"{"c":{}}"#, 6, "a string"),
        (r#"{"l":[null,]}"#, 11, "a value"),
        (r#"{"l":[null}"#, 10, "',' or ']'"),
        (r#"{"i":"1.2.x"}"#, 5, "arcs with points between"),
        (r#"{"d":"2020-1-1"}"#, 5, "DATE"),
        (r#"{"r":"inf"}"#, 5, "-0, INF, -INF, NaN"),
        (r#"{"r":{"base2Value":1}}"#, 6, "the member `base10Value`, saw the member `base2Value`"),
        (r#"{"r":{"base10Value":"x"}}"#, 20, "the digits of a number"),
        (r#"{"k":"ff"}"#, 5, "an object with the member `containing`"),
        (r#"{"k":{"containing":true"#, 23, "'}'"),
        (r#"{"z":0}"#, 5, "null"),
        (r#"{"a":1}x"#, 7, "the end of the message"),
        (r#"{"a":1"#, 6, "',' or '}'"),
        (r#"{"a" 1}"#, 5, "':'"),
        ("", 0, "a value"),
    ] {
        let error = refused(&jer, text);
        assert_eq!((error.offset(), error.format()), (Some(place), Some("asn1-jer")), "{text}: {error}");
        assert!(error.to_string().contains(words), "{text}: {error}");
    }
    let error = refused(&module("B ::= SEQUENCE { must INTEGER }", "B"), "{ }");
    assert!(error.to_string().contains("the component `must` of type INTEGER"), "{error}");
    let error = jer.reader(Checks::Remark).walk(b"{\"a\xff\":1}", 0, &mut Tree::new(), &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Encoding, Some(3)));
}

/// Notes that are made for an inspection.
#[derive(Default)]
struct Remarks(Vec<String>);

impl<'m> Sink<'m> for Remarks {
    fn needs(&self) -> Needs {
        Needs::GUESSES
    }

    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        if let Note::Meaning(text) = note {
            self.0.push(text.to_string());
        }
        Ok(())
    }
}

#[test]
fn values_outside_of_constraints_are_remarks_or_errors() {
    for (ty, text, words) in [
        ("INTEGER (1..9)", "10", "the number 10"),
        ("IA5String (SIZE (2))", "\"abc\"", "a size of 3"),
        ("IA5String (FROM (\"a\"..\"c\"))", "\"abx\"", "the character 'x'"),
        ("BMPString (SIZE (1))", "\"é\u{20ac}\"", "a size of 2"),
        ("OCTET STRING (SIZE (1))", "\"0011\"", "a size of 2"),
        ("SEQUENCE (SIZE (1)) OF NULL", "[null,null]", "a size of 2"),
    ] {
        let jer = module(&format!("A ::= {ty}"), "A");
        let mut remarks = Remarks::default();
        walk(&jer, text, &mut remarks).unwrap();
        assert!(remarks.0.len() == 1 && remarks.0[0].starts_with(words), "{ty}: {:?}", remarks.0);
        let mut reader = jer.reader(Checks::Refuse);
        let error = reader.walk(text.as_bytes(), 0, &mut Tree::new(), &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
        assert!(error.kind() == ErrorKind::Range && error.to_string().contains(words), "{error}");
    }
    let mut remarks = Remarks::default();
    walk(&module("A ::= OBJECT IDENTIFIER", "A"), "\"2.5.4.3\"", &mut remarks).unwrap();
    walk(&module("A ::= INTEGER { high(7) }", "A"), "7", &mut remarks).unwrap();
    assert_eq!(remarks.0.last().map(String::as_str), Some("high"));
    assert_eq!(remarks.0.len(), 2);
}

/// A sink that skips some fields, or all containers behind the first.
struct Skipping(Option<&'static str>, u32, Vec<String>);

impl<'m> Sink<'m> for Skipping {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        self.1 += 1;
        Ok(if self.0.is_none() && self.1 > 1 { Next::Skip } else { Next::Enter })
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(if self.0 == Some(field.name.get()) { Next::Skip } else { Next::Enter })
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.2.push(format!("{value:?}"));
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.1 += 100;
        Ok(())
    }
}

#[test]
fn values_that_a_sink_skips_are_stepped_over() {
    let jer = Jer::new(plan(&resolved(PACKED), "Box"));
    let text = r#"{"items":[{"value":"x","id":3},{"id":1,"value":{"a":5,"d":null}}],"end":4}"#;
    let mut skipping = Skipping(Some("id"), 0, Vec::new());
    walk(&jer, text, &mut skipping).unwrap();
    assert_eq!((skipping.1, skipping.2.len()), (505, 4), "{:?}", skipping.2);
    let mut skipping = Skipping(None, 0, Vec::new());
    walk(&jer, text, &mut skipping).unwrap();
    assert_eq!((skipping.1, skipping.2.len()), (102, 1));
}

#[test]
fn hostile_messages_meet_limits() {
    let jer = Jer::new(plan(&resolved(PACKED), "Deep"));
    let deep = |depth: usize| format!("{}{{\"value\":3}}{}", "{\"value\":3,\"rest\":".repeat(depth), "}".repeat(depth));
    assert!(read(&jer, &deep(500)).is_ok());
    assert_eq!(refused(&jer, &deep(600)).kind(), ErrorKind::Limit);
    assert!(through(&jer, &deep(400), &mut jer.writer()).is_ok());
    let jer = Jer::new(plan(&resolved(PACKED), "Open"));
    assert_eq!(refused(&jer, &format!("{{\"x\":{}", "[".repeat(100_000))).kind(), ErrorKind::Limit);
    for ty in ["REAL", "INTEGER"] {
        let jer = module(&format!("A ::= {ty}"), "A");
        assert_eq!(refused(&jer, &"9".repeat(5000)).kind(), ErrorKind::Limit, "{ty}");
    }
    let huge = module("A ::= REAL", "A");
    assert!(read(&huge, "{\"base10Value\":1e99999999999999999999}").is_err());
    assert!(read(&huge, "1e99999999999999999999").is_ok());
}

#[test]
fn texts_have_the_look_that_is_asked_for() {
    let jer = module("A ::= SEQUENCE { a NULL, b SEQUENCE OF BOOLEAN }", "A");
    let mut writer = jer.writer();
    assert!(writer.lay_out(&Layout::COMPACT.with_indent(Some(Indent::Spaces(2)))));
    assert_eq!(through(&jer, "{\"a\":null,\"b\":[true]}", &mut writer).unwrap(), "{\n  \"a\": null,\n  \"b\": [\n    true\n  ]\n}");
}

#[test]
fn mutated_messages_break_nothing() {
    let names: Vec<_> = resolved(PACKED).modules[0].types.iter().map(|(name, _)| name.to_string()).collect();
    let mut random = fastrand::Rng::with_seed(5);
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let [name, text, ..] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let index = names.iter().position(|known| known == name).unwrap();
        let message = [&[index as u8][..], text.as_bytes()].concat();
        jer_bytes::jer(&message);
        for _ in 0..60 {
            let mut bad = message.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(1..bad.len());
                match random.u8(..4) {
                    0 => bad[at] = random.u8(..),
                    1 => bad[at] = *random.choice(b"{}[]\",:0-1ae\\".iter().collect::<Vec<_>>()).unwrap(),
                    2 if bad.len() > 2 => drop(bad.remove(at)),
                    _ => bad.insert(at, *random.choice(b"{}[]\",:0-1ae\\".iter().collect::<Vec<_>>()).unwrap()),
                }
            }
            jer_bytes::jer(&bad);
        }
    }
}

/// The bytes of an inferred schema are those of its module, whose names other programs know; its
/// values have the names of the messages.
#[test]
fn an_inferred_schema_writes_the_names_of_its_module() {
    let text = b"(polywire-mapping 1 (root Message)
        (type Message (record (goods_name text) (Unit%20Price (nullable u32)) (mix (either (integer none u32) (Mix none (ref Mix)))) (kind (ref Kind))))
        (type Mix (record (a_b u32)))
        (type Kind (names (old_one 0) (new 1))))";
    let schema = polywire_core::schema::mapped(text).expect("a mapping").unwrap_or_else(|error| panic!("{error}"));
    let bound = polywire_asn1::JER.binder.expect("a binder").adopt(&schema).unwrap_or_else(|error| panic!("{error}"));
    let plain = r#"{"goods-name":"x","unit-Price":{"value":5},"mix":{"mix":{"a-b":7}},"kind":"old-one"}"#;
    let mut tree = Tree::new();
    bound.reader().walk(plain.as_bytes(), 0, &mut tree, &mut Budget::new(&Limits::DEFAULT)).unwrap_or_else(|error| panic!("{error}"));
    let mut shown = String::new();
    show(tree.root().unwrap(), &mut shown);
    assert_eq!(shown, r#"{"goods_name":"x","Unit Price":5,"mix":{"a_b":7},"kind":"old_one"}"#);
    let (mut writer, mut out) = (bound.writer().expect("a writer"), Vec::new());
    tree.root().unwrap().emit(&mut Plainly(&mut *writer)).unwrap();
    writer.finish(&mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), plain);
    let wrong = plain.replace("goods-name", "goods_name");
    let error = bound.reader().walk(wrong.as_bytes(), 0, &mut Tree::new(), &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
    assert!(error.to_string().contains("a component: goods-name, unit-Price, mix, kind, saw the member `goods_name`"), "{error}");
}

#[test]
fn declarations_of_an_inferred_module_may_be_renamed() {
    let text = b"M DEFINITIONS AUTOMATIC TAGS ::= BEGIN Wares ::= SEQUENCE { title UTF8String } END
        /* (polywire-mapping 1 (root Message) (type Message (record (goods_name text)))) */";
    let text = polywire_core::schema::language::SchemaText { name: "m.asn", bytes: text, identity: "" };
    let binder = polywire_asn1::JER.binder.expect("a binder");
    let bound = binder.bind_text(&text, &mut polywire_core::text::sources::NoFiles, None).unwrap_or_else(|error| panic!("{error}"));
    let mut tree = Tree::new();
    bound.reader().walk(br#"{"title":"x"}"#, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT)).unwrap_or_else(|error| panic!("{error}"));
    let mut shown = String::new();
    show(tree.root().unwrap(), &mut shown);
    assert_eq!(shown, r#"{"goods_name":"x"}"#);
}

#[test]
fn encoding_instructions_change_names_and_forms() {
    let assignments = |prefix: &str| {
        format!(
            "A ::= SEQUENCE {{ unit-price [{prefix}NAME AS \"Unit \"\"Price\"] INTEGER, goods-name [{prefix}NAME AS LOWERCAMELCASED] UTF8String OPTIONAL,
                c [{prefix}NAME AS CAPITALIZED] CHOICE {{ one [{prefix}NAME AS \"1\"] NULL }}, k Kind, o Blob (SIZE (2)), ... ,
                x [{prefix}TEXT ALL AS CAPITALIZED] ENUMERATED {{ p, q }} OPTIONAL }}
             Kind ::= [{prefix}TEXT new AS \"brand new\", ALL AS UPPERCASED] ENUMERATED {{ new, old-one, used }}
             Blob ::= [{prefix}BASE64] OCTET STRING"
        )
    };
    let text = r#"{"Unit \"Price":3,"goodsName":"x","C":{"1":null},"k":"brand new","o":"AP8=","x":"Q"}"#;
    let values = r#"{"unit-price":3,"goods-name":"x","c":{"one":null},"k":"new","o":"0x00ff","x":"q"}"#;
    let by_default = format!("M DEFINITIONS JER INSTRUCTIONS AUTOMATIC TAGS ::= BEGIN {} END", assignments(""));
    for jer in [module(&assignments("JER:"), "A"), Jer::new(plan(&resolved(&by_default), "A"))] {
        assert_eq!(read(&jer, text).unwrap_or_else(|error| panic!("{error}")), values);
        let mut out = Vec::new();
        let mut writer = jer.writer();
        walk(&jer, text, &mut Plainly(&mut writer)).unwrap();
        writer.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
        assert_eq!(read(&jer, &text.replace("brand new", "OLD-ONE")).unwrap(), values.replace("\"new\"", "\"old-one\""));
        // Base64 may have ends of lines (RFC 2045).
        assert_eq!(read(&jer, &text.replace("AP8=", "AP\\r\\n8=")).unwrap(), values);
        for (old, new, words) in [
            ("brand new", "new", "an enumerator: brand new, OLD-ONE, USED, saw `new`"),
            ("AP8=", "00FF00", "Base64"),
            ("\"1\"", "\"one\"", "an alternative: 1, saw the member `one`"),
        ] {
            let error = read(&jer, &text.replace(old, new)).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
