//! BER, DER and CER by a schema: values of another implementation, the mapping, canonical forms
//! that are refused, later versions, and hostile bytes.

mod ber_bytes;

use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::ber::{BerReader, BerWriter, Rules, defaults};
use polywire_asn1::walk::Plan;
use polywire_core::{Budget, Error, ErrorKind, Limits, Lost, Reader, Result, Tree, Value, Writer};

const BER: Rules = Rules::Basic;
const DER: Rules = Rules::Distinguished;
const CER: Rules = Rules::Canonical;

/// Bytes of hexadecimal digits; blanks are for the eye.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn plan(text: &str, module: &str, ty: &str) -> Arc<Plan> {
    let mut modules = Modules::new();
    modules.add("test.asn", text.as_bytes());
    let model = modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}"));
    let ty = model.named(module, ty).expect("the type");
    Arc::new(Plan::new(Arc::new(model), ty).expect("a plan"))
}

/// Returns the plan of the type `T` of a module of these assignments, with automatic tags.
fn of(assignments: &str) -> Arc<Plan> {
    plan(&format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {assignments} END"), "M", "T")
}

fn reader(plan: &Arc<Plan>, rules: Rules) -> BerReader {
    BerReader::new(Arc::clone(plan), Arc::new(defaults(plan)), rules)
}

fn writer(plan: &Arc<Plan>, rules: Rules) -> BerWriter {
    BerWriter::new(Arc::clone(plan), Arc::new(defaults(plan)), rules)
}

fn read(plan: &Arc<Plan>, rules: Rules, bytes: &[u8]) -> Result<Value> {
    let mut tree = Tree::new();
    reader(plan, rules).walk(bytes, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(Value::from(tree.root().expect("a value")))
}

fn refused(plan: &Arc<Plan>, rules: Rules, bytes: &str) -> Error {
    read(plan, rules, &hex(bytes)).expect_err(bytes)
}

fn write(plan: &Arc<Plan>, rules: Rules, value: &Value) -> Result<(Vec<u8>, Vec<Lost>)> {
    let mut writer = writer(plan, rules);
    let mut out = Vec::new();
    value.emit(&mut writer)?;
    writer.finish(&mut out)?;
    Ok((out, writer.losses()))
}

fn transcode(plan: &Arc<Plan>, from: Rules, bytes: &[u8], to: Rules) -> Result<Vec<u8>> {
    let mut writer = writer(plan, to).unknown(true);
    let mut out = Vec::new();
    reader(plan, from).walk(bytes, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT))?;
    writer.finish(&mut out)?;
    assert_eq!(writer.losses(), []);
    Ok(out)
}

fn test_file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../testdata/asn1/{name}", env!("CARGO_MANIFEST_DIR"))).expect("the file")
}

/// Returns the values of `forms.txt`: a type's plan, and its value in DER, BER and CER.
fn forms() -> Vec<(Arc<Plan>, String, [Vec<u8>; 3])> {
    let modules = test_file("Forms.asn");
    let mut plans: Vec<(String, Arc<Plan>)> = Vec::new();
    let text = test_file("forms.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let [name, der, ber, cer] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let known = plans.iter().find(|(known, _)| known == name).map(|(_, plan)| Arc::clone(plan));
            let plan = known.unwrap_or_else(|| {
                let (module, ty) = name.split_once('.').expect("a module and a type");
                let made = plan(&modules, module, ty);
                plans.push((name.to_string(), Arc::clone(&made)));
                made
            });
            (plan, line.to_string(), [hex(der), hex(ber), hex(cer)])
        })
        .collect()
}

/// Returns a field of a record.
fn get<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let Value::Record { fields, .. } = value else { return None };
    fields.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
}

fn text(text: &str) -> Value {
    Value::text(text)
}

#[test]
fn values_of_another_implementation_come_back() {
    let all = forms();
    assert!(all.len() > 100);
    for (plan, line, [der, ber, cer]) in &all {
        for (from, bytes) in [(DER, der), (BER, ber), (CER, cer), (BER, der), (BER, cer)] {
            for (to, expected) in [(DER, der), (CER, cer)] {
                let found = transcode(plan, from, bytes, to).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert!(found == *expected, "{line}\n{found:02x?}\n{expected:02x?}");
            }
        }
        // The value itself.
        let value = read(plan, DER, der).expect(line);
        let again = read(plan, BER, &write(plan, BER, &value).expect(line).0).expect(line);
        assert_eq!(write(plan, DER, &again).expect(line), write(plan, DER, &value).expect(line), "{line}");
    }
}

#[test]
fn each_type_has_its_value() {
    let modules = test_file("Tickets.asn");
    let plan = plan(&modules, "Tickets", "Sale");
    let bytes = hex("303c 800111 810105 a209 3007 800103 81024237 a304 800204e2 860c 300a 80032a8648 810380ff03 870105
         a512 3010 800101 8101ff a208 3006 800105 810141");
    let seat = |row, place| Value::record([("row", Value::int(row)), ("place", text(place))]);
    let case = |name: &str, index, value| Value::Variant { name: name.into(), index, values: vec![value] };
    let expected = Value::record([
        ("serial", Value::int(17)),
        ("state", text("sold")),
        ("seats", Value::List(vec![seat(3, "B7")])),
        ("price", case("cents", 0, Value::int(1250))),
        ("voucher", Value::record([("id", text("1.2.840")), ("sum", Value::F64(1.5))])),
        ("points", Value::int(5)),
        ("parts", Value::List(vec![Value::record([("id", Value::int(1)), ("must", Value::Bool(true)), ("body", seat(5, "A"))])])),
    ]);
    assert_eq!(read(&plan, DER, &bytes).unwrap(), expected);
    assert_eq!(write(&plan, DER, &expected).unwrap(), (bytes, Vec::new()));
}

#[test]
fn open_types_without_a_row_are_bytes() {
    let plan = plan(&test_file("Tickets.asn"), "Tickets", "Sale");
    let body = |value| Value::record([("id", Value::int(9)), ("must", Value::Bool(false)), ("body", value)]);
    let sale = |value| {
        Value::record([
            ("serial", Value::int(1)),
            ("seats", Value::List(vec![])),
            ("price", Value::Variant { name: "free".into(), index: 1, values: vec![Value::Null] }),
            ("parts", Value::List(vec![body(value)])),
        ])
    };
    let given = sale(Value::Bytes(vec![2, 1, 5]));
    let (bytes, _) = write(&plan, DER, &given).unwrap();
    assert_eq!(read(&plan, DER, &bytes).unwrap(), given);
    let error = write(&plan, DER, &sale(Value::Bytes(vec![2, 2, 5]))).unwrap_err();
    assert_eq!(error.path().unwrap().to_string(), "parts[0].body");
    assert!(error.to_string().contains("3 bytes that are no encoding"), "{error}");
}

#[test]
fn components_come_in_any_order_and_by_any_name_of_a_value() {
    let plan = of(
        "T ::= SEQUENCE { a INTEGER { two(2) }, b ENUMERATED { x, y(5) }, c CHOICE { n NULL, i INTEGER }, d BIT STRING { p(0), q(9) }, e OCTET STRING OPTIONAL, f GeneralizedTime OPTIONAL }",
    );
    let expected = hex("300f 800102 810105 a2028000 8303068040");
    let given = Value::record([
        ("d", Value::List(vec![text("q"), text("p")])),
        ("c", text("n")),
        ("b", Value::int(5)),
        ("a", text("two")),
        ("e", Value::Null),
    ]);
    let (bytes, losses) = write(&plan, DER, &given).unwrap();
    assert_eq!(bytes, expected);
    assert_eq!(losses.iter().map(|lost| lost.what).collect::<Vec<_>>(), ["null dropped: the component is absent"]);
    let more = Value::record([
        ("a", Value::int(1)),
        ("b", text("x")),
        ("c", Value::record([("i", Value::int(-1))])),
        ("d", Value::List(vec![])),
        ("e", text("AQI=")),
        ("f", text("2026-11-27T10:00:00+01:00")),
        ("g", Value::int(1)),
    ]);
    let (bytes, losses) = write(&plan, DER, &more).unwrap();
    assert_eq!(losses.iter().map(|lost| lost.what).collect::<Vec<_>>(), ["field that the module does not have dropped"]);
    let back = read(&plan, DER, &bytes).unwrap();
    assert_eq!(get(&back, "e"), Some(&Value::Bytes(vec![1, 2])));
    assert_eq!(
        get(&back, "f").map(|value| matches!(value, Value::Time(moment) if moment.to_string() == "2026-11-27T09:00:00Z")),
        Some(true)
    );
}

#[test]
fn what_does_not_fit_is_refused_with_its_path() {
    let plan = of("T ::= SEQUENCE { a SEQUENCE OF CHOICE { n NULL, i INTEGER (0..9) }, b UTCTime OPTIONAL, c OBJECT IDENTIFIER OPTIONAL }");
    let choice = |value| Value::record([("a", Value::List(vec![text("n"), value]))]);
    let with = |name: &'static str, value| Value::record([("a", Value::List(vec![])), (name, value)]);
    for (value, path, part) in [
        (choice(Value::record([("x", Value::Null)])), "a[1]", "expected an alternative: n, i, saw `x`"),
        (choice(Value::record([("i", text("9"))])), "a[1].i", "expected INTEGER, or the name of one, saw text"),
        (choice(text("i")), "a[1]", "`i` without a value"),
        (with("b", text("2050-01-01T00:00:00Z")), "b", "the years 1950 to 2049"),
        (with("b", text("tomorrow")), "b", "expected UTCTime, saw `tomorrow`"),
        (with("c", text("1.40.1")), "c", "arcs with points between"),
        (Value::record([("b", text("2020-01-01T00:00:00Z"))]), ".", "no component `a`"),
        (Value::List(vec![]), ".", "expected a record, as the type is a SEQUENCE, saw list"),
    ] {
        let error = write(&plan, DER, &value).unwrap_err();
        let found = error.path().map(|path| if path.0.is_empty() { ".".to_string() } else { path.to_string() });
        assert_eq!(found.as_deref(), Some(path), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn what_is_not_canonical_names_its_rule() {
    let set = "T ::= SET { a INTEGER, b BOOLEAN DEFAULT FALSE, c SET OF INTEGER OPTIONAL, d BIT STRING { x(0) } OPTIONAL, e BIT STRING OPTIONAL, f REAL OPTIONAL, g GeneralizedTime OPTIONAL, h UTCTime OPTIONAL, i OCTET STRING OPTIONAL }";
    let plan = of(set);
    for (bytes, rule) in [
        ("3180 800101 0000", "X.690 10.1"),
        ("318103 800101", "X.690 10.1"),
        ("3104 80020001", "X.690 8.3.2"),
        ("3106 800101 810101", "X.690 11.1"),
        ("3106 800101 810100", "X.690 11.5"),
        ("3106 8101ff 800101", "X.690 10.3"),
        ("310b 800101 a206 020102 020101", "X.690 11.6"),
        ("3107 800101 83020600", "X.690 11.2.2"),
        ("3107 800101 84020641", "X.690 11.2.1"),
        ("3108 800101 8503800002", "X.690 11.3.1"),
        ("3108 800101 8503900001", "X.690 11.3.1"),
        ("310a 800101 850503312e452b", "NR1, NR2 or NR3"),
        ("310b 800101 850603312e302e45", "NR3"),
        ("3112 800101 860d 3230323630313031303030305a", "X.690 11.7"),
        ("3110 800101 870b 323630313031303030305a", "X.690 11.8"),
        ("3108 800101 a803040101", "X.690 10.2"),
    ] {
        let error = refused(&plan, DER, bytes);
        assert!(error.to_string().contains(rule) || rule.starts_with("NR") && error.to_string().contains("REAL"), "{bytes}: {error}");
    }
    for (bytes, rule) in [
        ("3103 800101", "X.690 9.1"),
        ("3180 80820001 01 0000", "X.690 9.1"),
        ("3180 8101ff 800101 0000", "X.690 9.3"),
        ("3180 800101 a880 040101 0000 0000", "X.690 9.2"),
    ] {
        let error = refused(&plan, CER, bytes);
        assert!(error.to_string().contains(rule), "{bytes}: {error}");
    }
    // BER takes all of these.
    for (bytes, component) in [
        ("3180 800101 0000", "a"),
        ("3106 8101ff 800101", "b"),
        ("3106 800101 810101", "b"),
        ("310b 800101 a206 020102 020101", "c"),
        ("310c 800101 a807 04020102 040103", "i"),
        ("310c 800101 a880 24030401aa 0000", "i"),
        ("3110 800101 870b 323630313031303030305a", "h"),
    ] {
        let value = read(&plan, BER, &hex(bytes)).unwrap_or_else(|error| panic!("{bytes}: {error}"));
        assert!(get(&value, component).is_some(), "{bytes}");
    }
}

#[test]
fn later_versions_pass_an_earlier_one() {
    let older = "T ::= SEQUENCE { a INTEGER, ..., [[ b BOOLEAN OPTIONAL ]], ..., z NULL, c C, e E } C ::= CHOICE { one INTEGER, ... } E ::= ENUMERATED { x, ... } ";
    let newer = "T ::= SEQUENCE { a INTEGER, ..., [[ b BOOLEAN OPTIONAL ]], n SEQUENCE { o INTEGER }, ..., z NULL, c C, e E } C ::= CHOICE { one INTEGER, ..., two UTF8String } E ::= ENUMERATED { x, ..., y }";
    let tags = |text: &str| {
        let text = text.replace("a INTEGER", "a [0] INTEGER").replace("b BOOLEAN", "b [1] BOOLEAN").replace("n SEQ", "n [9] SEQ");
        let text = text.replace("z NULL", "z [2] NULL").replace("c C,", "c [3] C,").replace("e E ", "e [4] E ");
        plan(&format!("M DEFINITIONS IMPLICIT TAGS ::= BEGIN {} END", text.replace("two UTF8", "two [7] UTF8")), "M", "T")
    };
    let (older, newer) = (tags(older), tags(newer));
    let value = Value::record([
        ("a", Value::int(1)),
        ("n", Value::record([("o", Value::int(7))])),
        ("z", Value::Null),
        ("c", Value::Variant { name: "two".into(), index: 1, values: vec![text("hi")] }),
        ("e", text("y")),
    ]);
    let (bytes, _) = write(&newer, DER, &value).unwrap();
    let seen = read(&older, DER, &bytes).unwrap();
    assert_eq!(get(&seen, "n"), None);
    assert_eq!(get(&seen, "e"), Some(&Value::int(1)));
    for rules in [BER, DER, CER] {
        let (bytes, _) = write(&newer, rules, &value).unwrap();
        assert_eq!(transcode(&older, rules, &bytes, rules).unwrap(), bytes, "{rules:?}");
    }
    // Without the marker, they are refused.
    let strict = of("T ::= SEQUENCE { a INTEGER }");
    let error = refused(&strict, BER, "3006 800101 890107");
    assert_eq!(error.offset(), Some(5));
    assert!(error.to_string().contains("expected the end of the components, saw [9]"), "{error}");
}

#[test]
fn mistakes_have_their_place() {
    let plan = of("T ::= SEQUENCE { a INTEGER, b BOOLEAN OPTIONAL, c UTF8String }");
    for (bytes, at, kind, part) in [
        ("3003 800101", 5, ErrorKind::Syntax, "component `c`"),
        ("3006 800101 830101", 5, ErrorKind::Syntax, "expected the component `b` or `c`, saw [3]"),
        ("3004 800101 82", 6, ErrorKind::Truncated, ""),
        ("3006 800101 820141 00", 8, ErrorKind::Trailing, ""),
        ("3006 810101 820141", 2, ErrorKind::Syntax, "expected the component `a`, saw [1]"),
        ("3080 800101 820141", 8, ErrorKind::Truncated, "end-of-contents"),
        ("3088ffffffffffffffff", 0, ErrorKind::Truncated, "18446744073709551615 bytes"),
        ("3005 8005 01 8201", 2, ErrorKind::Truncated, "5 bytes"),
        ("3007 8002 0101 820901", 6, ErrorKind::Truncated, "9 bytes"),
        ("020101", 0, ErrorKind::Syntax, "expected T, SEQUENCE, saw INTEGER"),
        ("1000", 0, ErrorKind::Syntax, "a primitive encoding"),
        ("3006 a00101 820141", 2, ErrorKind::Syntax, "a constructed encoding"),
        ("3005 8000 820141", 4, ErrorKind::Syntax, "at least one (X.690 8.3.1)"),
    ] {
        let error = refused(&plan, BER, bytes);
        assert_eq!((error.offset(), error.kind()), (Some(at), kind), "{bytes}: {error}");
        assert!(error.to_string().contains(part), "{bytes}: {error}");
    }
}

#[test]
fn limits_hold() {
    let deep = of("T ::= SEQUENCE { t T OPTIONAL, s OCTET STRING OPTIONAL }");
    let nested: Vec<u8> = [0xa0, 0x80].repeat(100_000);
    let error = read(&deep, BER, &[&[0x30, 0x80][..], &nested].concat()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let segments: Vec<u8> = [0x24, 0x80].repeat(100_000);
    let error = read(&deep, BER, &[&[0x30, 0x80, 0xa1, 0x80][..], &segments].concat()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    // Bytes that are skipped are bounded too.
    let open = of("T ::= SEQUENCE { a INTEGER, ... }");
    let unknown: Vec<u8> = [0xa9, 0x80].repeat(100_000);
    let error = read(&open, BER, &[&[0x30, 0x80, 0x80, 1, 1][..], &unknown].concat()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let big = of("T ::= INTEGER");
    let number = [&[2, 0x82, 0x10, 0][..], &[0x7f; 4096]].concat();
    assert_eq!(read(&big, BER, &number).unwrap_err().kind(), ErrorKind::Limit);
    let value = |depth: usize| (0..depth).fold(Value::record([("s", Value::Null)]), |inner, _| Value::record([("t", inner)]));
    assert!(write(&deep, DER, &value(200)).is_ok());
    assert_eq!(write(&deep, DER, &value(400)).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn changed_and_cut_messages_are_refused_or_read() {
    let mut random = fastrand::Rng::with_seed(11);
    for (plan, _, encodings) in forms().into_iter().step_by(3) {
        for (rules, bytes) in [DER, BER, CER].into_iter().zip(&encodings) {
            let mut reader = reader(&plan, rules);
            let mut writer = writer(&plan, rules).unknown(true);
            for round in 0..60 {
                let mut changed = bytes.clone();
                for _ in 0..=random.usize(0..3) {
                    let at = random.usize(0..changed.len());
                    changed[at] = random.u8(..);
                }
                if round % 3 == 0 {
                    changed.truncate(random.usize(0..bytes.len()));
                }
                let mut out = Vec::new();
                let read = reader.walk(&changed, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT));
                if read.and_then(|()| writer.finish(&mut out)).is_err() {
                    writer.reset();
                } else if rules != BER {
                    // A canonical reader accepts one encoding of a value.
                    assert_eq!(out, changed, "{rules:?}");
                }
            }
        }
    }
}

#[test]
fn any_bytes_break_nothing() {
    let mut random = fastrand::Rng::with_seed(12);
    for (_, _, encodings) in forms().into_iter().step_by(2) {
        for bytes in &encodings {
            for chosen in 0..18 {
                let mut changed = [&[chosen][..], bytes].concat();
                ber_bytes::ber(&changed);
                let at = random.usize(1..changed.len());
                changed[at] = random.u8(..);
                ber_bytes::ber(&changed);
            }
        }
    }
}

#[test]
fn strings_hold_values_where_a_table_knows_them() {
    let text = "K ::= CLASS { &id OBJECT IDENTIFIER UNIQUE, &Value OPTIONAL } \
        T ::= SEQUENCE { id K.&id ({S}), s BIT STRING (CONTAINING K.&Value ({S}{@id})) } \
        S K ::= { { &id {1 2 3}, &Value INTEGER } | { &id {1 2 4} }, ... }";
    let plan = of(text);
    let known = hex("300a 80022a03 81040002 0107");
    let value = read(&plan, DER, &known).unwrap();
    assert_eq!(get(&value, "s"), Some(&Value::int(7)));
    assert_eq!(write(&plan, DER, &value).unwrap().0, known);
    let other = hex("3009 80022a04 81030080 ff");
    let value = read(&plan, DER, &other).unwrap();
    let bits = Value::record([("value", Value::Bytes(vec![0x80, 0xff])), ("length", Value::int(16))]);
    assert_eq!(get(&value, "s"), Some(&bits));
    assert_eq!(write(&plan, DER, &value).unwrap().0, other);
}

/// Sink that keeps the remarks of an inspection.
#[derive(Default)]
struct Remarks(Vec<String>);

impl<'m> polywire_core::Sink<'m> for Remarks {
    fn needs(&self) -> polywire_core::Needs {
        polywire_core::Needs::GUESSES
    }

    fn open(&mut self, _: polywire_core::Open<'_>, _: polywire_core::Span) -> Result<polywire_core::Next> {
        Ok(polywire_core::Next::Enter)
    }

    fn field(&mut self, _: polywire_core::Field<'m, '_>, _: polywire_core::Span) -> Result<polywire_core::Next> {
        Ok(polywire_core::Next::Enter)
    }

    fn scalar(&mut self, _: polywire_core::Scalar<'m, '_>, _: polywire_core::Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: polywire_core::Part<'_>, _: polywire_core::Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: polywire_core::Span) -> Result<()> {
        Ok(())
    }

    fn note(&mut self, note: polywire_core::Note<'_>, _: polywire_core::Span) -> Result<()> {
        if let polywire_core::Note::Meaning(text) = note {
            self.0.push(text.to_string());
        }
        Ok(())
    }
}

fn remarks(plan: &Arc<Plan>, bytes: &str) -> Vec<String> {
    let mut remarks = Remarks::default();
    reader(plan, BER).walk(&hex(bytes), 0, &mut remarks, &mut Budget::new(&Limits::DEFAULT)).expect("it is read");
    remarks.0
}

#[test]
fn values_outside_of_constraints_are_remarked_or_refused() {
    let plan = of(
        "T ::= SEQUENCE { row INTEGER (1..40), name PrintableString (SIZE (1..3)) (FROM (\"a\"..\"z\")), all SEQUENCE (SIZE (2)) OF NULL, more INTEGER (1..40, ...) }",
    );
    let inside = "3011 800107 8103616263 a2040500 0500 8301 ff";
    assert_eq!(remarks(&plan, inside), Vec::<String>::new());
    let outside = "3010 800129 810461626341 a2020500 8301 ff";
    let found = remarks(&plan, outside);
    let expected = [
        "the number 41 is outside of the module's 1 to 40",
        "a size of 4 is outside of the module's 1 to 3",
        "a size of 1 is outside of the module's 2 to 2",
    ];
    assert_eq!(found, expected);
    let strict = |bytes: &str| {
        let mut tree = Tree::new();
        reader(&plan, BER).checks(polywire_asn1::ber::Checks::Refuse).walk(&hex(bytes), 0, &mut tree, &mut Budget::new(&Limits::DEFAULT))
    };
    strict(inside).expect("it is inside");
    let error = strict(outside).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Range, Some(2)));
    let error = strict("3011 800107 8103614163 a2040500 0500 8301 ff").unwrap_err();
    assert!(error.to_string().contains("the character 'A'"), "{error}");
}

#[test]
fn inspection_shows_what_octets_mean() {
    let plan = plan(
        "M DEFINITIONS IMPLICIT TAGS ::= BEGIN IMSI ::= TBCD-STRING (SIZE (3..8)) TBCD-STRING ::= OCTET STRING
         AddressString ::= OCTET STRING ISDN-AddressString ::= AddressString (SIZE (1..9))
         T ::= SEQUENCE { imsi [0] IMSI, msisdn [1] ISDN-AddressString OPTIONAL, use [2] OBJECT IDENTIFIER OPTIONAL, v [3] INTEGER { v2(2) } OPTIONAL } END",
        "M",
        "T",
    );
    let found = remarks(&plan, "3015 8005 620221 43f5 8104 919471f1 8203 550403 830102 ");
    assert_eq!(found, ["262012345"[..].to_string(), "49171, international, E.164".into(), "commonName".into(), "v2".into()]);
    // Octets that do not fit have no meaning.
    assert_eq!(remarks(&plan, "3005 8003 ff2143"), Vec::<String>::new());
}
